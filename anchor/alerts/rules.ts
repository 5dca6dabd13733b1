// Rules: what in an observation somebody should know of. One rule per code, each of them pure.
//
// Law: a rule that has raised an alert clears it at another level than it raised it, or after another time, so that a
// figure that trembles around its limit is one alert and not a hundred.

import type { Standing } from '../bms/state.ts'
import { TRIAL_MS_MAX } from '../reconcile/jury.ts'
import type { Code, Severity } from './alert.ts'
import type { GateSeen, Observation } from './observation.ts'

/** Something is so. */
export interface Finding {
  readonly subject: string
  readonly detail: string
  /** where it is not the rule's own */
  readonly severity?: Severity
}

export interface Levels {
  /** share of the capacity, per cent */
  readonly warn: number
  readonly high: number
}

export type IsRaised = (subject: string) => boolean

export interface Rule {
  readonly severity: Severity
  /** it must be so for this long */
  readonly holdMs: number
  /** and must not be so for this long */
  readonly clearMs: number
  readonly look: (o: Observation, isRaised: IsRaised, levels: Levels) => readonly Finding[]
}

/** Five idle rows missed. With one look a second a cut is found within seven seconds; ten are asked for. */
export const SILENT_MS = 6000
/** After a start gates need a moment to come back. */
const SETTLING_MS = 20_000
const STALE_MS = 60_000
const BEHIND_MS = 60_000
const CATCHING_UP_MS = 10_000
const SKEW_MS = 2000
/** A skew is not over before it is well below what raised it. */
const SKEW_CLEAR_MS = 1000
const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const MINUTE_MS = 60_000

const none: readonly Finding[] = []
const mall = (detail: string, severity?: Severity): readonly Finding[] => [
  { subject: '', detail, ...(severity === undefined ? {} : { severity }) },
]

export const RULES = {
  OVER_ADMISSION: { severity: 'critical', holdMs: 5000, clearMs: 5 * MINUTE_MS, look: overAdmission },
  EXIT_REFUSED: { severity: 'critical', holdMs: 0, clearMs: 0, look: exitRefused },
  EXIT_UNCOUNTED: {
    severity: 'warning',
    holdMs: 0,
    clearMs: MINUTE_MS,
    look: o =>
      o.gates.flatMap(({ name, said }) =>
        (said?.exitsUncounted ?? 0) > 0
          ? [{ subject: name, detail: `${said?.exitsUncounted} people left and are in no ledger: recount` }]
          : [],
      ),
  },
  REJECTION_SPIKE: {
    severity: 'warning',
    holdMs: 0,
    clearMs: 5 * MINUTE_MS,
    look: ({ rejects: { isSpike, perMinute, usualPerMinute } }) =>
      isSpike ? mall(`${perMinute} people turned away in a minute, usually ${usualPerMinute.toFixed(1)}`) : none,
  },
  GATE_SILENT: { severity: 'warning', holdMs: 0, clearMs: 3000, look: gateSilent },
  MALL_SILENT: {
    severity: 'critical',
    holdMs: 0,
    clearMs: 3000,
    look: o =>
      isAllSilent(o) ? mall(`no gate heard for ${seconds(quietest(o))}: they go on alone, we see nothing`) : none,
  },
  ANCHOR_STALE: { severity: 'warning', holdMs: 0, clearMs: 5000, look: anchorStale },
  FORK: {
    severity: 'critical',
    holdMs: 0,
    clearMs: MINUTE_MS,
    look: o => o.banned.map(name => ({ subject: name, detail: 'two histories of one ledger; banned by every gate' })),
  },
  EVIDENCE: {
    severity: 'critical',
    holdMs: 0,
    clearMs: MINUTE_MS,
    look: o =>
      o.evidence.map(({ id, account, what, detail }) => ({
        subject: `${account} ${id}`,
        detail: `${what}: ${detail}`,
      })),
  },
  SENSOR_DRIFT: { severity: 'warning', holdMs: 0, clearMs: 0, look: sensorDrift },
  LEASE_DRIFT: {
    severity: 'critical',
    holdMs: 5000,
    clearMs: MINUTE_MS,
    look: ({ leases: { drift, wrong } }) =>
      drift === 0 ? none : mall(`tokens do not add up by ${drift}: ${wrong.slice(0, 3).join('; ')}`),
  },
  DISK: { severity: 'critical', holdMs: 0, clearMs: 10_000, look: disk },
  CLOCK_SKEW: { severity: 'warning', holdMs: 30_000, clearMs: 30_000, look: clockSkew },
  COLLECTION_BEHIND: { severity: 'warning', holdMs: 0, clearMs: 10_000, look: collectionBehind },
  APPROVAL_WAITING: {
    severity: 'info',
    holdMs: 0,
    clearMs: 0,
    look: o =>
      o.approvals
        .filter(({ expiresAt }) => expiresAt > o.wall)
        .map(({ id, words }) => ({ subject: id, detail: `waits for a signature: ${words.join('; ')}` })),
  },
  CAPACITY_CHANGED_FAR: { severity: 'warning', holdMs: 0, clearMs: 0, look: changedFar },
  OCCUPANCY_WARN: { severity: 'info', holdMs: 5000, clearMs: MINUTE_MS, look: (o, is, l) => above(o, is, l.warn, 5) },
  OCCUPANCY_HIGH: {
    severity: 'warning',
    holdMs: 5000,
    clearMs: MINUTE_MS,
    look: (o, is, l) => above(o, is, l.high, 3),
  },
  OCCUPANCY_FULL: { severity: 'warning', holdMs: 5000, clearMs: MINUTE_MS, look: (o, is) => above(o, is, 100, 1) },
  OCCUPANCY_EXCEEDED: {
    severity: 'critical',
    holdMs: 0,
    clearMs: 10_000,
    look: ({ occupancy: { count, capacity } }) =>
      capacity > 0 && count > capacity ? mall(`${count} people inside, ${count - capacity} above ${capacity}`) : none,
  },
  MODE: {
    severity: 'critical',
    holdMs: 0,
    clearMs: 0,
    look: ({ mode, modeBy, modeReason }) =>
      mode === 'NORMAL' ? none : [{ subject: mode, detail: `raised by ${modeBy}: ${modeReason}` }],
  },
  BMS_LIMIT: { severity: 'warning', holdMs: 0, clearMs: 0, look: signalLimit },
  BMS_SILENT: { severity: 'warning', holdMs: 0, clearMs: 0, look: signalSilent },
} as const satisfies Record<Code, Rule>

