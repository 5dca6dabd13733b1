// Counters: what one account has done since its ledger was opened. Single writer, and they only grow.
//
// Law: occupancy = capacity + reclaimed − Σ balances − Σ in flight.
// A gate spends only what it holds, so the law holds everywhere without asking anyone.

import type { Account } from './account.ts'

export type Tally = Readonly<Record<Account, number>>

export interface Counters {
  admitted: number
  forced: number
  exited: number
  lapsed: number
  sent: Record<Account, number>
  received: Record<Account, number>
  sentTotal: number
  receivedTotal: number
}

/** What the anchor has put into force; only its own rows say it. */
export interface Budget {
  readonly capacity: number
  /** people known to be inside but not counted; may be negative */
  readonly correction: number
  /** tokens of closed accounts put back into use by a recount */
  readonly reclaimed: number
  /** what earlier epochs of the anchor minted, at most; 0 unless the anchor lost its memory */
  readonly carried: number
}

export function noCounters(): Counters {
  return { admitted: 0, forced: 0, exited: 0, lapsed: 0, sent: {}, received: {}, sentTotal: 0, receivedTotal: 0 }
}

export function copyCounters(c: Counters): Counters {
  return { ...c, sent: { ...c.sent }, received: { ...c.received } }
}

export function minted(budget: Budget | undefined): number {
  return budget === undefined ? 0 : budget.capacity - budget.correction + budget.reclaimed - budget.carried
}

export function balance(c: Counters, budget?: Budget): number {
  return minted(budget) + c.receivedTotal + c.exited + c.lapsed - c.admitted - c.forced - c.sentTotal
}

/** People inside by this account's own count; negative at a gate where more people leave than enter. */
export function inside(c: Counters): number {
  return c.admitted + c.forced - c.lapsed - c.exited
}
