// Rates: how many people a minute, from counts that only grow, looked at now and then.

import type { Tally } from './door.ts'

export interface PerMinute {
  readonly entriesPerMinute: number
  readonly exitsPerMinute: number
  readonly rejectsPerMinute: number
}

interface Look {
  readonly at: number
  readonly in: number
  readonly out: number
  readonly rejected: number
}

const WINDOW_MS = 60_000

export class Rates {
  #looks: Look[] = []

  /** Over the last minute, or over as much of it as there is. */
  perMinute(tally: Tally, now: number): PerMinute {
    const look: Look = { at: now, in: tally.in, out: tally.out, rejected: tally.rejected }
    this.#looks = [...this.#looks.filter(({ at }) => now - at <= WINDOW_MS), look]
    const first = this.#looks[0] as Look
    const per = (count: number) =>
      Math.max(0, Math.round((count * WINDOW_MS) / Math.max(WINDOW_MS / 6, now - first.at)))
    return {
      entriesPerMinute: per(look.in - first.in),
      exitsPerMinute: per(look.out - first.out),
      rejectsPerMinute: per(look.rejected - first.rejected),
    }
  }
}
