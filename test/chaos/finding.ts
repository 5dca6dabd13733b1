// Finding: a law that was broken, when, and the lines of the journal that show it.

import type { Line } from './journal.ts'

export const LAWS = [
  'ceiling', // nobody is let in beyond what may be inside
  'exitFree', // an exit is answered at once, and never with no
  'calm', // nobody is let in by a gate that knows of an emergency
  'alive', // no member ends or falls silent by itself
  'durable', // whoever was told ADMIT is on a ledger
  'once', // one person is admitted once, one exit counted once
  'invented', // ledgers hold nobody who did not ask, and no exit that was not made
  'counted', // the count that a member shows lies within what was true in the time it speaks of
  'atMost', // nobody is beyond what a member says is the most
  'verified', // the auditor finds nothing
  'converge', // healed, all know all again
  'useful', // healed, somebody at any door gets in while a token is free
  'complete', // the run came to its end
] as const
export type Law = (typeof LAWS)[number]

export interface Finding {
  readonly law: Law
  readonly t: number
  readonly what: string
  readonly lines: readonly Line[]
}
