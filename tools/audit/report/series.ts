// Series: people inside, minute by minute, from the replay of the whole mall.
//
// Law: a moment belongs to the minute that the clock of its writer showed. Replay order is nearly that of the clocks, so
// the figures are exact where clocks agree; a clock that was wrong spoils its own minutes and no others. What lies before
// the first moment, or after the last word of the mall, is not known, which is not zero.

import type { Account } from '../../../ledger/account.ts'
import { MINUTE_MS } from './period.ts'

/** A moment of the replay that counts. */
export interface Cut {
  readonly at: number
  readonly account: Account
  readonly seq: number
  readonly type: string
  readonly occupancy: number
  readonly capacity: number
}

export const LEVELS = ['50 %', '75 %', '90 %', 'limit', 'above', 'legal'] as const
export type Level = (typeof LEVELS)[number]

/** What is known of one minute. */
export interface Minute {
  readonly from: number
  readonly low: number
  readonly high: number
  /** at its end */
  readonly last: number
  readonly limit: number
}

export interface Curve {
  readonly minutes: readonly (Minute | undefined)[]
  /** first moment of the period at which most were inside */
  readonly peak: Cut | undefined
  /** first moment of the period at which most were inside beyond the limit then in force */
  readonly excess: Cut | undefined
  /** ms that the count was at or above each level, by minute */
  readonly above: Readonly<Record<Level, Float64Array>>
  /** ms of the period that something is known of */
  readonly knownMs: number
}

interface State {
  readonly occupancy: number
  readonly capacity: number
}

export class Series {
  readonly #from: number
  readonly #to: number
  readonly #legalMax: number
  readonly #count: number
  /** of every minute: the first and last moment in it; the first is NaN where there is none */
  readonly #firstAt: Float64Array
  readonly #lastAt: Float64Array
  readonly #low: Int32Array
  readonly #high: Int32Array
  readonly #last: Int32Array
  readonly #limit: Int32Array
  readonly #above: Record<Level, Float64Array>
  #before: Cut | undefined
  #peak: Cut | undefined
  #excess: Cut | undefined
  #latest = Number.NEGATIVE_INFINITY

  constructor(a: { readonly from: number; readonly to: number; readonly legalMax: number }) {
    this.#from = a.from
    this.#to = a.to
    this.#legalMax = a.legalMax
    this.#count = Math.ceil((a.to - a.from) / MINUTE_MS)
    this.#firstAt = new Float64Array(this.#count).fill(Number.NaN)
    this.#lastAt = new Float64Array(this.#count)
    this.#low = new Int32Array(this.#count)
    this.#high = new Int32Array(this.#count)
    this.#last = new Int32Array(this.#count)
    this.#limit = new Int32Array(this.#count)
    const times = () => new Float64Array(this.#count)
    this.#above = { '50 %': times(), '75 %': times(), '90 %': times(), limit: times(), above: times(), legal: times() }
  }

  /** The largest `at` that was seen. */
  get latest(): number {
    return this.#latest
  }

  add(cut: Cut): void {
    const { at, occupancy, capacity } = cut
    this.#latest = Math.max(this.#latest, at)
    if (at < this.#from) this.#before = cut
    if (at < this.#from || at >= this.#to) return
    this.#look(cut)
    const i = Math.floor((at - this.#from) / MINUTE_MS)
    if (Number.isNaN(this.#firstAt[i] as number)) {
      this.#firstAt[i] = at
      this.#low[i] = occupancy
      this.#high[i] = occupancy
    } else {
      this.#pass(i, { occupancy: this.#last[i] as number, capacity: this.#limit[i] as number }, this.#lastAt[i], at)
      this.#low[i] = Math.min(this.#low[i] as number, occupancy)
      this.#high[i] = Math.max(this.#high[i] as number, occupancy)
    }
    this.#lastAt[i] = Math.max(at, this.#lastAt[i] as number)
    this.#last[i] = occupancy
    this.#limit[i] = capacity
  }

  /**
   * `heardUntil`: the mall is known to have said nothing more up to then. `moved`: did people pass in this minute, whether or
   * not the replay could count it? Where it could not, the count is not known until it can again.
   */
  close(heardUntil: number, moved: (minute: number) => boolean = () => false): Curve {
    const end = Math.min(this.#to, Math.max(heardUntil, this.#latest))
    const minutes: (Minute | undefined)[] = []
    let knownMs = 0
    let carried: State | undefined = this.#before
    if (this.#before !== undefined) this.#look({ ...this.#before, at: this.#from })
    for (let i = 0; i < this.#count; i++) {
      const from = this.#from + i * MINUTE_MS
      const to = Math.min(from + MINUTE_MS, end)
      const isTouched = !Number.isNaN(this.#firstAt[i] as number)
      if (!isTouched && moved(i)) carried = undefined
      if (to <= from || (!isTouched && carried === undefined)) {
        minutes.push(undefined)
        continue
      }
      const first = isTouched ? (this.#firstAt[i] as number) : to
      if (carried !== undefined) this.#pass(i, carried, from, first)
      knownMs += carried === undefined ? to - first : to - from
      let low = carried?.occupancy ?? (this.#low[i] as number)
      let high = low
      if (isTouched) {
        low = Math.min(low, this.#low[i] as number)
        high = Math.max(high, this.#high[i] as number)
        carried = { occupancy: this.#last[i] as number, capacity: this.#limit[i] as number }
        this.#pass(i, carried, this.#lastAt[i], to)
      }
      const { occupancy: last, capacity: limit } = carried as State
      minutes.push({ from, low, high, last, limit })
    }
    return { minutes, peak: this.#peak, excess: this.#excess, above: this.#above, knownMs }
  }

  #look(cut: Cut): void {
    const { at, occupancy, capacity } = cut
    const isMore = (than: Cut | undefined, by: number, its: number) =>
      than === undefined || by > its || (by === its && at < than.at)
    if (isMore(this.#peak, occupancy, this.#peak?.occupancy ?? 0)) this.#peak = cut
    const excess = this.#excess
    if (occupancy <= capacity) return
    if (isMore(excess, occupancy - capacity, (excess?.occupancy ?? 0) - (excess?.capacity ?? 0))) this.#excess = cut
  }

  #pass(minute: number, state: State, from: number | undefined, to: number): void {
    const ms = to - (from ?? to)
    if (ms <= 0) return
    for (const level of LEVELS) {
      if (isAt(level, state, this.#legalMax)) (this.#above[level][minute] as number) += ms
    }
  }
}

const PER_CENT = { '50 %': 50, '75 %': 75, '90 %': 90, limit: 100 } as const

export function isAt(level: Level, { occupancy, capacity }: State, legalMax: number): boolean {
  if (occupancy <= 0) return false
  if (level === 'above') return occupancy > capacity
  if (level === 'legal') return occupancy > legalMax
  return occupancy * 100 >= capacity * PER_CENT[level]
}
