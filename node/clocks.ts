// Clocks: how far this gate's clock is from that of everyone it hears, by the times in their newest rows. For people only:
// clocks inform, they decide nothing.

import { nameOf } from '../ledger/account.ts'
import type { Clock } from '../mesh/clock.ts'
import type { Member } from '../mesh/member.ts'

/** Ours less theirs, ms, by name. A row that came by way of others adds what that took. */
export function clocksOf(me: Member | undefined, clock: Pick<Clock, 'now' | 'wall'>): Record<string, number> {
  const now = clock.now()
  const wall = clock.wall()
  const clocks: Record<string, number> = {}
  for (const known of me?.view.others() ?? []) {
    if (me === undefined || !me.view.isFresh(known, now, me.limits.silentMs)) continue
    clocks[nameOf(known.row.account)] = Math.round(wall - (now - known.heardAt) - known.row.at)
  }
  return clocks
}
