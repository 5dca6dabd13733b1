// Report: the whole mall as one member sees it: its own books, and of all others the rows it has heard.

import { ANCHOR, nameOf } from '../../ledger/account.ts'
import type { Charter } from '../../ledger/charter.ts'
import type { Counters } from '../../ledger/counters.ts'
import type { Alert, Note, Position } from '../board/item.ts'
import type { Telemetry } from '../board/telemetry.ts'
import type { Member } from '../member.ts'
import { type Occupancy, occupancyOf } from '../occupancy.ts'
import { alarmSeverity, byGravity } from './alarm-severity.ts'
import type { AlertReport, AnchorReport, Flow, GateReport, Happening, MallReport, Rates, Said } from './mall-report.ts'

/** What people find on the board. */
export interface Pinned {
  readonly alerts: readonly Alert[]
  readonly labels: ReadonlyMap<string, { readonly text: string }>
  readonly positions: ReadonlyMap<string, Pick<Position, 'x' | 'y'>>
  /** newest first */
  readonly notes: readonly Note[]
}

export interface ReportOptions {
  readonly name: string
  readonly charter: Charter
  readonly now: number
  readonly wall: number
  /** what gates say of themselves */
  readonly extras?: ReadonlyMap<string, Telemetry>
  readonly pinned?: Pinned
  /** what somebody who weighs them calls open; what hangs on the board otherwise */
  readonly alerts?: readonly AlertReport[]
  readonly today?: ReadonlyMap<string, NonNullable<GateReport['today']>>
  readonly flows?: readonly Flow[]
  readonly feed?: readonly Happening[]
}

export const NO_RATES: Rates = {
  local: 0,
  stolen: 0,
  exits: 0,
  atCapacity: 0,
  noHeadroom: 0,
  emergency: 0,
  fault: 0,
}
const NOTHING_PINNED: Pinned = { alerts: [], labels: new Map(), positions: new Map(), notes: [] }
const NOBODY: Occupancy = { count: 0, atMost: 0, capacity: 0, ageMs: 0 }
const ALERTS_MAX = 20
const NOTES_MAX = 20
const PLAN_MAX = 1000

/** `me` is undefined while its store is being opened. */
export function reportOf(me: Member | undefined, o: ReportOptions): MallReport {
  const occupancy = me === undefined ? NOBODY : occupancyOf(me, o.now)
  const { alerts: hung, notes } = o.pinned ?? NOTHING_PINNED
  const gates = namesOf(me, o).map(name => gateOf(name, me, o))
  const alerts = [...(o.alerts ?? alertsOf(hung))].sort(byGravity)
  return {
    mall: o.charter.mall,
    at: o.wall,
    me: o.name,
    mode: me?.modes.effective ?? 'NORMAL',
    occupancy,
    left: Math.max(0, occupancy.capacity - occupancy.count),
    anchor: anchorOf(me, o),
    gates,
    rates: ratesOf(gates),
    flows: o.flows ?? [],
    alerts: { open: alerts.slice(0, ALERTS_MAX), more: Math.max(0, alerts.length - ALERTS_MAX) },
    feed: o.feed ?? [],
    notes: notes.slice(0, NOTES_MAX),
  }
}

function anchorOf(me: Member | undefined, o: ReportOptions): AnchorReport {
  const policyVersion = me?.policy?.version ?? 0
  const { account, balance, ageMs, silentMs } = holder(ANCHOR, me, o)
  const isFresh = me !== undefined && silentMs <= me.limits.anchorFreshMs
  return { name: ANCHOR, account, balance, policyVersion, ageMs, isFresh }
}

/** The roster in its order, then those who were taken off it and are still counted. */
function namesOf(me: Member | undefined, o: ReportOptions): string[] {
  const names = new Set((me?.policy?.gates ?? o.charter.gates).map(gate => gate.name))
  for (const { row } of me?.view.others() ?? []) names.add(nameOf(row.account))
  names.delete(ANCHOR)
  return [...names]
}

