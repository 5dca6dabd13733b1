// Public counts: how many are inside, for tenants and websites: the same to everyone until the next figure.
//
// Law: a figure with noise is on disk before it is told, so that no start makes a second one for the same epoch. Where
// that cannot be, nothing is told until the next.

import type { Mode } from '../../ledger/entry.ts'
import type { Cabinet } from '../../mesh/archive/cabinet.ts'
import type { Clock } from '../../mesh/clock.ts'
import type { Log } from '../../mesh/log.ts'
import type { Occupancy } from '../../mesh/occupancy.ts'
import type { PublicAnswer } from './answer.ts'
import { Calendar } from './calendar.ts'
import type { PublicConfig } from './config.ts'
import type { Below } from './laplace.ts'
import { blurred, everyMsOf, howOf, type Release, wordsOf } from './release.ts'

export interface PublicCountsOptions {
  readonly mall: string
  readonly config: PublicConfig
  readonly cabinet: Cabinet
  readonly clock: Clock
  readonly log: Log
  /** real chance */
  readonly below: Below
  /** undefined while nothing is known */
  readonly look: () => { readonly occupancy: Occupancy; readonly mode: Mode } | undefined
}

const LOOK_EVERY_MS = 1000
const KEY = 'public/release'

export class PublicCounts {
  readonly #o: PublicCountsOptions
  readonly #calendar: Calendar
  readonly #everyMs: number
  #told: Release | undefined
  #forgetLook: (() => void) | undefined
  #writing: Promise<void> | undefined

  static async open(options: PublicCountsOptions): Promise<PublicCounts> {
    const kept = options.config.counts === 'noisy' ? await options.cabinet.get(KEY) : undefined
    return new PublicCounts(options, kept === undefined ? undefined : (JSON.parse(kept) as Kept))
  }

  private constructor(options: PublicCountsOptions, kept: Kept | undefined) {
    this.#o = options
    this.#everyMs = everyMsOf(options.config)
    // epochs of another length are other epochs: what was told until now is over in all of them
    const over = kept === undefined ? undefined : (kept.release.epoch + 1) * kept.everyMs
    const last = over === undefined ? undefined : Math.ceil(over / this.#everyMs) - 1
    this.#calendar = new Calendar({ everyMs: this.#everyMs, last, isPlain: options.config.counts !== 'noisy' })
    if (kept?.everyMs === this.#everyMs) this.#told = kept.release
  }

  get places(): boolean {
    return this.#o.config.places
  }

  start(): void {
    if (this.#o.config.counts !== 'off') this.#look()
  }

  /** Safe to repeat. */
  async stop(): Promise<void> {
    this.#forgetLook?.()
    await this.#writing
  }

  /** Undefined where nothing is told to the public. */
  answer(): PublicAnswer | undefined {
    const { mall, config, clock, look } = this.#o
    if (config.counts === 'off') return undefined
    const wall = clock.wall()
    const { mode, occupancy } = look() ?? { mode: 'NORMAL', occupancy: undefined }
    const told = mode === 'NORMAL' ? this.#current(wall) : undefined
    return {
      mall,
      words: wordsOf(told, mode),
      count: told?.count ?? null,
      capacity: told?.capacity ?? null,
      at: told?.at ?? null,
      nextAt: this.#calendar.nextAt(wall),
      how: howOf(config, told?.capacity ?? occupancy?.capacity ?? 0),
    }
  }

  /** One that nobody renewed says nothing about the present. */
  #current(wall: number): Release | undefined {
    return this.#told !== undefined && Math.abs(wall - this.#told.at) <= 2 * this.#everyMs ? this.#told : undefined
  }

  #look(): void {
    const { clock, log } = this.#o
    this.#forgetLook = clock.in(LOOK_EVERY_MS, () => this.#look())
    try {
      if (this.#writing === undefined) this.#renew()
    } catch (error) {
      // what is told to websites must not end what serves the mall, and the malls beside it
      log.error('public counts', { error: (error as Error).stack })
    }
  }

  #renew(): void {
    const { clock } = this.#o
    const now = clock.now()
    const epoch = this.#calendar.due({ now, wall: clock.wall() })
    const { occupancy } = (epoch === undefined ? undefined : this.#o.look()) ?? {}
    // what was heard too long ago is no count of this epoch
    if (epoch === undefined || !occupancy || occupancy.capacity === 0 || occupancy.ageMs > this.#everyMs) return
    this.#calendar.drawn(epoch, now)
    this.#writing = this.#make(epoch, occupancy).finally(() => {
      this.#writing = undefined
    })
  }

  async #make(epoch: number, { count, capacity }: Occupancy): Promise<void> {
    const { config, cabinet, clock, log, below } = this.#o
    const release = { epoch, at: clock.wall(), count: blurred({ count, capacity }, config, below), capacity }
    const kept: Kept = { everyMs: this.#everyMs, release }
    try {
      if (config.counts === 'noisy') await cabinet.write([[KEY, JSON.stringify(kept)]])
      this.#told = release
    } catch (error) {
      log.error('public counts', { error: (error as Error).message })
    }
  }
}

interface Kept {
  readonly everyMs: number
  readonly release: Release
}
