// Relay board: inputs that are read and relays that are flashed.
//
// Law: a relay is switched on only by a flash, which the board ends by itself. So whatever becomes of us, it lets go.

import type { BoardConfig, RelayMap } from '../config.ts'
import { type Board, setUp } from './board.ts'
import type { AskOptions, Master } from './master.ts'
import { COIL_OFF } from './pdu.ts'

export class RelayBoard implements Board {
  readonly config: BoardConfig
  readonly #map: RelayMap
  readonly #master: Master
  readonly #tell: (levels: readonly number[]) => void

  constructor(a: {
    readonly config: BoardConfig
    readonly map: RelayMap
    readonly master: Master
    /** all inputs of the board, 1 for a closed contact */
    readonly tell: (levels: readonly number[]) => void
  }) {
    this.config = a.config
    this.#map = a.map
    this.#master = a.master
    this.#tell = a.tell
  }

  prepare(): Promise<void> {
    return setUp(this.#master, this.config)
  }

  async look(): Promise<void> {
    const { function: fn, base, count } = this.#map.inputs
    this.#tell(await this.#master.read(this.config.unit, fn, base, count))
  }

  /** Longer than asked for it never is on; a step is the least. Returns for how long. */
  async flash(relay: number, forMs: number, options?: AskOptions): Promise<number> {
    const { base, stepMs, valueMax } = this.#map.flash
    const value = Math.min(valueMax, Math.max(1, Math.floor(forMs / stepMs)))
    await this.#master.writeCoil(this.config.unit, base + relay, value, options)
    return value * stepMs
  }

  async off(relay: number, options?: AskOptions): Promise<void> {
    await this.#master.writeCoil(this.config.unit, this.#map.coils.base + relay, COIL_OFF, options)
  }
}
