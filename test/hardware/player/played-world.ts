// People at the boards. Their time stands still while nobody asks their board: see PlayerArguments.patienceMs.

import { now } from './script.ts'

const TICK_MS = 4
/** more than that at once means that this process was held up */
const STEP_MS_MAX = 12

interface Due {
  readonly at: number
  readonly act: () => void
}

export class PlayedWorld {
  readonly #patienceMs: number
  readonly #timer: NodeJS.Timeout
  #due: Due[] = []
  #time = 0
  #ticked = now()
  #askedAt = now()
  stoodStillMs = 0

  constructor(patienceMs: number) {
    this.#patienceMs = patienceMs
    this.#timer = setInterval(() => this.#tick(), TICK_MS)
  }

  asked(): void {
    this.#askedAt = now()
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
    const stepMs = at - this.#askedAt > this.#patienceMs ? 0 : Math.min(STEP_MS_MAX, passedMs)
    if (this.#due.length > 0) this.stoodStillMs += passedMs - stepMs
    this.#time += stepMs
    const due = this.#due.filter(one => one.at <= this.#time)
    this.#due = this.#due.filter(one => one.at > this.#time)
    for (const { act } of due) act()
  }
}
