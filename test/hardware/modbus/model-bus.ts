// Model bus: ModbusIo on a model line with a relay board (unit 1) and a counting turnstile (unit 2), in the time of the test.
// Lane `arm` has contacts and relays on the one, lane `tripod` is the other; fire loop and key switch are inputs 7 and 6.

import type { LaneConfig } from '../../../hardware/config.ts'
import type { Signal } from '../../../hardware/io.ts'
import { MAPS } from '../../../hardware/modbus/maps.ts'
import { ModbusIo } from '../../../hardware/modbus/modbus-io.ts'
import { PASSAGE_RULES } from '../../../hardware/passage/rules.ts'
import { PlayedCounter } from '../player/played-counter.ts'
import { PlayedRelay } from '../player/played-relay.ts'
import type { Line } from '../player/script.ts'
import type { Asked } from '../player/wire.ts'
import { LineClock } from './line-clock.ts'
import { ModelLine } from './model-line.ts'

export const ARM: LaneConfig = {
  name: 'arm',
  rules: PASSAGE_RULES,
  inputs: {
    in: { on: 'relays', at: 0, normally: 'closed' },
    out: { on: 'relays', at: 1, normally: 'closed' },
    ask: { on: 'relays', at: 2, normally: 'open' },
  },
  grant: { coil: { on: 'relays', at: 0 }, pulseMs: 500 },
  hold: { coil: { on: 'relays', at: 1 } },
  red: { coil: { on: 'relays', at: 2 }, pulseMs: 1000 },
}
export const TRIPOD: LaneConfig = { name: 'tripod', rules: PASSAGE_RULES, inputs: {}, counter: 'tripod' }

export class ModelBus {
  readonly clock = new LineClock()
  readonly journal: Line[] = []
  readonly told: string[] = []
  readonly inputs: { lane: string; signal: Signal; active: boolean; at: number }[] = []
  counters: { readonly in: number; readonly out: number } | undefined
  readonly relays: PlayedRelay
  readonly tripod: PlayedCounter
  readonly line: ModelLine
  readonly io: ModbusIo
  /** questions of which this is true have no answer */
  isDeaf: (asked: Asked) => boolean = () => false

  constructor(a: { readonly lanes?: readonly LaneConfig[]; readonly pollMs?: number } = {}) {
    const tell = (line: Line) => this.journal.push(line)
    this.relays = new PlayedRelay(1, tell, this.clock)
    this.tripod = new PlayedCounter(2, tell, this.clock)
    // nobody asks, and the key is not turned
    this.relays.inputs[2] = 0
    this.relays.inputs[6] = 0
    this.line = new ModelLine(this.clock, asked => {
      if (this.isDeaf(asked)) return undefined
      const board = asked.unit === 1 ? this.relays : asked.unit === 2 ? this.tripod : undefined
      return board && { bytes: board.answer(asked), afterMs: 2 }
    })
    this.io = new ModbusIo({
      driver: {
        driver: 'modbus',
        path: 'line',
        baud: 9600,
        parity: 'none',
        timeoutMs: 60,
        pollMs: a.pollMs ?? 20,
        boards: [
          { name: 'relays', unit: 1, map: MAPS.waveshare },
          { name: 'tripod', unit: 2, map: MAPS.lot },
        ],
      },
      lanes: a.lanes ?? [ARM, TRIPOD],
      fire: { on: 'relays', at: 7, normally: 'open' },
      key: { on: 'relays', at: 6, normally: 'open' },
      clock: this.clock,
      link: this.line,
    })
  }

  async start(): Promise<this> {
    await this.clock.until(
      this.io.start({
        input: (lane, signal, active, at) => this.inputs.push({ lane, signal, active, at }),
        contact: (contact, active) => this.told.push(`${contact} ${active}`),
        counters: (_, reading) => {
          this.counters = reading
        },
        link: (lane, isUp) => this.told.push(`${lane ?? 'contacts'} ${isUp ? 'up' : 'down'}`),
        fault: (code, detail, isOver) => this.told.push(`${code}${isOver ? ' over' : ''}: ${detail}`),
      }),
    )
    return this
  }

  outputs(lane: string) {
    const outputs = this.io.outputs.get(lane)
    if (!outputs) throw new Error(`there is no lane ${lane}`)
    return outputs
  }

  /** What was written to a register or coil, oldest first. */
  written(unit: number, fn: 5 | 16, at: number): number[] {
    const those = this.line.asked.filter(asked => asked.unit === unit && asked.fn === fn && asked.at === at)
    return those.map(({ word, data }) => (fn === 5 ? word : data.readUInt16BE(0)))
  }

  async stop(): Promise<void> {
    await this.clock.until(this.io.stop())
  }
}
