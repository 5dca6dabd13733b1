// Alert: something that somebody should look at, from when it was noticed until it was over.
//
// The codes here are those of the rules. What a member's siren sounds has codes of its own (alarm-table.ts).

export const SEVERITIES = ['info', 'warning', 'critical'] as const
export type Severity = (typeof SEVERITIES)[number]

export const CODES = [
  'OVER_ADMISSION',
  'EXIT_REFUSED',
  'EXIT_UNCOUNTED',
  'REJECTION_SPIKE',
  'GATE_SILENT',
  'MALL_SILENT',
  'ANCHOR_STALE',
  'FORK',
  'EVIDENCE',
  'SENSOR_DRIFT',
  'LEASE_DRIFT',
  'DISK',
  'CLOCK_SKEW',
  'COLLECTION_BEHIND',
  'APPROVAL_WAITING',
  'CAPACITY_CHANGED_FAR',
  'OCCUPANCY_WARN',
  'OCCUPANCY_HIGH',
  'OCCUPANCY_FULL',
  'OCCUPANCY_EXCEEDED',
  'MODE',
  'BMS_LIMIT',
  'BMS_SILENT',
] as const
export type Code = (typeof CODES)[number]

export interface Acknowledgement {
  readonly by: string
  /** wall clock */
  readonly at: number
  readonly note: string
}

export interface Alert {
  /** UUIDv7: in the order in which they were raised */
  readonly id: string
  readonly code: string
  /** which gate, account, policy …; empty for the mall as a whole */
  readonly subject: string
  readonly severity: Severity
  readonly detail: string
  readonly isOpen: boolean
  /** wall clock */
  readonly raisedAt: number
  readonly clearedAt?: number
  /** how often it came back within minutes of having been cleared */
  readonly times: number
  /** a siren's: it has no end of its own, and stays until somebody saw it */
  readonly isLatched?: true
  readonly acknowledged?: Acknowledgement
  /** wall clock of the last notice; none: nobody was told yet */
  readonly toldAt?: number
}

export type NoticeKind = 'raised' | 'repeated' | 'acknowledged' | 'cleared'

/** One message to whoever listens outside. */
export interface Notice {
  readonly id: string
  readonly kind: NoticeKind
  readonly at: number
  readonly mall: string
  readonly alert: Alert
}
