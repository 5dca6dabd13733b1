// People at the boards. Their time stands still while the bus does: see Patience.

import { now } from './script.ts'

const TICK_MS = 4
/** more than that at once means that this process was held up */
const STEP_MS_MAX = 12

interface Due {
  readonly at: number
  readonly act: () => void
}

export class PlayedWorld {
  readonly #timer: NodeJS.Timeout
  #due: Due[] = []
  #time = 0
  #ticked = now()
  #stillAt = Number.POSITIVE_INFINITY
  stoodStillMs = 0

  constructor() {
    this.#timer = setInterval(() => this.#tick(), TICK_MS)
  }

  /** Unless something happens on the bus within this, it is held up. */
  expect(withinMs: number): void {
    this.#stillAt = now() + withinMs
  }

  after(ms: number): Promise<void> {
    return new Promise(resolve => {
      this.#due.push({ at: this.#time + ms, act: resolve })
    })
  }

  end(): void {
    clearInterval(this.#timer)
  }

  #tick(): void {
    const at = now()
    const passedMs = at - this.#ticked
    this.#ticked = at
    const stepMs = at > this.#stillAt ? 0 : Math.min(STEP_MS_MAX, passedMs)
    if (this.#due.length > 0) this.stoodStillMs += passedMs - stepMs
    this.#time += stepMs
    const due = this.#due.filter(one => one.at <= this.#time)
    this.#due = this.#due.filter(one => one.at > this.#time)
    for (const { act } of due) act()
  }
}
