// A visit to two light barriers: from the first beam broken until both are free.
//
// Law: what a visit can mean is bounded from both sides. `in` is the most people who can have come in, `out` the fewest
// who must have left, `outMaybe` those who may have on top of it. So the sum never says fewer inside than there are.

export type Side = 'outside' | 'inside'

export interface Verdict {
  readonly in: number
  readonly out: number
  readonly outMaybe: number
}

export type Broken = Readonly<Record<Side, boolean>>

export class Visit {
  readonly from: number
  /** which beam alone was broken first; undefined while both were from the start */
  #first: Side | undefined
  #isFirstBoth = false
  /** which beam alone was broken last */
  #side: Side | undefined
  #isBoth = false
  #wasBoth = false
  #forward = 0
  #backward = 0

  constructor(from: number) {
    this.from = from
  }

  move(broken: Broken): void {
    if (!broken.outside && !broken.inside) return
    this.#isBoth = broken.outside && broken.inside
    if (this.#isBoth) {
      this.#wasBoth = true
      if (this.#side === undefined) this.#isFirstBoth = true
      return
    }
    const side: Side = broken.outside ? 'outside' : 'inside'
    if (this.#side === 'outside' && side === 'inside') this.#forward++
    if (this.#side === 'inside' && side === 'outside') this.#backward++
    this.#first ??= side
    this.#side = side
  }

  /** Both beams went and came back as one: that is their power. */
  get isOneBlink(): boolean {
    return this.#side === undefined
  }

  /** The only beam that was ever broken. */
  get half(): Side | undefined {
    return this.#wasBoth || this.#forward > 0 || this.#backward > 0 ? undefined : this.#side
  }

  /** As if it ended now. */
  verdict(): Verdict {
    let [start, end] = [this.#first, this.#side]
    let [forward, backward] = [this.#forward, this.#backward]
    if (start === undefined || end === undefined) return { in: 0, out: 0, outMaybe: 0 }
    const isClear = !this.#isFirstBoth && !this.#isBoth
    // Seen in both beams first: came from the side that is not the one seen next. The end likewise.
    if (this.#isFirstBoth && start === 'inside') [start, forward] = ['outside', forward + 1]
    else if (this.#isFirstBoth) [start, backward] = ['inside', backward + 1]
    if (this.#isBoth && end === 'outside') [end, forward] = ['inside', forward + 1]
    else if (this.#isBoth) [end, backward] = ['outside', backward + 1]

    if (start === 'outside' && end === 'inside') return { in: forward, out: 0, outMaybe: 0 }
    if (start === 'inside' && end === 'outside' && isClear) return { in: 0, out: 1, outMaybe: backward - 1 }
    if (start === 'inside' && end === 'outside') return { in: 0, out: 0, outMaybe: backward }
    return { in: forward, out: 0, outMaybe: backward }
  }
}
