// Period: a day or a month as the clocks of a place have it. A day begins with the first moment that bears its date there:
// days have 23, 24 or 25 hours, and some begin at one o'clock.

import { isZone, localTime } from '../../../anchor/approvals/local-time.ts'
import { Usage } from '../../command.ts'

export interface Day {
  /** as in 2026-11-16 */
  readonly name: string
  /** ms, the first moment of it */
  readonly from: number
  /** the first moment after it */
  readonly to: number
}

export interface Period extends Day {
  readonly kind: 'day' | 'month'
  readonly zone: string
  /** the one day, or those of the month */
  readonly days: readonly Day[]
}

export const MINUTE_MS = 60_000
export const HOUR_MS = 3_600_000
const DAY_MS = 86_400_000
const DAY = /^(19[7-9]\d|[2-9]\d{3})-(\d\d)-(\d\d)$/
const MONTH = /^(19[7-9]\d|[2-9]\d{3})-(\d\d)$/

export function dayPeriod(name: string, zone: string): Period {
  if (!DAY.test(name) || dayAfter(name, 0) !== name) {
    throw new Usage(`--day takes a day, as in 2026-11-16, not ${JSON.stringify(name)}`)
  }
  checkZone(zone)
  const day = dayOf(name, zone)
  // some places have crossed the date line
  if (day.from === day.to) throw new Usage(`--day: there was no ${name} in ${zone}`)
  return { kind: 'day', zone, days: [day], ...day }
}

export function monthPeriod(name: string, zone: string): Period {
  const first = `${name}-01`
  if (!MONTH.test(name) || dayAfter(first, 0) !== first) {
    throw new Usage(`--month takes a month, as in 2026-11, not ${JSON.stringify(name)}`)
  }
  checkZone(zone)
  const days: Day[] = []
  for (let day = first; day.startsWith(name); day = dayAfter(day, 1)) days.push(dayOf(day, zone))
  const there = days.filter(({ from, to }) => from < to)
  const from = (there[0] as Day).from
  return { kind: 'month', name, zone, from, to: (there.at(-1) as Day).to, days: there }
}

/** Which of these days or hours a moment is in, −1 for none. */
export function indexAt(slots: readonly Pick<Day, 'from' | 'to'>[], at: number): number {
  let low = 0
  let high = slots.length - 1
  while (low <= high) {
    const middle = (low + high) >>> 1
    const slot = slots[middle] as Day
    if (at < slot.from) high = middle - 1
    else if (at >= slot.to) low = middle + 1
    else return middle
  }
  return -1
}

/** The hours of a day, each named by what the clock shows at its beginning; an hour that comes twice is there twice. */
export function hoursOf({ from, to }: Day, zone: string): Day[] {
  const hours: Day[] = []
  for (let at = from; at < to; at += HOUR_MS) {
    hours.push({ name: localTime(at, zone).clock.slice(0, 2), from: at, to: Math.min(at + HOUR_MS, to) })
  }
  return hours
}

function checkZone(zone: string): void {
  if (!isZone(zone)) throw new Usage(`--time-zone takes a name as in Europe/Vienna, not ${JSON.stringify(zone)}`)
}

function dayOf(name: string, zone: string): Day {
  return { name, from: beginOf(name, zone), to: beginOf(dayAfter(name, 1), zone) }
}

/** No place is more than 14 hours ahead, or 12 behind; looked for by halves, to the second. */
function beginOf(day: string, zone: string): number {
  const midnight = Date.parse(`${day}T00:00:00Z`)
  let before = midnight - 15 * HOUR_MS
  let from = midnight + 13 * HOUR_MS
  while (from - before > 1000) {
    const middle = before + Math.floor((from - before) / 2000) * 1000
    if (localTime(middle, zone).day >= day) from = middle
    else before = middle
  }
  return from
}

function dayAfter(day: string, days: number): string {
  const at = Date.parse(`${day}T00:00:00Z`)
  return Number.isNaN(at) ? '' : new Date(at + days * DAY_MS).toISOString().slice(0, 10)
}
