// Chance: numbers that follow from a seed and a name, so that a day at a played turnstile can be played again.

export class Chance {
  #state: number

  constructor(seed: number, name: string) {
    let h = seed | 0
    for (let i = 0; i < name.length; i++) h = Math.imul(h ^ name.charCodeAt(i), 0x01000193)
    this.#state = h
  }

  /** [0, 1) */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0
    let t = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296
  }

  between(low: number, high: number): number {
    return low + this.next() * (high - low)
  }

  /** 0 … n − 1 */
  int(n: number): number {
    return Math.floor(this.next() * n)
  }

  isOne(perMille: number): boolean {
    return perMille > 0 && this.next() * 1000 < perMille
  }
}
