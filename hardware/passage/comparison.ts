// Comparison: two sensors of one lane, and whether they tell the same story.
//
// Laws: the first one counts, the second one only compares. They are compared when both have come to rest, because one is
// always a little late; in a rush that never rests, they may be apart by a few and no more. Every comparison starts anew.

import type { Direction } from './sighting.ts'

/** Longer than any look at a counter, or walk through two beams, takes. */
const REST_MS = 5_000
/** In a rush, so many may still be on their way from one sensor to the other. */
const APART_MAX = 3
/** So many comparisons that agree, one after the other, and it was an accident. */
const AGREE_IN_A_ROW = 5

export class Comparison {
  readonly #apart: Record<Direction, number> = { in: 0, out: 0 }
  #movedAt: number | undefined
  #agreed = 0
  isApart = false

  first(direction: Direction, now: number): void {
    this.#move(direction, 1, now)
  }

  second(direction: Direction, now: number): void {
    this.#move(direction, -1, now)
  }

  /** What was on its way when the link broke cannot be compared. */
  forget(): void {
    this.#apart.in = 0
    this.#apart.out = 0
    this.#movedAt = undefined
  }

  /** True where they just told different stories. */
  tick(now: number): boolean {
    if (this.#movedAt === undefined) return false
    const { in: ins, out } = this.#apart
    const isFar = Math.max(Math.abs(ins), Math.abs(out)) > APART_MAX
    if (now - this.#movedAt < REST_MS && !isFar) return false
    const isWrong = ins !== 0 || out !== 0
    this.forget()
    this.#agreed = isWrong ? 0 : this.#agreed + 1
    if (isWrong) this.isApart = true
    else if (this.#agreed >= AGREE_IN_A_ROW) this.isApart = false
    return isWrong
  }

  get wakeAt(): number {
    return this.#movedAt === undefined ? Number.POSITIVE_INFINITY : this.#movedAt + REST_MS
  }

  #move(direction: Direction, by: number, now: number): void {
    this.#apart[direction] += by
    this.#movedAt = now
  }
}
