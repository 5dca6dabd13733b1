// Takebacks: a tap of the guard's clicker, taken back within a few seconds.
//
// Laws: a passage is taken back once, soon, and only where this very process saw it happen. History is not rewritten: an
// admission lapses, and whoever was counted out and is still inside is counted in as somebody without a decision. No
// answer given earlier is changed by it, and no exit waits for any of this.

import { REMEMBERED_MAX } from './requests.ts'

/** People are given 5 s; the network gets the rest. */
export const TAKE_BACK_MS_MAX = 8000
/** As long as the gate gives the same answer to the same id: a repeated one must not be taken for a new one. */
const REMEMBER_MS = 300_000

export type Taken =
  | { readonly kind: 'entry' | 'exit' }
  | { readonly kind: 'no'; readonly why: 'unknown' | 'late' | 'undone' }

/** What the door can do about it. */
export interface TakebackPort {
  lapse(id: string): boolean
  stay(id: string): boolean
}

interface Passage {
  readonly what: 'entry' | 'exit'
  readonly at: number
  isTakenBack: boolean
}

export class Takebacks {
  readonly #door: TakebackPort
  readonly #passages = new Map<string, Passage>()

  constructor(door: TakebackPort) {
    this.#door = door
  }

  /** Somebody was let in or out just now. The same id again is the same passage, as old as it was. */
  saw(what: 'entry' | 'exit', id: string, now: number): void {
    const key = `${what} ${id}`
    if (!this.#passages.has(key)) this.#passages.set(key, { what, at: now, isTakenBack: false })
    for (const [old, { at }] of this.#passages) {
      if (now - at <= REMEMBER_MS && this.#passages.size <= REMEMBERED_MAX) break
      this.#passages.delete(old)
    }
  }

  takeBack(id: string, now: number): Taken {
    const passage = this.#passages.get(`entry ${id}`) ?? this.#passages.get(`exit ${id}`)
    if (passage === undefined) return { kind: 'no', why: 'unknown' }
    if (passage.isTakenBack) return { kind: 'no', why: 'undone' }
    if (now - passage.at > TAKE_BACK_MS_MAX) return { kind: 'no', why: 'late' }
    if (passage.what === 'entry' && !this.#door.lapse(id)) return { kind: 'no', why: 'late' }
    if (passage.what === 'exit' && !this.#door.stay(id)) return { kind: 'no', why: 'unknown' }
    passage.isTakenBack = true
    return { kind: passage.what }
  }
}
