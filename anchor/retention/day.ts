// Day: by which days are cut and files are named. Days are UTC, so that every reader cuts where the writer did.

export type Day = string

export const DAY_MS = 86_400_000

const SHAPE = /^\d{4}-\d{2}-\d{2}$/
/** Beyond the year 9999 a day would be spelled with a sign, and no longer sort as text. */
const WALL_MAX = Date.UTC(9999, 11, 31, 23, 59, 59, 999)

/** The day of a wall clock, which may be anybody's: what no calendar knows is the nearest day that one does. */
export function dayOf(wall: number): Day {
  return new Date(Math.min(Math.max(wall, 0), WALL_MAX)).toISOString().slice(0, 10)
}

export function isDay(text: string): boolean {
  return SHAPE.test(text) && !Number.isNaN(Date.parse(text)) && dayOf(Date.parse(text)) === text
}

/** The first moment that is no longer of this day. */
export function endOf(day: Day): number {
  return Date.parse(day) + DAY_MS
}
