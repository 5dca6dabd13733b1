// Operations: everything that can be asked of the anchor over HTTP, and who may ask it.
//
// Law: the table is complete. `anyone` is for what harms nobody; `signed` is for notes, whose authority is in their
// signatures, so that it does not matter who brings them; all else needs a token of one of the roles named.

import type { Role } from '../../ledger/charter.ts'

export type Who = 'anyone' | 'signed' | readonly Role[]

const ALL = ['viewer', 'operator', 'marshal', 'auditor'] as const
const STAFF = ['operator', 'marshal', 'auditor'] as const
const HANDS = ['operator', 'marshal'] as const

const TABLE = {
  getOpenapi: 'anyone',
  createChallenge: 'anyone',
  login: 'anyone',
  logout: ALL,
  whoami: ALL,

  listMalls: ALL,
  getOccupancy: ALL,
  streamOccupancy: ALL,
  listGates: ALL,
  getPolicy: ALL,
  getModes: ALL,
  getSignals: ALL,
  getCheckpoint: ALL,
  getCharter: ALL,
  listAlerts: ALL,
  listAlertHistory: ALL,
  getMetrics: ALL,

  listEvents: STAFF,
  getEvent: STAFF,
  getProof: STAFF,
  exportEvents: STAFF,
  streamEvents: STAFF,
  listRecounts: STAFF,
  listApprovals: STAFF,
  getApproval: STAFF,
  listReconciliation: STAFF,
  listHolds: STAFF,
  listEvidence: STAFF,
  getInventory: STAFF,
  listRows: STAFF,
  exportLedger: STAFF,

  bringPolicy: 'signed',
  bringMode: 'signed',
  bringRecount: 'signed',
  bringApproval: 'signed',
  signApproval: 'signed',

  createDraft: HANDS,
  withdrawApproval: HANDS,
  acknowledgeAlert: HANDS,
  placeGate: HANDS,
  labelGate: HANDS,
  createNote: HANDS,
  createHold: ['marshal', 'auditor'],
  endHold: ['marshal'],
  listTokens: ['marshal'],
  createToken: ['marshal'],
  revokeToken: ['marshal'],
} as const satisfies Record<string, Who>

export type Operation = keyof typeof TABLE

export const OPERATIONS: Readonly<Record<Operation, Who>> = TABLE

/** May a caller of this role do it? `undefined` is a caller without a token. */
export function may(operation: Operation, role: Role | undefined): boolean {
  const who = OPERATIONS[operation]
  if (who === 'anyone' || who === 'signed') return true
  return role !== undefined && who.includes(role)
}

/** Where reads are open, whoever reaches the port reads what an auditor may. */
export const OPEN_ROLE: Role = 'auditor'
