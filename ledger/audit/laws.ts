// The laws one ledger must keep by itself, entry after entry, in constant memory.
//
// Law: at every `admit` the account holds at least one token, at every `send` at least what it sends. Nothing else
// takes tokens by software's choice; people who came in without a decision and a cut of the budget may leave a debt.

import { type Account, epochOf, isAnchor, nameOf } from '../account.ts'
import { changesOf } from '../changes.ts'
import { balance, type Counters, copyCounters, noCounters } from '../counters.ts'
import {
  type BudgetSet,
  type Changed,
  type Entry,
  type EntryType,
  type Exit,
  FIELDS,
  type Lapse,
  type Open,
  type Optical,
  type PolicySet,
  type Recounted,
} from '../entry.ts'
import { type BudgetInForce, fold, foldBudget } from '../fold.ts'
import { limitOf, reclaimedTotal } from '../policy.ts'
import type { Row } from '../row.ts'
import { formatRow } from '../row-note.ts'
import { Admissions } from './admissions.ts'
import type { FindingKind, Findings } from './findings.ts'
import type { RowMark } from './marks.ts'
import type { Rules } from './rules.ts'

/** A turnstile knows within seconds that nobody walked through; an admission older than this many entries stands. */
export const LAPSE_ENTRIES_MAX = 16_384

const GATE_ONLY: readonly EntryType[] = ['admit', 'reject', 'exit', 'forced', 'lapse', 'optical', 'check']
const ANCHOR_ONLY: readonly EntryType[] = ['budget', 'enrol', 'checkpoint', 'change', 'recount']

export class AccountLaws {
  readonly account: Account
  readonly counters: Counters
  /** what the optical counter says it saw, and what the ledger says at the last of those */
  readonly optical = { entries: 0, in: 0, out: 0, ledgerIn: 0, ledgerOut: 0 }
  readonly #rules: Rules
  readonly #findings: Findings
  /** size at which it is shown from */
  readonly #from: number
  #budget: BudgetInForce | undefined
  /** of the newest policy this account says it follows */
  #version = 0
  /** the least confidence that it or a later one asks for */
  #confidenceMin: number
  /** who had come in and gone out when the optical counter spoke first */
  #watched: { readonly in: number; readonly out: number } | undefined
  /** exits that were not credited are people all the same */
  #uncredited = 0
  readonly #admissions = new Admissions(LAPSE_ENTRIES_MAX)

  /** `start` is the row at which the ledger is shown from, where that is not its beginning. */
  constructor(account: Account, rules: Rules, findings: Findings, start?: Row) {
    this.account = account
    this.#rules = rules
    this.#findings = findings
    this.#from = start?.size ?? 0
    this.counters = start === undefined ? noCounters() : copyCounters(start.counters)
    if (start?.budget !== undefined && start.policy !== undefined) {
      this.#budget = { ...start.budget, version: start.policy.version }
      this.#version = start.policy.version
    }
    this.#confidenceMin = this.#leastConfidence()
  }

  get balance(): number {
    return balance(this.counters, this.#budget)
  }

  take(entry: Entry): void {
    if ((entry.seq === 0) !== (entry.type === 'open'))
      this.#say('open', entry, 'a ledger begins with `open`, and only begins')
    if ((isAnchor(this.account) ? GATE_ONLY : ANCHOR_ONLY).includes(entry.type)) {
      this.#say('entry', entry, `${entry.type} is not for ${nameOf(this.account)} to write`)
    }
    this.#look(entry)
    fold(this.counters, entry)
    this.#budget = foldBudget(this.#budget, entry)
  }

  /** Does the row say what the entries up to its size add up to? */
  compare({ size, root, at, row: theirs }: RowMark): void {
    const { account } = this
    const budget = this.#budget
    // a budget under an unknown policy has been found already; the row is not to blame for it
    const hash = budget && (this.#rules.policies.get(budget.version)?.hash ?? /^policy \d+ (.*)$/m.exec(theirs)?.[1])
    const force =
      budget === undefined || hash === undefined ? {} : { budget, policy: { version: budget.version, hash } }
    const mine = formatRow({ account, size, root, at, counters: this.counters, ...force }, this.#rules.mall)
    if (mine === theirs) return
    const said = theirs.split('\n').filter(line => !mine.split('\n').includes(line))
    const meant = mine.split('\n').filter(line => !theirs.split('\n').includes(line))
    const what = `the row of size ${size} says "${said.join(', ')}", its entries "${meant.join(', ')}"`
    this.#findings.add('counters', account, size - 1, what)
  }

  #look(entry: Entry): void {
    switch (entry.type) {
      case 'open':
        this.#opens(entry)
        break
      case 'admit':
        this.#spends(entry, 1)
        this.#admissions.add(entry.id, entry.seq)
        break
      case 'send':
        if (entry.to === this.account) this.#say('self', entry, 'sends to itself')
        this.#spends(entry, entry.amount)
        break
      case 'receive':
        if (entry.from === this.account) this.#say('self', entry, 'receives from itself')
        break
      case 'lapse':
        this.#lapses(entry)
        break
      case 'exit':
        this.#exits(entry)
        break
      case 'policy':
        this.#follows(entry)
        break
      case 'optical':
        this.#sees(entry)
        break
      case 'budget':
        this.#mints(entry)
        break
      case 'change':
      case 'recount':
        this.#tells(entry)
        break
    }
  }

  #opens(entry: Entry & Open): void {
    const { mall } = this.#rules
    if (entry.mall !== mall) this.#say('open', entry, `is of ${entry.mall}, not of ${mall}`)
    if (entry.account !== this.account) this.#say('open', entry, `is the ledger of ${entry.account}`)
    const keys = this.#rules.keys.get(nameOf(this.account)) ?? []
    if (!keys.includes(entry.key)) this.#say('roster', entry, 'opened with a key that is not its own')
    const { after, afterSize, afterRoot } = entry
    if (after === undefined && afterSize === undefined && afterRoot === undefined) return
    if (after === undefined || afterSize === undefined || afterRoot === undefined) {
      this.#say('open', entry, 'cites the epoch before in part only')
    } else if (nameOf(after) !== nameOf(this.account) || epochOf(after) >= epochOf(this.account)) {
      this.#say('open', entry, `${after} is no earlier epoch of ${this.account}`)
    }
  }

  #spends(entry: Entry, amount: number): void {
    const held = this.balance
    if (held < amount) this.#say('overspent', entry, `${entry.type} takes ${amount}, the account held ${held}`)
  }

