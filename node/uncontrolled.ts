// What software does not control: people leaving, and people who come in without a decision. Read it in a minute:
// nothing in it waits, asks or can fail before the person is out.
//
// Law: every exit is let out, first and unconditionally. Counting comes after, and at worst gives no token back.
// Whoever came in uninvited is inside all the same and costs a token, if need be one that this gate does not have.

import type { ForcedWhy } from '../ledger/entry.ts'
import type { Member } from '../mesh/member.ts'
import type { Trader } from '../mesh/trader.ts'
import type { Requests } from './requests.ts'

export class Uncontrolled {
  readonly #me: Member
  readonly #trader: Trader
  readonly #requests: Requests
  /** seen before there was a ledger to write it to */
  readonly #early: (() => void)[] = []

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

  /** The ledger is open: what happened before it goes in now. */
  catchUp(): void {
    for (const write of this.#early.splice(0)) write()
  }

  #count(write: () => void): void {
    if (this.#me.books === undefined) this.#early.push(write)
    else write()
  }

  #exit(id: string, confidence: number): void {
    const { books, wall, now, policy, view } = this.#me
    if (books === undefined || this.#requests.said(`exit ${id}`) !== undefined) return
    this.#requests.remember(`exit ${id}`, 'left', 0, now)
    const correction = view.anchor()?.row.budget?.correction ?? 0
    // a sensor that sees ghosts must not mint: no token for a doubtful exit, or for one out of an empty building
    const credited = confidence >= (policy?.confidenceMin ?? 1000) && view.counted + correction > 0
    books.exit(id, wall, credited, confidence)
    if (credited) this.#trader.earned(1)
  }
}
