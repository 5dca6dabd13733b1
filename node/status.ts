// Status: what a gate tells people and programs about itself.

import type { Counters } from '../ledger/counters.ts'
import type { Mode } from '../ledger/entry.ts'
import { type Occupancy, occupancyOf } from '../mesh/occupancy.ts'
import type { Alarm } from './alarms.ts'
import type { Door, Tally } from './door.ts'
import type { Gate } from './gate.ts'

export type GateState =
  | 'JOINING'
  | 'NORMAL'
  | 'DEGRADED'
  | 'ISOLATED'
  | 'EXHAUSTED'
  | 'EXPIRED'
  | 'FAULT'
  | Exclude<Mode, 'NORMAL'>

export interface GateStatus {
  readonly name: string
  readonly state: GateState
  readonly fault?: string
  readonly mode: Mode
  /** what a re-arm must name */
  readonly modeEpoch: number
  readonly account: string
  readonly balance: number
  readonly counters: Pick<Counters, 'admitted' | 'forced' | 'exited' | 'lapsed'>
  readonly peers: number
  readonly anchorAgeMs: number
  readonly policyVersion: number
  readonly occupancy: Occupancy
  readonly ledger: { readonly size: number; readonly root: string }
  readonly unnecessaryRejects: number
  readonly sinceStart: Tally
  /** let out while there was no ledger: still to be written, and never to be */
  readonly exits: { readonly waiting: number; readonly uncounted: number }
  /** wall clock when this process made the door */
  readonly startedAt: number
  /** newest first */
  readonly alarms: readonly Alarm[]
}

export function statusOf(door: Door, now: number): GateStatus {
  const { gate, name, tally } = door
  const books = gate?.me.books
  const row = books?.row(0)
  const { admitted = 0, forced = 0, exited = 0, lapsed = 0 } = books?.counters ?? {}
  const fault = door.isBroken ? 'broken-law' : gate === undefined ? 'away' : gate.fault
  const anchorAgeMs = gate === undefined ? Number.NaN : now - gate.anchorAt
  return {
    name,
    state: door.isBroken ? 'FAULT' : stateOf(gate, now),
    ...(fault === undefined ? {} : { fault }),
    mode: gate?.me.modes.effective ?? 'NORMAL',
    modeEpoch: gate?.me.modes.statement.epoch ?? 0,
    account: books?.account ?? '',
    balance: books?.balance ?? 0,
    counters: { admitted, forced, exited, lapsed },
    peers: gate?.trader.reach.length ?? 0,
    anchorAgeMs: Number.isFinite(anchorAgeMs) ? Math.max(0, Math.round(anchorAgeMs)) : -1,
    policyVersion: gate?.me.policy?.version ?? 0,
    occupancy: gate === undefined ? { count: 0, atMost: 0, capacity: 0, ageMs: 0 } : occupancyOf(gate.me, now),
    ledger: { size: row?.size ?? 0, root: row?.root ?? '' },
    unnecessaryRejects: gate?.unnecessaryRejects ?? 0,
    sinceStart: { ...tally },
    exits: { waiting: door.exits.waiting, uncounted: door.exits.uncounted },
    startedAt: door.startedAt,
    alarms: door.alarms.newestFirst,
  }
}

/** The worst that is true, in this order. */
function stateOf(gate: Gate | undefined, now: number): GateState {
  if (gate === undefined) return 'FAULT'
  const mode = gate.me.modes.effective
  if (mode !== 'NORMAL') return mode
  const { fault } = gate
  if (fault === 'joining' || fault === 'no-policy') return 'JOINING'
  if (fault === 'expired') return 'EXPIRED'
  if (fault !== undefined) return 'FAULT'
  const { reach } = gate.trader
  if (reach.length === 0) return 'ISOLATED'
  if (now - gate.anchorAt > gate.me.limits.anchorFreshMs) return 'DEGRADED'
  const isDry = (gate.me.books?.balance ?? 0) <= 0 && reach.every(known => known.balance <= 0)
  return isDry ? 'EXHAUSTED' : 'NORMAL'
}
