// Source: one number of the building, read again and again.
//
// Law: reading is all that can be done with it. What cannot be read, or cannot be, is unknown: never zero, and never the
// value before it for longer than `silentMs`.

import { asText } from '../../ledger/line.ts'
import type { Clock } from '../../mesh/clock.ts'
import type { SourceConfig } from './config.ts'
import type { SourceState } from './state.ts'

/** Asks the device for its raw number. Rejects with why it could not be had. */
export type Ask = () => Promise<number>

/** The way to a device, and nothing but the way to read. */
export interface Wire {
  ask: Ask
  /** Safe to repeat. */
  close(): Promise<void>
}

export interface SourceOptions {
  readonly config: SourceConfig
  readonly wire: Wire
  readonly clock: Clock
  readonly everyMs: number
  readonly timeoutMs: number
  readonly silentMs: number
  /** a good reading came */
  readonly heard: (value: number) => void
}

export class Source {
  readonly #o: SourceOptions
  #good: { readonly value: number; readonly now: number; readonly wall: number } | undefined
  #since: number
  #trouble: string | undefined
  #cancel: (() => void) | undefined
  #isStopped = false

  constructor(options: SourceOptions) {
    this.#o = options
    this.#since = options.clock.now()
  }

  get name(): string {
    return this.#o.config.name
  }

  /** Nothing good was heard for too long. */
  get isSilent(): boolean {
    return this.#o.clock.now() - (this.#good?.now ?? this.#since) > this.#o.silentMs
  }

  get state(): SourceState {
    const { name, in: unit } = this.#o.config
    const good = this.#good
    const { isSilent } = this
    return {
      name,
      in: unit,
      ...(good === undefined ? {} : { at: good.wall }),
      ...(good === undefined || isSilent ? {} : { value: good.value }),
      isSilent,
      ...(this.#trouble === undefined ? {} : { trouble: this.#trouble }),
    }
  }

  /** Safe to repeat. */
  start(): void {
    if (this.#cancel !== undefined || this.#isStopped) return
    this.#since = this.#o.clock.now()
    this.#cancel = this.#o.clock.in(0, () => this.#again())
  }

  /** Safe to repeat. */
  async stop(): Promise<void> {
    this.#isStopped = true
    this.#cancel?.()
    await this.#o.wire.close()
  }

  #again(): void {
    this.read().finally(() => {
      if (!this.#isStopped) this.#cancel = this.#o.clock.in(this.#o.everyMs, () => this.#again())
    })
  }

  /** One reading. Never rejects. */
  async read(): Promise<void> {
    const { config, wire, clock, heard } = this.#o
    const { times, over, min, max } = config
    try {
      const raw = await this.#within(wire.ask())
      const value = (raw * times) / over
      if (this.#isStopped) return
      if (!(value >= min && value <= max)) throw new Error(`${value} is not from ${min} to ${max}: a broken sensor?`)
      this.#good = { value, now: clock.now(), wall: clock.wall() }
      this.#trouble = undefined
      heard(value)
    } catch (error) {
      this.#trouble = asText((error as Error).message)
    }
  }

  /** A device that accepts and never answers holds nobody up; twice the time, for the wire has a limit of its own. */
  #within(asked: Promise<number>): Promise<number> {
    const { clock, timeoutMs } = this.#o
    return new Promise((resolve, reject) => {
      const cancel = clock.in(2 * timeoutMs, () => reject(new Error('no answer in time')))
      asked.then(resolve, reject).finally(cancel)
    })
  }
}
