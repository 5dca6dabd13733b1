// Trouble: how many broken or missing answers are more than a few.
//
// Law: a bus that is bad is said so once, and once more when it is well again, and not at every frame.

const WINDOW_MS = 10_000
/** on a long cable a broken frame now and then is no news */
const MANY = 5
const WELL_AFTER_MS = 30_000

export interface Told {
  readonly detail: string
  readonly isOver: boolean
}

export class Trouble {
  readonly #what: string
  #times: number[] = []
  #isRaised = false

  constructor(what: string) {
    this.#what = what
  }

  /** One more of it; what to say now, if anything. */
  note(detail: string, now: number): Told | undefined {
    this.#times = [...this.#times.filter(at => now - at < WINDOW_MS), now]
    if (this.#isRaised || this.#times.length < MANY) return undefined
    this.#isRaised = true
    return {
      detail: `${this.#times.length} ${this.#what} within ${WINDOW_MS / 1000} s, last: ${detail}`,
      isOver: false,
    }
  }

  /** Time went by. */
  look(now: number): Told | undefined {
    const last = this.#times.at(-1) ?? Number.NEGATIVE_INFINITY
    if (!this.#isRaised || now - last < WELL_AFTER_MS) return undefined
    this.#isRaised = false
    return { detail: `no ${this.#what} for ${WELL_AFTER_MS / 1000} s`, isOver: true }
  }
}
