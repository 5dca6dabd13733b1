// Reader: one who hears a stream of server-sent events.
//
// Law: nobody who listens costs more than a portion in memory, and whoever does not read is let go: they come back with
// the id of the last event they have, and miss nothing.

import type { ServerResponse } from 'node:http'
import type { Clock } from '../../mesh/clock.ts'
import type { Reader } from './endpoint.ts'

/** Unread so far: beyond it nothing more is written. */
const UNREAD_BYTES_MAX = 64 * 1024
/** Whoever has not read for so long is gone, or might as well be. */
const UNREAD_MS_MAX = 15_000

export class Gone extends Error {}

export class StreamReader implements Reader {
  readonly #response: ServerResponse
  readonly #clock: Clock
  readonly #begin: () => void
  readonly #unreadMsMax: number
  #hasBegun = false
  #isAwake = false
  #wake: (() => void) | undefined

  /** `begin` is called before the first word: from then on the answer is a stream. */
  constructor(a: {
    readonly response: ServerResponse
    readonly clock: Clock
    readonly begin: () => void
    readonly unreadMsMax?: number
  }) {
    this.#response = a.response
    this.#clock = a.clock
    this.#begin = a.begin
    this.#unreadMsMax = a.unreadMsMax ?? UNREAD_MS_MAX
    a.response.on('close', () => this.wake())
  }

  get hasBegun(): boolean {
    return this.#hasBegun
  }

  get isGone(): boolean {
    return this.#response.destroyed || this.#response.writableEnded
  }

  async write(text: string): Promise<void> {
    if (!this.#hasBegun) {
      this.#hasBegun = true
      this.#begin()
    }
    if (this.isGone) throw new Gone('the reader is gone')
    this.#response.write(text)
    if (this.#response.writableLength > UNREAD_BYTES_MAX) await this.#drained()
  }

  async idle(ms: number): Promise<void> {
    if (!this.#isAwake && !this.isGone) await this.#asleep(ms)
    this.#isAwake = false
  }

  wake(): void {
    this.#isAwake = true
    this.#wake?.()
  }

  #asleep(ms: number): Promise<void> {
    return new Promise(resolve => {
      const forget = this.#clock.in(ms, () => this.wake())
      this.#wake = () => {
        forget()
        this.#wake = undefined
        resolve()
      }
    })
  }

  #drained(): Promise<void> {
    return new Promise((resolve, reject) => {
      const response = this.#response
      const end = (act: () => void) => () => {
        forget()
        response.off('drain', drained)
        response.off('close', closed)
        act()
      }
      const drained = end(resolve)
      const closed = end(() => reject(new Gone('the reader is gone')))
      const forget = this.#clock.in(this.#unreadMsMax, () => response.destroy())
      response.on('drain', drained)
      response.on('close', closed)
    })
  }
}
