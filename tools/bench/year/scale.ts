// Scale: how large a mall makes so many entries in a year, and how often its members speak so that the year can be had in
// minutes.

import { must } from '../../../ledger/fault.ts'
import { SATURDAY, YEAR_DAYS } from './calendar.ts'

export interface Scale {
  readonly entries: number
  readonly gates: number
  readonly days: number
  readonly capacity: number
  /** a day of the gates' own clocks */
  readonly dayMs: number
  readonly rowEveryMs: number
  readonly checkpointsPerDay: number
  readonly opticalsPerDay: number
}

export const GATES = 30
/** Fewer entries than these a day, and a year has fewer days: a mall of thirty gates that nobody visits shows nothing. */
const ENTRIES_A_DAY_MIN = 600
/** Measured: what one visitor leaves in ledgers, transfers and rejects of others included. */
export const ENTRIES_A_VISITOR = 2.4
/** Entries of a gate that one row tells of. */
const ENTRIES_A_ROW = 9
/** Of a day's visitors, how many are inside at the busiest moment. */
const AT_ONCE = 0.19

export function scaleOf(entries: number): Scale {
  must(entries >= 1000, 'a year has at least a thousand entries')
  const days = Math.min(YEAR_DAYS, Math.max(6, Math.floor(entries / ENTRIES_A_DAY_MIN)))
  const daily = entries / days
  const visitors = daily / ENTRIES_A_VISITOR
  const rowsPerDay = clamp(daily / GATES / ENTRIES_A_ROW, 5, 400)
  const dayMs = 60_000
  return {
    entries,
    gates: GATES,
    days,
    // full on the saturdays of december, nearly so on the others
    capacity: Math.max(2 * GATES, Math.round(visitors * AT_ONCE * SATURDAY * 1.1)),
    dayMs,
    rowEveryMs: dayMs / rowsPerDay,
    checkpointsPerDay: clamp(Math.round(daily / 250), 2, 56),
    opticalsPerDay: clamp(Math.round(daily / GATES / 25), 1, 13),
  }
}

function clamp(value: number, min: number, max: number): number {
  return Math.min(max, Math.max(min, value))
}
