// quiet

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { nameOf } from '../../ledger/account.ts'
import { type EntryType, FIELDS } from '../../ledger/entry.ts'
import { VerifierKey } from '../../ledger/key.ts'
import { verifyBundle } from '../../tools/audit/verify-bundle.ts'
import { verifySingly } from '../../tools/bench/year/singly.ts'
import { use } from '../../tools/bench/year/usage.ts'
import { ledgerPath, makeYear, vkeyPath, type Year } from '../../tools/bench/year/year.ts'
import { suite } from '../suite.ts'

const test = suite('bench/year')

const run = promisify(execFile)
const ENTRIES = 5000
/** Nobody forks in a year: that would be a finding. */
const ABSENT: readonly EntryType[] = ['fork']

let dir = ''
let bundle = ''
let year: Year

test.before(async () => {
  dir = await mkdtemp(join(tmpdir(), 'gatemesh-year-'))
  bundle = join(dir, 'year')
  year = await makeYear({ entries: ENTRIES, seed: 1, dir: bundle })
})

test.after(async () => {
  await rm(dir, { recursive: true, force: true })
})

test('a year has as many entries as were asked for, of every type, over thirty gates and their anchor', () => {
  assert.ok(year.entries >= ENTRIES && year.entries < ENTRIES * 1.2, `${year.entries} entries`)
  const missing = (Object.keys(FIELDS) as EntryType[]).filter(type => !ABSENT.includes(type) && !year.types.has(type))
  assert.deepEqual(missing, [])
  assert.deepEqual(
    ABSENT.filter(type => year.types.has(type)),
    [],
  )
  const names = new Set(year.accounts.map(nameOf))
  assert.equal(names.size, 31)
  assert.ok(year.accounts.length > 31, 'some account was lost and opened again')
})

test('a year is a lawful history, and both verifiers say so', async () => {
  const owner = (await readFile(vkeyPath(bundle), 'utf8')).trim()
  const first = await verifyBundle(bundle, VerifierKey.parse(owner))
  assert.deepEqual(first.findings, [])
  assert.equal(first.ok, true)
  assert.equal(first.proved.entries, year.entries)
  assert.equal(first.lost.length, 1, 'a disk forgot what others knew of')
  const { peak } = first
  assert.ok(peak !== undefined && peak.occupancy > 20 && peak.occupancy <= peak.capacity, JSON.stringify(peak))
  const script = join(bundle, 'data', 'verify.mjs')
  const { stdout } = await run(process.execPath, [script, bundle, '--charter-key', owner, '--json'], {
    maxBuffer: 1 << 26,
  })
  const second = JSON.parse(stdout)
  const common = ['ok', 'findings', 'lost', 'maxOccupancy', 'peak'] as const
  for (const field of common) assert.deepEqual(second[field], first[field], field)
  for (const [what, count] of Object.entries(second.proved)) {
    assert.equal(first.proved[what as keyof typeof first.proved], count, what)
  }
})

test('the same seed gives the same year, another seed another one', async () => {
  const again = join(dir, 'again')
  const other = join(dir, 'other')
  await makeYear({ entries: 2000, seed: 1, dir: again })
  const first = await digest(again)
  await rm(again, { recursive: true })
  await makeYear({ entries: 2000, seed: 1, dir: again })
  await makeYear({ entries: 2000, seed: 2, dir: other })
  assert.equal(await digest(again), first)
  assert.notEqual(await digest(other), first)
})

test('nothing is left beside a year but the key of its owner', async () => {
  const left = (await readdir(dir)).filter(name => name.startsWith('year'))
  assert.deepEqual(left.sort(), ['year', 'year.vkey'])
})

test('a signature of its own for each of some lines is checked, and its price told', async () => {
  const { signatures, perSecond } = await verifySingly([ledgerPath(bundle, 'gate-01/1')], 50)
  assert.equal(signatures, 50)
  assert.ok(perSecond > 0)
})

test('what a program used is told by itself, its peak of memory included', async () => {
  const script = `const big = Buffer.alloc(150e6, 1); console.log(big.length); process.exitCode = 3`
  const used = await use(['-e', script])
  assert.equal(used.code, 3)
  assert.equal(used.out, '150000000\n')
  assert.ok(used.peakMb > 150, `${used.peakMb} MB`)
  assert.ok(used.cpuMs > 0 && used.wallMs > 0)
})

/** Of everything that the manifest vouches for; README, bag-info and the like say when they were made. */
async function digest(path: string): Promise<string> {
  const manifest = await readFile(join(path, 'manifest-sha256.txt'), 'utf8')
  return manifest
    .split('\n')
    .filter(line => !line.endsWith('README.txt'))
    .join('\n')
}

test.run()
