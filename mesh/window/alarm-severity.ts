// Alarm severity: how grave a siren's alarm is, for those who read it off the board where no anchor weighs it. The
// anchor's own table (anchor/alerts/alarm-table.ts) says the same; a test holds them together.

import type { AlertReport } from './mall-report.ts'

type Severity = AlertReport['severity']

const GRAVE: ReadonlySet<string> = new Set([
  'BROKEN_LAW',
  'ROW_FLAWED',
  'OUTLIVED',
  'FORK',
  'ARCHIVE',
  'DISK',
  'INTERLOCK',
  'BEGIN',
  'BORN',
  'START',
  'CHARTER',
  'OFFICE',
  'OFFICE_DISK',
  'SEGMENT',
])
const SLIGHT: ReadonlySet<string> = new Set(['REFUSED', 'GARBAGE', 'LEDGER_PUT_BACK'])
const ORDER: readonly Severity[] = ['critical', 'warning', 'info']

export function alarmSeverity(code: string): Severity {
  return GRAVE.has(code) ? 'critical' : SLIGHT.has(code) ? 'info' : 'warning'
}

/** Worst first, and of those what nobody acknowledged, and of those the newest. */
export function byGravity(a: AlertReport, b: AlertReport): number {
  const grave = ORDER.indexOf(a.severity) - ORDER.indexOf(b.severity)
  const unseen = Number(a.acknowledged !== undefined) - Number(b.acknowledged !== undefined)
  return grave || unseen || b.at - a.at
}