  #lapses(entry: Entry & Lapse): void {
    if (this.#admissions.take(entry.admit, entry.seq)) return
    // it may be before what is shown
    if (this.#from > 0 && entry.seq - LAPSE_ENTRIES_MAX < this.#from) return
    this.#say('lapse', entry, `no admission ${entry.admit} that could still be taken back`)
  }

  /** A gate may have learnt a newer policy than its ledger says, never an older one. */
  #exits(entry: Entry & Exit): void {
    if (!entry.credited) {
      this.#uncredited++
      return
    }
    const min = this.#confidenceMin
    if (entry.confidence >= min || this.#rules.policies.size === 0) return
    this.#say('exit', entry, `credited with confidence ${entry.confidence}, the policy asks for ${min}`)
  }

  #follows(entry: Entry & PolicySet): void {
    const policy = this.#rules.policies.get(entry.version)
    if (policy === undefined || policy.hash !== entry.hash) {
      this.#say('policy', entry, `no valid policy ${entry.version} with this hash was shown`)
    }
    this.#version = Math.max(this.#version, policy?.version ?? 0)
    this.#confidenceMin = this.#leastConfidence()
  }

  #leastConfidence(): number {
    let min = 1000
    for (const { version, confidenceMin } of this.#rules.policies.values()) {
      if (version >= this.#version) min = Math.min(min, confidenceMin)
    }
    return min
  }

  #sees(entry: Entry & Optical): void {
    const { admitted, forced, lapsed, exited } = this.counters
    const passed = { in: admitted + forced - lapsed, out: exited + this.#uncredited }
    this.optical.entries++
    if (this.#watched === undefined) {
      // what the first one counted is of a time that nobody knows
      this.#watched = passed
      return
    }
    this.optical.in += entry.in
    this.optical.out += entry.out
    this.optical.ledgerIn = passed.in - this.#watched.in
    this.optical.ledgerOut = passed.out - this.#watched.out
  }

  #mints(entry: Entry & BudgetSet): void {
    const policy = this.#rules.policies.get(entry.policy)
    if (policy === undefined) {
      this.#say('budget', entry, `follows policy ${entry.policy}, which is not valid here`)
      return
    }
    if (entry.policy < (this.#budget?.version ?? 0)) this.#say('budget', entry, 'goes back to an older policy')
    if (!policy.capacities.some(step => limitOf(step.capacity, policy.marginPerMille) === entry.capacity)) {
      this.#say('budget', entry, `capacity ${entry.capacity} is no step of policy ${entry.policy}`)
    }
    if (entry.correction !== policy.correction || entry.reclaimed !== reclaimedTotal(policy)) {
      this.#say('budget', entry, `correction or reclaimed tokens are not those of policy ${entry.policy}`)
    }
  }

  /** What the anchor says a policy changed, and who signed that, is what the policy says. */
  #tells(entry: Entry & (Changed | Recounted)): void {
    const policy = this.#rules.policies.get(entry.policy)
    if (policy === undefined) {
      this.#say('policy', entry, `tells of policy ${entry.policy}, which is not valid here`)
      return
    }
    const { type, by, reason } = entry
    const told = changesOf(policy, this.#rules.policies.get(entry.policy - 1))
    const isTold = told.some(change => {
      if (change.type !== type || change.by !== by || change.reason !== reason) return false
      return FIELDS[type].every(({ name }) => Reflect.get(change, name) === Reflect.get(entry, name))
    })
    if (!isTold) this.#say('policy', entry, `policy ${entry.policy} does not say this`)
  }

  #say(kind: FindingKind, entry: Entry, what: string): void {
    this.#findings.add(kind, this.account, entry.seq, what)
  }
}
