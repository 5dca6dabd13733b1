// Source: one account's steps in the replay of the whole mall. It begins where it is shown from; then come the entries that
// move tokens; then, where rows speak of entries that are lost, one leap to each row.

import type { Account } from '../account.ts'
import type { Row } from '../row.ts'
import type { Finding } from './findings.ts'
import type { Stated } from './rows.ts'
import { type Portion, StepReader } from './steps.ts'

/** How the reading of a ledger ended. */
export interface ReadEnd {
  readonly size: number
  readonly signed: number
  readonly damaged: boolean
  readonly isHoled: boolean
  readonly findings: readonly Finding[]
  /** wall clocks of its first and last entry; none where it has none */
  readonly period?: { readonly from: number; readonly to: number } | undefined
  readonly optical: Optical
  /** of the anchor's: the largest size of each account that its checkpoints name */
  readonly spoken: ReadonlyMap<Account, number>
  readonly heads: number
}

/** What the optical counter of a gate saw, beside what its ledger had written by its last word. */
export interface Optical {
  readonly entries: number
  readonly in: number
  readonly out: number
  readonly ledgerIn: number
  readonly ledgerOut: number
}

/** A ledger being read, by whomever. */
export interface Feed {
  /** The next steps; undefined at the end. */
  next(): Promise<Portion | undefined> | Portion | undefined
  /** Only after the end. */
  readonly end: ReadEnd
}

export interface SourceOptions {
  readonly account: Account
  readonly feed?: Feed | undefined
  /** in order of size */
  readonly rows: readonly Stated[]
  /** the row at which it is shown from, where that is not its beginning */
  readonly start?: Row | undefined
  /** is what is missing at its end explained by rows? */
  readonly mayLeap: boolean
  /** must all of it be there? */
  readonly isOwed: boolean
}

export class Source {
  readonly account: Account
  readonly rows: readonly Stated[]
  readonly start: Row | undefined
  readonly isOwed: boolean
  readonly steps = new StepReader()
  readonly #feed: Feed | undefined
  readonly #mayLeap: boolean
  /** rows that are still to be leapt to */
  #leaps: Row[] | undefined
  #leapFrom = 0

  constructor(o: SourceOptions) {
    this.account = o.account
    this.rows = o.rows
    this.start = o.start
    this.isOwed = o.isOwed
    this.#feed = o.feed
    this.#mayLeap = o.mayLeap
  }

  /** To be called until there is a step, or none any more. */
  advance(): Promise<void> | undefined {
    if (this.steps.isAtStep) this.steps.advance()
    else if (this.#leaps !== undefined) this.#leapFrom = this.#leaps.shift()?.size ?? this.#leapFrom
    if (this.steps.isAtStep || this.#leaps !== undefined) return undefined
    const portion = this.#feed?.next()
    if (portion instanceof Promise) return portion.then(came => this.#load(came))
    this.#load(portion)
    return undefined
  }

  #load(portion: Portion | undefined): void {
    if (portion === undefined) this.#leaps = this.#findLeaps()
    else this.steps.load(portion)
  }

  get leap(): Row | undefined {
    return this.#leaps?.[0]
  }

  /** There is nothing more to replay. */
  get isDone(): boolean {
    return !this.steps.isAtStep && this.#leaps !== undefined && this.#leaps.length === 0
  }

  /** Of the next step. */
  get at(): number {
    return this.leap?.at ?? this.steps.at
  }

  /** Of the next step; of a leap, where it leaves from. */
  get seq(): number {
    return this.leap === undefined ? this.steps.seq : this.#leapFrom
  }

  /** Size up to which entries were read; only once they all were. */
  get exact(): number {
    return this.#feed?.end.size ?? this.start?.size ?? 0
  }

  get end(): ReadEnd | undefined {
    return this.#feed?.end
  }

  /** Altered, with a hole, or cut off where nothing explains it: accuses nobody. Only once all was read. */
  get damaged(): boolean {
    if (this.#leaps === undefined) return false
    const isCut = this.isOwed && !this.#mayLeap && (this.rows.at(-1)?.size ?? 0) > this.exact
    return isCut || (this.#feed?.end.damaged ?? false)
  }

  /** What the rows add to a ledger that ends before them. */
  #findLeaps(): Row[] {
    if (!this.#mayLeap || this.#feed?.end.damaged) return []
    const size = this.exact
    this.#leapFrom = size
    return this.rows.filter(row => row.size > size).map(row => row.read())
  }
}