function gateOf(name: string, me: Member | undefined, o: ReportOptions): GateReport {
  const { account, balance, ageMs, silentMs, counters } = holder(name, me, o)
  const isBanned = me?.banned.has(name) ?? false
  const isRostered = me?.isGate(name) ?? true
  const today = o.today?.get(name)
  return {
    name,
    account,
    balance,
    counters,
    inFlight: account === '' ? 0 : (me?.view.inFlightTo(account) ?? 0),
    ageMs,
    isReachable: me !== undefined && silentMs <= me.limits.silentMs && !isBanned,
    isBanned,
    isRostered,
    ...(today === undefined ? {} : { today }),
    ...saidOf(name, o),
  }
}

/** How old what it says is, and for how long it has said nothing: not the same where its words take a roundabout way. */
function holder(name: string, me: Member | undefined, o: ReportOptions) {
  const books = me?.name === name ? me.books : undefined
  if (books !== undefined) {
    const { account, balance, counters } = books
    return { account, balance, ageMs: 0, silentMs: 0, counters: shown(counters) }
  }
  const account = me?.view.current(name) ?? ''
  const known = me?.view.get(account)
  const since = (at: number) => Math.max(0, Math.round(o.now - at))
  const ageMs = known === undefined ? null : since(known.saidAt)
  const silentMs = known === undefined ? Number.POSITIVE_INFINITY : since(known.heardAt)
  return { account, balance: known?.balance ?? 0, ageMs, silentMs, counters: shown(known?.row.counters) }
}

function shown(counters: Readonly<Counters> | undefined): GateReport['counters'] {
  const { admitted = 0, forced = 0, exited = 0, lapsed = 0 } = counters ?? {}
  return { admitted, forced, exited, lapsed }
}

/** What a gate says of itself on the board, what people call it there, and where they put it. */
function saidOf(name: string, { extras, pinned }: ReportOptions): Said {
  const told = extras?.get(name)
  const { state, fault, health, waiting, queue, unnecessaryRejects } = told ?? {}
  const label = pinned?.labels.get(name)?.text
  const position = pinned?.positions.get(name)
  return {
    ...(state === undefined ? {} : { state }),
    ...(fault === undefined ? {} : { fault }),
    ...(health === undefined ? {} : { health }),
    ...(told?.exitsPerMinute === undefined ? {} : { rates: toldRates(told) }),
    ...(waiting === undefined ? {} : { waiting }),
    ...(queue === undefined ? {} : { queue }),
    ...(unnecessaryRejects === undefined ? {} : { unnecessaryRejects }),
    ...(label === undefined ? {} : { label }),
    ...(position === undefined ? {} : { position: { x: onPlan(position.x), y: onPlan(position.y) } }),
  }
}

function toldRates(told: Telemetry): Rates {
  return {
    local: told.localPerMinute ?? 0,
    stolen: told.stolenPerMinute ?? 0,
    exits: told.exitsPerMinute ?? 0,
    atCapacity: told.atCapacityPerMinute ?? 0,
    noHeadroom: told.noHeadroomPerMinute ?? 0,
    emergency: told.emergencyPerMinute ?? 0,
    fault: told.faultPerMinute ?? 0,
  }
}

/** Of those that are heard: what a silent gate said last is not what happens there now. */
function ratesOf(gates: readonly GateReport[]): Rates {
  const sum = { ...NO_RATES } as Record<keyof Rates, number>
  for (const { rates, isReachable } of gates) {
    if (!isReachable || rates === undefined) continue
    for (const kind of Object.keys(NO_RATES) as (keyof Rates)[]) sum[kind] += rates[kind]
  }
  return sum
}

function onPlan(coordinate: number): number {
  return Math.round(Math.min(PLAN_MAX, Math.max(0, coordinate)))
}

function alertsOf(hung: readonly Alert[]): AlertReport[] {
  return hung
    .filter(({ acknowledged }) => acknowledged === undefined)
    .map(({ id, code, gate, text, at }) => {
      return { id, code, subject: gate, severity: alarmSeverity(code), detail: text, at }
    })
}
