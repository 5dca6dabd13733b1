import assert from 'node:assert/strict'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { About } from '../../ledger/audit/about.ts'
import { exportBundle } from '../../tools/audit/export-bundle.ts'
import { DiskSource, findDisk } from '../../tools/audit/sources/disk-source.ts'
import type { Wish } from '../../tools/audit/sources/source.ts'
import { verifyBundle } from '../../tools/audit/verify-bundle.ts'
import { START } from '../ledger/paper-mall.ts'
import { suite } from '../suite.ts'
import { type ClosedDays, DAY, HOUR, inClosedDays } from './closed-days.ts'

const test = suite('audit/export-days')

let bundles = 0

async function exported(days: ClosedDays, wish: Partial<Wish> = {}) {
  const out = join(days.dir, `out-${++bundles}`)
  const source = new DiskSource([await findDisk(join(days.dir, 'anchor.json'))])
  try {
    const quiet = { say: () => undefined, warn: () => undefined, onProgress: () => undefined }
    const done = await exportBundle(source, { out, from: null, to: null, gates: null, by: 'ann', ...wish, ...quiet })
    const { findings, accounts, maxOccupancy } = await verifyBundle(out, days.mall.owner.verifier)
    const custody = readFileSync(join(out, 'data/custody.jsonl'), 'utf8').trim().split('\n')
    return { ...done, out, findings, accounts, maxOccupancy, custody: custody.map(line => JSON.parse(line)) }
  } finally {
    await source.close()
  }
}

const sizesOf = ({ ledgers }: About) => new Map(ledgers.map(({ account, from, to }) => [account, [from, to]]))
const linesIn = (out: string, account: string) =>
  readFileSync(join(out, `data/ledgers/${account}.jsonl`), 'utf8')
    .trim()
    .split('\n')

test('days that were closed into files are shown with those that were not, as one ledger', () =>
  inClosedDays(async days => {
    await days.live(6)
    assert.ok((days.archive.head('east/1')?.kept ?? 0) > 0, 'most of it is in files only')
    await days.end()
    const { findings, about, out, maxOccupancy } = await exported(days)
    assert.deepEqual(findings, [])
    assert.deepEqual([about.gates, about.from], [null, null])
    for (const account of days.mall.ledgers.keys()) assert.deepEqual(linesIn(out, account), days.mall.linesOf(account))
    // one row a day, from the proofs of files and from the database alike
    assert.equal(readdirSync(join(out, 'data/rows/east')).length, 6)
    assert.equal(maxOccupancy, 2)
    assert.deepEqual(days.alarms, [])
  }))

test('a stretch of time begins at the row before it and ends at the row after it', () =>
  inClosedDays(async days => {
    await days.live(2)
    const second = days.mall.sizeOf('east/1')
    await days.live(2)
    const fourth = days.mall.sizeOf('east/1')
    await days.live(2)
    await days.end()
    const noon = (day: number) => START - (START % DAY) + (day - 1) * DAY + 12 * HOUR
    const { findings, about, out } = await exported(days, { from: noon(3), to: noon(4) })
    assert.deepEqual(findings, [])
    const shown = sizesOf(about)
    assert.deepEqual(shown.get('east/1'), [second, fourth])
    assert.deepEqual(linesIn(out, 'east/1'), days.mall.linesOf('east/1').slice(second, fourth))
    const [from, to] = shown.get('north/1') ?? []
    assert.equal(from, to, 'nothing happened there: it stands by its row')

    const one = await exported(days, { from: noon(3), to: noon(4), gates: ['west'] })
    assert.deepEqual(one.findings, [])
    assert.deepEqual([...sizesOf(one.about).keys()], ['anchor/1', 'west/1'])
    assert.ok(readdirSync(join(one.out, 'data/rows')).includes('east'), 'rows of everyone')

    await assert.rejects(exported(days, { gates: ['south'] }), { message: /no ledger of south/ })

    const late = await exported(days, { from: noon(5) })
    assert.deepEqual(late.findings, [])
    assert.deepEqual(sizesOf(late.about).get('east/1'), [fourth, days.mall.sizeOf('east/1')])
  }))

test('what was removed after its time is missing at the beginning, and that is said', () =>
  inClosedDays(async days => {
    await days.live(3)
    const old = days.mall.sizeOf('east/1')
    await days.wait(400)
    await days.retention.hold({ from: 0, to: 1, reason: 'an old case', by: 'ann' })
    await days.live(4)
    await days.end()
    const { findings, about, out, custody } = await exported(days)
    assert.deepEqual(findings, [])
    assert.deepEqual(sizesOf(about).get('east/1'), [old, days.mall.sizeOf('east/1')])
    assert.deepEqual(linesIn(out, 'east/1'), days.mall.linesOf('east/1').slice(old))
    assert.ok((about.from ?? 0) > START + 2 * DAY, 'it says from when on it shows everything')
    assert.ok(custody.some(({ what, from, to }) => what === 'removed' && from === 0 && to > 0))
    assert.ok(custody.some(({ what, account }) => what === 'removed' && account === 'east/1'))
    assert.ok(custody.some(({ what, hold }) => what === 'hold' && hold.reason === 'an old case'))
  }))

test('a file of a closed day that was altered ends the export, and is named', () =>
  inClosedDays(async days => {
    await days.live(5)
    await days.end()
    const folder = join(days.dir, 'archive/paper/east-1')
    const [file = ''] = readdirSync(folder).filter(name => name.endsWith('.jsonl.gz'))
    const bytes = readFileSync(join(folder, file))
    writeFileSync(join(folder, file), bytes.subarray(0, bytes.length - 20))
    await assert.rejects(exported(days), { message: new RegExp(file) })
    assert.deepEqual(
      readdirSync(days.dir).filter(name => name.startsWith('out-')),
      [],
      'nothing was left behind',
    )
  }))

test.run()
