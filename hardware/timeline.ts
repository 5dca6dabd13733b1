// Timeline: the time of a lane's judgement, which never goes back.
//
// Law: how long a contact was open is measured by when it moved and not by when we heard of it. A program that was held
// up hears late of several moves; they are shifted together, so that a person does not shrink to a bounce.

/** After so long without a move the next one is of another person. */
const QUIET_MS = 1000

export class Timeline {
  #now = Number.NEGATIVE_INFINITY
  #movedAt = Number.NEGATIVE_INFINITY
  #shiftMs = 0

  /** Something of our own, at the time of the clock. */
  at(now: number): number {
    this.#now = Math.max(this.#now, now)
    return this.#now
  }

  /** A contact moved at a time that may lie behind us. */
  moved(at: number): number {
    if (at - this.#movedAt > QUIET_MS) this.#shiftMs = 0
    this.#movedAt = at
    this.#shiftMs = Math.max(this.#shiftMs, this.#now - at)
    this.#now = at + this.#shiftMs
    return this.#now
  }
}
