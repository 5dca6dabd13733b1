// quiet

import assert from 'node:assert/strict'
import { type Account, isAnchor, nameOf } from '../../ledger/account.ts'
import type { Scope } from '../../ledger/audit/about.ts'
import type { Entry } from '../../ledger/entry.ts'
import { monthPeriod, type Period } from '../../tools/audit/report/period.ts'
import { levelTimes } from '../../tools/audit/report/report.ts'
import { seriesRows } from '../../tools/audit/report/series-table.ts'
import { sheet } from '../../tools/audit/report/sheet.ts'
import type { PaperMall } from '../ledger/paper-mall.ts'
import { suite } from '../suite.ts'
import { PaperDay } from './paper-day.ts'
import { day, EVENTFUL, HOUR, MINUTE, PLAIN, ReportRig, twoDays, ZONE } from './report-rig.ts'

const test = suite('audit/report')

const rig = new ReportRig()
const mall = twoDays()
const reportOf = (path: string, period: Period, of = mall) => rig.report(path, period, of)
const bundleOf = (of: PaperMall, scope: Partial<Scope> = {}) => rig.bundle(of, scope)

function* entriesOf(of: PaperMall, { from, to }: Period): Generator<Entry & { readonly by: Account }> {
  for (const account of of.ledgers.keys()) {
    for (const line of of.linesOf(account)) {
      const entry = JSON.parse(line) as Entry
      if (entry.at >= from && entry.at < to) yield { ...entry, by: account }
    }
  }
}

/** People inside after each entry, in order of time: right where no clock was wrong. */
function naive(of: PaperMall, until: number): { at: number; inside: number }[] {
  const all = [...entriesOf(of, { ...day('2026-11-16'), from: 0, to: until })].sort((a, b) => a.at - b.at)
  let counted = 0
  let correction = 0
  return all.map(entry => {
    if (entry.type === 'admit') counted++
    else if (entry.type === 'forced') counted += entry.count
    else if (entry.type === 'lapse' || (entry.type === 'exit' && entry.credited)) counted--
    else if (entry.type === 'budget') correction = entry.correction
    return { at: entry.at, inside: counted + correction }
  })
}

let whole = ''

test.before(async () => {
  whole = await rig.bundle(mall)
})

test.after(() => rig.end())

test('every figure of every gate is what counting its lines gives', async () => {
  const period = day('2026-11-16')
  const { gates, entries, verdict } = await reportOf(whole, period)
  assert.deepEqual(verdict.findings, [])
  const all = [...entriesOf(mall, period)]
  assert.equal(entries, all.length)
  assert.deepEqual(
    gates.map(({ gate }) => gate),
    [...new Set(all.map(({ by }) => nameOf(by)))].filter(name => name !== 'anchor').sort(),
  )
  for (const tally of gates) {
    const own = all.filter(({ by }) => nameOf(by) === tally.gate)
    const of = (like: (entry: Entry) => boolean) => own.filter(like).length
    const forced = own.reduce((sum, e) => sum + (e.type === 'forced' ? e.count : 0), 0)
    const admitted = of(e => e.type === 'admit')
    assert.equal(tally.in, admitted + forced - of(e => e.type === 'lapse'))
    assert.equal(
      tally.out,
      of(e => e.type === 'exit'),
    )
    assert.equal(
      tally.exitsNotCredited,
      of(e => e.type === 'exit' && !e.credited),
    )
    assert.equal(
      tally.admitted.stolen,
      of(e => e.type === 'admit' && e.source === 'stolen'),
    )
    for (const code of ['REJECT_AT_CAPACITY', 'REJECT_NO_HEADROOM', 'REJECT_EMERGENCY', 'REJECT_FAULT'] as const) {
      assert.equal(
        tally.refused[code],
        of(e => e.type === 'reject' && e.code === code),
      )
    }
    const debts = own.reduce((sum, e) => sum + (e.type === 'send' && e.why === 'debt' ? e.amount : 0), 0)
    assert.equal(tally.sent.debt, debts)
    assert.equal(
      tally.received,
      own.reduce((sum, e) => sum + (e.type === 'receive' ? e.amount : 0), 0),
    )
  }
})

