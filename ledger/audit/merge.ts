// The mall as a whole: all ledgers replayed as one history in which every send comes before its receive.
//
// Law: at every step occupancy ≤ capacity + Σ debts. Any order that keeps causes before effects passes only through
// consistent cuts, so clocks need not be right; they only choose which of those orders is shown.
//
// Occupancy is counted here from people in and out, capacity from the budget, debts from balances: three sums that
// agree only if the escrow did what it promises.

import { type Account, epochOf, isAnchor } from '../account.ts'
import { type Budget, balance, inside, minted } from '../counters.ts'
import type { Row } from '../row.ts'
import type { Findings } from './findings.ts'
import { Flows } from './flows.ts'
import type { Stated } from './rows.ts'
import type { Source } from './source.ts'
import type { Move } from './steps.ts'
import { Timelines } from './timeline.ts'
import { Turns } from './turns.ts'

/** A moment of the mall: after this entry so many were inside. */
export interface Cut {
  readonly occupancy: number
  readonly capacity: number
  readonly account: Account
  readonly seq: number
  readonly at: number
  readonly type: Move | 'leap'
}

export type Peak = Omit<Cut, 'type'>

/** What the anchor has put into force, and the entry that says so. */
export interface Force {
  readonly account: Account
  readonly seq: number
  readonly budget: Budget
  readonly version: number
}

export interface MergeOptions {
  /** in order of account */
  readonly sources: readonly Source[]
  readonly findings: Findings
  /** rows of accounts that are not shown */
  readonly strangers: ReadonlyMap<Account, readonly Stated[]>
  /** is everyone shown, so that sums over all mean something? */
  readonly isWhole: boolean
  /** must sizes cited grow? */
  readonly isStrict: boolean
  readonly onCut?: ((cut: Cut) => void) | undefined
}

interface State {
  readonly source: Source
  /** place among the accounts */
  readonly index: number
  /** of its next step */
  at: number
  balance: number
  inside: number
  budget: Budget | undefined
  /** the size last cited of each donor */
  readonly cited: Map<Account, number>
}

export class Merge {
  readonly #o: MergeOptions
  readonly #states = new Map<Account, State>()
  readonly #timelines = new Timelines()
  readonly #flows = new Flows()
  readonly #turns = new Turns<State>()
  /** whose next step waits for somebody else's */
  readonly #parked = new Set<State>()
  #inside = 0
  #debts = 0
  /** a leap was taken before its causes: from here on the cuts are not consistent */
  #blurred = false
  readonly #leaps: Row[] = []
  /** the budget of the newest epoch of the anchor */
  force: Force | undefined
  /** where occupancy was first more than is explained; to be believed only if every ledger was whole */
  overfull: { readonly account: Account; readonly seq: number; readonly what: string } | undefined
  peak: Peak | undefined
  /** the first moment that counted, and the last */
  since: number | undefined
  until: number | undefined
  cuts = 0
  receives = 0

  constructor(options: MergeOptions) {
    this.#o = options
    options.sources.forEach((source, index) => {
      const state = { source, index, at: 0, balance: 0, inside: 0, budget: undefined, cited: new Map() }
      this.#states.set(source.account, state)
    })
  }

  get occupancy(): number {
    return this.#inside + (this.force?.budget.correction ?? 0)
  }

  balanceOf(account: Account): number {
    return this.#states.get(account)?.balance ?? 0
  }

  insideOf(account: Account): number {
    return this.#states.get(account)?.inside ?? 0
  }

