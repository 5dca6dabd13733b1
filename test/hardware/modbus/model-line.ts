// Model line: a wire in the time of the test, with boards at its end that answer at the speed of the wire.

import type { Link, LinkEvents } from '../../../hardware/modbus/link.ts'
import { type Clock, HardwareFault } from '../../../hardware/turnstile.ts'
import { type Asked, Ear } from '../player/wire.ts'

/** What comes back for a question: bytes, and ms after it arrived; nothing where nobody answers. */
export type FarEnd = (asked: Asked) => { readonly bytes: Buffer; readonly afterMs: number } | undefined

export class ModelLine implements Link {
  readonly name = 'line'
  readonly framing = 'rtu'
  readonly gapMs: number
  readonly #clock: Clock
  readonly #baud: number
  readonly #ear = new Ear()
  farEnd: FarEnd
  /** all questions, with when they began to be sent */
  readonly asked: (Asked & { readonly sentAt: number })[] = []
  isThere = true
  #events: LinkEvents | undefined

  constructor(clock: Clock, farEnd: FarEnd, baud = 9600) {
    this.#clock = clock
    this.#baud = baud
    this.farEnd = farEnd
    this.gapMs = this.wireMs(3.5)
  }

  wireMs(bytes: number): number {
    return (bytes * 10_000) / this.#baud
  }

  async open(events: LinkEvents): Promise<void> {
    if (!this.isThere) throw new HardwareFault('LINK', 'line: there is no such port')
    this.#events = events
  }

  send(bytes: Buffer): void {
    const sentAt = this.#clock.now()
    for (const asked of this.#ear.hear(bytes)) {
      this.asked.push({ ...asked, sentAt })
      this.#clock.in(this.wireMs(asked.bytes), () => {
        const back = this.farEnd(asked)
        if (back) this.#clock.in(back.afterMs + this.wireMs(back.bytes.length), () => this.babble(back.bytes))
      })
    }
  }

  /** Bytes out of the blue. */
  babble(bytes: Buffer): void {
    this.#events?.bytes(bytes)
  }

  unplug(): void {
    const events = this.#events
    this.#events = undefined
    this.isThere = false
    events?.closed('line: unplugged')
  }

  async close(): Promise<void> {
    this.#events = undefined
  }
}
