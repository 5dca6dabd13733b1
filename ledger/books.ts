// Books: one account as its owner keeps it. Every change of a counter is an entry, written here and nowhere else.
//
// Law: an account admits and sends only what it holds; only people who came in without a decision, and a cut of the
// budget, may take it below zero.
//
// What is written counts at once, though it may not be on disk yet. That is safe because a ledger becomes durable as a
// prefix: whatever was spent out of an entry stands behind it, and no effect leaves before its own entry is on disk.

import { areForked } from './accept.ts'
import type { Account } from './account.ts'
import { type Budget, balance, type Counters, copyCounters } from './counters.ts'
import type { Body, ForcedWhy, SendWhy, Source } from './entry.ts'
import { must } from './fault.ts'
import type { Pen, Written } from './pen.ts'
import type { Row } from './row.ts'

export interface Opened {
  readonly account: Account
  readonly pen: Pen
  readonly counters: Counters
  readonly budget?: Budget
  readonly policy?: { readonly version: number; readonly hash: string }
}

export type Write = (written: Written, body: Body) => void

export class Books {
  readonly account: Account
  readonly #pen: Pen
  readonly #write: Write
  readonly #newId: () => string
  readonly #counters: Counters
  #budget: Budget | undefined
  #policy: { readonly version: number; readonly hash: string } | undefined
  #balance: number
  #news: number
  #tidings: number
  /** how much of the ledger is surely on disk */
  durable: number

  constructor(opened: Opened, write: Write, newId: () => string) {
    this.account = opened.account
    this.#pen = opened.pen
    this.#counters = opened.counters
    this.#budget = opened.budget
    this.#policy = opened.policy
    this.#balance = balance(opened.counters, opened.budget)
    this.#write = write
    this.#newId = newId
    this.durable = opened.pen.size
    this.#news = opened.pen.size
    this.#tidings = opened.pen.size
  }

  get size(): number {
    return this.#pen.size
  }

  /** Its size at the last entry that others should soon hear of: whoever is turned away changes nothing for them. */
  get news(): number {
    return this.#news
  }

  /** …and at the last of those that was more than one person who came or went. */
  get tidings(): number {
    return this.#tidings
  }

  get counters(): Readonly<Counters> {
    return this.#counters
  }

  get budget(): Budget | undefined {
    return this.#budget
  }

  get policy(): { readonly version: number; readonly hash: string } | undefined {
    return this.#policy
  }

  get balance(): number {
    return this.#balance
  }

  receivedFrom(donor: Account): number {
    return this.#counters.received[donor] ?? 0
  }

  admit(id: string, at: number, source: Source, confidence: number): void {
    must(this.#balance >= 1, 'an account admits only what it holds')
    this.#append({ id, at, type: 'admit', source, confidence })
    this.#counters.admitted++
    this.#balance--
  }

  exit(id: string, at: number, credited: boolean, confidence: number): void {
    this.#append({ id, at, type: 'exit', credited, confidence })
    if (!credited) return
    this.#counters.exited++
    this.#balance++
  }

  lapse(admit: string, at: number): void {
    must(this.#counters.lapsed < this.#counters.admitted, 'an admission lapses at most once')
    this.#append({ id: this.#newId(), at, type: 'lapse', admit })
    this.#counters.lapsed++
    this.#balance++
  }

  forced(id: string, at: number, count: number, why: ForcedWhy): void {
    this.#append({ id, at, type: 'forced', count, why })
    this.#counters.forced += count
    this.#balance -= count
  }

  send(to: Account, amount: number, at: number, why: SendWhy): void {
    must(Number.isSafeInteger(amount) && amount > 0, 'amounts are whole and positive')
    must(amount <= this.#balance, 'an account sends only what it holds')
    must(to !== this.account, 'nobody sends to itself')
    this.#append({ id: this.#newId(), at, type: 'send', to, amount, why })
    this.#counters.sent[to] = (this.#counters.sent[to] ?? 0) + amount
    this.#counters.sentTotal += amount
    this.#balance -= amount
  }

  /** Takes what the donor's row shows beyond what was taken before; a row seen twice gives nothing twice. */
  receive(donor: Row, at: number): number {
    const amount = (donor.counters.sent[this.account] ?? 0) - this.receivedFrom(donor.account)
    if (amount <= 0) return 0
    this.#append({ id: this.#newId(), at, type: 'receive', from: donor.account, amount, size: donor.size })
    this.#counters.received[donor.account] = this.receivedFrom(donor.account) + amount
    this.#counters.receivedTotal += amount
    this.#balance += amount
    return amount
  }

  /** Anchor only: the budget in force from here on. A cut may leave the balance below zero, which everybody then pays. */
  setBudget(budget: Budget, policy: { readonly version: number; readonly hash: string }, at: number): void {
    this.#append({ id: this.#newId(), at, type: 'budget', ...budget, policy: policy.version })
    this.#budget = budget
    this.#policy = policy
    this.#balance = balance(this.#counters, budget)
  }

  /** Anything that moves no tokens. */
  note(body: Body): void {
    this.#append(body)
  }

  /** This account's statement as of now; to be told only once its size is durable. */
  row(at: number): Row {
    const row = {
      account: this.account,
      size: this.#pen.size,
      root: this.#pen.root(),
      at,
      counters: copyCounters(this.#counters),
    }
    if (this.#budget === undefined || this.#policy === undefined) return row
    return { ...row, budget: this.#budget, policy: this.#policy }
  }

  /** Could this row of ours, no larger than the ledger, not be of our own history? */
  contradicts(row: Row): boolean {
    const own = { account: this.account, size: this.size, root: row.root, at: row.at, counters: this.#counters }
    if (row.size === this.size && row.root !== this.#pen.root()) return true
    return areForked(row, this.#budget === undefined ? own : { ...own, budget: this.#budget })
  }

  #append(body: Body): void {
    this.#write(this.#pen.write(body), body)
    if (body.type === 'reject') return
    this.#news = this.#pen.size
    if (body.type !== 'admit' && body.type !== 'exit') this.#tidings = this.#pen.size
  }
}
