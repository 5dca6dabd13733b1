// Outages: when a gate was not at work, as far as ledgers show it, and what the others did meanwhile.

import { type Account, nameOf } from '../../../ledger/account.ts'
import type { Policy } from '../../../ledger/policy.ts'
import type { Activity, Doings } from './activity.ts'
import type { Reopening } from './facts.ts'
import type { GateTally } from './gate-tally.ts'
import { MINUTE_MS } from './period.ts'

export const OUTAGE_KINDS = [
  'fault', // it wrote that something had failed
  'refusing', // it refused everyone because something was wrong with it
  'memory', // it lost its memory and began a new ledger
  'silent', // no entries while others were busy: an estimate
  'absent', // on the roster, and not one entry
] as const
export type OutageKind = (typeof OUTAGE_KINDS)[number]

export interface Outage {
  readonly gate: string
  readonly kind: OutageKind
  readonly from: number
  readonly to: number
  readonly what: string
  /** what all gates did in those minutes; undefined where the outage has no length */
  readonly meanwhile: Doings | undefined
}

export interface OutagesShown {
  readonly period: { readonly from: number; readonly to: number }
  readonly tallies: readonly GateTally[]
  readonly activity: Activity
  /** gates that should have been at work */
  readonly rostered: readonly string[]
  readonly reopenings: readonly Reopening[]
}

export function outagesOf({ period, tallies, activity, rostered, reopenings }: OutagesShown): Outage[] {
  const found: Omit<Outage, 'meanwhile'>[] = []
  for (const { gate, faults, outages } of tallies) {
    for (const { at, code, detail, count } of faults) {
      const unlogged = count === 0 ? '' : `; ${count} ${count === 1 ? 'decision' : 'decisions'} unlogged`
      found.push({ gate, kind: 'fault', from: at, to: at, what: `${code}: ${detail}${unlogged}` })
    }
    for (const { from, to, count, reasons } of outages) {
      const what = `${count} refused: ${reasons.join(', ')}`
      found.push({ gate, kind: 'refusing', from, to, what })
    }
  }
  for (const { account, after, at } of reopenings) {
    if (at < period.from || at >= period.to) continue
    found.push({ gate: nameOf(account), kind: 'memory', from: at, to: at, what: `opened ${account} after ${after}` })
  }
  for (const { gate, from, to, expected } of activity.silences()) {
    const what = `estimate: no entries; its usual share of the passages elsewhere is about ${expected}`
    found.push({ gate, kind: 'silent', from, to, what })
  }
  const heard = new Set(tallies.map(({ gate }) => gate))
  for (const gate of rostered) {
    if (!heard.has(gate)) found.push({ gate, kind: 'absent', ...period, what: 'on the roster, and no entry at all' })
  }
  return found
    .sort((a, b) => a.from - b.from || (a.gate < b.gate ? -1 : 1))
    .map(one => ({ ...one, meanwhile: lasts(one) ? activity.between(one.from, one.to - 1) : undefined }))
}

function lasts({ from, to }: { readonly from: number; readonly to: number }): boolean {
  return to - from >= MINUTE_MS
}

/** Entries of an account that are gone, and how many people may have come in by them at most. */
export interface LostEpoch {
  readonly account: Account
  readonly from: number
  readonly to: number
  /** when a new ledger was begun in its place; undefined where that is not shown */
  readonly givenUpAt: number | undefined
  /** tokens that it held by the last word that anyone has of it: as many may have been used unseen */
  readonly atMost: number
  /** of those, put back into use by a policy */
  readonly reclaimed: number
}

export interface LossesShown {
  readonly lost: readonly { readonly account: Account; readonly from: number; readonly to: number }[]
  readonly reopenings: readonly Reopening[]
  readonly accounts: readonly { readonly account: Account; readonly balance: number; readonly size: number }[]
  /** in force at the end of the period */
  readonly policy: Policy | undefined
}

export function lostEpochs({ lost, reopenings, accounts, policy }: LossesShown): LostEpoch[] {
  const names = new Set([...lost.map(({ account }) => account), ...reopenings.map(({ after }) => after)])
  return [...names].sort().map(account => {
    const left = accounts.find(one => one.account === account)
    const gone = lost.find(one => one.account === account)
    const size = left?.size ?? 0
    return {
      account,
      from: gone?.from ?? size,
      to: gone?.to ?? size,
      givenUpAt: reopenings.find(({ after }) => after === account)?.at,
      atMost: Math.max(0, left?.balance ?? 0),
      reclaimed: policy?.reclaimed.find(one => one.account === account)?.amount ?? 0,
    }
  })
}
