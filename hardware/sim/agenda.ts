// Agenda: what is still to happen at a played turnstile; all of it is forgotten at once when it is taken down.

import type { Clock } from '../turnstile.ts'

export class Agenda {
  readonly clock: Clock
  readonly #planned = new Set<() => void>()
  #isOver = false

  constructor(clock: Clock) {
    this.clock = clock
  }

  get now(): number {
    return this.clock.now()
  }

  get isOver(): boolean {
    return this.#isOver
  }

  /** Nothing is planned any more once it is over. */
  in(ms: number, act: () => void): () => void {
    if (this.#isOver) return () => undefined
    const cancel = this.clock.in(ms, () => {
      this.#planned.delete(cancel)
      act()
    })
    this.#planned.add(cancel)
    return () => {
      this.#planned.delete(cancel)
      cancel()
    }
  }

  end(): void {
    this.#isOver = true
    for (const cancel of this.#planned) cancel()
    this.#planned.clear()
  }
}
