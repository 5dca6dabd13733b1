// Facts: what the entries say of a period beyond the count of people. Every ledger is read once, line by line, and nothing is
// kept but sums by gate and minute, and the few entries that people made.
//
// Law: an entry belongs to the period that its writer's clock showed. What cannot be read is counted, not guessed.

import { type Account, epochOf, isAnchor, nameOf } from '../../../ledger/account.ts'
import { toBase64 } from '../../../ledger/base64.ts'
import type { Entry, EntryType } from '../../../ledger/entry.ts'
import { Fault } from '../../../ledger/fault.ts'
import { parseLine } from '../../../ledger/line.ts'
import { leafHash } from '../../../ledger/tree.ts'
import { Activity } from './activity.ts'
import { Checks } from './checks.ts'
import { Drift } from './drift.ts'
import { Emergencies } from './emergencies.ts'
import { GateTally, LISTED_MAX } from './gate-tally.ts'
import { hoursOf, type Period } from './period.ts'

/** A clock that went back: how often, and how far at most. */
export interface ClockDoubt {
  readonly account: Account
  readonly steps: number
  readonly largestMs: number
}

export interface BudgetTold {
  readonly account: Account
  readonly seq: number
  readonly at: number
  readonly capacity: number
  readonly correction: number
  readonly policy: number
  /** which signal of the building it followed, as the anchor told it just before */
  readonly signal?: string | undefined
}

/** A ledger begun in place of one that was lost. */
export interface Reopening {
  readonly account: Account
  readonly after: Account
  readonly at: number
}

export interface CheckpointTold {
  readonly account: Account
  readonly seq: number
  readonly at: number
  readonly heads: number
  /** leaf hash of its line */
  readonly hash: string
}

export interface ForkTold {
  readonly at: number
  readonly by: Account
  readonly account: Account
  readonly size: number
}

/** Read whatever the period is: what was in force, what began before it, what the optical counters compare. */
const ALWAYS: readonly string[] = ['mode', 'budget', 'optical', 'check', 'forced', 'open'] satisfies EntryType[]

export class Facts {
  readonly #period: Period
  readonly #gates = new Map<string, GateTally>()
  /** the newest signal of the building that an anchor told of */
  #signal: { readonly account: Account; readonly seq: number; readonly detail: string } | undefined
  readonly #clocks = new Map<Account, { last: number; steps: number; largestMs: number }>()
  readonly activity: Activity
  readonly drift: Drift
  readonly checks: Checks
  readonly emergencies = new Emergencies()
  readonly budgets: BudgetTold[] = []
  readonly reopenings: Reopening[] = []
  readonly forks: ForkTold[] = []
  checkpoint: CheckpointTold | undefined
  /** entries of the period, of everyone */
  entries = 0
  /** lines that are no entries */
  unread = 0

  constructor(period: Period) {
    this.#period = period
    this.activity = new Activity(period)
    this.checks = new Checks(period.to)
    const [day] = period.days
    this.drift = new Drift(period.kind === 'day' && day !== undefined ? hoursOf(day, period.zone) : period.days)
  }

