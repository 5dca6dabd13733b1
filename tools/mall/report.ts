// Report: the whole mall in one object, for the page, for programs and for the last line that is printed.

import { ANCHOR } from '../../ledger/account.ts'
import type { Mode } from '../../ledger/entry.ts'
import { moreSevere } from '../../ledger/mode.ts'
import { type Occupancy, occupancyOf } from '../../mesh/occupancy.ts'
import { type GateStatus, statusOf } from '../../node/status.ts'
import type { Mall } from './mall.ts'

export interface MallReport {
  readonly mall: string
  readonly at: number
  readonly mode: Mode
  /** as the anchor sees it */
  readonly occupancy: Occupancy
  readonly left: number
  readonly anchor: {
    readonly name: string
    readonly account: string
    readonly balance: number
    readonly policyVersion: number
  }
  readonly gates: readonly GateStatus[]
}

export function reportOf(mall: Mall): MallReport {
  const now = mall.clock.now()
  const me = mall.anchor?.me
  const occupancy = me ? occupancyOf(me, now) : { count: 0, atMost: 0, capacity: 0, ageMs: 0 }
  const gates = mall.doors.map(door => statusOf(door, now))
  return {
    mall: mall.home.charter.mall,
    at: mall.clock.wall(),
    mode: gates.reduce<Mode>((mode, gate) => moreSevere(mode, gate.mode), me?.modes.effective ?? 'NORMAL'),
    occupancy,
    left: Math.max(0, occupancy.capacity - occupancy.count),
    anchor: {
      name: ANCHOR,
      account: me?.books?.account ?? '',
      balance: me?.books?.balance ?? 0,
      policyVersion: me?.policy?.version ?? 0,
    },
    gates,
  }
}
