// View: what one member of the mall knows of everyone, its own account included.
//
// Law: join keeps, per account, the row with the larger ledger size; rows may be lost, repeated, reordered.
// A row enters only when the view holds the sends behind everything it received, so the view is a consistent cut:
// occupancy = capacity + reclaimed − Σ balances − Σ in flight holds in it exactly.

import { type Account, epochOf, isAnchor, nameOf } from './account.ts'
import type { Books } from './books.ts'
import { balance, type Counters, inside } from './counters.ts'
import type { Row } from './row.ts'

export interface Known {
  row: Row
  balance: number
  /** mono ms when this account last said anything new, a repeated row with a newer `at` included */
  heardAt: number
  /** mono ms when it said what its row says, for people to read: a word that took a roundabout way is older than it is new */
  saidAt: number
  /** it has spoken in this life of ours; until then `heardAt` is only what its clock says */
  isHeard: boolean
  /** mono ms when its ledger was last seen longer */
  grewAt: number
}

/** Per ms: as far as two clocks that are well may drift apart, and a lag is forgotten. */
const DRIFT = 0.05
/** What would have been under way for longer is a clock that was put back. */
const UNDERWAY_MS_MAX = 10_000

export class View {
  readonly #known = new Map<Account, Known>()
  /** newest epoch of each name */
  readonly #current = new Map<string, Account>()
  #own: Books | undefined
  #debtors: Account[] = []
  #count = 0

  /** The account this view belongs to, counted live and not by its last row. */
  setOwn(books: Books): void {
    this.#own = books
    this.#name(books.account)
    const stale = this.#known.get(books.account)
    if (stale !== undefined) this.#count -= inside(stale.row.counters)
    this.#known.delete(books.account)
  }

  get(account: Account): Known | undefined {
    return this.#known.get(account)
  }

  /** Every account but our own. */
  others(): IterableIterator<Known> {
    return this.#known.values()
  }

  /** The newest account of a name, our own included. */
  current(name: string): Account | undefined {
    return this.#current.get(name)
  }

  isCurrent(account: Account): boolean {
    return this.#current.get(nameOf(account)) === account
  }

  /**
   * Puts in a row that was found to be the next one of its account. `wall`: our clock, which has a say in how long a first
   * word was under way.
   */
  put(row: Row, now: number, { heardAt, isHeard } = { heardAt: now, isHeard: true }, wall = row.at): void {
    if (this.#own?.account === row.account) return
    const known = this.#known.get(row.account)
    this.#count += inside(row.counters) - (known === undefined ? 0 : inside(known.row.counters))
    const held = balance(row.counters, row.budget)
    // nothing before it tells how long it took; where clocks are well theirs do, and where they are not it looks older
    const firstSaidAt = isHeard ? heardAt - underwayMs(row, wall) : heardAt
    if (known === undefined) {
      this.#known.set(row.account, { row, balance: held, heardAt, saidAt: firstSaidAt, isHeard, grewAt: now })
    } else {
      if (row.size > known.row.size) known.grewAt = now
      // the first word of its own outweighs what its clock made us think
      const isFirst = isHeard && !known.isHeard
      known.heardAt = isFirst ? heardAt : Math.max(known.heardAt, heardAt)
      known.saidAt = isFirst ? firstSaidAt : saidAt(known, row)
      known.isHeard ||= isHeard
      known.row = row
      known.balance = held
    }
    this.#name(row.account)
    if (held < 0 || this.#debtors.includes(row.account)) this.#listDebtors()
  }

  /** The counters to believe of an account: its own when it is ours, else those of its newest row. */
  countersOf(account: Account): Readonly<Counters> | undefined {
    if (this.#own?.account === account) return this.#own.counters
    return this.#known.get(account)?.row.counters
  }

  inFlight(from: Account, to: Account): number {
    const sent = this.countersOf(from)?.sent[to] ?? 0
    return Math.max(0, sent - (this.countersOf(to)?.received[from] ?? 0))
  }

  inFlightTo(to: Account): number {
    let total = this.#own === undefined || this.#own.account === to ? 0 : this.inFlight(this.#own.account, to)
    for (const from of this.#known.keys()) if (from !== to) total += this.inFlight(from, to)
    return total
  }

  /** People counted inside, without correction. */
  get counted(): number {
    return this.#count + (this.#own === undefined ? 0 : inside(this.#own.counters))
  }

  /** The newest anchor row; our own books are asked by the anchor itself. */
  anchor(): Known | undefined {
    const account = this.#current.get('anchor')
    return account === undefined ? undefined : this.#known.get(account)
  }

  /** Accounts of others below zero by their newest row. Rare, so kept as a list. */
  get debtors(): readonly Account[] {
    return this.#debtors
  }

  isFresh(known: Known, now: number, silentMs: number): boolean {
    return known.isHeard && now - known.heardAt <= silentMs && this.isCurrent(known.row.account)
  }

  #name(account: Account): void {
    const name = nameOf(account)
    const current = this.#current.get(name)
    if (current === undefined || epochOf(account) > epochOf(current)) this.#current.set(name, account)
  }

  #listDebtors(): void {
    this.#debtors = []
    for (const known of this.#known.values()) if (known.balance < 0) this.#debtors.push(known.row.account)
    this.#debtors.sort((a, b) => (isAnchor(a) ? 0 : 1) - (isAnchor(b) ? 0 : 1) || (a < b ? -1 : 1))
  }
}

function underwayMs({ at }: Row, wall: number): number {
  const ms = wall - at
  return ms > 0 && ms <= UNDERWAY_MS_MAX ? ms : 0
}

/** As much later than its word before as its own clock says, and never later than we heard it. `known` has that already. */
function saidAt(known: Known, row: Row): number {
  const wentOnMs = row.at - known.row.at
  const at = known.saidAt + wentOnMs + DRIFT * (known.heardAt - known.saidAt)
  const isLikely = wentOnMs >= 0 && at <= known.heardAt && known.heardAt - at <= UNDERWAY_MS_MAX
  return isLikely ? at : known.heardAt
}
