// Archive: other members' ledgers as they were collected. This file is what its users see of it.
//
// Law: what is in here was checked on arrival: every line follows the one before it by hash, and up to `signed` the tree
// over all of them has a root that the account's owner signed. Lines are added at the end, once, in order.

import type { Account } from '../../ledger/account.ts'
import type { Counters } from '../../ledger/counters.ts'
import type { Decision, Entry, EntryType } from '../../ledger/entry.ts'
import type { Hash } from '../../ledger/tree.ts'

/** How far an account's ledger was collected. */
export interface CollectedHead {
  readonly account: Account
  readonly size: number
  /** up to here a signed row vouches for it */
  readonly signed: number
  /** entries before this one were pruned: closed days that an archive file holds */
  readonly kept: number
  /** frontier of the tree over those, base64; left out where there are none */
  readonly keptPeaks?: readonly string[]
  /** leaf hash of the newest line, base64; the charter's hash where there is none */
  readonly last: string
  /** frontier of the tree, base64 */
  readonly peaks: readonly string[]
  /** the fold of all entries so far */
  readonly counters: Counters
  /** the newest row that vouches, as it was signed */
  readonly row?: string
}

export type Flag =
  /** came more than five minutes after it happened, by the two clocks */
  | 'late'
  /** its writer's clock and ours differ by more than is healthy */
  | 'skew'

/** One entry, and how it came here. */
export interface Event {
  /** counts everything collected here, from 1; what a stream resumes from */
  readonly order: number
  readonly account: Account
  readonly entry: Entry
  /** the very bytes that are hashed */
  readonly line: string
  readonly arrivedAt: number
  readonly flags: readonly Flag[]
}

/** The newest row of one UTC day of its writer that vouches for what was collected by then. */
export interface DayRow {
  /** YYYY-MM-DD */
  readonly day: string
  readonly size: number
  /** as it was signed */
  readonly note: string
}

export interface EventQuery {
  readonly gate?: string
  readonly type?: EntryType
  /** what was said to somebody who wanted to come in */
  readonly decision?: Decision
  /** wall clock of the writer, ms; from ≤ at < to */
  readonly from?: number
  readonly to?: number
  /** where the page before ended */
  readonly cursor?: string
  /** at most this many */
  readonly limit: number
}

export interface EventPage {
  /** may be none although more follow: what one call looks through is bounded */
  readonly events: readonly Event[]
  /** there may be more: ask again with it; pages that follow each other show what was there when the first was asked for */
  readonly cursor?: string
}

/** What contradicts what was collected: both sides are kept for whoever judges. */
export interface Evidence {
  readonly id: string
  readonly account: Account
  readonly at: number
  readonly what: 'fork' | 'root' | 'chain' | 'counters' | 'spelling'
  readonly detail: string
  /** who handed the lines over, where that was not the account's owner: it is that one's word then, not the owner's */
  readonly by?: string
  /** signed rows, as notes */
  readonly rows: readonly string[]
  /** lines that were handed over and do not fit */
  readonly lines: readonly string[]
}

export interface Archive {
  /** every account of which something was collected, in order */
  accounts(): readonly Account[]
  head(account: Account): CollectedHead | undefined
  /** the newest `order` there is; 0 for none */
  readonly newest: number
  /** lines of [from, to) of one ledger, as far as they are kept here */
  range(account: Account, from: number, to: number): AsyncIterable<string>
  /** by the writers' clocks, oldest first */
  find(query: EventQuery): Promise<EventPage>
  /** the first of this id, or the one of this account: others may have been asked with the same id */
  byId(id: string, account?: Account): Promise<Event | undefined>
  /** sibling hashes from entry `index` up to the root at `size`; the entry must be kept, and the size be collected */
  path(account: Account, index: number, size: number): Promise<readonly Hash[]>
  /** in order of arrival, after `order`; fewer than `limit` do not mean that there are no more, none do */
  since(order: number, limit: number): Promise<readonly Event[]>
  evidence(): Promise<readonly Evidence[]>
  /** called after every commit with what became durable; returns how to stop listening */
  onEvents(listener: (events: readonly Event[]) => void): () => void
  /** oldest first, one for each day in which something was collected, of what is kept */
  dayRows(account: Account): Promise<readonly DayRow[]>
  /** forgets the lines of an account before `to`, which must be a size that a row vouches for */
  prune(account: Account, to: number): Promise<void>
}
