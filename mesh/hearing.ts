// Hearing: rows as they come in, from anyone, in any order.
//
// Law: a row joins the view only together with the sends behind everything it received. Rows that must wait for others
// wait here; two that need each other (a sent to b, b sent back, and only their newest rows were heard) join as one.
// An account was heard when it spoke itself, or gossip brought its word. A row that somebody had kept is older than that:
// taken for news, it would make a gate that is cut off look as if it were in reach.

import { areForked, missingFor, type Place, place, type Rules } from '../ledger/accept.ts'
import { type Account, epochOf, nameOf } from '../ledger/account.ts'
import { minted } from '../ledger/counters.ts'
import type { Policy } from '../ledger/policy.ts'
import type { Row } from '../ledger/row.ts'
import type { View } from '../ledger/view.ts'
import type { Limits } from './limits.ts'
import { type Seat, WaitingRoom } from './waiting-room.ts'

export interface Heard {
  /** rows that joined the view, in the order they did */
  readonly joined: readonly Row[]
  readonly forks: readonly (readonly [Row, Row])[]
  readonly flaws: readonly { readonly row: Row; readonly law: string }[]
}

/** One for each gate that a liar could have told another history to, and some. */
const BRANCHES_MAX = 64

interface Allowance {
  level: number
  at: number
}

interface Found {
  readonly joined: Row[]
  readonly forks: [Row, Row][]
  readonly flaws: { row: Row; law: string }[]
}

export class Hearing {
  readonly #view: View
  readonly #limits: Limits
  readonly #policyOf: (version: number) => Policy | undefined
  readonly #waiting = new WaitingRoom()
  readonly #exits = new Map<Account, Allowance>()
  /** histories of banned accounts that somebody may have received on */
  readonly #branches = new Map<Account, Row[]>()
  readonly #rules: Rules
  #now = 0
  #wall = 0
  #isWord = false
  /** who speaks, and the newest of the accounts of theirs that they speak of */
  #speaker = { name: '', epoch: 0 }