test('the curve, its maximum and its times are what adding up the entries in order of time gives', async () => {
  const period = day('2026-11-17')
  const { curve } = await reportOf(whole, period)
  const moments = naive(mall, period.to)
  const limit = 85
  const inside = moments.filter(({ at }) => at >= period.from)
  const most = Math.max(...inside.map(one => one.inside))
  assert.equal(curve.peak?.occupancy, most)
  assert.equal(curve.peak?.at, inside.find(one => one.inside === most)?.at)
  let i = 0
  for (const minute of curve.minutes) {
    if (minute === undefined) continue
    while ((moments[i + 1]?.at ?? Number.POSITIVE_INFINITY) < minute.from + MINUTE) i++
    assert.equal(minute.last, moments[i]?.inside, new Date(minute.from).toISOString())
    assert.equal(minute.limit, limit)
  }
  let ms = 0
  for (const [n, one] of moments.entries()) {
    const until = Math.min(moments[n + 1]?.at ?? one.at, period.to)
    if (one.inside * 100 >= limit * 90) ms += Math.max(0, until - Math.max(one.at, period.from))
  }
  assert.equal(levelTimes(curve).find(({ level }) => level === '90 %')?.ms, ms)
})

test('a day is the same from a bundle of that day as from the whole one', async () => {
  const period = day('2026-11-17')
  const part = await bundleOf(mall, { from: PLAIN - HOUR, to: PLAIN + 14 * HOUR })
  const [a, b] = [await reportOf(whole, period), await reportOf(part, period)]
  assert.deepEqual(b.verdict.findings, [])
  assert.deepEqual(b.curve.peak, a.curve.peak)
  assert.deepEqual(levelTimes(b.curve), levelTimes(a.curve))
  assert.deepEqual(JSON.stringify(b.gates), JSON.stringify(a.gates))
  assert.equal(b.rules?.limit, a.rules?.limit)
  assert.deepEqual(
    b.drift.gates.map(({ gate }) => gate),
    a.drift.gates.map(({ gate }) => gate),
  )
  assert.match(sheet(b), /from 2026-11-17 08:00:00 \+01:00, to 2026-11-17 23:00:00 \+01:00/)
})

test('who raised, who cleared, when each gate followed and when people came in again', async () => {
  const period = day('2026-11-16')
  const { emergencies } = await reportOf(whole, period)
  assert.equal(emergencies.length, 1)
  const [drill] = emergencies
  const raised = EVENTFUL + 6 * HOUR + 10 * MINUTE
  assert.deepEqual(drill?.raised, [
    { mode: 'FIRE', by: 'garage', reason: 'fire contact 3: yearly drill with the brigade', at: raised },
  ])
  assert.equal(drill?.cleared?.by, 'alma,bruno')
  assert.equal(drill?.gates.length, 6)
  assert.equal(drill?.gates.find(({ gate }) => gate === 'garage')?.raisedAt, raised)
  const cleared = drill?.cleared?.at ?? 0
  const first = [...entriesOf(mall, period)].filter(e => e.type === 'admit' && e.at >= cleared).map(e => e.at)
  assert.equal(drill?.restored?.at, Math.min(...first))
})

test('limits, head counts and lost ledgers are told with who, why, before and after', async () => {
  const { rulings, lost, clocks, rules } = await reportOf(whole, day('2026-11-16'))
  assert.deepEqual(
    rulings.inForce.map(({ limit }) => limit),
    [85, 76, 85, 85],
  )
  const limits = rulings.changes.filter(({ what }) => what === 'limit')
  assert.deepEqual(
    limits.map(({ before, after, by, reason }) => [before, after, by.join(), reason]),
    [
      ['', '85', 'alma,bruno', 'opening of the house, fire permit 14/2026'],
      ['85', '76', 'alma', 'escalator 2 out of use'],
      ['76', '85', 'alma', 'escalator 2 is back'],
    ],
  )
  assert.deepEqual(
    rulings.recounts.map(({ residual, correction }) => [residual, correction]),
    [[4, 4]],
  )
  assert.equal(rules?.limitBy.version, 3)
  assert.equal(rules?.version, 4)
  assert.deepEqual(
    lost.map(({ account }) => account),
    ['west/1'],
  )
  assert.equal(lost[0]?.reclaimed, lost[0]?.atMost)
  assert.deepEqual(
    clocks.map(({ account, steps }) => [account, steps]),
    [['arcade/1', 1]],
  )
  const times = mall.linesOf('arcade/1').map(line => (JSON.parse(line) as Entry).at)
  assert.equal(clocks[0]?.largestMs, Math.max(...times.map((at, i) => (times[i - 1] ?? 0) - at)))
})

