// What software does not control: people leaving, and people who come in without a decision. Read it in a minute:
// nothing in it waits, asks or can fail before the person is out.
//
// Law: every exit is let out, first and unconditionally. Counting comes after, and at worst gives no token back.
// Whoever came in uninvited is inside all the same and costs a token, if need be one that this gate does not have.

import type { Checked, FaultSeen, ForcedWhy, Optical } from '../ledger/entry.ts'
import type { Member } from '../mesh/member.ts'
import type { Trader } from '../mesh/trader.ts'
import type { Requests } from './requests.ts'

/** What the hardware at the door has to say for the ledger. It moves no token. */
export type Note = Bare<Optical> | Bare<Checked> | Bare<FaultSeen>
type Bare<T> = Omit<T, 'id' | 'at'>

export class Uncontrolled {
  readonly #me: Member
  readonly #trader: Trader
  readonly #requests: Requests
  /** seen before there was a ledger to write it to */
  readonly #early: (() => void)[] = []
  /** exits that the ledger had when this gate started: whoever counts by totals tells of them again */
  readonly #known = new Set<string>()
  /** exits that may be credited right now */
  #credits = 0
  #creditsAt = Number.NEGATIVE_INFINITY

  constructor(me: Member, trader: Trader, requests: Requests) {
    this.#me = me
    this.#trader = trader
    this.#requests = requests
  }

  left(id: string, confidence: number): void {
    this.#me.emit({ kind: 'let-out', id, afterSize: 0 })
    this.#count(() => this.#exit(id, confidence))
  }

  intruded(id: string, count: number, why: ForcedWhy): void {
    this.#count(() => this.#me.books?.forced(id, this.#me.wall, count, why))
  }

  knows(id: string): void {
    this.#known.add(id)
  }

  noted(note: Note): void {
    this.#count(() => this.#me.books?.note({ id: this.#me.newId(), at: this.#me.wall, ...note }))
  }

  /** The ledger is open: what happened before it goes in now. */
  catchUp(): void {
    for (const write of this.#early.splice(0)) write()
  }

  #count(write: () => void): void {
    if (this.#me.books === undefined) this.#early.push(write)
    else write()
  }

  /**
   * No more credits than people can walk out: a sensor gone mad would mint, and others would not believe our rows. Half
   * of the burst that they allow, because what they hear comes to them in heaps.
   */
  #withinRate(): boolean {
    const { now, limits } = this.#me
    const most = Math.max(1, limits.exitBurst / 2)
    const earned = ((now - this.#creditsAt) * limits.exitsPerMinuteMax) / 60_000
    this.#credits = Math.min(most, this.#credits + earned)
    this.#creditsAt = now
    if (this.#credits < 1) return false
    this.#credits--
    return true
  }

  #exit(id: string, confidence: number): void {
    const { books, wall, now, policy, view } = this.#me
    if (books === undefined || this.#known.has(id) || this.#requests.said(`exit ${id}`) !== undefined) return
    this.#requests.remember(`exit ${id}`, 'left', 0, now)
    const correction = view.anchor()?.row.budget?.correction ?? 0
    // a sensor that sees ghosts must not mint: no token for a doubtful exit, or for one out of an empty building
    const isPlausible = confidence >= (policy?.confidenceMin ?? 1000) && view.counted + correction > 0
    const credited = isPlausible && this.#withinRate()
    books.exit(id, wall, credited, confidence)
    if (credited) this.#trader.earned(1)
  }
}
