// Roster: the gates whom we have a line to.
//
// Law: whoever is taken off is told so before the line is cut. What we tell waits for the disk; a cut does not wait for
// long, whatever the disk does.

import type { GateKey } from '../ledger/charter.ts'

/** So long a cut waits at most. */
export const CUT_MS_MAX = 400

export class Roster {
  /** undefined: nobody has a line yet */
  #gates: readonly GateKey[] | undefined
  #newest: readonly GateKey[] | undefined
  #since = 0

  /** `newest` as policies have it; `isTold`: nothing that is to be told waits for the disk. */
  at(now: number, newest: readonly GateKey[], isTold: boolean): readonly GateKey[] {
    if (newest !== this.#newest) {
      this.#newest = newest
      this.#since = now
    }
    const isDue = isTold || now - this.#since >= CUT_MS_MAX
    if (this.#gates === undefined || isDue) this.#gates = newest
    return this.#gates
  }
}