  /** Sent to this account and never taken in. */
  inFlightTo(account: Account): number {
    let sum = 0
    for (const from of this.#states.keys()) sum += this.#flows.inFlight(from, account)
    return sum
  }

  /** What all epochs of the anchor before this one have minted. */
  mintedBefore(epoch: number): number {
    let sum = 0
    for (const [account, state] of this.#states) {
      if (isAnchor(account) && epochOf(account) < epoch) sum += minted(state.budget)
    }
    return sum
  }

  async run(): Promise<void> {
    for (const state of this.#states.values())
      if (state.source.start !== undefined) this.#begin(state, state.source.start)
    for (const state of this.#states.values()) await state.source.advance()
    for (const state of this.#states.values()) this.#place(state)
    for (let state = this.#next(); state !== undefined; state = this.#next()) {
      this.#replay(state)
      const coming = state.source.advance()
      if (coming !== undefined) await coming
      this.#place(state)
      if (this.#parked.size > 0) this.#release(state.source.account)
    }
    for (const row of this.#leaps) this.#lookAtLeap(row)
  }

  /** Where it is shown from, everything is as its row says. */
  #begin(state: State, row: Row): void {
    this.#take(state, row)
    this.#inside += state.inside
    this.#debts -= Math.min(0, state.balance)
  }

  #place(state: State): void {
    if (state.source.isDone) return
    state.at = state.source.at
    if (this.#isReady(state)) this.#turns.push(state)
    else this.#parked.add(state)
  }

  /** Those that waited for this account may go on. */
  #release(account: Account): void {
    for (const state of this.#parked) {
      const { leap, steps } = state.source
      if ((leap === undefined && steps.other !== account) || !this.#isReady(state)) continue
      this.#parked.delete(state)
      this.#turns.push(state)
    }
  }

  /** The earliest step whose causes have been replayed. */
  #next(): State | undefined {
    return this.#turns.pop() ?? this.#unstick()
  }

  /** Lost entries may lie on both sides of others: a leap then goes first. Nothing else has an excuse. */
  #unstick(): State | undefined {
    let earliest: State | undefined
    for (const state of [...this.#parked].sort((a, b) => a.index - b.index)) {
      if (state.source.leap !== undefined) {
        this.#blurred = true
        this.#parked.delete(state)
        return state
      }
      if (earliest === undefined || state.at < earliest.at) earliest = state
    }
    if (earliest === undefined) return undefined
    const { account, seq } = earliest.source
    this.#o.findings.add('receive', account, seq, 'cites entries that were written because of it')
    this.#parked.delete(earliest)
    return earliest
  }

  #isReady({ source }: State): boolean {
    const { leap, steps } = source
    if (leap !== undefined) {
      for (const from in leap.counters.received) {
        const isOpen = this.#states.get(from)?.source.isDone === false
        if (isOpen && this.#timelines.last(from, leap.account) < (leap.counters.received[from] ?? 0)) return false
      }
      return true
    }
    if (steps.move !== 'receive') return true
    const donor = this.#states.get(steps.other)?.source
    return donor === undefined || donor.isDone || donor.seq >= steps.size
  }

  #replay(state: State): void {
    const before = Math.min(0, state.balance)
    const wasInside = state.inside
    const { leap, steps, at, seq } = state.source
    if (leap === undefined) {
      this.#move(state)
    } else {
      this.#take(state, leap)
      this.#leaps.push(leap)
    }
    this.#inside += state.inside - wasInside
    this.#debts += before - Math.min(0, state.balance)
    this.#look(state.source.account, seq, at, leap === undefined ? steps.move : 'leap')
  }

  #look(account: Account, seq: number, at: number, type: Cut['type']): void {
    if (this.#blurred || !this.#o.isWhole || this.#flows.isUneven) return
    this.cuts++
    this.since ??= at
    this.until = at
    const { occupancy } = this
    const capacity = this.force?.budget.capacity ?? 0
    this.#o.onCut?.({ occupancy, capacity, account, seq, at, type })
    if (occupancy > (this.peak?.occupancy ?? 0)) this.peak = { occupancy, capacity, account, seq, at }
    if (occupancy <= capacity + this.#debts || this.overfull !== undefined) return
    const what = `${occupancy} people, capacity ${capacity}, and debts explain only ${this.#debts}`
    this.overfull = { account, seq, what }
  }

  #move(state: State): void {
    const { steps, account } = state.source
    const { amount } = steps
    switch (steps.move) {
      case 'admit':
      case 'forced':
        state.inside += amount
        state.balance -= amount
        break
      case 'lapse':
      case 'exit':
        state.inside -= amount
        state.balance += amount
        break
      case 'send':
        state.balance -= amount
        this.#sent(account, steps.other, this.#flows.sent(account, steps.other) + amount, steps.seq + 1)
        break
      case 'receive':
        state.balance += amount
        this.#received(state)
        break
      case 'budget':
        this.#budget(state, steps.seq, steps.budget, steps.budget.policy)
        break
    }
  }

  #budget(state: State, seq: number, budget: Budget, version: number): void {
    const { account } = state.source
    state.balance += minted(budget) - minted(state.budget)
    state.budget = budget
    if (this.force !== undefined && epochOf(account) < epochOf(this.force.account)) return
    this.force = { account, seq, budget, version }
  }

  #sent(from: Account, to: Account, sum: number, size: number): void {
    this.#flows.setSent(from, to, sum)
    this.#timelines.sent(from, to, size, sum)
  }

  #received(state: State): void {
    const { account, steps } = state.source
    const { other: from, size, seq } = steps
    const sum = this.#flows.received(from, account) + steps.amount
    this.#flows.setReceived(from, account, sum)
    const before = state.cited.get(from) ?? 0
    state.cited.set(from, Math.max(before, size))
    if (size <= before && this.#o.isStrict) {
      const what = `cites size ${size} of ${from}, after size ${before}`
      this.#o.findings.add('receive', account, seq, what)
      return
    }
    const donor = this.#states.get(from)?.source
    if (donor?.damaged) return
    const sent = donor === undefined ? this.#saidBy(from, account, size) : this.#sentBy(donor, state.source)
    if (sent === undefined) return
    this.receives++
    if (this.#o.isStrict) this.#timelines.forget(from, account, size)
    if (sum <= sent) return
    this.#o.findings.add('receive', account, seq, `has ${sum} from ${from}, which had sent ${sent} at size ${size}`)
  }

  /** Of a donor that is shown; undefined where what is shown ends before. */
  #sentBy(donor: Source, { account, steps }: Source): number | undefined {
    const { size, seq } = steps
    if (!donor.isDone || size <= donor.exact) {
      return this.#timelines.at(donor.account, account, size, size >= (donor.start?.size ?? 0))
    }
    if (!donor.isOwed) return this.#saidBy(donor.account, account, size)
    const known = Math.max(donor.exact, donor.rows.at(-1)?.size ?? 0)
    if (size > known) {
      const what = `ends at size ${known}; entry ${seq} of ${account} speaks of size ${size}`
      this.#o.findings.add('truncated', donor.account, known, what)
      return undefined
    }
    return this.#timelines.at(donor.account, account, size, false)
  }

