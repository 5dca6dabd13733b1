// Day: which day's document a member is on, counted in UTC days since 1970.
//
// Law: a member is on the day of its own clock, or on the next one if a peer began it at most `earlyMs` before our
// midnight. So nobody can push a mall into the year 3000, and clocks that differ by seconds do not split it at midnight.

const DAY_MS = 24 * 3600_000
const DAY_MAX = 0xffff_ffff

export function dayOf(wall: number): number {
  return Math.min(DAY_MAX, Math.max(0, Math.floor(wall / DAY_MS)))
}

/** The day to be on, given the one we are on. It goes back only when our own clock was set back past the margin. */
export function settledDay({ day, wall, earlyMs }: { day: number; wall: number; earlyMs: number }): number {
  return mayFollow({ day, wall, earlyMs }) ? day : dayOf(wall)
}

/** May we be on this day, by our clock? */
export function mayFollow({ day, wall, earlyMs }: { day: number; wall: number; earlyMs: number }): boolean {
  return day === dayOf(wall) || day === dayOf(wall + earlyMs)
}

/** Strangers' days too, for messages. */
export function formatDay(day: number): string {
  const date = new Date(day * DAY_MS)
  return Number.isNaN(date.getTime()) ? `day ${day}` : date.toISOString().slice(0, 10)
}
