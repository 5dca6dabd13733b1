// Model clock: time that goes from one thing to the next as fast as they can be done, with a moment after each for what
// only waits for its turn.

import type { Clock } from '../../../hardware/turnstile.ts'

interface Timer {
  readonly at: number
  readonly act: () => void
}

/** Promises that follow from one another within the same moment. */
const TURNS = 6

export class ModelClock implements Clock {
  #now = 1000
  /** the next one last */
  readonly #timers: Timer[] = []

  now(): number {
    return this.#now
  }

  wall(): number {
    return 1_790_000_000_000 + Math.floor(this.#now)
  }

  get timers(): number {
    return this.#timers.length
  }

  in(ms: number, act: () => void): () => void {
    const timer = { at: this.#now + Math.max(0, ms), act }
    let [low, high] = [0, this.#timers.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if ((this.#timers[middle] as Timer).at > timer.at) low = middle + 1
      else high = middle
    }
    this.#timers.splice(low, 0, timer)
    return () => {
      const at = this.#timers.indexOf(timer)
      if (at >= 0) this.#timers.splice(at, 1)
    }
  }

  /** Everything that is due within this time happens, in order. */
  async pass(ms: number): Promise<void> {
    const end = this.#now + ms
    await turns()
    for (let next = this.#timers.at(-1); next !== undefined && next.at <= end; next = this.#timers.at(-1)) {
      this.#timers.pop()
      this.#now = Math.max(this.#now, next.at)
      next.act()
      await turns()
    }
    this.#now = end
  }

  /** Until this is settled; a model in which nothing is due any more never will. */
  async until<T>(promise: Promise<T>, msMax = 600_000): Promise<T> {
    let isDone = false
    const done = () => {
      isDone = true
    }
    promise.then(done, done)
    const end = this.#now + msMax
    while (!isDone && this.#now < end) await this.pass(50)
    if (!isDone) throw new Error(`not settled after ${msMax} ms of the model`)
    return promise
  }
}

async function turns(): Promise<void> {
  for (let i = 0; i < TURNS; i++) await undefined
}
