// Drill: how long emergencies last, and how soon after the all-clear every gate is back. Fire drills are timed by it.

import type { Mode } from '../../ledger/entry.ts'

export interface DrillSeen {
  readonly mode: Mode
  /** of gates that are heard: the mode each says it is in; undefined: it does not say */
  readonly gateModes: readonly (string | undefined)[]
}

/** Seconds; two minutes are the aim. */
export const DRILL_BOUNDS: readonly number[] = [1, 2, 5, 10, 30, 60, 120, 300, 900, 3600]

export class Drill {
  readonly #onLasted: (ms: number) => void
  readonly #onRestored: (ms: number) => void
  /** mono ms */
  #raisedAt: number | undefined
  #clearedAt: number | undefined

  constructor(a: { readonly onLasted: (ms: number) => void; readonly onRestored: (ms: number) => void }) {
    this.#onLasted = a.onLasted
    this.#onRestored = a.onRestored
  }

  observe({ mode, gateModes }: DrillSeen, now: number): void {
    if (mode !== 'NORMAL') {
      this.#raisedAt ??= now
      this.#clearedAt = undefined
      return
    }
    if (this.#raisedAt !== undefined) {
      this.#onLasted(now - this.#raisedAt)
      this.#raisedAt = undefined
      this.#clearedAt = now
    }
    if (this.#clearedAt === undefined || gateModes.some(said => said !== undefined && said !== 'NORMAL')) return
    this.#onRestored(now - this.#clearedAt)
    this.#clearedAt = undefined
  }
}
