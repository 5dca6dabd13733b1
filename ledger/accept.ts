// Accept: what a row that arrived *is*. Never a boolean, because each answer has its own consequence.
//
//   next    larger than what we hold, and every law holds: it joins
//   seen    what we hold already, perhaps said again later
//   old     smaller than what we hold: late, harmless
//   gap     it received tokens whose sends we have not seen, or follows a policy we lack: fetch, then look again
//   flawed  breaks a law that its owner could have kept: evidence
//   fork    with the row we hold it proves two histories of one ledger: ban

import { isAnchor } from './account.ts'
import { balance, type Counters, minted } from './counters.ts'
import { limitMax, mintable, type Policy, reclaimedTotal } from './policy.ts'
import type { Row } from './row.ts'

export type Place =
  | { readonly is: 'next' | 'seen' | 'old' }
  | { readonly is: 'gap'; readonly missing: readonly string[] }
  | { readonly is: 'flawed'; readonly law: RowLaw }
  | { readonly is: 'fork'; readonly with: Row }

export type RowLaw = 'insolvent' | 'lapsed' | 'rate' | 'self' | 'totals' | 'over-budget' | 'budget' | 'no-budget'

export interface Rules {
  readonly legalMax: number
  policy(version: number): Policy | undefined
  /** exits this account may credit by now; asked only when its exits grew */
  exitsAllowed(row: Row): number
  sentBy(donor: string, to: string): number
  /** the most that earlier epochs of the anchor are known to have minted */
  mintedBefore(anchor: string): number
}

export function place(row: Row, before: Row | undefined, rules: Rules): Place {
  if (before !== undefined) {
    if (areForked(row, before)) return { is: 'fork', with: before }
    if (row.size < before.size) return { is: 'old' }
    if (row.size === before.size) return { is: 'seen' }
  }
  const law = brokenLaw(row, before, rules)
  if (law !== undefined) return { is: 'flawed', law }
  const missing = missingFor(row, rules)
  return missing.length === 0 ? { is: 'next' } : { is: 'gap', missing }
}

/** Donors whose rows in view do not yet show what this row received, and `policy:N` for a policy we lack. */
export function missingFor(row: Row, rules: Pick<Rules, 'sentBy' | 'policy'>): string[] {
  const missing: string[] = []
  const { received } = row.counters
  for (const donor in received) {
    if ((received[donor] ?? 0) > rules.sentBy(donor, row.account)) missing.push(donor)
  }
  if (row.policy !== undefined && rules.policy(row.policy.version) === undefined) {
    missing.push(`policy:${row.policy.version}`)
  }
  return missing
}

function brokenLaw(row: Row, before: Row | undefined, rules: Rules): RowLaw | undefined {
  const c = row.counters
  if (sum(c.sent) !== c.sentTotal || sum(c.received) !== c.receivedTotal) return 'totals'
  if (row.account in c.sent || row.account in c.received) return 'self'
  if (isAnchor(row.account)) return brokenAnchorLaw(row, rules)
  if (row.budget !== undefined || row.policy !== undefined) return 'budget'
  if (c.lapsed > c.admitted) return 'lapsed'
  // all that software chose to do is covered by income; only `forced` may take the balance below zero
  if (balance(c) + c.forced < 0) return 'insolvent'
  if (c.exited > (before?.counters.exited ?? 0) && c.exited > rules.exitsAllowed(row)) return 'rate'
  return undefined
}

/** Gates enforce the charter and the operators' policies against the anchor itself. */
function brokenAnchorLaw(row: Row, rules: Rules): RowLaw | undefined {
  const { budget, policy } = row
  if (budget === undefined || policy === undefined) return row.counters.sentTotal > 0 ? 'no-budget' : undefined
  if (budget.capacity > rules.legalMax) return 'over-budget'
  // an anchor that lost its memory must not mint again what its earlier life handed out
  if (budget.carried < rules.mintedBefore(row.account)) return 'over-budget'
  const known = rules.policy(policy.version)
  if (known === undefined) return undefined // a gap; looked at again when the policy is here
  if (known.hash !== policy.hash) return 'budget'
  if (budget.correction !== known.correction || budget.reclaimed !== reclaimedTotal(known)) return 'budget'
  if (budget.capacity > limitMax(known)) return 'over-budget'
  // it may have sent under a larger budget before a cut, never beyond the largest it ever had
  const out = row.counters.sentTotal - row.counters.receivedTotal
  let most = 0
  for (let version = 1; version <= policy.version; version++) {
    const p = rules.policy(version)
    if (p !== undefined) most = Math.max(most, mintable(p) - budget.carried)
  }
  return out > most ? 'over-budget' : undefined
}

/** Two rows of one account that no single history explains. Both signed, they are a proof that anyone can check. */
export function areForked(a: Row, b: Row): boolean {
  if (a.account !== b.account) return false
  if (a.size === b.size) return !sameHistory(a, b)
  return a.size < b.size ? shrinks(a, b) : shrinks(b, a)
}

/** Does any counter of `later` fall below `earlier`? Signed, that is a proof of two histories. */
function shrinks(earlier: Row, later: Row): boolean {
  const a = earlier.counters
  const b = later.counters
  if (b.admitted < a.admitted || b.forced < a.forced || b.exited < a.exited || b.lapsed < a.lapsed) return true
  return tallyShrinks(a.sent, b.sent) || tallyShrinks(a.received, b.received)
}

function tallyShrinks(a: Counters['sent'], b: Counters['sent']): boolean {
  for (const account in a) if ((b[account] ?? 0) < (a[account] ?? 0)) return true
  return false
}

function sameHistory(a: Row, b: Row): boolean {
  return a.root === b.root && !shrinks(a, b) && !shrinks(b, a) && minted(a.budget) === minted(b.budget)
}

function sum(tally: Counters['sent']): number {
  let total = 0
  for (const account in tally) total += tally[account] ?? 0
  return total
}
