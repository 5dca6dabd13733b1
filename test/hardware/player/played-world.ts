// People at the boards. Their time stands still while nobody looks at them: see PlayerArguments.blindMs.

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
  readonly #blindMs: number
  #due: Due[] = []
  #time = 0
  #ticked = now()
  /** until they stand still */
  #leftMs: number
  stoodStillMs = 0

  constructor(blindMs: number) {
    this.#blindMs = blindMs
    this.#leftMs = blindMs
    this.#timer = setInterval(() => this.#tick(), TICK_MS)
  }

  /** Somebody looked at all of them. */
  seen(): void {
    this.#leftMs = this.#blindMs
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
    const stepMs = Math.min(STEP_MS_MAX, passedMs, this.#leftMs)
    this.#leftMs -= stepMs
    if (this.#due.length > 0) this.stoodStillMs += passedMs - stepMs
    this.#time += stepMs
    const due = this.#due.filter(one => one.at <= this.#time)
    this.#due = this.#due.filter(one => one.at > this.#time)
    for (const { act } of due) act()
  }
}
