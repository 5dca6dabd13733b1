// Report: the whole mall as one member sees it: its own books, and of all others the rows it has heard.

import { ANCHOR, nameOf } from '../../ledger/account.ts'
import type { Charter } from '../../ledger/charter.ts'
import type { Counters } from '../../ledger/counters.ts'
import type { Telemetry } from '../board/telemetry.ts'
import type { Member } from '../member.ts'
import { type Occupancy, occupancyOf } from '../occupancy.ts'
import type { AnchorReport, GateReport, MallReport, Rates, Said } from './mall-report.ts'

export interface ReportOptions {
  readonly name: string
  readonly charter: Charter
  readonly now: number
  readonly wall: number
  readonly extras?: ReadonlyMap<string, Pick<Telemetry, 'state' | 'entriesPerMinute' | 'waiting'>>
  readonly labels?: ReadonlyMap<string, string>
}

const NO_RATES: Rates = { local: 0, stolen: 0, exits: 0, atCapacity: 0, noHeadroom: 0, emergency: 0, fault: 0 }
const NOBODY: Occupancy = { count: 0, atMost: 0, capacity: 0, ageMs: 0 }

/** `me` is undefined while its store is being opened. */
export function reportOf(me: Member | undefined, o: ReportOptions): MallReport {
  const occupancy = me === undefined ? NOBODY : occupancyOf(me, o.now)
  return {
    mall: o.charter.mall,
    at: o.wall,
    me: o.name,
    mode: me?.modes.effective ?? 'NORMAL',
    occupancy,
    left: Math.max(0, occupancy.capacity - occupancy.count),
    anchor: anchorOf(me, o),
    gates: namesOf(me, o).map(name => gateOf(name, me, o)),
    rates: NO_RATES,
    flows: [],
    alerts: { open: [], more: 0 },
    feed: [],
    notes: [],
  }
}

function anchorOf(me: Member | undefined, o: ReportOptions): AnchorReport {
  const policyVersion = me?.policy?.version ?? 0
  const { account, balance, ageMs } = holder(ANCHOR, me, o)
  const isFresh = me !== undefined && ageMs !== null && ageMs <= me.limits.anchorFreshMs
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
  const { account, balance, ageMs, counters } = holder(name, me, o)
  const isBanned = me?.banned.has(name) ?? false
  const isRostered = me?.isGate(name) ?? true
  return {
    name,
    account,
    balance,
    counters,
    inFlight: account === '' ? 0 : (me?.view.inFlightTo(account) ?? 0),
    ageMs,
    isReachable: me !== undefined && ageMs !== null && ageMs <= me.limits.silentMs && !isBanned,
    isBanned,
    isRostered,
    ...saidOf(name, o),
  }
}

function holder(name: string, me: Member | undefined, o: ReportOptions) {
  const books = me?.name === name ? me.books : undefined
  if (books !== undefined) {
    return { account: books.account, balance: books.balance, ageMs: 0, counters: shown(books.counters) }
  }
  const account = me?.view.current(name) ?? ''
  const known = me?.view.get(account)
  const ageMs = known === undefined ? null : Math.max(0, Math.round(o.now - known.heardAt))
  return { account, balance: known?.balance ?? 0, ageMs, counters: shown(known?.row.counters) }
}

function shown(counters: Readonly<Counters> | undefined): GateReport['counters'] {
  const { admitted = 0, forced = 0, exited = 0, lapsed = 0 } = counters ?? {}
  return { admitted, forced, exited, lapsed }
}

/** What a gate says of itself on the board, and what people call it there. */
function saidOf(name: string, { extras, labels }: ReportOptions): Said {
  const { state, entriesPerMinute, waiting } = extras?.get(name) ?? {}
  const label = labels?.get(name)
  return {
    ...(state === undefined ? {} : { state }),
    ...(entriesPerMinute === undefined ? {} : { rates: { ...NO_RATES, local: entriesPerMinute } }),
    ...(waiting === undefined ? {} : { waiting }),
    ...(label === undefined ? {} : { label }),
  }
}