  get gates(): GateTally[] {
    return [...this.#gates.values()].sort((a, b) => (a.gate < b.gate ? -1 : 1))
  }

  get clockDoubts(): ClockDoubt[] {
    return [...this.#clocks]
      .filter(([, { steps }]) => steps > 0)
      .map(([account, { steps, largestMs }]) => ({ account, steps, largestMs }))
      .sort((a, b) => (a.account < b.account ? -1 : 1))
  }

  /** The lines of a ledger, in their order. */
  add(account: Account, line: string): void {
    const { at, type } = glance(line)
    const { from, to } = this.#period
    const isOf = at >= from && at < to
    this.#clock(account, at, isOf)
    if (type === 'checkpoint' && isAnchor(account)) this.#checkpoint(account, line)
    if (type === 'admit' || type === 'lapse' || type === 'exit') this.drift.passed(account, type, 1)
    if (!isOf && !this.#isOfUse(account, at, type)) return
    const entry = entryOf(line)
    if (entry === undefined) {
      this.unread++
      return
    }
    this.#take(account, entry)
    if (isOf) this.#takeOfPeriod(account, entry)
  }

  #isOfUse(account: Account, at: number, type: string): boolean {
    if (Number.isNaN(at) || ALWAYS.includes(type)) return true
    return type === 'admit' && this.emergencies.awaits(account)
  }

  #take(account: Account, entry: Entry): void {
    this.emergencies.add(account, entry)
    if (entry.type === 'forced') this.drift.passed(account, 'forced', entry.count)
    else if (entry.type === 'optical') this.drift.looked(account, entry)
    else if (entry.type === 'check') this.checks.add(account, entry)
    else if (entry.type === 'open' && entry.after !== undefined) {
      this.reopenings.push({ account, after: entry.after, at: entry.at })
    } else if (entry.type === 'budget' && this.budgets.length < BUDGETS_MAX) {
      const { seq, at, capacity, correction, policy } = entry
      const told = this.#signal
      const isOf = told?.account === account && told.seq === seq - 1
      this.budgets.push({ account, seq, at, capacity, correction, policy, ...(isOf ? { signal: told.detail } : {}) })
    } else if (entry.type === 'fault' && entry.code === 'BMS_LIMIT' && isAnchor(account)) {
      this.#signal = { account, seq: entry.seq, detail: entry.detail }
    }
  }

  #takeOfPeriod(account: Account, entry: Entry): void {
    this.entries++
    if (entry.type === 'fork' && this.forks.length < LISTED_MAX) {
      this.forks.push({ at: entry.at, by: account, account: entry.account, size: entry.size })
    }
    if (isAnchor(account)) return
    const gate = nameOf(account)
    let tally = this.#gates.get(gate)
    if (tally === undefined) {
      tally = new GateTally(gate)
      this.#gates.set(gate, tally)
    }
    tally.add(entry)
    this.#act(gate, entry)
  }

  #act(gate: string, entry: Entry): void {
    const { activity } = this
    const { at } = entry
    activity.wrote(gate, at)
    if (insideBy(entry) !== 0) activity.moved(at)
    switch (entry.type) {
      case 'admit':
        activity.passage(gate, at)
        activity.did(entry.source, at, 1)
        break
      case 'reject':
        activity.passage(gate, at)
        activity.did(REFUSED[entry.code], at, 1)
        break
      case 'forced':
        activity.passage(gate, at)
        activity.did('forced', at, entry.count)
        break
      case 'exit':
        activity.passage(gate, at)
        activity.did('out', at, 1)
        break
      case 'send':
        activity.did(entry.why === 'debt' ? 'debt' : 'moved', at, entry.amount)
        break
    }
  }

  #clock(account: Account, at: number, isOf: boolean): void {
    if (Number.isNaN(at)) return
    const clock = this.#clocks.get(account)
    if (clock === undefined) {
      this.#clocks.set(account, { last: at, steps: 0, largestMs: 0 })
      return
    }
    const wasOf = clock.last >= this.#period.from && clock.last < this.#period.to
    if (at < clock.last && (isOf || wasOf)) {
      clock.steps++
      clock.largestMs = Math.max(clock.largestMs, clock.last - at)
    }
    clock.last = at
  }

  /** The newest of all, in the period or not: it is the evidence that is sealed, not the day. */
  #checkpoint(account: Account, line: string): void {
    const entry = entryOf(line)
    if (entry?.type !== 'checkpoint') return
    const newest = this.checkpoint
    if (newest !== undefined && epochOf(newest.account) > epochOf(account)) return
    const { seq, at, heads } = entry
    this.checkpoint = { account, seq, at, heads: heads.length, hash: toBase64(leafHash(line)) }
  }
}

function insideBy(entry: Entry): number {
  if (entry.type === 'admit') return 1
  if (entry.type === 'forced') return entry.count
  return entry.type === 'lapse' || (entry.type === 'exit' && entry.credited) ? -1 : 0
}

/** A step of the schedule every hour for ten years. */
const BUDGETS_MAX = 100_000

const REFUSED = {
  REJECT_AT_CAPACITY: 'full',
  REJECT_NO_HEADROOM: 'cut',
  REJECT_EMERGENCY: 'emergency',
  REJECT_FAULT: 'fault',
} as const

const GLANCE = /^\{"seq":\d{1,16},"prev":"[^"]{44}","id":"[^"]{36}","at":(\d{1,16}),"type":"([a-z]+)"/

/** Time and type of a line without reading all of it: most lines of a bundle are of other days. */
function glance(line: string): { readonly at: number; readonly type: string } {
  const match = GLANCE.exec(line)
  return { at: match === null ? Number.NaN : Number(match[1]), type: match?.[2] ?? '' }
}

function entryOf(line: string): Entry | undefined {
  try {
    return parseLine(line)
  } catch (error) {
    if (error instanceof Fault) return undefined
    throw error
  }
}
