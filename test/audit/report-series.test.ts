import assert from 'node:assert/strict'
import { ClockFace, duration } from '../../tools/audit/report/clock-face.ts'
import { dayPeriod, hoursOf, indexAt, monthPeriod } from '../../tools/audit/report/period.ts'
import { daysOf, levelTimes } from '../../tools/audit/report/report.ts'
import { type Curve, type Cut, Series } from '../../tools/audit/report/series.ts'
import { suite } from '../suite.ts'

const test = suite('audit/report-series')

const HOUR = 3_600_000
const MINUTE = 60_000
const DAY = dayPeriod('2026-11-16', 'UTC')

const cut = (at: number, occupancy: number, capacity = 10): Cut => {
  return { at: DAY.from + at, account: 'east/1', seq: 1, type: 'admit', occupancy, capacity }
}

function curveOf(cuts: readonly Cut[], heardUntil = DAY.to): Curve {
  const series = new Series({ ...DAY, legalMax: 12 })
  for (const one of cuts) series.add(one)
  return series.close(heardUntil)
}

const ms = (curve: Curve) => Object.fromEntries(levelTimes(curve).map(one => [one.level, one.ms]))

test('a day has the hours that its place gave it', () => {
  const hours = (day: string, zone: string) => {
    const { from, to } = dayPeriod(day, zone)
    return (to - from) / HOUR
  }
  assert.equal(hours('2026-03-29', 'Europe/Vienna'), 23)
  assert.equal(hours('2026-10-25', 'Europe/Vienna'), 25)
  assert.equal(hours('2026-10-26', 'Europe/Vienna'), 24)
  assert.equal(hours('2026-04-05', 'Australia/Lord_Howe'), 24.5)
  // no midnight: clocks went from 23:59 to 01:00
  assert.equal(new Date(dayPeriod('2018-11-04', 'America/Sao_Paulo').from).toISOString(), '2018-11-04T03:00:00.000Z')
  assert.equal(dayPeriod('2026-01-01', 'Pacific/Kiritimati').from, Date.UTC(2025, 11, 31, 10))
  assert.equal(dayPeriod('2026-01-01', 'Etc/GMT+12').from, Date.UTC(2026, 0, 1, 12))
})

test('the days of a month follow each other without a gap, whatever the clocks do', () => {
  for (const zone of ['UTC', 'Europe/Vienna', 'Asia/Kathmandu', 'America/New_York']) {
    for (const month of ['2026-02', '2026-03', '2026-10', '2024-02']) {
      const { days, from, to } = monthPeriod(month, zone)
      assert.equal(days.length, new Date(Date.UTC(Number(month.slice(0, 4)), Number(month.slice(5)), 0)).getUTCDate())
      assert.equal(days[0]?.from, from)
      assert.equal(days.at(-1)?.to, to)
      for (const [i, day] of days.entries()) if (i > 0) assert.equal(day.from, days[i - 1]?.to)
    }
  }
  assert.equal(monthPeriod('2011-12', 'Pacific/Apia').days.length, 30)
})

test('what is no day, no month or no place is refused in words', () => {
  const wrong = /takes a day, as in/
  for (const day of ['2026-02-30', '2026-13-01', '16.11.2026', '2026-1-1', '', '0026-01-01', '2026-01-01T00']) {
    assert.throws(() => dayPeriod(day, 'UTC'), wrong)
  }
  assert.throws(() => monthPeriod('2026-13', 'UTC'), /takes a month, as in/)
  assert.throws(() => monthPeriod('2026', 'UTC'), /takes a month, as in/)
  assert.throws(() => dayPeriod('2026-01-01', 'Europe/Atlantis'), /--time-zone takes a name as in/)
  assert.throws(() => dayPeriod('2011-12-30', 'Pacific/Apia'), /there was no 2011-12-30/)
})

test('an hour that came twice is there twice, and its times say which', () => {
  const period = dayPeriod('2026-10-25', 'Europe/Vienna')
  const names = hoursOf(period, period.zone).map(({ name }) => name)
  assert.deepEqual(names.slice(0, 5), ['00', '01', '02', '02', '03'])
  assert.equal(names.length, 25)
  const face = new ClockFace(period)
  assert.equal(face.time(Date.UTC(2026, 9, 25, 0, 30)), '02:30:00 +02:00')
  assert.equal(face.time(Date.UTC(2026, 9, 25, 1, 30)), '02:30:00 +01:00')
  assert.equal(face.iso(Date.UTC(2026, 9, 25, 1, 30)), '2026-10-25T02:30+01:00')
  assert.equal(new ClockFace(DAY).time(DAY.from + HOUR), '01:00:00')
  assert.equal(indexAt(period.days, period.to), -1)
})

test('times are told as people say them', () => {
  assert.deepEqual([0, 59_400, 61_000, HOUR, 100 * HOUR + 90_000].map(duration), [
    '0 s',
    '59 s',
    '1 min 01 s',
    '1 h 00 min',
    '100 h 01 min',
  ])
})

