// Fold: how each entry moves its account's counters. The gate, the store at boot and the auditor all count this way.
//
// Law: the counters of a row are the fold of the entries before its size.

import type { Budget, Counters } from './counters.ts'
import type { Body } from './entry.ts'
import { never } from './fault.ts'

export function fold(counters: Counters, body: Body): void {
  switch (body.type) {
    case 'admit':
      counters.admitted++
      return
    case 'exit':
      if (body.credited) counters.exited++
      return
    case 'forced':
      counters.forced += body.count
      return
    case 'lapse':
      counters.lapsed++
      return
    case 'send':
      counters.sent[body.to] = (counters.sent[body.to] ?? 0) + body.amount
      counters.sentTotal += body.amount
      return
    case 'receive':
      counters.received[body.from] = (counters.received[body.from] ?? 0) + body.amount
      counters.receivedTotal += body.amount
      return
    case 'open':
    case 'reject':
    case 'mode':
    case 'policy':
    case 'budget':
    case 'enrol':
    case 'optical':
    case 'check':
    case 'fault':
    case 'fork':
    case 'checkpoint':
    case 'change':
    case 'recount':
      return
    default:
      never(body)
  }
}

/** What is in force, and by which version of the policy. */
export interface BudgetInForce extends Budget {
  readonly version: number
}

export function foldBudget(before: BudgetInForce | undefined, body: Body): BudgetInForce | undefined {
  if (body.type !== 'budget') return before
  const { capacity, correction, reclaimed, carried, policy } = body
  return { capacity, correction, reclaimed, carried, version: policy }
}
