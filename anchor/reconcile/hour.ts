// Hour: what went through one gate in one hour, by its turnstile and by the optical counter above it.
//
// Law: the two are compared over the same passages. An `optical` entry says what was seen since the one before it, and
// stands in the same ledger as the turnstile's entries, so its place there, not a clock, says which passages it covers.

export const HOUR_MS = 3_600_000
/** Above this share of the passages the sensors are to be calibrated. */
export const DRIFT_PER_MILLE_MAX = 5
/** One person who turned round is no drift, however few came. */
export const DRIFT_PEOPLE_MIN = 2

export interface Flow {
  readonly in: number
  readonly out: number
}

export interface Hour {
  /** wall clock at which it begins, ms, UTC */
  readonly hour: number
  readonly gate: string
  /** by the turnstile: let in or forced, less lapsed; and everybody who left, credited or not */
  in: number
  out: number
  rejected: number
  forced: number
  /** the turnstile over the very passages that the optical counter saw too */
  comparedIn: number
  comparedOut: number
  opticalIn: number
  opticalOut: number
}

export interface Drift {
  readonly hour: number
  readonly gate: string
  readonly turnstile: Flow
  readonly optical: Flow
  /** the larger of both directions */
  readonly people: number
  readonly perMille: number
  readonly isTooMuch: boolean
}

export function hourOf(at: number): number {
  return Math.floor(at / HOUR_MS) * HOUR_MS
}

export function noHour(hour: number, gate: string): Hour {
  const nothing = { in: 0, out: 0, rejected: 0, forced: 0 }
  return { hour, gate, ...nothing, comparedIn: 0, comparedOut: 0, opticalIn: 0, opticalOut: 0 }
}

/** Undefined where nothing was compared: no optical counter, or nobody came. */
export function driftOf(h: Hour): Drift | undefined {
  if (h.comparedIn + h.comparedOut + h.opticalIn + h.opticalOut === 0) return undefined
  const inward = apart(h.comparedIn, h.opticalIn)
  const outward = apart(h.comparedOut, h.opticalOut)
  const isTooMuch = [inward, outward].some(
    ({ people, perMille }) => people >= DRIFT_PEOPLE_MIN && perMille > DRIFT_PER_MILLE_MAX,
  )
  return {
    hour: h.hour,
    gate: h.gate,
    turnstile: { in: h.comparedIn, out: h.comparedOut },
    optical: { in: h.opticalIn, out: h.opticalOut },
    people: Math.max(inward.people, outward.people),
    perMille: Math.round(Math.max(inward.perMille, outward.perMille) * 10) / 10,
    isTooMuch,
  }
}

function apart(turnstile: number, optical: number): { readonly people: number; readonly perMille: number } {
  const people = Math.abs(turnstile - optical)
  const most = Math.max(turnstile, optical)
  return { people, perMille: most <= 0 ? 0 : (people * 1000) / most }
}
