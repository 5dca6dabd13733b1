// Calendar: when the next public figure may be made.
//
// Law: one for each epoch of the wall clock at most, later ones only, whatever the clock and the process do: what was made
// is on disk before anyone is told. A second draw over another count in the same epoch would show the difference.
// Within one life of the process two are also never nearer than an epoch by a clock that nobody can set.

import { SLACK_MS } from './release.ts'

export interface CalendarOptions {
  readonly everyMs: number
  /** the newest epoch that was ever told of, as the disk has it */
  readonly last?: number | undefined
  /** there is no chance in what is told: it may be told at once, and again */
  readonly isPlain: boolean
}

interface Moment {
  readonly now: number
  readonly wall: number
}

export class Calendar {
  readonly #o: CalendarOptions
  #last: number
  /** begun before anyone looked: nobody knows what was told in it */
  #skipped = Number.NEGATIVE_INFINITY
  #madeAt = Number.NEGATIVE_INFINITY
  #seen: Moment | undefined

  constructor(options: CalendarOptions) {
    this.#o = options
    this.#last = options.last ?? Number.NEGATIVE_INFINITY
  }

  epochOf(wall: number): number {
    return Math.floor(wall / this.#o.everyMs)
  }

  /** The epoch that a figure is due for. */
  due(moment: Moment): number | undefined {
    const { everyMs, isPlain } = this.#o
    const epoch = this.epochOf(moment.wall)
    if (isPlain) return epoch === this.#last ? undefined : epoch
    if (this.#isJump(moment)) this.#skipped = epoch
    this.#seen = moment
    const isNear = moment.now - this.#madeAt < everyMs - SLACK_MS
    return epoch === this.#skipped || epoch <= this.#last || isNear ? undefined : epoch
  }

  /** A figure was drawn, whether or not anyone will ever be told. */
  drawn(epoch: number, now: number): void {
    this.#last = epoch
    this.#madeAt = now
  }

  /** When the next one comes, as far as anyone knows. */
  nextAt(wall: number): number {
    return (Math.max(this.epochOf(wall), this.#last) + 1) * this.#o.everyMs
  }

  /** The first look, or the clock was set since the last one. */
  #isJump({ now, wall }: Moment): boolean {
    if (this.#seen === undefined) return true
    return Math.abs(wall - this.#seen.wall - (now - this.#seen.now)) > SLACK_MS
  }
}
