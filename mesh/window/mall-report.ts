// Mall report: the whole mall in one object, as one member sees it. What pages, displays and programs are told.
//
// Law: every number here is proved by rows, but for what is marked as said: rates, waiting, queue, state, label, position,
// notes and health come from the board or from what was seen go by, and no decision may rest on those.

import type { ANCHOR } from '../../ledger/account.ts'
import type { Counters } from '../../ledger/counters.ts'
import type { Mode } from '../../ledger/entry.ts'
import type { Occupancy } from '../occupancy.ts'

export interface MallReport {
  readonly mall: string
  /** wall clock of the member that reports */
  readonly at: number
  /** whose view this is */
  readonly me: string
  readonly mode: Mode
  readonly occupancy: Occupancy
  readonly left: number
  readonly anchor: AnchorReport
  /** every gate of the roster is in it, also one that was never heard of */
  readonly gates: readonly GateReport[]
  /** people per minute over the whole mall; said */
  readonly rates: Rates
  /** newest transfers that were seen, oldest first; `seq` counts what this process has seen */
  readonly flows: readonly Flow[]
  /** those that are open, worst first; `more` are not in the list */
  readonly alerts: { readonly open: readonly AlertReport[]; readonly more: number }
  /** newest first */
  readonly feed: readonly Happening[]
  /** what people wrote on the board, newest first */
  readonly notes: readonly { readonly id: string; readonly by: string; readonly text: string; readonly at: number }[]
}

export interface AnchorReport {
  readonly name: typeof ANCHOR
  readonly account: string
  readonly balance: number
  readonly policyVersion: number
  /** null: never heard */
  readonly ageMs: number | null
  readonly isFresh: boolean
}

export interface GateReport extends Said {
  readonly name: string
  /** empty: never heard of */
  readonly account: string
  readonly balance: number
  readonly counters: Pick<Counters, 'admitted' | 'forced' | 'exited' | 'lapsed'>
  /** tokens sent to it that it has not taken in yet */
  readonly inFlight: number
  /** since it said what is shown of it; null: never heard */
  readonly ageMs: number | null
  readonly isReachable: boolean
  readonly isBanned: boolean
  /** false: taken off the roster, though people it let in may still be inside */
  readonly isRostered: boolean
  /** people in and out since midnight UTC, or since this member began to watch (then `isPart`) */
  readonly today?: { readonly in: number; readonly out: number; readonly isPart: boolean }
}

/** Unproved, for display only. */
export interface Said {
  readonly state?: string
  readonly fault?: string
  /** how its sensors are, in a word; absent: it says nothing of them */
  readonly health?: string
  /** people per minute, by what became of them */
  readonly rates?: Rates
  /** people at the arm right now */
  readonly waiting?: number
  /** people who stand before it, as estimated from how many were turned away lately */
  readonly queue?: number
  /** turned away while a reachable gate could have given a token, since it started */
  readonly unnecessaryRejects?: number
  readonly label?: string
  /** on the plan, 0 to 1000 both ways */
  readonly position?: { readonly x: number; readonly y: number }
}

/** People per minute over the last minute. Entries are local + stolen. */
export interface Rates {
  /** let in with a token that was there */
  readonly local: number
  /** let in with a token fetched for them */
  readonly stolen: number
  readonly exits: number
  readonly atCapacity: number
  readonly noHeadroom: number
  readonly emergency: number
  readonly fault: number
}

/** Tokens that went from one member to another. */
export interface Flow {
  readonly seq: number
  readonly at: number
  readonly from: string
  readonly to: string
  readonly amount: number
}

export interface AlertReport {
  readonly id: string
  readonly code: string
  /** which gate, account, policy …; empty for the mall as a whole */
  readonly subject: string
  readonly severity: 'info' | 'warning' | 'critical'
  readonly detail: string
  readonly at: number
  readonly acknowledged?: { readonly by: string; readonly at: number; readonly note?: string }
}

/** Something people would want to have noticed, in words. */
export interface Happening {
  readonly seq: number
  readonly at: number
  readonly kind: 'mode' | 'gate' | 'anchor' | 'policy' | 'alert' | 'note' | 'full'
  readonly severity: 'info' | 'warning' | 'critical'
  /** a gate's name, `anchor`, or empty */
  readonly subject: string
  readonly text: string
}

/** The day so far, one sample a minute, oldest first: columns of one length. A minute nobody watched is left out. */
export interface Trend {
  /** wall clock of the reporting member */
  readonly now: number
  readonly stepMs: number
  /** where each minute begins */
  readonly at: readonly number[]
  /** the most people in that minute: counted, and at most */
  readonly count: readonly number[]
  readonly atMost: readonly number[]
  readonly capacity: readonly number[]
  /** the worst mode in that minute */
  readonly mode: readonly Mode[]
  /** people let in, let out and turned away in that minute, all gates together; said */
  readonly entries: readonly number[]
  readonly exits: readonly number[]
  readonly rejects: readonly number[]
}
