// Rig: a turnstile of any driver, with hands at its far end. What every driver has to promise is in claims.ts; a driver
// joins by playing its hardware behind this.

import type { PassageRules } from '../../../hardware/passage/rules.ts'
import { PASSAGE_RULES } from '../../../hardware/passage/rules.ts'
import type { Happening, Turnstile } from '../../../hardware/turnstile.ts'

export interface Rig {
  /** not started */
  readonly turnstile: Turnstile
  /** Time passes until that is so, or until it is clear that it will never be. */
  until(what: string, isSo: () => boolean): Promise<void>
  pass(ms: number): Promise<void>
  /** Somebody stands before the arm and wants in. */
  asks(): void
  /** Somebody walks through, let in or over the arm; resolves once they are through. */
  walks(way: 'in' | 'out'): Promise<void>
  /** The fire loop opens, or the key is turned; or not any more. */
  contact(contact: 'fire' | 'key', isActive: boolean): void
  /** The cable to the hardware is cut, or mended. */
  cable(isWhole: boolean): void
  /** as the hardware has it */
  isLocked(): boolean
  /** how often the arm was opened for one person */
  pulses(): number
  close(): Promise<void>
}

/** What this hardware has; claims about anything else say that they were left out. */
export interface Parts {
  readonly asks: boolean
  readonly locks: boolean
  /** a lock ends by itself: it needs nobody alive */
  readonly leases: boolean
  readonly contacts: boolean
  readonly cable: boolean
}

/** People of a test have no time. */
export const RULES: PassageRules = { ...PASSAGE_RULES, passageMs: 800, guardMs: 400, tailgateMs: 300 }
export const HOLD_MS = 600
export const LANE = 'north'

/** In a real process: looks again every few ms. */
export async function untilSo(what: string, isSo: () => boolean, heard: readonly Happening[] = []): Promise<void> {
  const end = performance.now() + 15_000
  while (!isSo()) {
    if (performance.now() > end) throw new Error(`never: ${what}; heard ${JSON.stringify(heard.slice(-10))}`)
    await new Promise(resolve => setTimeout(resolve, 5))
  }
}
