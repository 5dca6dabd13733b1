// Line clock: time that goes on when nothing is left to be done at this moment, however deep its promises are.

import { setImmediate as turn } from 'node:timers/promises'
import type { Clock } from '../../../hardware/turnstile.ts'

interface Timer {
  readonly at: number
  readonly act: () => void
}

export class LineClock implements Clock {
  #now = 1000
  #timers: Timer[] = []

  now(): number {
    return this.#now
  }

  wall(): number {
    return 1_790_000_000_000 + Math.floor(this.#now)
  }

  in(ms: number, act: () => void): () => void {
    const timer = { at: this.#now + Math.max(0, ms), act }
    this.#timers.push(timer)
    return () => {
      this.#timers = this.#timers.filter(other => other !== timer)
    }
  }

  async pass(ms: number): Promise<void> {
    const end = this.#now + ms
    await turn()
    for (;;) {
      const [next] = this.#timers.filter(({ at }) => at <= end).sort((a, b) => a.at - b.at)
      if (next === undefined) break
      this.#timers = this.#timers.filter(other => other !== next)
      this.#now = Math.max(this.#now, next.at)
      next.act()
      await turn()
    }
    this.#now = end
  }

  /** Until this is settled. */
  async until<T>(promise: Promise<T>, msMax = 60_000): Promise<T> {
    let isDone = false
    const done = () => {
      isDone = true
    }
    promise.then(done, done)
    for (const end = this.#now + msMax; !isDone && this.#now < end; ) await this.pass(1)
    if (!isDone) throw new Error(`not settled after ${msMax} ms`)
    return promise
  }
}
