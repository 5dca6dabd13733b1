// Hand clock: time that goes on when a test says so.

import type { Clock } from '../../mesh/clock.ts'

export const START = 1_790_002_800_000 // a full hour

export class HandClock implements Clock {
  #now = 1_000_000
  #wall: number
  #timers: { readonly at: number; readonly act: () => void }[] = []

  constructor(wall = START) {
    this.#wall = wall
  }

  now(): number {
    return this.#now
  }

  wall(): number {
    return this.#wall
  }

  in(ms: number, act: () => void): () => void {
    const timer = { at: this.#now + ms, act }
    this.#timers.push(timer)
    return () => {
      this.#timers = this.#timers.filter(other => other !== timer)
    }
  }

  /** Time passes, and whoever waited for it is called. */
  pass(ms: number): void {
    this.#now += ms
    this.#wall += ms
    for (const timer of this.#timers.filter(({ at }) => at <= this.#now)) {
      this.#timers = this.#timers.filter(other => other !== timer)
      timer.act()
    }
  }

  get timers(): number {
    return this.#timers.length
  }
}

/** Lets everything run that only waits for its turn. */
export async function settle(): Promise<void> {
  for (let i = 0; i < 5; i++) await new Promise(resolve => setImmediate(resolve))
}
