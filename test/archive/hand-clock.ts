// Hand clock: time that passes when a test says so, and gives everyone else their turn between two timers.

import { setImmediate as turn } from 'node:timers/promises'
import type { Clock } from '../../mesh/clock.ts'

export class HandClock implements Clock {
  #now = 0
  #wall: number
  #timers: { readonly at: number; readonly act: () => void }[] = []

  constructor(wall = 1_763_251_200_000) {
    this.#wall = wall
  }

  now(): number {
    return this.#now
  }

  wall(): number {
    return this.#wall + this.#now
  }

  in(ms: number, act: () => void): () => void {
    const timer = { at: this.#now + ms, act }
    this.#timers.push(timer)
    return () => {
      this.#timers = this.#timers.filter(one => one !== timer)
    }
  }

  get waiting(): number {
    return this.#timers.length
  }

  async pass(ms: number): Promise<void> {
    const until = this.#now + ms
    for (;;) {
      await settle()
      const next = this.#timers.filter(({ at }) => at <= until).sort((a, b) => a.at - b.at)[0]
      if (next === undefined) break
      this.#timers = this.#timers.filter(timer => timer !== next)
      this.#now = Math.max(this.#now, next.at)
      next.act()
    }
    this.#now = until
    await settle()
  }
}

/** Whatever is only waiting for a promise goes on until it waits for time. */
export async function settle(): Promise<void> {
  for (let n = 0; n < 20; n++) await turn()
}
