// Real clock: the machine's own time and chance, for the shells.

import { randomFillSync } from 'node:crypto'
import type { Clock } from './clock.ts'
import { CHANCE_BYTES, uuid7Of } from './uuid7.ts'

export const REAL_CLOCK: Clock = {
  now: () => performance.now(),
  wall: () => Date.now(),
  in(ms, act) {
    // timers count whole ms and would come early by the rest
    const timer = setTimeout(act, Math.max(0, Math.ceil(ms)))
    return () => clearTimeout(timer)
  },
}

/** Drawn for many ids at a time: the call costs more than the chance. */
const chance = Buffer.alloc(400 * CHANCE_BYTES)
const DIGITS = 2 * CHANCE_BYTES
let digits = ''
let drawn = 0

export function newId(): string {
  if (drawn === digits.length) {
    digits = randomFillSync(chance).toString('hex')
    drawn = 0
  }
  drawn += DIGITS
  return uuid7Of(Date.now(), digits.slice(drawn - DIGITS, drawn))
}
