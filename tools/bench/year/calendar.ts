// Calendar: what kind of day it is. A mall opens at nine and closes at ten; saturdays are full, sundays are not, and
// december is worse than all of it.

import type { Random } from '../../../test/sim/random.ts'

export const DAY_MS = 86_400_000
export const HOUR_MS = 3_600_000
/** A day begins when the doors are tried and ends when the last have gone and everyone has told it. */
export const START_MS = 8.75 * HOUR_MS
export const OPEN_MS = 9 * HOUR_MS
export const CLOSE_MS = 22 * HOUR_MS
export const END_MS = 22.75 * HOUR_MS

/** Midnight of its first day. */
export const YEAR_MS = Date.UTC(2025, 0, 1)
export const YEAR_DAYS = 365
/** How many times an ordinary day a saturday is, for whoever chooses the size of a mall. */
export const SATURDAY = 1.9

/** Of a day's visitors, how many come in each hour from nine on. */
const HOURS = [2, 4, 6, 9, 9, 8, 9, 11, 12, 12, 9, 6, 3]
const WEEK = [0.55, 0.75, 0.75, 0.8, 0.95, 1.3, SATURDAY]

const total = HOURS.reduce((sum, hour) => sum + hour, 0)

/** How busy a day is; 1 is an ordinary one. */
export function weightOf(day: number, random: Random): number {
  const date = new Date(YEAR_MS + day * DAY_MS)
  const month = date.getUTCMonth()
  const season = month === 11 ? 1.35 : month === 6 || month === 0 ? 1.1 : 1
  return (WEEK[date.getUTCDay()] as number) * season * random.stream(`day ${day}`).between(0.85, 1.15)
}

/** When a visitor comes, in ms since midnight. */
export function arrival(random: Random): number {
  let spot = random.next() * total
  let hour = 0
  while (spot >= (HOURS[hour] as number) && hour < HOURS.length - 1) spot -= HOURS[hour++] as number
  return OPEN_MS + (hour + Math.min(0.999, spot / (HOURS[hour] as number))) * HOUR_MS
}
