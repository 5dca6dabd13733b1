// Report: everything that a day sheet or a month's report says, as plain values. Whoever prints it only chooses words.

import type { Account } from '../../../ledger/account.ts'
import type { Scope } from '../../../ledger/audit/about.ts'
import type { Role } from '../../../ledger/charter.ts'
import type { CheckTold } from './checks.ts'
import type { GateDrift } from './drift.ts'
import type { Emergency } from './emergencies.ts'
import type { CheckpointTold, ClockDoubt, ForkTold } from './facts.ts'
import type { GateTally } from './gate-tally.ts'
import type { LostEpoch, Outage } from './outages.ts'
import { indexAt, MINUTE_MS, type Period } from './period.ts'
import type { Rulings } from './rulings.ts'
import { type Curve, type Cut, LEVELS, type Level, type Minute } from './series.ts'

export interface FindingTold {
  readonly kind: string
  readonly account: Account
  readonly seq?: number
  readonly file?: string
  readonly what: string
}

export interface Verdict {
  readonly ok: boolean
  readonly findings: readonly FindingTold[]
  readonly entries: number
  readonly rows: number
  readonly policies: number
  readonly receives: number
  readonly ledgers: number
  /** entries that no signed row covers yet */
  readonly unsigned: number
}

export interface AnchorRow {
  readonly account: Account
  readonly size: number
  readonly root: string
  readonly at: number
}

/** What the report was made from, and what seals that. */
export interface Evidence {
  readonly profile: number
  readonly madeAt: number | undefined
  readonly source: string | undefined
  readonly scope: Scope
  /** SHA-256 of tagmanifest-sha256.txt, hex; undefined in format 0 */
  readonly seal: string | undefined
  readonly owner: { readonly name: string; readonly id: string; readonly fingerprint: string }
  readonly anchor: AnchorRow | undefined
  readonly checkpoint: CheckpointTold | undefined
}

/** A policy as its signers stand for it. */
export interface Signed {
  readonly version: number
  readonly signers: readonly string[]
  readonly reason: string
  /** undefined where that was before anything that is shown */
  readonly inForceSince: number | undefined
}

/** The rules at the end of the period. */
export interface Rules extends Signed {
  /** the version that last changed the capacity or the margin */
  readonly limitBy: Signed
  readonly limit: number
  readonly capacity: number
  readonly marginPerMille: number
  readonly confidenceMin: number
  readonly maxSharePerMille: number
  readonly expireAfterMs: number
}

export interface LevelTime {
  readonly level: Level
  readonly ms: number
  /** minutes in which it was reached at some moment */
  readonly minutes: number
}

export interface DayKnown {
  readonly low: number
  readonly high: number
  /** at the end of what is known: after closing, those whom the sensors missed on their way out */
  readonly last: number
  readonly limit: number
  readonly limitLow: number
  /** the largest part of the limit then in force, per cent */
  readonly fullest: number
}

export interface DaySummary {
  readonly name: string
  readonly from: number
  readonly to: number
  /** undefined where nothing is known of the day */
  readonly known: DayKnown | undefined
  readonly above: Readonly<Record<Level, number>>
}

export interface Report {
  readonly period: Period
  /** by the clock of whoever made it */
  readonly madeAt: number
  readonly mall: string | undefined
  readonly legalMax: number | undefined
  readonly rules: Rules | undefined
  /** of the operators of every charter */
  readonly roles: Readonly<Record<string, Role>>
  readonly verdict: Verdict
  readonly evidence: Evidence
  /** is everyone's ledger shown, so that people can be summed? */
  readonly isWhole: boolean
  readonly entries: number
  readonly unread: number
  readonly curve: Curve
  readonly days: readonly DaySummary[]
  readonly gates: readonly GateTally[]
  /** gates of the policy at the end that are shown */
  readonly rostered: readonly string[]
  readonly outages: readonly Outage[]
  readonly emergencies: readonly Emergency[]
  readonly rulings: Rulings
  /** the last of each kind and lane before the end of the period */
  readonly checks: readonly CheckTold[]
  readonly drift: { readonly slots: readonly string[]; readonly gates: readonly GateDrift[] }
  readonly lost: readonly LostEpoch[]
  readonly clocks: readonly ClockDoubt[]
  readonly forks: readonly ForkTold[]
}

/** Anything wrong with it that the reader must know before all else? */
export function isSound(report: Report): boolean {
  return report.verdict.ok && report.entries > 0
}

export function levelTimes({ above }: Curve): LevelTime[] {
  return LEVELS.map(level => {
    let ms = 0
    let minutes = 0
    for (const part of above[level]) {
      ms += part
      if (part > 0) minutes++
    }
    return { level, ms, minutes }
  })
}

export function daysOf(period: Period, curve: Curve): DaySummary[] {
  const days = period.days.map(day => ({ ...day, minutes: [] as Minute[], above: zeros() }))
  curve.minutes.forEach((minute, i) => {
    const day = days[indexAt(period.days, period.from + i * MINUTE_MS)]
    if (day === undefined) return
    for (const level of LEVELS) day.above[level] += curve.above[level][i] as number
    if (minute !== undefined) day.minutes.push(minute)
  })
  return days.map(({ name, from, to, minutes, above }) => ({ name, from, to, above, known: summary(minutes) }))
}

function zeros(): Record<Level, number> {
  return Object.fromEntries(LEVELS.map(level => [level, 0])) as Record<Level, number>
}

function summary(minutes: readonly Minute[]): DayKnown | undefined {
  const last = minutes.at(-1)
  if (last === undefined) return undefined
  let { low, high, limit, limit: limitLow } = last
  let fullest = 0
  for (const minute of minutes) {
    low = Math.min(low, minute.low)
    high = Math.max(high, minute.high)
    limit = Math.max(limit, minute.limit)
    limitLow = Math.min(limitLow, minute.limit)
    if (minute.limit > 0) fullest = Math.max(fullest, (minute.high / minute.limit) * 100)
  }
  return { low, high, last: last.last, limit, limitLow, fullest }
}

/** For programs: all but the minutes, which are in the CSV. */
export function reportJson(report: Report): unknown {
  const { curve, period, evidence, ...rest } = report
  const { days: _days, ...named } = period
  const { peak, excess, knownMs } = curve
  const cut = (at: Cut | undefined) => at ?? null
  return {
    format: 'gatemesh/report/1',
    period: named,
    ...rest,
    evidence,
    occupancy: { peak: cut(peak), excess: cut(excess), knownMs, levels: levelTimes(curve) },
  }
}
