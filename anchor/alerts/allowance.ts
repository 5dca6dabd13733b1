// Allowance: how many notices go out in a minute, whatever goes wrong. People who get a hundred read none.
//
// Law: a part of it is kept for what is critical.

import type { Severity } from './alert.ts'

export const PER_MINUTE = 20
const KEPT_FOR_CRITICAL = 10

export class Allowance {
  #left = PER_MINUTE
  #at = Number.NEGATIVE_INFINITY

  take(severity: Severity, now: number): boolean {
    const earned = this.#at === Number.NEGATIVE_INFINITY ? 0 : ((now - this.#at) * PER_MINUTE) / 60_000
    this.#left = Math.min(PER_MINUTE, this.#left + earned)
    this.#at = now
    if (this.#left - 1 < (severity === 'critical' ? 0 : KEPT_FOR_CRITICAL)) return false
    this.#left--
    return true
  }
}
