// A reading: what an optical counter says of itself, in one shape whatever it is made by.

export interface OpticalReading {
  /** as configured */
  readonly counter: string
  /** serial number or name the device gives itself */
  readonly device: string
  /** the same id again is the same reading, or a revision of it */
  readonly id?: string
  readonly in: number
  readonly out: number
  /** totals since the device began, or people of one interval (which `id` or `start` names) */
  readonly counts: 'cumulative' | 'interval'
  /** messages that never came, where the device numbers them */
  readonly missing: number
}

/** What optical counters saw since the look before, over all counters of a gate. */
export interface Look {
  readonly in: number
  readonly out: number
  /** false while a counter is silent, was reset, or left a gap that its totals do not repair: such looks judge nobody */
  readonly isSound: boolean
}
