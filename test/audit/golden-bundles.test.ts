import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { VerifierKey } from '../../ledger/key.ts'
import { type BundleContent, writeBundle } from '../../tools/audit/bundle-writer.ts'
import { verifyBundle } from '../../tools/audit/verify-bundle.ts'
import { goldenJson, goldenText } from '../ledger/golden.ts'
import { suite } from '../suite.ts'
import { agreed, type Told } from './agreed.ts'
import { GOLDEN, goldenBundles } from './golden-bundles.ts'
import { second } from './second.ts'

const test = suite('audit/golden bundles')

const { owner, bundles } = goldenBundles()
const folder = mkdtempSync(join(tmpdir(), 'gatemesh-golden-'))
test.after(() => rmSync(folder, { recursive: true }))

const dirOf = (name: string) => fileURLToPath(new URL(name, GOLDEN))
/** Of their time, and so is what counts them: a bundle keeps the page and the program that it was made with. */
const OF_THEIR_TIME = ['data/FORMAT.md', 'data/README.txt', 'data/verify.mjs']
const LABELS = ['bag-info.txt', 'manifest-sha256.txt', 'tagmanifest-sha256.txt']

test('the owner is the one whose key lies beside them', () => {
  assert.equal(goldenText('bundle-1/owner.vkey'), `${owner}\n`)
})

for (const name of bundles.keys()) {
  test(`of the golden bundle "${name}" both verifiers say what they always said`, async () => {
    const expected = goldenJson(`bundle-1/${name}.report.json`)
    assert.deepEqual(agreed(await verifyBundle(dirOf(name), VerifierKey.parse(owner))), expected)
    assert.deepEqual(agreed(await second(dirOf(name), owner)), expected)
  })

  test(`the verifier that lies in the golden bundle "${name}" says so too`, async () => {
    const own = new URL(`${name}/data/verify.mjs`, GOLDEN)
    assert.deepEqual(agreed(await second(dirOf(name), owner, own)), goldenJson(`bundle-1/${name}.report.json`))
  })

  test(`the golden bundle "${name}" is what this program writes, but for what is of its time`, async () => {
    const dir = join(folder, name)
    await writeBundle(dir, bundles.get(name) as BundleContent)
    assert.deepEqual(filesUnder(dir), filesUnder(dirOf(name)))
    for (const file of filesUnder(dir).filter(file => ![...OF_THEIR_TIME, ...LABELS].includes(file))) {
      assert.equal(readFileSync(join(dir, file), 'utf8'), readFileSync(join(dirOf(name), file), 'utf8'), file)
    }
  })
}

test('a bundle of format 0 is judged by the rules of format 0, by both', async () => {
  const dir = fileURLToPath(new URL('../mall', GOLDEN))
  const key = goldenText('mall/owner.vkey').trimEnd()
  const { accounts, ...expected } = agreed(goldenJson<Told>('mall/report.json'))
  for (const told of [await verifyBundle(dir, VerifierKey.parse(key)), await second(dir, key)]) {
    const { accounts: is, ...rest } = agreed(told)
    assert.deepEqual(rest, expected)
    // where a ledger begins was nothing to tell then
    assert.deepEqual(
      is,
      accounts.map(account => ({ ...account, from: 0 })),
    )
  }
})

function filesUnder(dir: string): string[] {
  const entries = readdirSync(dir, { recursive: true, withFileTypes: true })
  return entries
    .filter(entry => entry.isFile())
    .map(entry => join(entry.parentPath, entry.name).slice(dir.length + 1))
    .sort()
}

test.run()
