// Chance with a seed, so that a bad day can be played again (mulberry32).

export class Chance {
  #state: number

  constructor(seed: number) {
    this.#state = seed >>> 0
  }

  /** from 0 to below 1 */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0
    let t = this.#state
    t = Math.imul(t ^ (t >>> 15), t | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return ((t ^ (t >>> 14)) >>> 0) / 0x1_0000_0000
  }

  /** from 0 to below `n` */
  below(n: number): number {
    return Math.floor(this.next() * n)
  }

  perMille(chance: number | undefined): boolean {
    return this.next() * 1000 < (chance ?? 0)
  }
}