test('a gate that is off among busy ones is told as an estimate, with what the others did', async () => {
  const day1 = new PaperDay({ capacity: 400, legalMax: 400, opens: EVENTFUL, seed: 3 })
  day1.day({ opens: EVENTFUL, visitors: 2500, isEventful: true })
  const { outages } = await reportOf(await bundleOf(day1.mall), day('2026-11-16'), day1.mall)
  const silent = outages.filter(({ kind }) => kind === 'silent')
  assert.deepEqual(
    silent.map(({ gate }) => gate),
    ['south'],
  )
  assert.match(silent[0]?.what ?? '', /^estimate/)
  assert.ok((silent[0]?.meanwhile?.out ?? 0) > 20)
  assert.deepEqual(
    outages.filter(({ kind }) => kind === 'fault').map(({ what }) => what),
    ['DISK: mended; 3 decisions unlogged'],
  )
  assert.deepEqual(
    outages.filter(({ kind }) => kind === 'memory').map(({ gate }) => gate),
    ['west'],
  )
})

test('drift holds each optical count against the passages since the one before', async () => {
  const period = day('2026-11-16')
  const { drift } = await reportOf(whole, period)
  for (const { gate, total } of drift.gates) {
    const sums = { opticalIn: 0, opticalOut: 0, countedIn: 0, countedOut: 0 }
    for (const account of [...mall.ledgers.keys()].filter(one => nameOf(one) === gate && !isAnchor(one))) {
      const own = mall.linesOf(account).map(line => JSON.parse(line) as Entry)
      const looks = own.flatMap((e, i) => (e.type === 'optical' && e.at < period.to ? [i] : []))
      for (const e of own.slice((looks[0] ?? own.length) + 1, (looks.at(-1) ?? 0) + 1)) {
        if (e.type === 'optical') {
          sums.opticalIn += e.in
          sums.opticalOut += e.out
        } else if (e.type === 'exit') sums.countedOut++
        else if (e.type === 'admit') sums.countedIn++
        else if (e.type === 'forced') sums.countedIn += e.count
        else if (e.type === 'lapse') sums.countedIn--
      }
    }
    assert.deepEqual(total, sums, gate)
  }
  assert.equal(drift.gates.length, 5)
})

test('a day on which clocks are set has its 25 hours, each minute once', async () => {
  const opens = Date.UTC(2026, 9, 24, 23)
  const night = new PaperDay({ capacity: 50, legalMax: 50, opens })
  night.day({ opens, visitors: 300, hours: 5 })
  const report = await reportOf(await bundleOf(night.mall), day('2026-10-25'), night.mall)
  const rows = [...seriesRows(report)]
  assert.equal(rows.length, 1 + 25 * 60)
  const twice = rows.filter(row => row.startsWith('2026-10-25T02:30'))
  assert.deepEqual(
    twice.map(row => row.split(',')[0]),
    ['2026-10-25T02:30+02:00', '2026-10-25T02:30+01:00'],
  )
  assert.deepEqual(report.drift.slots.slice(1, 5), ['01', '02', '02', '03'])
  assert.equal(new Set(rows.map(row => row.split(',')[1])).size, rows.length)
  assert.match(sheet(report), /\d\d:\d\d:\d\d \+01:00/)
})

test('a month is its days', async () => {
  const report = await reportOf(whole, monthPeriod('2026-11', ZONE))
  const known = report.days.filter(one => one.known !== undefined)
  assert.deepEqual(
    known.map(({ name }) => name),
    ['2026-11-16', '2026-11-17'],
  )
  for (const one of known) {
    const { curve } = await reportOf(whole, day(one.name))
    assert.equal(one.known?.high, curve.peak?.occupancy)
    for (const { level, ms } of levelTimes(curve)) assert.equal(one.above[level], ms)
  }
  const rows = [...seriesRows(report)]
  assert.equal(rows.length, 31)
  assert.match(rows[1] ?? '', /^2026-11-01,2026-10-31T23:00:00.000Z,,,,,,,,,,\r\n$/)
  assert.match(sheet(report), /Monthly compliance report/)
})

test('a bundle of some gates has no curve, and says so', async () => {
  const report = await reportOf(await bundleOf(mall, { gates: ['east'] }), day('2026-11-16'))
  assert.deepEqual(
    report.gates.map(({ gate }) => gate),
    ['east'],
  )
  const page = sheet(report)
  assert.match(page, /Only some gates are shown/)
  assert.ok(!page.includes('<svg'))
})

test.run()
