// Interleavings as transcripts: every file in test/scenarios is replayed on real gates and a real anchor, and must come
// out as it is written. `UPDATE=1 node test/core/scenarios.test.ts` writes them anew; the diff is then what to review.

import assert from 'node:assert/strict'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from '../suite.ts'
import { play } from './script.ts'

const test = suite('core/scenarios')
const dir = join(import.meta.dirname, '../scenarios')

for (const file of readdirSync(dir).sort()) {
  test(file.replace(/\.txt$/, '').replaceAll('-', ' '), () => {
    const path = join(dir, file)
    const written = readFileSync(path, 'utf8')
    const played = play(written)
    if (process.env.UPDATE === '1') writeFileSync(path, played)
    else assert.equal(played, written)
  })
}

test('a sentence that nobody knows is an error, not a silence', () => {
  assert.throws(() => play('> a mall for 3 with east\n> Ida flies in'), /nobody knows how to: Ida flies in/)
  assert.throws(() => play('east admits Ida'), /not a line of a scenario/)
})

test.run()
