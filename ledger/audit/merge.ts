// The mall as a whole: all ledgers replayed as one history in which every send comes before its receive.
//
// Law: at every step occupancy ≤ capacity + Σ debts. Any order that keeps causes before effects passes only through
// consistent cuts, so clocks need not be right; they only choose which of those orders is shown.
//
// Occupancy is counted here from people in and out, capacity from the budget, debts from balances: three sums that
// agree only if the escrow did what it promises.

import { type Account, epochOf, isAnchor } from '../account.ts'
import { type Budget, balance, type Counters, inside, minted } from '../counters.ts'
import type { Entry, Receive } from '../entry.ts'
import type { Row } from '../row.ts'
import type { Findings } from './findings.ts'
import type { Source, Step } from './source.ts'
import { Timelines } from './timeline.ts'

export interface Peak {
  readonly occupancy: number
  readonly capacity: number
  readonly account: Account
  readonly seq: number
  readonly at: number
}

/** What the anchor has put into force, and the entry that says so. */
export interface Force {
  readonly account: Account
  readonly seq: number
  readonly budget: Budget
  readonly version: number
}

interface State {
  readonly source: Source
  balance: number
  inside: number
  budget: Budget | undefined
  readonly sent: Map<Account, number>
  readonly received: Map<Account, number>
}

export class Merge {
  readonly #states = new Map<Account, State>()
  readonly #findings: Findings
  readonly #timelines = new Timelines()
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
  cuts = 0
  receives = 0

  constructor(sources: readonly Source[], findings: Findings) {
    this.#findings = findings
    for (const source of sources) {
      const state = { source, balance: 0, inside: 0, budget: undefined, sent: new Map(), received: new Map() }
      this.#states.set(source.account, state)
    }
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
    for (const [from, state] of this.#states) {
      sum += (state.sent.get(account) ?? 0) - (this.#states.get(account)?.received.get(from) ?? 0)
    }
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
    for (;;) {
      const state = this.#next()
      if (state?.source.step === undefined) break
      this.#replay(state, state.source.step)
      await state.source.advance()
    }
    for (const row of this.#leaps) this.#lookAtLeap(row)
  }

  /** The earliest step whose causes have been replayed. */
  #next(): State | undefined {
    let ready: State | undefined
    let stuck: State | undefined
    for (const state of this.#states.values()) {
      const step = state.source.step
      if (step === undefined) continue
      if (stuck === undefined || step.at < (stuck.source.step as Step).at) stuck = state
      if (!this.#isReady(step)) continue
      if (ready === undefined || step.at < (ready.source.step as Step).at) ready = state
    }
    if (ready !== undefined || stuck === undefined) return ready
    return this.#unstick(stuck)
  }

  /** Lost entries may lie on both sides of others: a leap then goes first. Nothing else has an excuse. */
  #unstick(earliest: State): State {
    for (const state of this.#states.values()) {
      if (state.source.step?.type !== 'leap') continue
      this.#blurred = true
      return state
    }
    const { account, step } = earliest.source
    this.#findings.add('receive', account, step?.seq, 'cites entries that were written because of it')
    return earliest
  }

  #isReady(step: Step): boolean {
    if (step.type === 'leap') {
      for (const from in step.row.counters.received) {
        const sum = step.row.counters.received[from] ?? 0
        if (this.#states.get(from)?.source.step !== undefined && this.#timelines.last(from, step.row.account) < sum) {
          return false
        }
      }
      return true
    }
    if (step.type !== 'receive') return true
    const donor = this.#states.get(step.from)?.source.step
    return donor === undefined || donor.seq >= step.size
  }

  #replay(state: State, step: Step): void {
    const before = Math.min(0, state.balance)
    const wasInside = state.inside
    if (step.type === 'leap') this.#leap(state, step.row)
    else this.#move(state, step)
    this.#inside += state.inside - wasInside
    this.#debts += before - Math.min(0, state.balance)
    this.#look(state.source.account, step)
  }

  #look(account: Account, { seq, at }: Step): void {
    if (this.#blurred) return
    this.cuts++
    const { occupancy } = this
    const capacity = this.force?.budget.capacity ?? 0
    if (occupancy > (this.peak?.occupancy ?? 0)) this.peak = { occupancy, capacity, account, seq, at }
    if (occupancy <= capacity + this.#debts || this.overfull !== undefined) return
    const what = `${occupancy} people, capacity ${capacity}, and debts explain only ${this.#debts}`
    this.overfull = { account, seq, what }
  }

  #move(state: State, entry: Entry): void {
    switch (entry.type) {
      case 'admit':
        state.inside++
        state.balance--
        break
      case 'forced':
        state.inside += entry.count
        state.balance -= entry.count
        break
      case 'lapse':
        state.inside--
        state.balance++
        break
      case 'exit':
        if (!entry.credited) break
        state.inside--
        state.balance++
        break
      case 'send':
        state.balance -= entry.amount
        this.#sent(state, entry.to, (state.sent.get(entry.to) ?? 0) + entry.amount, entry.seq + 1)
        break
      case 'receive':
        state.balance += entry.amount
        this.#received(state, entry)
        break
      case 'budget':
        this.#budget(state, entry.seq, entry, entry.policy)
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

  #sent(state: State, to: Account, sum: number, size: number): void {
    state.sent.set(to, sum)
    this.#timelines.sent(state.source.account, to, size, sum)
  }

  #received(state: State, entry: Entry & Receive): void {
    const { account } = state.source
    const sum = (state.received.get(entry.from) ?? 0) + entry.amount
    state.received.set(entry.from, sum)
    const donor = this.#states.get(entry.from)?.source
    if (donor?.damaged) return
    this.receives++
    const known = donor?.known ?? 0
    if (entry.size > known) {
      const what = `ends at size ${known}; entry ${entry.seq} of ${account} speaks of size ${entry.size}`
      this.#findings.add('truncated', entry.from, known, what)
    }
    const sent = this.#timelines.at(entry.from, account, entry.size, donor?.exact ?? 0)
    if (sum <= sent) return
    const what = `has ${sum} from ${entry.from}, which had sent ${sent} at size ${entry.size}`
    this.#findings.add('receive', account, entry.seq, what)
  }

  /** Lost entries: take over what the row says. */
  #leap(state: State, row: Row): void {
    const c: Counters = row.counters
    if (row.budget !== undefined && row.policy !== undefined) {
      this.#budget(state, row.size - 1, row.budget, row.policy.version)
    }
    state.inside = inside(c)
    state.balance = balance(c, state.budget)
    for (const to in c.sent) this.#sent(state, to, c.sent[to] ?? 0, row.size)
    for (const from in c.received) state.received.set(from, c.received[from] ?? 0)
    this.#leaps.push(row)
  }

  /** Of lost entries it can only be said whether their row is possible. */
  #lookAtLeap({ account, size, counters, budget }: Row): void {
    for (const from in counters.received) {
      const sum = counters.received[from] ?? 0
      const sent = this.#timelines.last(from, account)
      if (sum <= sent || this.#states.get(from)?.source.damaged) continue
      this.#findings.add('receive', account, size - 1, `has ${sum} from ${from}, which had sent ${sent}`)
    }
    const held = balance(counters, budget)
    if (isAnchor(account) || held + counters.forced >= 0) return
    this.#findings.add('overspent', account, size - 1, `holds ${held}, and ${counters.forced} forced explain less`)
  }
}
