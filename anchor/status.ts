// Status: what the anchor tells people and programs about itself.

import type { Mode } from '../ledger/entry.ts'
import { type Occupancy, occupancyOf } from '../mesh/occupancy.ts'
import type { Shell } from '../mesh/shell.ts'
import { type Family, single } from '../mesh/window/prometheus.ts'
import type { Anchor, AnchorEvent } from './anchor.ts'

export type AnchorState = 'JOINING' | 'NORMAL' | 'FAULT' | Exclude<Mode, 'NORMAL'>

export interface AnchorStatus {
  readonly name: string
  readonly state: AnchorState
  readonly fault?: string
  readonly mode: Mode
  readonly account: string
  readonly balance: number
  readonly peers: number
  readonly policyVersion: number
  readonly isJoined: boolean
  readonly occupancy: Occupancy
  readonly ledger: { readonly size: number; readonly root: string }
}

const NOBODY: Occupancy = { count: 0, atMost: 0, capacity: 0, ageMs: 0 }

/** `shell` is undefined while the store is being opened. */
export function statusOf(shell: Shell<AnchorEvent> | undefined, name: string, now: number): AnchorStatus {
  const anchor = shell?.core as Anchor | undefined
  const me = anchor?.me
  const books = me?.books
  const row = books?.row(0)
  const fault = shell?.broken !== undefined ? 'broken-law' : anchor === undefined ? 'away' : undefined
  return {
    name,
    state: fault === undefined ? stateOf(anchor) : 'FAULT',
    ...(fault === undefined ? {} : { fault }),
    mode: me?.modes.effective ?? 'NORMAL',
    account: books?.account ?? '',
    balance: books?.balance ?? 0,
    peers: anchor?.trader.reach.length ?? 0,
    policyVersion: me?.policy?.version ?? 0,
    isJoined: anchor?.isJoined ?? false,
    occupancy: me === undefined ? NOBODY : occupancyOf(me, now),
    ledger: { size: row?.size ?? 0, root: row?.root ?? '' },
  }
}

function stateOf(anchor: Anchor | undefined): AnchorState {
  const mode = anchor?.me.modes.effective ?? 'NORMAL'
  if (mode !== 'NORMAL') return mode
  return anchor?.isJoined === true ? 'NORMAL' : 'JOINING'
}

export function statusFamilies({ balance, peers, policyVersion, occupancy, ledger }: AnchorStatus): Family[] {
  return [
    single('gauge', 'gatemesh_balance', 'Tokens not handed out; below zero is a debt.', balance),
    single('gauge', 'gatemesh_peers_up', 'Gates heard lately.', peers),
    single('gauge', 'gatemesh_policy_version', 'Version of the policy in force.', policyVersion),
    single('gauge', 'gatemesh_occupancy_count', 'People inside by the rows in view.', occupancy.count),
    single('gauge', 'gatemesh_occupancy_at_most', 'People inside at the very most.', occupancy.atMost),
    single('gauge', 'gatemesh_capacity', 'Capacity in force.', occupancy.capacity),
    single('gauge', 'gatemesh_ledger_size', 'Entries in the ledger.', ledger.size),
  ]
}
