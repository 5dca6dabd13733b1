// A clock that moves when the test says so.

import type { Clock } from '../../../hardware/turnstile.ts'

interface Timer {
  readonly at: number
  readonly act: () => void
}

const WALL = Date.UTC(2030, 0, 2, 9)

export class HandClock implements Clock {
  #now = 0
  #timers: Timer[] = []

  now(): number {
    return this.#now
  }

  wall(): number {
    return WALL + this.#now
  }

  in(ms: number, act: () => void): () => void {
    const timer = { at: this.#now + ms, act }
    this.#timers.push(timer)
    return () => {
      this.#timers = this.#timers.filter(other => other !== timer)
    }
  }

  /** How much is to happen, sooner or later. */
  get pending(): number {
    return this.#timers.length
  }

  /** Everything that is due on the way happens, in order. */
  pass(ms: number): void {
    const end = this.#now + ms
    for (;;) {
      const next = this.#timers.filter(({ at }) => at <= end).sort((a, b) => a.at - b.at)[0]
      if (next === undefined) break
      this.#timers = this.#timers.filter(other => other !== next)
      this.#now = Math.max(this.#now, next.at)
      next.act()
    }
    this.#now = end
  }
}
