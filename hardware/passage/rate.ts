// Rate: how many of something in the last minute, and whether that is more than can be.
//
// Law: it is too much from the first one above the limit until no more than half of it is left in the minute.

const MINUTE_MS = 60_000

export class Rate {
  readonly #max: number
  readonly #at: number[] = []
  isHigh = false

  constructor(max: number) {
    this.#max = max
  }

  add(now: number): void {
    this.#at.push(now)
    // More than one above the limit says nothing more.
    if (this.#at.length > this.#max + 1) this.#at.shift()
    this.tick(now)
  }

  tick(now: number): void {
    while (this.#at.length > 0 && now - (this.#at[0] as number) >= MINUTE_MS) this.#at.shift()
    if (this.#at.length > this.#max) this.isHigh = true
    else if (this.#at.length <= this.#max / 2) this.isHigh = false
  }

  /** When it may be well again. */
  get wakeAt(): number {
    const last = this.#at[this.#at.length - 1 - Math.floor(this.#max / 2)]
    return this.isHigh && last !== undefined ? last + MINUTE_MS : Number.POSITIVE_INFINITY
  }
}