/**
 * Not what the gates say they count, but single events of two kinds of sensors. An admission among too many is told for
 * an hour after it happened; too many people by either sensor for as long as it lasts.
 */
function overAdmission({ compliance: c, wall, collection }: Observation): readonly Finding[] {
  const found: Finding[] = []
  const { over, legalMax } = c
  if (over !== undefined && wall - over.at < HOUR_MS) {
    const what = over.what === 'legal-max' ? 'the legal maximum' : 'the capacity in force'
    const detail = `${over.account} let somebody in as number ${over.count}; ${what} was ${over.limit}`
    found.push({ subject: over.what, detail: `${detail}; ${c.overAdmissions} such admissions ever` })
  }
  // while a backlog comes in, entries may be here of which the exits before them are not
  const lagMs = collection?.lagMs ?? 0
  if (lagMs > CATCHING_UP_MS && lagMs < TRIAL_MS_MAX) return found
  if (c.turnstile > legalMax) {
    found.push({ subject: 'turnstiles', detail: `${c.turnstile} people inside by turnstiles, ${legalMax} are lawful` })
  }
  if (c.optical !== undefined && c.optical > legalMax) {
    found.push({ subject: 'optical', detail: `${c.optical} people inside by optical counters, ${legalMax} are lawful` })
  }
  return found
}

/** A day, so that nobody who was away misses the one thing that must never happen. */
function exitRefused({ exitsRefused: { total, last }, wall, gates }: Observation): readonly Finding[] {
  const found: Finding[] = []
  if (last !== undefined && wall - last.at < DAY_MS) {
    found.push({ subject: last.account, detail: `somebody could not get out: ${last.detail}; ${total} ever` })
  }
  for (const { name, said } of gates) {
    if (/^exit-(refused|blocked)$/.test(said?.fault ?? '')) {
      found.push({ subject: name, detail: 'says that its exit does not open: send somebody now' })
    }
  }
  return found
}

function isSilent(gate: GateSeen): boolean {
  return !gate.isBanned && gate.silentMs > SILENT_MS
}

function quietest({ gates }: Observation): number {
  return Math.min(...gates.map(gate => gate.silentMs))
}

function isAllSilent(o: Observation): boolean {
  const counted = o.gates.filter(gate => !gate.isBanned)
  return o.upMs > SETTLING_MS && counted.length > 0 && counted.every(isSilent)
}

/** When all are silent it is one trouble, not thirty; those that were silent before stay so. */
function gateSilent(o: Observation, isRaised: IsRaised): readonly Finding[] {
  if (o.upMs <= SETTLING_MS) return none
  const isOne = isAllSilent(o)
  return o.gates
    .filter(gate => isSilent(gate) && (!isOne || isRaised(gate.name)))
    .map(({ name, silentMs }) => ({ subject: name, detail: `not heard for ${seconds(silentMs)}` }))
}

