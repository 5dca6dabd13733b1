// Coarse: numbers of people as strangers are told them, in steps that hide who came or went just now.

const STEP_MIN = 10
const STEP_PER_MILLE = 50

/** At least one in twenty of the capacity, in tens. */
export function stepOf(capacity: number): number {
  return Math.max(1, Math.ceil((capacity * STEP_PER_MILLE) / 1000 / STEP_MIN)) * STEP_MIN
}

/** The nearest step. */
export function coarse(people: number, capacity: number): number {
  const step = stepOf(capacity)
  return Math.round(people / step) * step
}
