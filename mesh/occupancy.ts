// Occupancy: how many people are inside as one member can prove it.
//
// Law: `count` is what the rows in view add up to; whoever was not heard lately may since have let in as many as it
// held and was sent, so nobody can be beyond `atMost` but by what was said within `ageMs`, and by what an anchor that is not
// heard has minted since: two people may have allowed more, and nobody told us.

import { isAnchor } from '../ledger/account.ts'
import type { Budget } from '../ledger/counters.ts'
import { scheduled } from '../ledger/policy.ts'
import type { Member } from './member.ts'

export interface Occupancy {
  readonly count: number
  readonly atMost: number
  readonly capacity: number
  /** age of the oldest row that counts */
  readonly ageMs: number
}

export function occupancyOf(me: Member, now: number): Occupancy {
  const { view, books, limits } = me
  const budget = view.anchor()?.row.budget ?? books?.budget
  let unheard = 0
  let isGateUnheard = false
  let atAnchor = 0
  let oldest = now
  for (const known of view.others()) {
    const { account } = known.row
    const current = view.isCurrent(account)
    if (current) oldest = Math.min(oldest, known.saidAt)
    if (view.isFresh(known, now, limits.silentMs)) continue
    const held = Math.max(0, known.balance) + view.inFlightTo(account)
    if (isAnchor(account)) atAnchor += current ? held : 0
    else {
      unheard += held
      isGateUnheard ||= current
    }
  }
  // the anchor lets nobody in, but may have handed out what it held to whoever is cut off from us with it
  if (isGateUnheard) unheard += atAnchor
  const count = view.counted + (budget?.correction ?? 0)
  // people who leave before anyone saw them come in are no reason to show fewer than none
  const shown = Math.max(0, count)
  const ageMs = Math.max(0, Math.round(now - oldest))
  return { count: shown, atMost: shown + unheard, capacity: capacityOf(me, budget), ageMs }
}

/** A cut that gates pay for already is in force, though the anchor's row about it is still on its way, or never came. */
function capacityOf({ policy, wall }: Member, budget: Budget | undefined): number {
  const { capacity } = budget ?? { capacity: 0 }
  return policy === undefined ? capacity : Math.min(capacity, scheduled(policy, wall))
}