function anchorStale(o: Observation): readonly Finding[] {
  const found: Finding[] = []
  // rows of gates that were banned or taken off the roster count for ever, and nobody can make them younger
  const worst = Math.max(0, ...o.gates.filter(gate => !gate.isBanned).map(gate => gate.silentMs))
  const ageMs = Math.min(o.occupancy.ageMs, worst)
  if (ageMs > STALE_MS && o.upMs > STALE_MS) {
    found.push({ subject: 'data', detail: `the oldest row that counts is ${seconds(ageMs)} old` })
  }
  if ((o.state === 'FAULT' || o.state === 'JOINING') && o.upMs > SETTLING_MS) {
    const detail = `the anchor is ${o.state}${o.fault === undefined ? '' : ` (${o.fault})`}: it mints and hands out nothing`
    found.push({ subject: 'anchor', detail, severity: 'critical' })
  }
  return found
}

/** A gate is well again by an hour that was; a word of yesterday says nothing any more. */
function sensorDrift({ drifts, wall }: Observation): readonly Finding[] {
  return drifts
    .filter(drift => drift.isTooMuch && wall - drift.hour < DAY_MS)
    .map(({ gate, hour, turnstile: t, optical: v, perMille }) => ({
      subject: gate,
      detail:
        `${new Date(hour).toISOString().slice(0, 13)}h: turnstile ${t.in} in ${t.out} out, ` +
        `optical ${v.in} in ${v.out} out: ${perMille / 10} %, calibrate`,
    }))
}

function disk(o: Observation): readonly Finding[] {
  return o.gates
    .filter(({ said }) => said?.fault === 'disk')
    .map(({ name }) => ({ subject: name, detail: 'a write failed: no entries there, exits go on' }))
}

function clockSkew(o: Observation, isRaised: IsRaised): readonly Finding[] {
  return o.gates.flatMap(({ name, skewMs = 0 }) => {
    const isSkewed = Math.abs(skewMs) > (isRaised(name) ? SKEW_CLEAR_MS : SKEW_MS)
    const way = skewMs > 0 ? 'ahead of' : 'behind'
    return isSkewed ? [{ subject: name, detail: `its clock is ${seconds(Math.abs(skewMs))} ${way} ours` }] : []
  })
}

function collectionBehind({ collection }: Observation): readonly Finding[] {
  if (collection === undefined) return none
  const { behind, lagMs, gaps } = collection
  const found = gaps.map(({ account, from, to, why }) => ({
    subject: account,
    detail: `entries ${from} to ${to - 1} cannot be had: ${why}`,
  }))
  if (behind === 0 || lagMs <= BEHIND_MS) return found
  return [{ subject: '', detail: `${behind} entries are not collected, for ${seconds(lagMs)}` }, ...found]
}

function changedFar({ changes, wall, aloneMovePerMille }: Observation): readonly Finding[] {
  return changes
    .filter(({ at }) => wall - at < HOUR_MS)
    .filter(({ before, capacity }) => Math.abs(capacity - before) * 1000 > before * aloneMovePerMille)
    .map(({ before, capacity, policy, at }) => ({
      subject: `policy ${policy} at ${at}`,
      detail: `capacity went from ${before} to ${capacity} by policy ${policy}`,
    }))
}

const STANDING = {
  'in-force': 'this is in force',
  proposed: 'it waits for signatures',
  declined: 'operators decided otherwise',
  waiting: 'it is about to be proposed',
} as const satisfies Record<Standing, string>

function signalLimit({ signals }: Observation): readonly Finding[] {
  return (signals?.rules ?? []).flatMap(({ name, condition, demand }) => {
    if (demand === undefined) return []
    const { atMost, standing, approval } = demand
    const sign = approval === undefined ? '' : `: gatemesh approve ${approval.slice(0, 12)}`
    return [{ subject: name, detail: `${condition}: at most ${atMost} people; ${STANDING[standing]}${sign}` }]
  })
}

function signalSilent({ signals }: Observation): readonly Finding[] {
  return (signals?.sources ?? [])
    .filter(({ isSilent }) => isSilent)
    .map(({ name, trouble = 'it never spoke', at }) => {
      const last = at === undefined ? '' : `; last heard at ${new Date(at).toISOString().slice(0, 19)}Z`
      return { subject: name, detail: `a signal of the building is silent, what it asked for stays: ${trouble}${last}` }
    })
}

/** `slack`: per cent of the capacity below the level at which it is over. */
function above(o: Observation, isRaised: IsRaised, level: number, slack: number): readonly Finding[] {
  const { count, capacity } = o.occupancy
  if (capacity <= 0 || count * 100 < (level - (isRaised('') ? slack : 0)) * capacity) return none
  return mall(`${count} people inside, ${Math.floor((count * 100) / capacity)} % of ${capacity}`)
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(ms < 10_000 ? 1 : 0)} s`
}
