// Reject rate: is the mall turning away far more people than it usually does?
//
// Law: a spike lasts five minutes, each above five times the usual. What is usual learns slowly and from at most five
// times itself, so that a spike does not become the usual while somebody should look at it.

const MINUTE_MS = 60_000
const SPIKE_MINUTES = 5
const SPIKE_TIMES = 5
/** Fewer than this a minute are never much. */
const USUAL_MIN = 2
/** A minute is a six hours' part of what is usual. */
const LEARNS = 1 / 360
/** Entries are collected within seconds; a minute that ended so long ago is complete. */
const SETTLED_MS = 10_000
const MINUTES_KEPT = 15

export interface RejectState {
  readonly usual: number
  /** the last minute that was learnt from, as minutes since 1970 */
  readonly learnt: number
}

export interface Rejects {
  readonly usualPerMinute: number
  readonly perMinute: number
  readonly isSpike: boolean
}

export class RejectRate {
  readonly #minutes = new Map<number, number>()
  #usual: number
  #learnt: number

  constructor(state?: RejectState) {
    this.#usual = state?.usual ?? 0
    this.#learnt = state?.learnt ?? 0
  }

  state(): RejectState {
    return { usual: this.#usual, learnt: this.#learnt }
  }

  /** Somebody was turned away, by the gate's clock. What comes too late to matter is left out. */
  add(at: number): void {
    const minute = Math.floor(at / MINUTE_MS)
    if (minute > this.#learnt) this.#minutes.set(minute, (this.#minutes.get(minute) ?? 0) + 1)
    else if (this.#minutes.has(minute)) this.#minutes.set(minute, (this.#minutes.get(minute) as number) + 1)
  }

  look(wall: number): Rejects {
    const last = Math.floor((wall - SETTLED_MS) / MINUTE_MS) - 1
    this.#learn(last)
    const usual = Math.max(USUAL_MIN, this.#usual)
    let fewest = Number.POSITIVE_INFINITY
    for (let minute = last; minute > last - SPIKE_MINUTES; minute--) {
      fewest = Math.min(fewest, this.#minutes.get(minute) ?? 0)
    }
    const perMinute = this.#minutes.get(last) ?? 0
    return { usualPerMinute: usual, perMinute, isSpike: fewest > SPIKE_TIMES * usual }
  }

  #learn(last: number): void {
    // after a long stop nothing is known of the minutes between
    const from = Math.max(this.#learnt + 1, last - MINUTES_KEPT)
    for (let minute = from; minute <= last; minute++) {
      const most = SPIKE_TIMES * Math.max(USUAL_MIN, this.#usual)
      const count = Math.min(most, this.#minutes.get(minute) ?? 0)
      this.#usual += (count - this.#usual) * LEARNS
    }
    this.#learnt = Math.max(this.#learnt, last)
    for (const minute of this.#minutes.keys()) {
      if (minute < last - MINUTES_KEPT || minute > last + MINUTES_KEPT) this.#minutes.delete(minute)
    }
  }
}
