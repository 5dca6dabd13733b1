// Counter board: a turnstile that counts by itself and is told how many may enter.
//
// Laws: its exit is only ever told that it is free, and is looked after now and then: whoever wrote something else there is
// overruled. Holding it shut takes no lease: shut is what it is while nobody is permitted.

import type { BoardConfig, CounterMap } from '../config.ts'
import { type Board, setUp } from './board.ts'
import type { AskOptions, Master } from './master.ts'

/** of so many looks, one is at the permit of the exit, and one at the errors */
const CARE_EVERY = 20

/** What the entry was last told; unknown after the board was away. */
type Permit = 'unknown' | 'shut' | 'one' | 'free'

export class CounterBoard implements Board {
  readonly config: BoardConfig
  readonly #map: CounterMap
  readonly #master: Master
  readonly #tell: (counters: { readonly in: number; readonly out: number }) => void
  readonly #fault: (what: string, detail: string, isOver: boolean) => void
  #permit: Permit = 'unknown'
  #looks = 0

  constructor(a: {
    readonly config: BoardConfig
    readonly map: CounterMap
    readonly master: Master
    readonly tell: (counters: { readonly in: number; readonly out: number }) => void
    /** the device says that something is wrong with it, or found its exit not free */
    readonly fault: (what: string, detail: string, isOver: boolean) => void
  }) {
    this.config = a.config
    this.#map = a.map
    this.#master = a.master
    this.#tell = a.tell
    this.#fault = a.fault
  }

  async prepare(): Promise<void> {
    this.#permit = 'unknown'
    // before all else: whatever becomes of the rest, people can leave
    await this.freeExit()
    await setUp(this.#master, this.config)
  }

  /** One question each time, so that other boards have their turn in between. */
  async look(): Promise<void> {
    this.#looks++
    if (this.#looks % CARE_EVERY === 0) return this.#careForExit()
    if (this.#looks % CARE_EVERY === CARE_EVERY / 2 && this.#map.error) return this.#careForError(this.#map.error.at)
    const { unit } = this.config
    // all four at once, or an entry in between would belong to neither reading
    const [inHigh = 0, inLow = 0, outHigh = 0, outLow = 0] = await this.#master.read(unit, 3, this.#map.counters.at, 4)
    this.#tell({ in: inHigh * 0x10000 + inLow, out: outHigh * 0x10000 + outLow })
  }

  permitOne(options?: AskOptions): Promise<void> {
    return this.#allow('one', 1, options)
  }

  /** A grant that nobody walked through yet is left to its person. */
  async shut(options?: AskOptions): Promise<void> {
    if (this.#permit === 'free' || this.#permit === 'unknown') await this.#allow('shut', 0, options)
  }

  free(options?: AskOptions): Promise<void> {
    return this.#allow('free', this.#map.permit.free, options)
  }

  async freeExit(): Promise<void> {
    await this.#master.writeRegisters(this.config.unit, this.#map.exits.at, [this.#map.exits.free])
  }

  async #allow(permit: Permit, value: number, options?: AskOptions): Promise<void> {
    // until it is confirmed nobody knows
    this.#permit = 'unknown'
    await this.#master.writeRegisters(this.config.unit, this.#map.permit.at, [value], options)
    this.#permit = permit
  }

  async #careForExit(): Promise<void> {
    const { at, free } = this.#map.exits
    const [allowed] = await this.#master.read(this.config.unit, 3, at, 1)
    this.#fault('exit', `its exit was not free but ${allowed}, and was told that it is`, allowed === free)
    if (allowed !== free) await this.freeExit()
  }

  async #careForError(at: number): Promise<void> {
    const [code = 0] = await this.#master.read(this.config.unit, 3, at, 1)
    this.#fault('error', `it says error ${code}`, code === 0)
  }
}
