// Display state: what visitors at one door are told. A small object of its own: of the mall it holds nothing else.
//
// Laws: what is not known is never green. Nobody is ever told that they cannot leave. An emergency is said whatever else
// is known or not; that it is over is said only by who knows the mode (`mode` is null where nobody does).

import type { Mode } from '../../ledger/entry.ts'
import { coarse, stepOf } from './coarse.ts'
import type { GateReport, MallReport } from './mall-report.ts'

export type Light = 'go' | 'slow' | 'wait' | 'closed' | 'emergency' | 'unknown'

export interface DisplayState {
  readonly light: Light
  /** the first is said largest */
  readonly words: readonly string[]
  readonly mode: Mode | null
  /** about so many places are left; only where it may be said */
  readonly left?: number
  /** an estimate, where there is a basis for one */
  readonly waitMinutes?: number
  /** wall clock of whoever says so */
  readonly at: number
  /** older than this it says nothing any more */
  readonly validMs: number
}

export interface DisplayOptions {
  readonly gate: string
  /** the gate's own word about itself, where the gate is asked; otherwise what it says on the board */
  readonly state?: string
  /** may it say about how many places are left? */
  readonly places?: boolean
}

const VALID_MS = 5000
const NEARLY_PER_MILLE = 50
const NEARLY_MIN = 3
/** A longer wait is no estimate but a guess. */
const WAIT_MINUTES_MAX = 60
const EXITS_PER_MINUTE_MIN = 1

const SEVERITY: readonly Mode[] = ['NORMAL', 'LOCKDOWN', 'EVACUATE', 'FIRE']
/** In these a gate lets people in while there are places. */
const WORKING: readonly string[] = ['NORMAL', 'DEGRADED', 'ISOLATED', 'EXHAUSTED']

const WORDS = {
  go: ['Please come in', 'Exits are open'],
  slow: ['Nearly full', 'Please come in', 'Exits are open'],
  wait: ['Please wait', 'We are full at the moment', 'Exits are open'],
  closed: ['Entrance closed', 'Exits are open'],
  unknown: ['Please ask the staff at the door', 'This display is out of date', 'Exits are open'],
} as const satisfies Record<Exclude<Light, 'emergency'>, readonly string[]>

/** The mall has places, and this door cannot reach them. */
const DRY = ['Please wait', 'No places at this door at the moment', 'Exits are open']

const ALARM = {
  EVACUATE: ['EVACUATE', 'Please leave by the nearest exit', 'Exits are open', 'Do not enter'],
  FIRE: ['FIRE', 'Please leave by the nearest exit', 'Exits are open', 'Do not enter'],
} as const satisfies Partial<Record<Mode, readonly string[]>>

/** A gate that the report does not know, or a report that is not there yet, is told as unknown. */
export function displayOf(report: MallReport | undefined, at: number, o: DisplayOptions): DisplayState {
  if (report === undefined) return { light: 'unknown', words: WORDS.unknown, mode: null, at, validMs: VALID_MS }
  const gate = report.gates.find(({ name }) => name === o.gate)
  const state = o.state ?? gate?.state
  const mode = modeOf(report, state)
  const said = { mode, at: report.at, validMs: VALID_MS }
  if (mode === 'FIRE' || mode === 'EVACUATE') return { light: 'emergency', words: ALARM[mode], ...said }
  if (mode === 'LOCKDOWN') return { light: 'closed', words: WORDS.closed, ...said }
  const light = gate === undefined || mode === null ? 'unknown' : lightOf(report, gate, state)
  const isFull = report.occupancy.count >= report.occupancy.capacity
  const minutes = light === 'wait' && isFull ? waitMinutes(report) : undefined
  return {
    light,
    words: light === 'wait' && !isFull ? DRY : WORDS[light],
    ...said,
    ...(o.places && (light === 'go' || light === 'slow') ? { left: placesLeft(report) } : {}),
    ...(minutes === undefined ? {} : { waitMinutes: minutes }),
  }
}

/** The worse of what the mall and the gate itself say: a gate's own contact is heard there first. */
function modeOf({ mode, anchor }: MallReport, state: string | undefined): Mode | null {
  const own = SEVERITY.find(name => name === state && name !== 'NORMAL') ?? 'NORMAL'
  const worse = SEVERITY.indexOf(own) > SEVERITY.indexOf(mode) ? own : mode
  // who has no policy yet has heard nobody: a calm that it never heard of is none
  return worse === 'NORMAL' && anchor.policyVersion === 0 ? null : worse
}

function lightOf(report: MallReport, gate: GateReport, state: string | undefined): 'go' | 'slow' | 'wait' | 'unknown' {
  const isHeard = gate.isReachable && gate.isRostered && !gate.isBanned
  if (!isHeard || state === undefined || !WORKING.includes(state)) return 'unknown'
  const { capacity, count, atMost } = report.occupancy
  const held = Math.max(0, gate.balance)
  // what gates that are out of reach hold cannot be fetched here
  const inReach = state === 'ISOLATED' || state === 'EXHAUSTED' ? held : Math.max(held, capacity - atMost)
  const free = Math.min(capacity - count, inReach)
  if (free <= 0) return 'wait'
  return free <= Math.max(NEARLY_MIN, (capacity * NEARLY_PER_MILLE) / 1000) ? 'slow' : 'go'
}

/** Rounded down to a step, so that never more are promised than there are. */
function placesLeft({ left, occupancy: { capacity } }: MallReport): number {
  const step = stepOf(capacity)
  const about = coarse(left, capacity)
  return about > left ? about - step : about
}

/** Those who wait, and the one who reads this, go in as others leave. */
function waitMinutes({ gates, rates, occupancy: { count, capacity } }: MallReport): number | undefined {
  if (rates.exits < EXITS_PER_MINUTE_MIN) return undefined
  let before = Math.max(0, count - capacity)
  for (const { isReachable, queue, waiting } of gates) if (isReachable) before += queue ?? waiting ?? 0
  const minutes = Math.ceil((before + 1) / rates.exits)
  return minutes <= WAIT_MINUTES_MAX ? minutes : undefined
}
