// Demand: how many people per second ask at a gate, smoothed so that a burst is seen at once and forgotten in seconds.

export class Demand {
  readonly #forgetMs: number
  #rate = 0
  #at = 0

  constructor(forgetMs = 5000) {
    this.#forgetMs = forgetMs
  }

  add(now: number, count = 1): void {
    this.#rate = this.perSecond(now) + (count * 1000) / this.#forgetMs
    this.#at = now
  }

  perSecond(now: number): number {
    return now <= this.#at ? this.#rate : this.#rate * Math.exp((this.#at - now) / this.#forgetMs)
  }
}
