// Allowance: how often something may happen under one name: so many at once, and one more every so often.
//
// Law: it costs a bounded amount of memory, however many names are tried.

export interface AllowanceOptions {
  readonly atOnce: number
  readonly everyMs: number
  /** names remembered; beyond it the one that was longest unused is forgotten */
  readonly namesMax?: number
}

export class Allowance {
  readonly #o: AllowanceOptions
  /** of each name, when it will have all its chances again */
  readonly #fullAt = new Map<string, number>()

  constructor(options: AllowanceOptions) {
    this.#o = options
  }

  /** Uses one up; false when there was none left. */
  take(name: string, now: number): boolean {
    const { atOnce, everyMs, namesMax = 10_000 } = this.#o
    const fullAt = Math.max(now, this.#fullAt.get(name) ?? now)
    if (fullAt - now > (atOnce - 1) * everyMs) return false
    this.#fullAt.delete(name)
    this.#fullAt.set(name, fullAt + everyMs)
    if (this.#fullAt.size > namesMax) this.#fullAt.delete(this.#fullAt.keys().next().value as string)
    return true
  }
}
