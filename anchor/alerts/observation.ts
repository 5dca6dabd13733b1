// Observation: the mall at one moment, as far as rules need to know it. Everything in it can be printed, so that an
// alert that surprises somebody can be looked at again.

import { ANCHOR, isAnchor, nameOf } from '../../ledger/account.ts'
import type { Mode } from '../../ledger/entry.ts'
import type { Evidence } from '../../mesh/archive/archive.ts'
import type { Telemetry } from '../../mesh/board/telemetry.ts'
import type { Member } from '../../mesh/member.ts'
import type { Occupancy } from '../../mesh/occupancy.ts'
import type { BmsState } from '../bms/state.ts'
import type { Sight } from '../desk.ts'
import type { LeaseDrift } from '../reconcile/cut.ts'
import type { Drift } from '../reconcile/hour.ts'
import type { CapacityChange } from '../reconcile/jury.ts'
import type { Compliance, Reconciler } from '../reconcile/reconciler.ts'
import type { Rejects } from '../reconcile/reject-rate.ts'

export interface GateSeen {
  readonly name: string
  /** since it last spoke; since we listen where it never did */
  readonly silentMs: number
  readonly isBanned: boolean
  /** its clock less ours; undefined: not heard lately */
  readonly skewMs?: number
  /** what it says of itself; display only */
  readonly said?: Telemetry
}

/** How far collection is; what the collector tells. */
export interface CollectionSeen {
  readonly entries: number
  /** entries that rows show and that are not here */
  readonly behind: number
  /** age of the oldest of them */
  readonly lagMs: number
  /** entries [from, to) of an account that cannot be had */
  readonly gaps: readonly {
    readonly account: string
    readonly from: number
    readonly to: number
    readonly why: string
  }[]
}

/** An approval that waits for a signature. */
export interface ApprovalSeen {
  readonly id: string
  /** what it changes, in words */
  readonly words: readonly string[]
  /** wall clock */
  readonly expiresAt: number
}

export interface Observation {
  readonly mall: string
  readonly wall: number
  /** how long we have been listening */
  readonly upMs: number
  /** the anchor's own state: JOINING, NORMAL, FAULT, or an emergency */
  readonly state: string
  readonly fault?: string
  readonly mode: Mode
  readonly modeBy: string
  readonly modeReason: string
  readonly occupancy: Occupancy
  readonly legalMax: number
  /** a move of more than this is far */
  readonly aloneMovePerMille: number
  /** of the roster */
  readonly gates: readonly GateSeen[]
  readonly banned: readonly string[]
  readonly compliance: Compliance
  readonly leases: LeaseDrift
  readonly rejects: Rejects
  readonly exitsRefused: ReturnType<Reconciler['exitsRefused']>
  readonly drifts: readonly Drift[]
  readonly changes: readonly CapacityChange[]
  readonly evidence: readonly Pick<Evidence, 'id' | 'account' | 'what' | 'detail'>[]
  readonly approvals: readonly ApprovalSeen[]
  readonly collection?: CollectionSeen
  readonly signals?: BmsState
}

export interface ObserveOptions {
  readonly now: number
  readonly wall: number
  /** mono ms when the watch began */
  readonly since: number
  readonly telemetry?: ReadonlyMap<string, Telemetry>
  /** our clock less each gate's, ms, by what it told us itself */
  readonly skews?: ReadonlyMap<string, number>
  /** dear to add up, so whoever looks often brings one that is a few seconds old */
  readonly leases?: LeaseDrift | undefined
  readonly evidence?: Observation['evidence']
  readonly approvals?: readonly ApprovalSeen[]
  readonly collection?: CollectionSeen
  readonly signals?: BmsState
}

export function observe(sight: Sight, reconciler: Reconciler, o: ObserveOptions): Observation {
  const { state, fault, mode, occupancy } = sight.status()
  const me = sight.me()
  const { by = [], reason = '' } = me?.modes.statement ?? {}
  const upMs = o.now - o.since
  return {
    mall: sight.mall,
    wall: o.wall,
    upMs,
    state,
    ...(fault === undefined ? {} : { fault }),
    mode,
    modeBy: by.join(', '),
    modeReason: reason,
    occupancy,
    legalMax: sight.charter.legalMax,
    aloneMovePerMille: sight.charter.aloneMovePerMille,
    gates: gatesOf(sight, me, o, upMs),
    banned: [...(me?.banned.keys() ?? [])],
    compliance: reconciler.compliance(),
    leases: o.leases ?? reconciler.leaseDrift(),
    rejects: reconciler.rejects(),
    exitsRefused: reconciler.exitsRefused(),
    drifts: reconciler.drifts(),
    changes: reconciler.changes(),
    evidence: o.evidence ?? [],
    approvals: o.approvals ?? [],
    ...(o.collection === undefined ? {} : { collection: o.collection }),
    ...(o.signals === undefined ? {} : { signals: o.signals }),
  }
}

function gatesOf(sight: Sight, me: Member | undefined, o: ObserveOptions, upMs: number): GateSeen[] {
  const roster = me?.policy?.gates ?? sight.charter.gates
  return roster.map(({ name }) => {
    const account = me?.view.current(name)
    const known = account === undefined ? undefined : me?.view.get(account)
    const agoMs = known === undefined ? undefined : Math.max(0, o.now - known.heardAt)
    const said = o.telemetry?.get(name)
    const skew = o.skews?.get(name)
    const isLate = agoMs === undefined || me === undefined || agoMs > me.limits.silentMs
    return {
      name,
      // a row read back at a start was heard by an earlier life
      silentMs: Math.min(agoMs ?? upMs, upMs),
      isBanned: me?.banned.has(name) ?? false,
      ...(isLate || skew === undefined ? {} : { skewMs: Math.round(-skew) }),
      ...(said === undefined ? {} : { said }),
    }
  })
}

/** The newest signed row that is known of an account: what the reconciler falls back on. */
export function rowIn(sight: Sight, account: string) {
  const me = sight.me()
  if (isAnchor(account) && me?.books?.account === account && nameOf(account) === ANCHOR) return me.books.row(0)
  return me?.view.get(account)?.row
}
