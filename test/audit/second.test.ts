import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { WHOLE } from '../../ledger/audit/about.ts'
import { type MallShown, verifyMall } from '../../ledger/audit/verify.ts'
import { type BundleContent, writeBundle } from '../../tools/audit/bundle-writer.ts'
import { verifyBundle } from '../../tools/audit/verify-bundle.ts'
import { goodDay } from '../ledger/broken-mall.ts'
import { shownBy } from '../sim/audit.ts'
import { profileOf } from '../sim/run.ts'
import { World } from '../sim/world.ts'
import { suite } from '../suite.ts'
import { agreed } from './agreed.ts'
import { contentOf, evidenceMall } from './evidence-mall.ts'
import { second } from './second.ts'
import { askSecond, findings } from './second-opinion.ts'

const test = suite('audit/second')
const SECOND = fileURLToPath(new URL('../../tools/audit/bundle/verify.mjs', import.meta.url))
const golden = fileURLToPath(new URL('../golden/mall', import.meta.url))
const ownerOfGolden = readFileSync(join(golden, 'owner.vkey'), 'utf8').trim()
const folder = mkdtempSync(join(tmpdir(), 'gatemesh-second-test-'))
const evidence = evidenceMall()
const owner = evidence.mall.owner.verifier

test.after(() => rmSync(folder, { recursive: true }))

let count = 0
const fresh = () => join(folder, String(++count))

async function bundle(content: BundleContent): Promise<string> {
  const dir = fresh()
  await writeBundle(dir, content)
  return dir
}

function run(...args: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' })
  return { status, stdout, stderr }
}