test('what is not known is not zero', () => {
  const nothing = curveOf([], Number.NEGATIVE_INFINITY)
  assert.equal(nothing.minutes.length, 1440)
  assert.ok(nothing.minutes.every(minute => minute === undefined))
  assert.equal(nothing.peak, undefined)
  assert.equal(nothing.knownMs, 0)
  const some = curveOf([cut(HOUR, 1), cut(2 * HOUR, 4)], DAY.from + 3 * HOUR)
  assert.equal(some.knownMs, 2 * HOUR)
  assert.equal(
    some.minutes.findIndex(minute => minute !== undefined),
    60,
  )
  assert.equal(
    some.minutes.findLastIndex(minute => minute !== undefined),
    179,
  )
})

test('where people passed and the replay could not count them, the count is not known until it can again', () => {
  const series = new Series({ ...DAY, legalMax: 12 })
  for (const one of [cut(0, 1), cut(10 * MINUTE, 5)]) series.add(one)
  const curve = series.close(DAY.to, minute => minute === 4 || minute === 10 || minute === 20)
  const known = curve.minutes.flatMap((minute, i) => (minute === undefined ? [] : [i]))
  assert.deepEqual(known, [0, 1, 2, 3, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19])
  assert.equal(curve.minutes[10]?.low, 5)
})

test('time at a level is what lies between the moments', () => {
  // 90 s at 9 of 10, then 30 s at 10, then 15 s at 13, then 1
  const curve = curveOf([cut(30_500, 9), cut(120_500, 10), cut(150_500, 13), cut(165_500, 1)])
  assert.deepEqual(ms(curve), {
    '50 %': 135_000,
    '75 %': 135_000,
    '90 %': 135_000,
    limit: 45_000,
    above: 15_000,
    legal: 15_000,
  })
  assert.equal(levelTimes(curve).find(one => one.level === '90 %')?.minutes, 3)
  assert.equal(curve.peak?.occupancy, 13)
  assert.equal(curve.excess?.at, DAY.from + 150_500)
})

test('a minute shows the count that came into it, its lowest, its highest and its last', () => {
  const curve = curveOf([cut(10_000, 5), cut(MINUTE + 1, 7), cut(MINUTE + 2, 3), cut(MINUTE + 3, 4, 6)])
  assert.deepEqual(curve.minutes[1], { from: DAY.from + MINUTE, low: 3, high: 7, last: 4, limit: 6 })
  assert.deepEqual(curve.minutes[2], { from: DAY.from + 2 * MINUTE, low: 4, high: 4, last: 4, limit: 6 })
})

test('what was before the period is what it begins with', () => {
  const curve = curveOf([cut(-HOUR, 8), cut(-1, 9), cut(HOUR, 2), cut(25 * HOUR, 50)])
  assert.equal(curve.minutes[0]?.high, 9)
  assert.equal(curve.peak?.occupancy, 9)
  assert.equal(curve.peak?.at, DAY.from)
  assert.equal(ms(curve)['90 %'], HOUR)
  assert.equal(curve.knownMs, 24 * HOUR)
})

test('a clock that was wrong spoils its own minutes and no others', () => {
  const right = [cut(HOUR, 1), cut(2 * HOUR, 2), cut(3 * HOUR, 3), cut(4 * HOUR, 2), cut(5 * HOUR, 1)]
  const one = curveOf([...right.slice(0, 2), cut(9 * HOUR, 3), ...right.slice(2)])
  const none = curveOf(right)
  const differs = none.minutes.flatMap((minute, i) => (minute?.last === one.minutes[i]?.last ? [] : [i]))
  assert.equal(differs[0], 9 * 60)
  assert.equal(ms(one).limit, 0)
})

test('a limit of nought is kept while nobody is inside', () => {
  assert.equal(ms(curveOf([cut(0, 0, 0)])).limit, 0)
  assert.equal(ms(curveOf([cut(0, 1, 0)])).above, 24 * HOUR)
})

test('the days of a month add up to it', () => {
  const month = monthPeriod('2026-03', 'Europe/Vienna')
  const series = new Series({ ...month, legalMax: 12 })
  for (let at = month.from, n = 0; at < month.to; at += 977_777, n = (n + 7) % 14) {
    series.add({ at, account: 'east/1', seq: 1, type: 'admit', occupancy: n, capacity: 10 })
  }
  const curve = series.close(month.to)
  const days = daysOf(month, curve)
  assert.equal(days.length, 31)
  for (const { level, ms: all } of levelTimes(curve)) {
    assert.equal(
      days.reduce((sum, { above }) => sum + above[level], 0),
      all,
    )
  }
  assert.equal(Math.max(...days.map(({ known }) => known?.high ?? 0)), curve.peak?.occupancy)
})

test.run()
