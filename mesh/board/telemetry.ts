// Telemetry: what a gate says about itself to displays, and what of a stranger's words is kept.
//
// Law: whatever arrives, what is read has known fields only, of the right type, within their range. No decision reads it.

import { cutText } from './text.ts'

interface Range {
  readonly min: number
  readonly max: number
  /** changes all the time: worth a repetition, not a frame of its own */
  readonly drifts?: true
}

const COUNT = { min: 0, max: 1e9 }
const DRIFT = { min: 0, max: 1e12, drifts: true } as const
const NUMBERS = {
  balance: { min: -1e9, max: 1e9 },
  /** people per minute, by what became of them */
  localPerMinute: COUNT,
  stolenPerMinute: COUNT,
  exitsPerMinute: COUNT,
  atCapacityPerMinute: COUNT,
  noHeadroomPerMinute: COUNT,
  emergencyPerMinute: COUNT,
  faultPerMinute: COUNT,
  /** people per second who ask: a hint for displays and planning */
  demandPerSecond: COUNT,
  waiting: COUNT,
  /** people who stand before it, as it estimates */
  queue: COUNT,
  peers: COUNT,
  unnecessaryRejects: COUNT,
  exitsUncounted: COUNT,
  decisionP99Ms: DRIFT,
  fsyncMs: DRIFT,
  loopLagMs: DRIFT,
  rssMb: DRIFT,
  anchorAgeMs: { min: -1, max: 1e12, drifts: true },
  uptimeS: DRIFT,
} as const satisfies Record<string, Range>

const TEXTS = { mode: 16, fault: 60, health: 16, version: 24, detail: 120 } as const satisfies Record<string, number>
const STATE_MAX = 16

export type Telemetry = { readonly state: string } & { readonly [K in keyof typeof NUMBERS]?: number } & {
  readonly [K in keyof typeof TEXTS]?: string
}

/** Read twice a second at every gate, so the lists are made once. */
const TEXT_FIELDS = Object.entries(TEXTS)
const NUMBER_FIELDS: readonly [name: string, range: Range][] = Object.entries(NUMBERS)
const STEADY_FIELDS = [
  'state',
  ...Object.keys(TEXTS),
  ...NUMBER_FIELDS.flatMap(([name, { drifts }]) => (drifts === true ? [] : [name])),
] as readonly (keyof Telemetry)[]

/** What can be believed to be telemetry; nothing without a state. */
export function readTelemetry(value: unknown): Telemetry | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  const said = value as Record<string, unknown>
  if (typeof said.state !== 'string') return undefined
  const read: Record<string, string | number> = { state: cutText(said.state, STATE_MAX) }
  for (const [name, max] of TEXT_FIELDS) {
    const text = said[name]
    if (typeof text === 'string') read[name] = cutText(text, max)
  }
  for (const [name, { min, max }] of NUMBER_FIELDS) {
    const number = said[name]
    if (typeof number === 'number' && Number.isFinite(number)) read[name] = clamp(number, min, max)
  }
  return read as Telemetry
}

/** Do two differ in something that somebody should see before the next repetition? */
export function differs(a: Telemetry, b: Telemetry): boolean {
  return STEADY_FIELDS.some(name => a[name] !== b[name])
}

/** Two decimals are enough for people, and a rate that only trembles is then the same rate. */
function clamp(number: number, min: number, max: number): number {
  return Math.round(Math.min(max, Math.max(min, number)) * 100) / 100
}
