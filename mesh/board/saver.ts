// Saver: brings the board to its shelf, some seconds after it changed and when it closes.
//
// Law: saving never holds anything up and never throws; a shelf that fails is reported once, and tried again.

import type { Clock } from '../clock.ts'
import type { Saved } from './shelf.ts'

export interface SaverOptions {
  readonly clock: Clock
  readonly everyMs: number
  readonly shelf: { save(saved: Saved): Promise<void> } | undefined
  /** What to save now; nothing yet, if what is on the shelf is still worth more. */
  saved(): Saved | undefined
  alarm(code: string, detail: string): void
}

export class Saver {
  readonly #options: SaverOptions
  #forget: (() => void) | undefined
  #isFailing = false
  #isClosed = false

  constructor(options: SaverOptions) {
    this.#options = options
  }

  soon(): void {
    const { clock, everyMs, shelf, saved } = this.#options
    if (!shelf || this.#forget || this.#isClosed) return
    this.#forget = clock.in(everyMs, () => {
      this.#forget = undefined
      const what = saved()
      if (what) this.#save(what)
      else this.soon()
    })
  }

  /** The last one. Resolves when it is on disk, or reported not to be. */
  async close(saved: Saved): Promise<void> {
    this.#isClosed = true
    this.#forget?.()
    await this.#save(saved)
  }

  async #save(saved: Saved): Promise<void> {
    try {
      await this.#options.shelf?.save(saved)
      this.#isFailing = false
    } catch (error) {
      if (!this.#isFailing) this.#options.alarm('BOARD_UNSAVED', `not on disk: ${(error as Error).message}`)
      this.#isFailing = true
      this.soon()
    }
  }
}
