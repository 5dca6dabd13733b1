// Pace: when a member's own row is to be told again.
//
// Law: soon after a change that matters to others, and once in a while as proof of life. Where there is enough for everybody
// it can wait a little that people came and went. That nothing is left of what others take to be here is told at once: they
// would ask in vain, and let people wait for it. So is, where it is wanted, that there is something where they take it that
// there is nothing: they would turn people away.

import type { Books } from '../ledger/books.ts'
import type { Limits } from './limits.ts'

/** Tokens worth asking for, also for one of many who ask. */
const RICH = 10

export class Pace {
  readonly #limits: Limits
  #toldAt = Number.NEGATIVE_INFINITY
  #toldWall = 0
  #toldSize = -1
  #toldBalance = 0
  #isWanted = false
  /** enough for everybody, as far as this member can see */
  isAmple = false

  constructor(limits: Limits) {
    this.#limits = limits
  }

  told({ size, balance }: Books, now: number, wall: number): void {
    this.#toldAt = now
    this.#toldWall = wall
    this.#toldSize = size
    this.#toldBalance = balance
    this.#isWanted = false
  }

  /** Others would ask for what is here, if only they knew. */
  want({ balance }: Books): void {
    this.#isWanted ||= balance > 0 && this.#toldBalance <= 0
  }

  dueAt({ news, tidings, balance }: Books): number {
    const { rowEveryMs, rowAmpleMs, rowIdleMs } = this.#limits
    if (this.#isWanted || (balance <= 0 && this.#toldBalance >= RICH)) return this.#toldAt
    const isSoon = tidings > this.#toldSize || !this.isAmple
    if (news > this.#toldSize) return this.#toldAt + (isSoon ? rowEveryMs : rowAmpleMs)
    // on the full second by the wall clock: whoever hears thirty idle gates wakes up once for all of them
    return this.#toldAt + rowIdleMs - (this.#toldWall % rowIdleMs)
  }
}
