// Joining: how a gate finds out, before it decides anything, whether its memory is whole.
//
// Law: a ledger is never continued after a loss. If anyone holds a later row of ours than our disk, what was spent since
// cannot be known: the gate opens its next epoch with nothing, and the old account stays frozen. A gate with no memory
// at all cannot even know which epochs it has had: the anchor, which wrote down those it gave, gives it the next one
// beyond any that a majority remembers. A new epoch is used only once enough members hold its first row, so that the
// next loss will find somebody who remembers it.

import { type Account, ANCHOR, account, epochOf, nameOf } from '../ledger/account.ts'
import type { Row } from '../ledger/row.ts'

/** What the disk says: nothing at all, a whole ledger, or one not to be gone on with: damaged, or another key's. */
export type Memory =
  | { readonly kind: 'blank' }
  | { readonly kind: 'intact'; readonly account: Account; readonly size: number; readonly root: string }
  | { readonly kind: 'lost'; readonly account: Account; readonly last?: Row }

export type Verdict =
  | { readonly is: 'wait' }
  | { readonly is: 'continue' }
  | { readonly is: 'open'; readonly account: Account; readonly after: Row | undefined }

export class Joining {
  readonly #name: string
  readonly #memory: Memory
  readonly #answered = new Set<string>()
  #newest: Row | undefined
  #enrolled: Account | undefined
  #announced: Account | undefined

  constructor(name: string, memory: Memory) {
    this.#name = name
    this.#memory = memory
    if (memory.kind === 'lost') this.#newest = memory.last
  }

  /** The epoch to ask the anchor for, once a majority has said which it remembers. */
  enrolAs(roster: readonly string[]): number | undefined {
    if (this.#memory.kind !== 'blank' || !this.#majority(roster)) return undefined
    return (this.#newest === undefined ? 0 : epochOf(this.#newest.account)) + 1
  }

  /** A peer's answer: the rows of ours that it holds. */
  known(from: string, rows: readonly Row[]): void {
    for (const row of rows) if (nameOf(row.account) === this.#name) this.#see(row)
    if (this.#announced === undefined || rows.some(row => row.account === this.#announced)) this.#answered.add(from)
  }

  hasAnswered(name: string): boolean {
    return this.#answered.has(name)
  }

  /** A new epoch was opened: from here on only those count who hold its first row. */
  announce(opened: Account): void {
    this.#announced = opened
    this.#answered.clear()
  }

  isHeard(roster: readonly string[], alone: boolean): boolean {
    return alone || this.#enough(roster)
  }

  enrolled(given: Account): void {
    if (nameOf(given) === this.#name) this.#enrolled = given
  }

  verdict(roster: readonly string[], alone: boolean): Verdict {
    if (this.#memory.kind === 'blank') {
      const given = this.#enrolled
      if (given === undefined) return { is: 'wait' }
      return { is: 'open', account: given, after: this.#newest }
    }
    if (!alone && !this.#enough(roster)) return { is: 'wait' }
    const mine = this.#memory
    if (mine.kind === 'intact' && !this.#outlived(mine)) return { is: 'continue' }
    const epoch = Math.max(epochOf(mine.account), this.#newest === undefined ? 0 : epochOf(this.#newest.account))
    return { is: 'open', account: account(this.#name, epoch + 1), after: this.#newest }
  }

  /** The anchor alone, or more than half of the other gates. */
  #enough(roster: readonly string[]): boolean {
    return this.#answered.has(ANCHOR) || this.#majority(roster)
  }

  #majority(roster: readonly string[]): boolean {
    const others = roster.filter(name => name !== this.#name)
    return others.length === 0 || others.filter(name => this.#answered.has(name)).length * 2 > others.length
  }

  /** Does anyone hold a row of ours that our disk does not know? */
  #outlived(mine: { account: Account; size: number; root: string }): boolean {
    const row = this.#newest
    if (row === undefined) return false
    if (row.account !== mine.account) return epochOf(row.account) > epochOf(mine.account)
    return row.size > mine.size || (row.size === mine.size && row.root !== mine.root)
  }

  #see(row: Row): void {
    const newest = this.#newest
    if (newest === undefined) this.#newest = row
    else if (epochOf(row.account) > epochOf(newest.account)) this.#newest = row
    else if (row.account === newest.account && row.size > newest.size) this.#newest = row
  }
}
