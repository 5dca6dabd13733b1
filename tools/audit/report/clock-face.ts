// Clock face: moments as the clocks of the mall's place showed them. Where those were set within the period, every time says
// its distance from UTC, for an hour of that night came twice.

import { localTime } from '../../../anchor/approvals/local-time.ts'
import type { Period } from './period.ts'

export class ClockFace {
  readonly #period: Period
  readonly #offsets: Intl.DateTimeFormat
  readonly #isSet: boolean

  constructor(period: Period) {
    this.#period = period
    this.#offsets = new Intl.DateTimeFormat('en-GB', { timeZone: period.zone, timeZoneName: 'longOffset' })
    this.#isSet = this.offset(period.from) !== this.offset(period.to - 1)
  }

  /** As in +01:00. */
  offset(ms: number): string {
    if (!isDate(ms)) return ''
    const part = this.#offsets.formatToParts(ms).find(({ type }) => type === 'timeZoneName')
    return part?.value.slice('GMT'.length) || '+00:00'
  }

  /** As in 14:03:22; with the day where that is not plain. */
  time(ms: number): string {
    if (!isDate(ms)) return `${ms} ms`
    const { day, clock } = localTime(ms, this.#period.zone)
    const seconds = `${clock}:${String(Math.floor(ms / 1000) % 60).padStart(2, '0')}`
    const time = this.#isSet ? `${seconds} ${this.offset(ms)}` : seconds
    return this.#period.kind === 'day' && day === this.#period.name ? time : `${day} ${time}`
  }

  /** As in 2026-11-16 14:03:22 +01:00, whatever the period is. */
  whole(ms: number): string {
    if (!isDate(ms)) return `${ms} ms`
    const { day, clock } = localTime(ms, this.#period.zone)
    return `${day} ${clock}:${String(Math.floor(ms / 1000) % 60).padStart(2, '0')} ${this.offset(ms)}`
  }

  /** ISO 8601, to the minute. */
  iso(ms: number): string {
    const { day, clock } = localTime(ms, this.#period.zone)
    return `${day}T${clock}${this.offset(ms)}`
  }

  /** As in 14:03. */
  clock(ms: number): string {
    return localTime(ms, this.#period.zone).clock
  }
}

/** A clock may say what no calendar knows. */
function isDate(ms: number): boolean {
  return !Number.isNaN(new Date(ms).getTime())
}

/** As in 3 h 12 min, 4 min 05 s, 12 s. */
export function duration(ms: number): string {
  const seconds = Math.round(ms / 1000)
  if (seconds < 60) return `${seconds} s`
  const minutes = Math.floor(seconds / 60)
  if (minutes < 60) return `${minutes} min ${String(seconds % 60).padStart(2, '0')} s`
  return `${Math.floor(minutes / 60).toLocaleString('en')} h ${String(minutes % 60).padStart(2, '0')} min`
}
