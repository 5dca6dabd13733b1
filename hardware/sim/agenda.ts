// Agenda: what is still to happen at a played turnstile; all of it is forgotten at once when it is taken down.
//
// Law: things happen when they are due, in that order, and at no other time: for whatever happens it is then as late as
// was planned. A program that was held up plays all that it missed, and a bounce of metal stays one, as short as ever.

import type { Clock } from '../turnstile.ts'

interface Planned {
  readonly at: number
  readonly act: () => void
}

export class Agenda {
  readonly clock: Clock
  /** what is due first comes first */
  readonly #planned: Planned[] = []
  #wake: { readonly at: number; readonly cancel: () => void } | undefined
  /** the time of what is happening */
  #playing: number | undefined
  #isOver = false

  constructor(clock: Clock) {
    this.clock = clock
  }

  get now(): number {
    return this.#playing ?? this.clock.now()
  }

  get isOver(): boolean {
    return this.#isOver
  }

  /** Nothing is planned any more once it is over. */
  in(ms: number, act: () => void): () => void {
    if (this.#isOver) return () => undefined
    const planned = { at: this.now + Math.max(0, ms), act }
    const later = this.#planned.findLastIndex(({ at }) => at <= planned.at)
    this.#planned.splice(later + 1, 0, planned)
    this.#sleep()
    return () => {
      const i = this.#planned.indexOf(planned)
      if (i >= 0) this.#planned.splice(i, 1)
    }
  }

  end(): void {
    this.#isOver = true
    this.#wake?.cancel()
    this.#planned.length = 0
  }

  #sleep(): void {
    const [next] = this.#planned
    if (next === undefined || this.#playing !== undefined) return
    if (this.#wake !== undefined && this.#wake.at <= next.at) return
    this.#wake?.cancel()
    const cancel = this.clock.in(Math.max(0, next.at - this.clock.now()), () => this.#play())
    this.#wake = { at: next.at, cancel }
  }

  #play(): void {
    this.#wake = undefined
    const now = this.clock.now()
    try {
      for (let next = this.#planned[0]; next !== undefined && next.at <= now; next = this.#planned[0]) {
        this.#planned.shift()
        this.#playing = next.at
        next.act()
      }
    } finally {
      this.#playing = undefined
      this.#sleep()
    }
  }
}
