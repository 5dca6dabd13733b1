// Disks as they come out of boxes: damaged ones, with an epoch before the last, of another mall.

import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Account } from '../../ledger/account.ts'
import { openLevelStore } from '../../ledger/level-store.ts'
import { exportBundle } from '../../tools/audit/export-bundle.ts'
import { DiskSource, findDisk } from '../../tools/audit/sources/disk-source.ts'
import { verifyBundle } from '../../tools/audit/verify-bundle.ts'
import { PaperMall } from '../ledger/paper-mall.ts'
import { suite } from '../suite.ts'
import { agreed } from './agreed.ts'
import { bareMark } from './bare-mark.ts'
import { second } from './second.ts'

const test = suite('audit/export-disk')

async function inFolder(act: (dir: string) => Promise<void>): Promise<void> {
  const dir = mkdtempSync(join(tmpdir(), 'export-disk-'))
  try {
    await act(dir)
  } finally {
    rmSync(dir, { recursive: true, force: true })
  }
}

/** Puts what an account wrote into its store, a write for each entry. */
async function write(dir: string, mall: PaperMall, account: Account, rows: readonly string[] = []): Promise<void> {
  const [name = ''] = account.split('/')
  const row = mall.row(account)
  const seal = ({ size }: { size: number }) => (size === mall.sizeOf(account) ? row : undefined)
  const store = await openLevelStore({ dir: join(dir, name), name, seal })
  await store.begin(account, mall.charterHash)
  for (const policy of mall.policies) store.keepNote(`policy-${policy.version}`, policy.note as string)
  for (const note of rows) store.keepRow(note.split('\n', 1)[0]?.split('/').slice(2).join('/') as string, note)
  for (const line of mall.linesOf(account)) {
    await store.append(line)
    await store.sync()
  }
  await store.close()
}

async function exported(dir: string, mall: PaperMall, ...paths: readonly string[]) {
  const out = join(dir, `out-${readdirSync(dir).length}`)
  const source = new DiskSource(await Promise.all(paths.map(path => findDisk(join(dir, path)))))
  try {
    const quiet = { say: () => undefined, warn: () => undefined, onProgress: () => undefined }
    const done = await exportBundle(source, { out, from: null, to: null, gates: null, by: null, ...quiet })
    const verified = await verifyBundle(out, mall.owner.verifier)
    const { findings, lost } = verified
    assert.deepEqual(
      agreed(await second(out, mall.owner.verifier.toString())),
      agreed(verified),
      'both verifiers agree',
    )
    const custody = readFileSync(join(out, 'data/custody.jsonl'), 'utf8').trim().split('\n')
    return { ...done, findings, lost, custody: custody.map(line => JSON.parse(line)) }
  } finally {
    await source.close()
  }
}

test('a ledger that was damaged and given up is shown as far as its chain goes, with the epoch after it', () =>
  inFolder(async dir => {
    const mall = new PaperMall()
    mall.policy()
    mall.open('east/1')
    const reject = { type: 'reject', code: 'REJECT_AT_CAPACITY', reason: 'full', confidence: 1000 } as const
    for (let i = 0; i < 6; i++) mall.write('east/1', reject)
    writeFileSync(join(dir, 'charter.note'), mall.charterNote)
    await write(dir, mall, 'east/1')
    const old = mall.row('east/1')
    const [log = ''] = readdirSync(join(dir, 'east/1')).filter(name => name.endsWith('.log'))
    const path = join(dir, 'east/1', log)
    truncateSync(path, Math.floor(readFileSync(path).length * 0.7))
    await bareMark(join(dir, 'east'))
    const [after, afterSize, afterRoot] = mall.headOf('east/1')
    mall.open('east/2', { after, afterSize, afterRoot })
    await write(dir, mall, 'east/2', [old])

    const { about, findings, lost, custody } = await exported(dir, mall, 'east')
    assert.deepEqual(findings, [])
    const [first, second] = about.ledgers
    assert.deepEqual([first?.account, second?.account, second?.to], ['east/1', 'east/2', 1])
    const size = first?.to ?? 0
    assert.ok(size > 1 && size < mall.sizeOf('east/1'), `${size} of it can be read`)
    assert.deepEqual(lost, [{ account: 'east/1', from: size, to: mall.sizeOf('east/1') }])
    const [, source] = custody
    assert.deepEqual([source.folder, source.key], ['east', mall.charter.gates[0]?.key])
    assert.ok(!JSON.stringify(custody).includes(tmpdir()), 'no path of a machine')
  }))

