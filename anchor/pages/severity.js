// @ts-check
// Severity: the modes, in order of how severe they are, as ledger/mode.ts has them.

export const RAISED = /** @type {const} */ (['LOCKDOWN', 'EVACUATE', 'FIRE'])

/** @typedef {typeof RAISED[number]} Raised */

/** May this still be raised while that is in force? @param {Raised} mode @param {string} inForce */
export function isWorse(mode, inForce) {
  return RAISED.indexOf(mode) > RAISED.indexOf(/** @type {Raised} */ (inForce))
}
