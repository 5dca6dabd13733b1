// Probe: one input of a board, with what it means.
//
// Laws: what is told is the meaning and not the voltage, once at the start, once after the board was away, and at every
// change. A look that took long (a slow board, or a machine that was busy) leaves open when in that time the contact moved: of
// one that counts people in it is told how much earlier that may have been, so that nobody shrinks to a bounce.

import type { Wire } from '../config.ts'

/** A bus of 9600 baud takes half as long. */
const LONG_MS = 50

export interface Look {
  readonly askedAt: number
  readonly at: number
}

type Tell = (active: boolean, at: number, leadMs?: number) => void

export class Probe {
  readonly wire: Wire
  readonly #tell: Tell
  readonly #leansToPulse: boolean
  #active: boolean | undefined

  constructor(wire: Wire, tell: Tell, leansToPulse = false) {
    this.wire = wire
    this.#tell = tell
    this.#leansToPulse = leansToPulse
  }

  /** `level` is 1 for a closed contact. */
  see(level: number, { askedAt, at }: Look): void {
    const active = (level === 1) !== (this.wire.normally === 'closed')
    if (active === this.#active) return
    this.#active = active
    const leadMs = at - askedAt
    if (active && this.#leansToPulse && leadMs > LONG_MS) this.#tell(active, at, leadMs)
    else this.#tell(active, at)
  }

  forget(): void {
    this.#active = undefined
  }
}
