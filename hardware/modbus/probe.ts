// Probe: one input of a board, with what it means.
//
// Laws: what is told is the meaning and not the voltage, once at the start, once after the board was away, and at every
// change. A look that took long (a slow board, or a machine that was busy) leaves open when in that time the contact moved: one
// that counts people in has moved at its beginning, so that nobody shrinks to a bounce; any other at its end.

import type { Wire } from '../config.ts'

/** A bus of 9600 baud takes half as long. */
const LONG_MS = 50

export interface Look {
  readonly askedAt: number
  readonly at: number
}

export class Probe {
  readonly wire: Wire
  readonly #tell: (active: boolean, at: number) => void
  readonly #leansToPulse: boolean
  #active: boolean | undefined

  constructor(wire: Wire, tell: (active: boolean, at: number) => void, leansToPulse = false) {
    this.wire = wire
    this.#tell = tell
    this.#leansToPulse = leansToPulse
  }

  /** `level` is 1 for a closed contact. */
  see(level: number, { askedAt, at }: Look): void {
    const active = (level === 1) !== (this.wire.normally === 'closed')
    if (active === this.#active) return
    this.#active = active
    const isEarly = active && this.#leansToPulse && at - askedAt > LONG_MS
    this.#tell(active, isEarly ? askedAt : at)
  }

  forget(): void {
    this.#active = undefined
  }
}
