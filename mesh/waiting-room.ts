// WaitingRoom: rows that cannot join the view yet, because what they stand on has not been heard.
//
// Law: whoever brings a row has one seat per account. A liar's row about itself, larger than all others and never to be
// believed, then cannot push out the honest one that somebody else brought.

import type { Account } from '../ledger/account.ts'
import type { Row } from '../ledger/row.ts'

export interface Seat {
  readonly row: Row
  readonly from: string
  /** mono ms since when this bringer has had a row of this account waiting */
  readonly since: number
}

export class WaitingRoom {
  readonly #seats = new Map<Account, Map<string, Seat>>()

  get isEmpty(): boolean {
    return this.#seats.size === 0
  }

  put(from: string, row: Row, now: number): void {
    const seats = this.#seats.get(row.account) ?? new Map<string, Seat>()
    this.#seats.set(row.account, seats)
    const before = seats.get(from)
    if (before !== undefined && before.row.size >= row.size) return
    seats.set(from, { row, from, since: before?.since ?? now })
  }

  accounts(): Account[] {
    return [...this.#seats.keys()]
  }

  /** The rows of one account, largest first, each size once. */
  of(account: Account): Seat[] {
    const seats = [...(this.#seats.get(account)?.values() ?? [])].sort((a, b) => b.row.size - a.row.size)
    return seats.filter(
      (seat, i) => seat.row.size !== seats[i - 1]?.row.size || seat.row.root !== seats[i - 1]?.row.root,
    )
  }

  all(): Seat[] {
    return this.accounts().flatMap(account => this.of(account))
  }

  leave(seat: Seat): void {
    const seats = this.#seats.get(seat.row.account)
    for (const [from, { row }] of seats ?? []) if (row === seat.row) seats?.delete(from)
    if (seats?.size === 0) this.#seats.delete(seat.row.account)
  }

  /** The account's row of this size joined: all that are not larger have nothing more to wait for. */
  joined(account: Account, size: number): void {
    const seats = this.#seats.get(account)
    for (const [from, { row }] of seats ?? []) if (row.size <= size) seats?.delete(from)
    if (seats?.size === 0) this.#seats.delete(account)
  }

  drop(account: Account): void {
    this.#seats.delete(account)
  }
}
