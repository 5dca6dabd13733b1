// Random: chance from a seed, in separate streams, so that one new draw somewhere does not reshuffle everything else.

export class Random {
  #a: number
  #b: number
  #c: number
  #d = 1
  readonly #name: string

  constructor(name: string | number) {
    this.#name = String(name)
    // two rounds of FNV-1a spread the name over the state
    let h = 0x811c9dc5
    const mix = () => {
      for (let i = 0; i < this.#name.length; i++) h = Math.imul(h ^ this.#name.charCodeAt(i), 0x01000193)
      h ^= h >>> 15
      return h
    }
    this.#a = mix()
    this.#b = mix()
    this.#c = mix()
    for (let i = 0; i < 12; i++) this.next()
  }

  /** A stream of its own, the same for the same name whatever else was drawn. */
  stream(name: string): Random {
    return new Random(`${this.#name}/${name}`)
  }

  /** [0, 1) */
  next(): number {
    const t = (this.#a + this.#b + this.#d) | 0
    this.#d = (this.#d + 1) | 0
    this.#a = this.#b ^ (this.#b >>> 9)
    this.#b = (this.#c + (this.#c << 3)) | 0
    this.#c = ((this.#c << 21) | (this.#c >>> 11)) + t
    this.#c |= 0
    return (t >>> 0) / 4294967296
  }

  /** 0 … n − 1 */
  int(n: number): number {
    return Math.floor(this.next() * n)
  }

  between(low: number, high: number): number {
    return low + this.next() * (high - low)
  }

  chance(p: number): boolean {
    return p > 0 && this.next() < p
  }

  /** Waiting time with this mean. */
  wait(mean: number): number {
    return -Math.log(1 - this.next()) * mean
  }

  pick<T>(list: readonly T[]): T {
    return list[this.int(list.length)] as T
  }
}