  /** `legalMax` is the most that any charter allowed; each policy was held against its own. */
  constructor(
    view: View,
    { legalMax }: { readonly legalMax: number },
    limits: Limits,
    policyOf: (version: number) => Policy | undefined,
  ) {
    this.#view = view
    this.#limits = limits
    this.#policyOf = policyOf
    this.#rules = {
      legalMax,
      policy: policyOf,
      mintedBefore: anchor => this.#mintedBefore(anchor),
      sentBy: (donor, to) => this.#sentBy(donor, to),
      exitsAllowed: row => {
        const before = view.get(row.account)?.row.counters.exited
        const isKnown = before !== undefined && this.#exits.has(row.account)
        return isKnown ? before + this.#allowance(row.account).level : Number.POSITIVE_INFINITY
      },
    }
  }

  /** Every row held of an account, those that still wait included: signed all the same, so worth handing on. */
  of(account: Account): Row[] {
    const known = this.#view.get(account)
    const rows = [...(this.#branches.get(account) ?? []), ...this.#waiting.of(account).map(seat => seat.row)]
    return known === undefined ? rows : [known.row, ...rows]
  }

  /** Every row held of a name, of all its epochs. */
  ofName(name: string): Row[] {
    return this.all().filter(row => nameOf(row.account) === name)
  }

  /** Every row held of anyone. */
  all(): Row[] {
    const rows: Row[] = []
    for (const known of this.#view.others()) rows.push(known.row)
    for (const { row } of this.#waiting.all()) rows.push(row)
    for (const branches of this.#branches.values()) rows.push(...branches)
    return rows
  }

  /**
   * A row of a banned gate. It joins nothing and brings nobody tokens any more, but honest gates have received on the
   * strength of one history or the other, and their rows must be believed.
   */
  hearBanned(row: Row, now: number): void {
    this.#now = now
    const held = this.of(row.account)
    this.#waiting.drop(row.account)
    for (const history of [row, ...held]) {
      if (place(history, undefined, this.#rules).is !== 'flawed') this.#branch(history)
    }
  }

  /** Remembers a history if it shows somebody more than the others do; it is what that gate's rows stand on. */
  #branch(row: Row): void {
    const branches = this.#branches.get(row.account) ?? []
    this.#branches.set(row.account, branches)
    const { sent } = row.counters
    const shownTo = (to: Account) => branches.some(known => (known.counters.sent[to] ?? 0) >= (sent[to] ?? 0))
    if (branches.length < BRANCHES_MAX && Object.keys(sent).some(to => !shownTo(to))) branches.push(row)
  }

  /** Who to ask for what, so that rows that have waited for longer than `ms` can join. */
  overdue(now: number, ms: number): { from: string; missing: string[] }[] {
    const asks: { from: string; missing: string[] }[] = []
    if (this.#waiting.isEmpty) return asks
    for (const { row, from, since } of this.#waiting.all()) {
      if (now - since > ms) asks.push({ from, missing: missingFor(row, this.#rules) })
    }
    return asks
  }

  hear(from: string, rows: readonly Row[], now: number, a: { wall?: number; isWord?: boolean } = {}): Heard {
    this.#now = now
    this.#wall = a.wall ?? 0
    this.#isWord = a.isWord ?? false
    const own = rows.filter(({ account }) => nameOf(account) === from)
    this.#speaker = { name: from, epoch: Math.max(0, ...own.map(({ account }) => epochOf(account))) }
    const found: Found = { joined: [], forks: [], flaws: [] }
    for (const row of rows) {
      const known = this.#view.get(row.account)
      const verdict = place(row, known?.row, this.#rules)
      this.#take(from, row, verdict, found)
    }
    // what joined may be what another row waited for
    while (!this.#waiting.isEmpty && this.#settle(found)) {}
    return found
  }

  /** Rows read back at boot. How long ago they were true nobody knows, so they say nothing about anyone's rate. */
  recall(rows: readonly Row[], now: number, wall = 0): Heard {
    const heard = this.hear('', rows, now, { wall })
    this.#exits.clear()
    return heard
  }

  #take(from: string, row: Row, verdict: Place, found: Found): void {
    switch (verdict.is) {
      case 'next':
        this.#join(from, row, found, this.#isWord)
        return
      case 'seen': {
        const known = this.#view.get(row.account)
        const isHeard = this.#isWord || this.#isOwnWord(from, row)
        // a clock that was put back must not make a gate silent that speaks
        const isNews = known !== undefined && (row.at > known.row.at || (isHeard && row.at !== known.row.at))
        if (isNews) this.#view.put(row, this.#now, { heardAt: this.#heardAt(row, isHeard), isHeard }, this.#wall)
        return
      }
      case 'old':
        return
      case 'gap':
        this.#waiting.put(from, row, this.#now)
        return
      case 'flawed':
        found.flaws.push({ row, law: verdict.law })
        return
      case 'fork':
        found.forks.push([verdict.with, row])
    }
  }

  /**
   * The largest set of waiting rows whose receipts are all covered by the view and by each other: starts with the
   * largest row of every account, and falls back to the next smaller one where it is not covered.
   */
  #settle(found: Found): boolean {
    const able = this.#candidates(found)
    const covered: Pick<Rules, 'policy' | 'sentBy'> = {
      policy: this.#policyOf,
      sentBy: (donor, to) => Math.max(this.#rules.sentBy(donor, to), able.get(donor)?.[0]?.row.counters.sent[to] ?? 0),
    }
    for (let shrunk = true; shrunk; ) {
      shrunk = false
      for (const [account, seats] of able) {
        if (missingFor((seats[0] as Seat).row, covered).length === 0) continue
        seats.shift()
        if (seats.length === 0) able.delete(account)
        shrunk = true
      }
    }
    for (const seats of able.values()) this.#join((seats[0] as Seat).from, (seats[0] as Seat).row, found)
    return able.size > 0
  }

  /** What waits and may still join, per account, largest first. What came meanwhile may show a row to be a lie. */
  #candidates(found: Found): Map<Account, Seat[]> {
    const able = new Map<Account, Seat[]>()
    for (const account of this.#waiting.accounts()) {
      const seats: Seat[] = []
      for (const seat of this.#waiting.of(account)) {
        const verdict = place(seat.row, this.#view.get(account)?.row, this.#rules)
        if (verdict.is === 'gap' || verdict.is === 'next') {
          seats.push(seat)
          continue
        }
        this.#waiting.leave(seat)
        this.#take(seat.from, seat.row, verdict, found)
      }
      if (seats.length > 0) able.set(account, seats)
    }
    return able
  }

  #join(from: string, row: Row, found: Found, isWord = false): void {
    const before = this.#view.get(row.account)?.row.counters.exited
    const allowance = this.#allowance(row.account)
    const isClocked = this.#exits.has(row.account)
    if (before !== undefined && isClocked) allowance.level -= row.counters.exited - before
    // a row handed on by others may be hours old: the clock starts with the account's own word
    if (isClocked || from === nameOf(row.account)) this.#exits.set(row.account, allowance)
    for (const seat of this.#waiting.of(row.account)) {
      if (!areForked(seat.row, row)) continue
      found.forks.push([row, seat.row])
      this.#waiting.leave(seat)
    }
    // a newer one may wait still: rows overtake each other
    this.#waiting.joined(row.account, row.size)
    const isHeard = isWord || this.#isOwnWord(from, row)
    this.#view.put(row, this.#now, { heardAt: this.#heardAt(row, isHeard), isHeard }, this.#wall)
    found.joined.push(row)
  }

  /** Is it of the account that the speaker has now? What it says of its closed ones is as old as they are. */
  #isOwnWord(from: string, { account }: Row): boolean {
    if (nameOf(account) !== from) return false
    const current = this.#view.current(from)
    const told = this.#speaker.name === from ? this.#speaker.epoch : 0
    return epochOf(account) >= Math.max(told, current === undefined ? 0 : epochOf(current))
  }

  /**
   * When its account said so. A row that somebody had kept is later than the one we heard by as much as its own clock went
   * on; of an account that we never heard it is as old as that clock says, and out of reach until it speaks.
   */
  #heardAt({ account, at }: Row, isHeard: boolean): number {
    if (isHeard) return this.#now
    const known = this.#view.get(account)
    if (known === undefined) return this.#now - Math.max(0, this.#wall - at)
    return Math.min(this.#now, known.heardAt + Math.max(0, at - known.row.at))
  }

  /**
   * Exits an account may have credited since it was last heard. A gate that was out of reach may bring all the exits of
   * that time at once; one that is heard all the time never saves up more than the burst.
   */
  #allowance(account: Account): Allowance {
    const known = this.#exits.get(account)
    if (known === undefined) return { level: this.#limits.exitBurst, at: this.#now }
    const earned = ((this.#now - known.at) * this.#limits.exitsPerMinuteMax) / 60_000
    return { level: Math.min(known.level, this.#limits.exitBurst) + earned, at: this.#now }
  }

  #sentBy(donor: Account, to: Account): number {
    let sent = this.#view.countersOf(donor)?.sent[to] ?? 0
    for (const row of this.#branches.get(donor) ?? []) sent = Math.max(sent, row.counters.sent[to] ?? 0)
    return sent
  }

  #mintedBefore(anchor: Account): number {
    let most = 0
    for (const { row } of this.#view.others()) {
      if (row.budget === undefined || epochOf(row.account) >= epochOf(anchor)) continue
      most = Math.max(most, minted({ ...row.budget, carried: 0 }))
    }
    return most
  }
}
