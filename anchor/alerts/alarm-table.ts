// Alarm table: what a member's siren sounds, as alerts. A siren says that something happened and never that it is over:
// most are over when they are not heard for a while, and some stay until a person saw them.

import type { Severity } from './alert.ts'

export interface AlarmRule {
  readonly code: string
  readonly severity: Severity
  /** stays until somebody acknowledged it */
  readonly isLatched?: true
}

const latched = (severity: Severity, code: string): AlarmRule => ({ code, severity, isLatched: true })
const passing = (severity: Severity, code: string): AlarmRule => ({ code, severity })

/** By the code of the siren; `seen`: a rule sees it by itself. */
export const ALARMS: Readonly<Record<string, AlarmRule | 'seen'>> = {
  BROKEN_LAW: latched('critical', 'LAW_BROKEN'),
  ROW_FLAWED: latched('critical', 'ROW_FLAWED'),
  OUTLIVED: latched('critical', 'OUTLIVED'),
  EXIT_UNCOUNTED: latched('warning', 'EXIT_UNCOUNTED'),
  POLICY_REFUSED: latched('warning', 'POLICY_REFUSED'),
  MODE_REFUSED: latched('warning', 'MODE_REFUSED'),
  FALSE_FORK: latched('warning', 'FALSE_FORK'),
  FORK: 'seen',
  EVIDENCE: 'seen',
  ARCHIVE: passing('critical', 'ARCHIVE'),
  DISK: passing('critical', 'DISK'),
  BEGIN: passing('critical', 'BEGIN'),
  BORN: passing('critical', 'BORN'),
  START: passing('critical', 'START'),
  CHARTER: passing('critical', 'CHARTER'),
  STORE_IO: passing('warning', 'STORE_IO'),
  LEDGER_PUT_BACK: passing('info', 'LEDGER_PUT_BACK'),
  OFFICE: passing('critical', 'OFFICE'),
  OFFICE_DISK: passing('critical', 'OFFICE_DISK'),
  SEGMENT: latched('critical', 'SEGMENT'),
  RETENTION: passing('warning', 'RETENTION'),
  INTERLOCK: passing('critical', 'INTERLOCK'),
  TURNSTILE: passing('warning', 'TURNSTILE'),
  OPTICAL: passing('warning', 'OPTICAL'),
  RESTARTED: passing('warning', 'RESTARTED'),
  REQUEST: passing('warning', 'REQUEST'),
  NOTE: passing('warning', 'NOTE'),
  BOARD: passing('warning', 'BOARD'),
  BOARD_FILE: passing('warning', 'BOARD_FILE'),
  BOARD_FULL: passing('warning', 'BOARD_FULL'),
  BOARD_LISTENER: passing('warning', 'BOARD_LISTENER'),
  BOARD_UNSAVED: passing('warning', 'BOARD_UNSAVED'),
  REFUSED: passing('info', 'REFUSED'),
  GARBAGE: passing('info', 'GARBAGE'),
}

/** About somebody else: thirty gates that say the same of one say it once. */
const OF_OTHERS: ReadonlySet<string> = new Set([
  'ROW_FLAWED',
  'FALSE_FORK',
  'POLICY_REFUSED',
  'MODE_REFUSED',
  'REFUSED',
  'GARBAGE',
])

/** What a gate says of itself all the time, and takes back by itself. */
const TOLD_BY_GATES: ReadonlySet<string> = new Set(['DISK'])

/** The same for what a gate's siren sounded. */
export function gateAlarmRule(code: string): AlarmRule | undefined {
  return TOLD_BY_GATES.has(code) ? undefined : alarmRule(code)
}

/** Whom it is about, where a gate's siren sounded it. */
export function subjectOf(code: string, gate: string, detail: string): string {
  const colon = detail.indexOf(': ')
  return OF_OTHERS.has(code) && colon !== -1 ? detail.slice(0, colon) : gate
}

/** One that nobody has thought of here is told all the same. */
export function alarmRule(code: string): AlarmRule | undefined {
  const rule = Object.hasOwn(ALARMS, code) ? ALARMS[code] : passing('warning', code)
  return rule === 'seen' ? undefined : rule
}
