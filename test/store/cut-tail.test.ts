// The end of a file cut off, of any file of a store: what a bad repair, a full disk or an unplugged card leaves.

import assert from 'node:assert/strict'
import { cp, mkdir, rm, truncate, writeFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import type { Found } from '../../ledger/store.ts'
import { suite } from '../suite.ts'
import { NAME } from './lines.ts'
import { below, filesOf, fill, isPutBack, ROUNDS, random, SEED, standsUp, tally, withFolder } from './ordeal.ts'

const test = suite('store/cut-tail')

for (const [what, pattern] of Object.entries({ log: /\.log$/, table: /\.ldb$/, any: /./ })) {
  test(`${ROUNDS} cuts (${what}): nothing acknowledged is lost unnoticed`, () =>
    withFolder(async home => {
      const draw = random(SEED)
      const whole = join(home, 'whole')
      const acknowledged = await fill(whole, draw, 700)
      const files = (await filesOf(whole)).filter(file => pattern.test(file.path))
      const found: Found[] = []
      for (let round = 0; round < ROUNDS; round++) {
        const copy = join(home, `copy-${round}`)
        await cp(whole, copy, { recursive: true })
        const { path, bytes } = files[below(draw, files.length)] as { path: string; bytes: number }
        const name = relative(whole, path)
        // Half of the cuts are of a few bytes, where a record ends as if it had never been begun.
        const left = draw() < 0.5 ? bytes - 1 - below(draw, Math.min(bytes, 600)) : below(draw, bytes)
        await truncate(join(copy, name), left)
        found.push(
          await standsUp(copy, acknowledged, `seed ${SEED}, round ${round}: ${left} of ${bytes} bytes of ${name}`),
        )
      }
      const harmed = found.filter(one => one.kind === 'lost' || isPutBack(one)).length
      assert.equal(harmed > ROUNDS / 4, true, `seed ${SEED}: hardly a cut did harm: ${JSON.stringify(tally(found))}`)
    }))
}

test('an epoch whose folder was made and nothing in it is a loss like any other', () =>
  withFolder(async dir => {
    for (const files of [[], ['LOCK', 'LOG'], ['LOCK', 'LOG', 'MANIFEST-000001']]) {
      await rm(dir, { recursive: true })
      const acknowledged = await fill(dir, random(SEED), 20)
      await mkdir(join(dir, '2'))
      for (const name of files) await writeFile(join(dir, '2', name), '')
      const found = await standsUp(dir, acknowledged, `only ${files}`)
      assert.equal(found.kind === 'lost' && found.account, `${NAME}/2`)
    }
  }))

test.run()
