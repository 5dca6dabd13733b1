// Bookkeeping: which `optical` entries a ledger gets.
//
// Laws: the first of a ledger only says since when the lenses look; every other says what they saw since the one before.
// One is written where lens and arm are even, so that both sides of it are the same passages, and at the latest well
// before the anchor takes a counter for dead. A silent counter writes none: it does not know.

import type { Flow } from '../../hardware/optical/reading.ts'
import type { Note } from '../uncontrolled.ts'

export const EVERY_MS = 300_000
/** In a crowd lens and arm are never even; the anchor waits for a quarter of an hour. */
export const AT_LATEST_MS = 480_000
/** Somebody who was found is worth an entry, and a crowd of them not one each. */
const FOUND_EVERY_MS = 60_000

export interface Page {
  readonly optical: Flow
  readonly turnstile: Flow
  readonly now: number
  readonly isSound: boolean
  readonly isEven: boolean
  /** somebody was told as intruded just now */
  readonly isFound: boolean
}

export class Bookkeeping {
  readonly #tell: (note: Note) => void
  /** lenses' people at the entry before; undefined: there is none in this ledger */
  #base: Flow | undefined
  #turnstile: Flow | undefined
  #toldAt = Number.NEGATIVE_INFINITY
  #hasFound = false

  constructor(tell: (note: Note) => void) {
    this.#tell = tell
  }

  /** There is an entry in this ledger that the next goes on from. */
  get isBegun(): boolean {
    return this.#base !== undefined
  }

  begin(): void {
    this.#base = undefined
    this.#turnstile = undefined
  }

  /** The ledger has its first entry from before. */
  resume(base: Flow, now: number): void {
    this.#base = base
    this.#turnstile = undefined
    this.#toldAt = now
  }

  untold(optical: Flow): Flow {
    const { in: entered, out } = this.#base ?? optical
    return { in: optical.in - entered, out: optical.out - out }
  }

  /** True where an entry was written. */
  look(page: Page): boolean {
    const { optical, turnstile, now, isSound, isEven, isFound } = page
    this.#turnstile ??= turnstile
    this.#hasFound ||= isFound
    const ageMs = now - this.#toldAt
    if (this.#base === undefined) return this.#write({ in: 0, out: 0 }, page)
    const untold = this.untold(optical)
    const isMoved = untold.in + untold.out > 0 || differ(turnstile, this.#turnstile)
    const isDue = ageMs >= EVERY_MS || (this.#hasFound && ageMs >= FOUND_EVERY_MS)
    if (!isMoved || !isDue || !isSound || !(isEven || ageMs >= AT_LATEST_MS)) return false
    return this.#write(untold, page)
  }

  #write(seen: Flow, { optical, turnstile, now }: Page): boolean {
    this.#tell({ type: 'optical', in: seen.in, out: seen.out })
    this.#base = optical
    this.#turnstile = turnstile
    this.#toldAt = now
    this.#hasFound = false
    return true
  }
}

function differ(a: Flow, b: Flow): boolean {
  return a.in !== b.in || a.out !== b.out
}
