// Closed accounts: tokens that nobody can use any more. A gate that lost its memory went on under a new account, or a gate
// was taken off the roster: what the old account held, and what was on its way to it, is out of use until two people put
// it back with a head count.
//
// Law: of a gate that forked nothing is offered. What it held may be spent in a history that nobody here has seen.

import { isAnchor, nameOf } from '../../ledger/account.ts'
import type { Policy } from '../../ledger/policy.ts'
import type { View } from '../../ledger/view.ts'
import type { Reclaim } from './wish.ts'

export interface ClosedOptions {
  readonly view: Pick<View, 'others' | 'isCurrent' | 'inFlightTo'>
  readonly policy: Policy | undefined
  readonly banned: { has(name: string): boolean }
}

/** What may still be reclaimed of each, by the newest row that was heard; in order of accounts. */
export function closedAccounts({ view, policy, banned }: ClosedOptions): Reclaim[] {
  const rostered = new Set(policy?.gates.map(({ name }) => name))
  const before = new Map(policy?.reclaimed.map(({ account, amount }) => [account, amount]))
  const closed: Reclaim[] = []
  for (const { row, balance } of view.others()) {
    const { account } = row
    const name = nameOf(account)
    if (isAnchor(account) || banned.has(name) || (view.isCurrent(account) && rostered.has(name))) continue
    const amount = balance + view.inFlightTo(account) - (before.get(account) ?? 0)
    if (amount > 0) closed.push({ account, amount })
  }
  return closed.sort((a, b) => (a.account < b.account ? -1 : 1))
}