  /** What the nearest row says that the account had sent at this size or later. */
  #saidBy(from: Account, to: Account, size: number): number | undefined {
    const rows = this.#states.get(from)?.source.rows ?? this.#o.strangers.get(from)
    if (rows === undefined && this.#o.isWhole) {
      this.#o.findings.add('truncated', from, 0, `ends at size 0; others speak of size ${size}`)
      return undefined
    }
    const row = rows?.find(one => one.size >= size)
    return row === undefined ? undefined : (row.read().counters.sent[to] ?? 0)
  }

  /** Takes over what the row says: of lost entries, or of those before what is shown. */
  #take(state: State, { account, counters: c, budget, policy, size }: Row): void {
    if (budget !== undefined && policy !== undefined) this.#budget(state, size - 1, budget, policy.version)
    state.inside = inside(c)
    state.balance = balance(c, state.budget)
    for (const to in c.sent) this.#sent(account, to, c.sent[to] ?? 0, size)
    for (const from in c.received) this.#flows.setReceived(from, account, c.received[from] ?? 0)
  }

  /** Of lost entries it can only be said whether their row is possible. */
  #lookAtLeap({ account, size, counters, budget }: Row): void {
    for (const from in counters.received) {
      const sum = counters.received[from] ?? 0
      const sent = this.#timelines.last(from, account)
      const donor = this.#states.get(from)?.source
      // whoever is not shown, or not whole, accuses nobody
      if (sum <= sent || donor === undefined || donor.damaged) continue
      this.#o.findings.add('receive', account, size - 1, `has ${sum} from ${from}, which had sent ${sent}`)
    }
    const held = balance(counters, budget)
    if (isAnchor(account) || held + counters.forced >= 0) return
    const what = `holds ${held}, and ${counters.forced} forced explain less`
    this.#o.findings.add('overspent', account, size - 1, what)
  }
}
