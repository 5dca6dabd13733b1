// A reading: what an optical counter says of itself, in one shape whatever it is made by.

export interface OpticalReading {
  /** serial number or name the device gives itself, and the line or counter of it where it has several */
  readonly device: string
  /** totals since the device began, or people of one interval, which `id` names */
  readonly counts: 'cumulative' | 'interval'
  readonly in: number
  readonly out: number
  /** the same id again is the same reading, or a revision of it */
  readonly id?: string
  /** beginning of it by the device's own clock, ms: says what came before what of one device, and nothing else */
  readonly time?: number
  /** end of an interval, by the same clock */
  readonly until?: number
  /** of the totals, people who are news in this very message: where nothing is known of before, they are not before */
  readonly news?: Flow
}

/** One message of a device. */
export interface OpticalMessage {
  readonly readings: readonly OpticalReading[]
  /** which device numbered its messages, and this one's number: holes show messages that never came */
  readonly package?: { readonly device: string; readonly number: number }
}

export interface Flow {
  readonly in: number
  readonly out: number
}

export const NOBODY: Flow = { in: 0, out: 0 }

export function plus(a: Flow, b: Flow): Flow {
  return { in: a.in + b.in, out: a.out + b.out }
}
