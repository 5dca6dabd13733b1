// Hearing: rows as they come in, from anyone, in any order.
//
// Law: a row joins the view only together with the sends behind everything it received. Rows that must wait for others
// wait here; two that need each other (a sent to b, b sent back, and only their newest rows were heard) join as one.

import { missingFor, type Place, place, type Rules } from '../ledger/accept.ts'
import { type Account, epochOf } from '../ledger/account.ts'
import type { Charter } from '../ledger/charter.ts'
import { minted } from '../ledger/counters.ts'
import type { Policy } from '../ledger/policy.ts'
import type { Row } from '../ledger/row.ts'
import type { View } from '../ledger/view.ts'
import type { Limits } from './limits.ts'

export interface Heard {
  /** rows that joined the view, in the order they did */
  readonly joined: readonly Row[]
  readonly forks: readonly (readonly [Row, Row])[]
  readonly flaws: readonly { readonly row: Row; readonly law: string }[]
}

/** A row that must wait for what it stands on. */
interface Waiting {
  readonly row: Row
  readonly from: string
  /** mono ms since when any row of this account waits */
  readonly since: number
}

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
  readonly #waiting = new Map<Account, Waiting>()
  readonly #exits = new Map<Account, Allowance>()
  /** what banned accounts have sent, by any of their histories */
  readonly #branches = new Map<Account, Map<Account, number>>()
  readonly #rules: Rules
  #now = 0

  constructor(view: View, charter: Charter, limits: Limits, policyOf: (version: number) => Policy | undefined) {
    this.#view = view
    this.#limits = limits
    this.#policyOf = policyOf
    this.#rules = {
      legalMax: charter.legalMax,
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

  /** The newest row of an account, though it may still wait for others: signed all the same, so worth handing on. */
  newest(account: Account): Row | undefined {
    return this.#waiting.get(account)?.row ?? this.#view.get(account)?.row
  }

  /** The newest rows of everyone. What others need to believe a row that waits comes first. */
  all(): Row[] {
    const rows: Row[] = []
    for (const known of this.#view.others()) rows.push(known.row)
    for (const { row } of this.#waiting.values()) rows.push(row)
    return rows
  }

  /**
   * A row of a banned gate. It joins nothing and brings nobody tokens any more, but honest gates have received on the
   * strength of one history or the other, and their rows must be believed.
   */
  hearBanned(row: Row, now: number): void {
    this.#now = now
    this.#waiting.delete(row.account)
    if (place(row, undefined, this.#rules).is === 'flawed') return
    const branch = this.#branches.get(row.account) ?? new Map<Account, number>()
    this.#branches.set(row.account, branch)
    for (const to in row.counters.sent) {
      branch.set(to, Math.max(branch.get(to) ?? 0, row.counters.sent[to] ?? 0))
    }
  }

  /** Who to ask for what, so that rows that have waited for longer than `ms` can join. */
  overdue(now: number, ms: number): { from: string; missing: string[] }[] {
    const asks: { from: string; missing: string[] }[] = []
    for (const { row, from, since } of this.#waiting.values()) {
      if (now - since > ms) asks.push({ from, missing: missingFor(row, this.#rules) })
    }
    return asks
  }

  hear(from: string, rows: readonly Row[], now: number): Heard {
    this.#now = now
    const found: Found = { joined: [], forks: [], flaws: [] }
    for (const row of rows) {
      const known = this.#view.get(row.account)
      const verdict = place(row, known?.row, this.#rules)
      this.#take(from, row, verdict, found)
    }
    // what joined may be what another row waited for
    while (this.#waiting.size > 0 && this.#settle(found.joined)) {}
    return found
  }

  /** Rows read back at boot. How long ago they were true nobody knows, so they say nothing about anyone's rate. */
  recall(rows: readonly Row[], now: number): void {
    this.hear('', rows, now)
    this.#exits.clear()
  }

  /** Looks again at what waits: a policy arrived. */
  again(now: number): Heard {
    return this.hear('', [], now)
  }

  #take(from: string, row: Row, verdict: Place, found: Found): void {
    switch (verdict.is) {
      case 'next':
        this.#join(row, found.joined)
        return
      case 'seen': {
        const known = this.#view.get(row.account)
        if (known !== undefined && row.at > known.row.at) this.#view.put(row, this.#now)
        return
      }
      case 'old':
        return
      case 'gap': {
        const waiting = this.#waiting.get(row.account)
        if (waiting !== undefined && waiting.row.size >= row.size) return
        this.#waiting.set(row.account, { row, from, since: waiting?.since ?? this.#now })
        return
      }
      case 'flawed':
        found.flaws.push({ row, law: verdict.law })
        return
      case 'fork':
        found.forks.push([verdict.with, row])
    }
  }

  /** The largest set of waiting rows whose receipts are all covered by the view and by each other. */
  #settle(joined: Row[]): boolean {
    const able = new Map<Account, Row>()
    for (const [account, { row }] of this.#waiting) {
      const verdict = place(row, this.#view.get(account)?.row, this.#rules)
      if (verdict.is === 'gap' || verdict.is === 'next') able.set(account, row)
      else this.#waiting.delete(account)
    }
    const rules = {
      policy: this.#policyOf,
      sentBy: (donor: Account, to: Account) =>
        Math.max(this.#rules.sentBy(donor, to), able.get(donor)?.counters.sent[to] ?? 0),
    }
    for (let shrunk = true; shrunk; ) {
      shrunk = false
      for (const [account, row] of able) {
        if (missingFor(row, rules).length === 0) continue
        able.delete(account)
        shrunk = true
      }
    }
    for (const row of able.values()) this.#join(row, joined)
    return able.size > 0
  }

  #join(row: Row, joined: Row[]): void {
    const before = this.#view.get(row.account)?.row.counters.exited
    const allowance = this.#allowance(row.account)
    if (before !== undefined && this.#exits.has(row.account)) allowance.level -= row.counters.exited - before
    allowance.at = this.#now
    this.#exits.set(row.account, allowance)
    this.#waiting.delete(row.account)
    this.#view.put(row, this.#now)
    joined.push(row)
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
    const sent = this.#view.countersOf(donor)?.sent[to] ?? 0
    return this.#branches.size === 0 ? sent : Math.max(sent, this.#branches.get(donor)?.get(to) ?? 0)
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
