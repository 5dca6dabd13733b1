import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type BundleContent, writeBundle } from '../../tools/audit/bundle-writer.ts'
import { suite } from '../suite.ts'
import { contentOf, evidenceMall } from './evidence-mall.ts'

const test = suite('audit/bundle writer')

const folder = mkdtempSync(join(tmpdir(), 'gatemesh-writer-'))
const content = contentOf(evidenceMall())
test.after(() => rmSync(folder, { recursive: true }))

function refuses(change: Partial<BundleContent>, message: RegExp): Promise<void> {
  const dir = join(folder, 'refused')
  return assert.rejects(writeBundle(dir, { ...content, ...change }), { code: 'BUNDLE', message })
}

test('the seal is the hash of the last manifest, and the figures are those of the folder', async () => {
  const dir = join(folder, 'whole')
  let progress = 0
  const onProgress = (entries: number) => {
    assert.ok(entries >= progress)
    progress = entries
  }
  const { seal, files, bytes, entries } = await writeBundle(dir, content, { onProgress })
  assert.equal(seal, hash('sha256', readFileSync(join(dir, 'tagmanifest-sha256.txt'))))
  const all = readdirSync(dir, { recursive: true, withFileTypes: true }).filter(entry => entry.isFile())
  assert.equal(files, all.length)
  assert.equal(
    bytes,
    all.reduce((sum, entry) => sum + readFileSync(join(entry.parentPath, entry.name)).length, 0),
  )
  assert.equal(entries, progress)
  assert.equal(
    entries,
    content.about.ledgers.reduce((sum, { from, to }) => sum + to - from, 0),
  )
})

test('the same content is the same folder', async () => {
  const again = await writeBundle(join(folder, 'again'), content)
  assert.equal(again.seal, hash('sha256', readFileSync(join(folder, 'whole', 'tagmanifest-sha256.txt'))))
})

test('nothing is written over, neither a bundle nor one that is being made', async () => {
  mkdirSync(join(folder, 'there'))
  await assert.rejects(writeBundle(join(folder, 'there'), content), { code: 'BUNDLE', message: /is there already/ })
  mkdirSync(join(folder, 'making.part'))
  writeFileSync(join(folder, 'making.part', 'kept'), '')
  await assert.rejects(writeBundle(join(folder, 'making'), content), { code: 'BUNDLE', message: /making\.part/ })
  assert.deepEqual(readdirSync(join(folder, 'making.part')), ['kept'])
})

test('content that contradicts itself is refused, and leaves nothing behind', async () => {
  const before = readdirSync(folder)
  await refuses(
    { lines: account => [...(content.lines(account) as Iterable<string>)].slice(1) },
    /promised, and \d+ came/,
  )
  await refuses(
    { lines: account => [...(content.lines(account) as Iterable<string>), '{}'] },
    /promised, and more came/,
  )
  await refuses({ lines: () => ['{}\n{}'] }, /not one line/)
  await refuses({ charters: [] }, /no charter/)
  await refuses({ custody: [] }, /nothing says who/)
  await refuses({ rows: [...content.rows, ...content.rows.slice(0, 1)] }, /given twice/)
  await refuses({ rows: [{ account: '../../x', size: 1, note: '' }] }, /not an account/)
  await refuses({ policies: [{ version: 0.5, note: '' }] }, /numbered 0\.5/)
  const late = { ...content.about, ledgers: content.about.ledgers.map(one => ({ ...one, from: 1 })) }
  await refuses({ about: late }, /nothing says what was before/)
  const broken = new Error('the source went away')
  const lines = () => {
    throw broken
  }
  await assert.rejects(writeBundle(join(folder, 'refused'), { ...content, lines }), broken)
  assert.deepEqual(readdirSync(folder), before)
})

test.run()
