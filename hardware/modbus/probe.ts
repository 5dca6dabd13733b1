// Probe: one input of a board, with what it means.
//
// Law: what is told is the meaning and not the voltage, once at the start, once after the board was away, and at every change.

import type { Wire } from '../config.ts'

export class Probe {
  readonly wire: Wire
  readonly #tell: (active: boolean, at: number) => void
  #active: boolean | undefined

  constructor(wire: Wire, tell: (active: boolean, at: number) => void) {
    this.wire = wire
    this.#tell = tell
  }

  /** `level` is 1 for a closed contact. */
  see(level: number, at: number): void {
    const active = (level === 1) !== (this.wire.normally === 'closed')
    if (active === this.#active) return
    this.#active = active
    this.#tell(active, at)
  }

  forget(): void {
    this.#active = undefined
  }
}