test('it imports nothing but what Node brings', () => {
  const source = readFileSync(SECOND, 'utf8')
  const imports = [...source.matchAll(/^import .* from '([^']+)'$/gm)].map(match => match[1] as string)
  assert.ok(imports.length > 3)
  assert.deepEqual(
    imports.filter(name => !name.startsWith('node:')),
    [],
  )
  assert.equal(
    [...source.matchAll(/\bimport\b(?!\.meta)/g)].filter(({ index }) => isCode(source, index)).length,
    imports.length,
  )
  assert.doesNotMatch(source, /\brequire\(|createRequire|node:(http|https|net|dns|child_process|worker_threads)/)
})

/** Not in a comment. */
function isCode(source: string, index: number): boolean {
  return !/^\s*(\/\/|\*|\/\*)/.test(source.slice(source.lastIndexOf('\n', index) + 1, index + 1))
}

test('of the golden mall it says what the first says', async () => {
  const report = JSON.parse(readFileSync(join(golden, 'report.json'), 'utf8'))
  const told = agreed(await second(golden, ownerOfGolden))
  assert.deepEqual(
    told,
    agreed({ ...report, accounts: told.accounts.map((a, i) => ({ ...a, ...report.accounts[i] })) }),
  )
})

for (const [says, scope] of [
  ['everything', {}],
  ['a day', { from: evidence.morning, to: evidence.evening }],
  ['from a morning on', { from: evidence.morning }],
  ['until an evening', { to: evidence.evening }],
  ['two gates', { gates: ['east', 'west'] }],
  ['gates of a day', { gates: ['anchor', 'east'], from: evidence.morning, to: evidence.evening }],
] as const) {
  test(`both say the same of a bundle of ${says}`, async () => {
    const dir = await bundle(contentOf(evidence, scope as Partial<typeof WHOLE>))
    const [ours, theirs] = [await verifyBundle(dir, owner), await second(dir, owner.toString())]
    assert.deepEqual(agreed(theirs), agreed(ours))
  })
}

/** Seeds on real hashes and signatures. */
for (const seed of [7, 87, 127]) {
  test(`both say the same of storm ${seed}`, async () => {
    const world = new World(profileOf(seed))
    world.run()
    const shown = shownBy(world)
    assert.ok(shown !== undefined)
    await askSecond(shown, await verifyMall(shown))
    const dir = await bundle(wholeOf(shown))
    const [ours, theirs] = [await verifyBundle(dir, shown.owner), await second(dir, shown.owner.toString())]
    assert.deepEqual(findings(theirs), [])
    assert.deepEqual(findings(ours), [])
    assert.deepEqual(agreed(theirs), agreed(ours))
  })
}

/** A whole bundle of format 1. */
function wholeOf({ charter, policies, ledgers, rows }: MallShown): BundleContent {
  const [, mall = ''] = /^gatemesh\/([^/]+)\//.exec(charter) ?? []
  const lines = (account: string) => ledgers.get(account) as string[]
  return {
    about: {
      format: 'gatemesh/bundle/1',
      mall,
      made: 1,
      source: 'disk',
      ...WHOLE,
      ledgers: [...ledgers.keys()].sort().map(account => ({ account, from: 0, to: lines(account).length })),
    },
    charters: [charter],
    policies: policies.map(note => ({ version: Number(/\nversion (\d+)\n/.exec(note)?.[1]), note })),
    rows: rows.map(note => {
      const [head = '', size] = note.split('\n')
      return { account: head.slice(`gatemesh/${mall}/`.length), size: Number(size), note }
    }),
    forks: [],
    starts: [],
    custody: [{ at: 1, what: 'made', by: 'test', from: 'a storm' }],
    lines,
  }
}

test('it lies in every bundle, and verifies the one it lies in', async () => {
  const dir = await bundle(contentOf(evidence))
  const inside = join(dir, 'data/verify.mjs')
  const fine = run(inside, '--charter-key', owner.toString())
  assert.equal(fine.status, 0, fine.stderr)
  assert.match(fine.stdout, /^NOTHING FOUND/)
  assert.match(fine.stdout, /maximum +10 people, capacity 20, after entry 13 of east\/1/)
  assert.match(fine.stdout, /What no log can show/)
  const json = JSON.parse(run(inside, '--charter-key', owner.toString(), '--json').stdout)
  assert.deepEqual(agreed(json), agreed(await verifyBundle(dir, owner)))
})

test('a finding is told with entry, file and byte', async () => {
  const dir = await bundle(contentOf(evidence))
  const file = join(dir, 'data/ledgers/east/1.jsonl')
  const text = readFileSync(file, 'utf8')
  const byte = text.indexOf('{"seq":4,')
  writeFileSync(file, text.replace('"seq":4,', '"seq":5,'))
  const { status, stdout } = run(SECOND, dir, '--charter-key', owner.toString())
  assert.equal(status, 1)
  assert.match(stdout, new RegExp(`CHAIN east/1 entry 4\n.*\n  data/ledgers/east/1.jsonl, byte ${byte}\n`))
})

test('wrong use is told from a folder that cannot be read, and neither is success', () => {
  const key = ['--charter-key', owner.toString()]
  mkdirSync(join(folder, 'hollow'))
  assert.equal(run(SECOND).status, 2)
  assert.equal(run(SECOND, folder).status, 2)
  assert.equal(run(SECOND, folder, '--charter-key', 'nonsense').status, 2)
  assert.equal(run(SECOND, folder, '--frobnicate', ...key).status, 2)
  assert.equal(run(SECOND, join(folder, 'nowhere'), ...key).status, 3)
  assert.equal(run(SECOND, SECOND, ...key).status, 3)
  assert.equal(run(SECOND, join(folder, 'hollow'), ...key).status, 1)
  assert.equal(run(SECOND, '--help').status, 0)
})

test('a folder of format 0 whose files are cut anywhere is never a success, nor a crash', async () => {
  const dir = fresh()
  for (const file of ['charter.note', 'policies/2.note', 'ledgers/east/1.jsonl', 'rows/anchor/1.note']) {
    cpSync(golden, dir, { recursive: true })
    const bytes = readFileSync(join(dir, file))
    for (let end = 0; end < bytes.length; end += 97) {
      writeFileSync(join(dir, file), bytes.subarray(0, end))
      const { ok, findings: found } = await second(dir, ownerOfGolden)
      assert.equal(ok, false, `${file} cut at ${end}`)
      assert.ok(!found.some(({ kind }) => kind === 'bag'), `${file} cut at ${end}: ${JSON.stringify(found)}`)
    }
    rmSync(dir, { recursive: true })
  }
})

test('odd signatures are refused: S not below L, points not canonical or of small order', async () => {
  const { isSignature, parseKey } = (await import(SECOND)) as {
    isSignature(key: unknown, message: Buffer, signature: Buffer): boolean
    parseKey(text: string): { raw: Buffer }
  }
  const odd = JSON.parse(readFileSync(new URL('../golden/odd-signatures.json', import.meta.url), 'utf8')) as {
    what: string
    key: string
    message: string
    signature: string
    valid: boolean
  }[]
  assert.ok(odd.length > 10)
  for (const { what, key, message, signature, valid } of odd) {
    const bytes = (hex: string) => Buffer.from(hex, 'hex')
    const said = isSignature(
      { ...parseKey(ownerOfGolden), raw: bytes(key), object: undefined },
      bytes(message),
      bytes(signature),
    )
    assert.equal(said, valid, what)
  }
})

test('every line that a reader must refuse is refused, and every entry there can be is read', async () => {
  const { parseEntry } = (await import(SECOND)) as { parseEntry(line: Buffer): unknown }
  const lines = (file: string) =>
    readFileSync(new URL(`../golden/${file}`, import.meta.url), 'utf8')
      .split('\n')
      .slice(0, -1)
  for (const line of lines('entries.jsonl')) assert.ok(parseEntry(Buffer.from(line)), line)
  for (const line of lines('entries-refused.txt')) assert.throws(() => parseEntry(Buffer.from(line)), /./, line)
})

test('a day that is good on paper is good in a bundle', async () => {
  const mall = goodDay().close()
  const dir = await bundle(wholeOf(mall.shown()))
  assert.deepEqual(agreed(await second(dir, owner.toString())), agreed(await verifyBundle(dir, owner)))
})

test('a fork that an entry tells of is told, though what proves it was left out', async () => {
  const mall = goodDay()
  mall.write('east/1', { type: 'fork', account: 'west/1', size: 2 })
  const dir = await bundle(wholeOf(mall.close().shown()))
  const ours = await verifyBundle(dir, owner)
  assert.deepEqual(findings(ours), ['fork west/1 1'])
  assert.deepEqual(findings(await second(dir, owner.toString())), findings(ours))
})

test.run()