test('entries that the power cut kept from the ledger are shown from the marks', () =>
  inFolder(async dir => {
    const mall = PaperMall.opened()
    for (let i = 0; i < 5; i++) mall.admit('east/1')
    writeFileSync(join(dir, 'charter.note'), mall.charterNote)
    await write(dir, mall, 'east/1')
    await write(dir, mall, 'west/1', [mall.row('east/1')])
    const [log = ''] = readdirSync(join(dir, 'east/1')).filter(name => name.endsWith('.log'))
    const path = join(dir, 'east/1', log)
    truncateSync(path, Math.floor(readFileSync(path).length * 0.7))
    const { about, findings, missing } = await exported(dir, mall, 'east', 'west')
    assert.deepEqual([findings, missing], [[], []])
    assert.equal(about.ledgers.find(one => one.account === 'east/1')?.to, mall.sizeOf('east/1'))
  }))

test('a disk whose newest ledger is gone says what its mark remembers', () =>
  inFolder(async dir => {
    const mall = PaperMall.opened()
    for (let i = 0; i < 5; i++) mall.admit('east/1')
    writeFileSync(join(dir, 'charter.note'), mall.charterNote)
    await write(dir, mall, 'east/1')
    await write(dir, mall, 'west/1', [mall.row('east/1')])
    const [log = ''] = readdirSync(join(dir, 'east/1')).filter(name => name.endsWith('.log'))
    truncateSync(join(dir, 'east/1', log), 0)
    await bareMark(join(dir, 'east'))
    const { about, findings, missing } = await exported(dir, mall, 'east', 'west')
    assert.deepEqual(
      about.ledgers.map(({ account }) => account),
      ['west/1'],
    )
    assert.ok(missing.some(({ what, account, to }) => what === 'missing' && account === 'east/1' && to === 7))
    // owed by name, and a row says that there was something
    assert.deepEqual(about.gates, ['east', 'west'])
    assert.deepEqual(
      findings.filter(({ account }) => account !== 'east/1'),
      [],
    )
  }))

test('what is no disk of a gate, or of another mall than the others, is told so', () =>
  inFolder(async dir => {
    const mall = PaperMall.opened()
    await write(dir, mall, 'east/1')
    await assert.rejects(exported(dir, mall, 'east'), { message: /the charter cannot be read: .*--charter says where/ })
    writeFileSync(join(dir, 'charter.note'), 'not a note')
    await assert.rejects(exported(dir, mall, 'east'), { message: /charter.note: is no charter/ })
    writeFileSync(join(dir, 'charter.note'), mall.charterNote)
    mkdirSync(join(dir, 'empty'))
    await assert.rejects(exported(dir, mall, 'empty'), { message: /no ledger is in it/ })
    const config = { name: 'east', store: 'east', charter: 'other.note' }
    writeFileSync(join(dir, 'other.note'), mall.charterNote.replace('gatemesh/paper/charter', 'gatemesh/other/charter'))
    writeFileSync(join(dir, 'other.json'), JSON.stringify(config))
    await assert.rejects(exported(dir, mall, 'east', 'other.json'), { message: /is of other, the others of paper/ })
    assert.deepEqual(
      readdirSync(tmpdir()).filter(name => name.startsWith(`gatemesh-export-${process.pid}-`)),
      [],
      'no copy was left',
    )
  }))

test.run()
