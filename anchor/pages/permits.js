// @ts-check
// Permits: what each role may do, so that nobody is offered what they would be refused.
//
// Law: this is for the eye only. The anchor decides by its own table (anchor/access/operations.ts), which a test holds
// against this one.

/** @typedef {'viewer' | 'operator' | 'marshal' | 'auditor'} Role */

const ALL = ['viewer', 'operator', 'marshal', 'auditor']
const STAFF = ['operator', 'marshal', 'auditor']
const HANDS = ['operator', 'marshal']

export const PERMITS = {
  getOccupancy: ALL,
  getPolicy: ALL,
  getSignals: ALL,
  listEvents: STAFF,
  listApprovals: STAFF,
  createDraft: HANDS,
  withdrawApproval: HANDS,
  acknowledgeAlert: HANDS,
  placeGate: HANDS,
  labelGate: HANDS,
  createNote: HANDS,
}

/** @typedef {keyof typeof PERMITS} Permit */

/** @param {Permit} permit @param {Role | undefined} role */
export function may(permit, role) {
  return role !== undefined && PERMITS[permit].includes(role)
}
