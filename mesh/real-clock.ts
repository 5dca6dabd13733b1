// Real clock: the machine's own time and chance, for the shells.

import { randomBytes } from 'node:crypto'
import type { Clock } from './clock.ts'
import { uuid7 } from './uuid7.ts'

export const REAL_CLOCK: Clock = {
  now: () => performance.now(),
  wall: () => Date.now(),
  in(ms, act) {
    // timers count whole ms and would come early by the rest
    const timer = setTimeout(act, Math.max(0, Math.ceil(ms)))
    return () => clearTimeout(timer)
  },
}

export function newId(): string {
  return uuid7(Date.now(), randomBytes(10))
}
