// Modbus wires: registers of devices and gateways that speak Modbus TCP. One connection for each address, whoever asks.

import type { Link, LinkEvents } from '../../hardware/modbus/link.ts'
import { Master } from '../../hardware/modbus/master.ts'
import { TcpLink } from '../../hardware/modbus/tcp-link.ts'
import type { Clock } from '../../mesh/clock.ts'
import { placeText } from '../../mesh/lan/place.ts'
import type { ModbusWire } from './config.ts'
import { isModbusQuestion, mustBeQuestion } from './fence.ts'
import { numberIn, wordsOf } from './registers.ts'
import type { Wire } from './source.ts'

const FUNCTION = { holding: 3, input: 4 } as const

/** A link that carries questions only. */
class AskingLink implements Link {
  readonly name: string
  readonly framing = 'mbap'
  readonly gapMs = 0
  readonly #link: Link

  constructor(link: Link) {
    this.#link = link
    this.name = link.name
  }

  wireMs(bytes: number): number {
    return this.#link.wireMs(bytes)
  }

  open(events: LinkEvents): Promise<void> {
    return this.#link.open(events)
  }

  send(bytes: Buffer): void {
    mustBeQuestion(isModbusQuestion(bytes))
    this.#link.send(bytes)
  }

  close(): Promise<void> {
    return this.#link.close()
  }
}

export class ModbusWires {
  readonly #clock: Clock
  readonly #timeoutMs: number
  readonly #lines = new Map<string, Line>()

  constructor(a: { readonly clock: Clock; readonly timeoutMs: number }) {
    this.#clock = a.clock
    this.#timeoutMs = a.timeoutMs
  }

  wire(config: ModbusWire): Wire {
    const { place, unit, registers, at, type } = config
    const name = placeText(place)
    const line = this.#lines.get(name) ?? new Line({ ...place, clock: this.#clock, timeoutMs: this.#timeoutMs })
    this.#lines.set(name, line)
    return {
      ask: async () => numberIn(await line.read(unit, FUNCTION[registers], at, wordsOf(type)), config),
      close: () => line.close(),
    }
  }
}

class Line {
  readonly #master: Pick<Master, 'isOpen' | 'open' | 'read' | 'close'>
  #opening: Promise<void> | undefined

  constructor(a: { readonly host: string; readonly port: number; readonly clock: Clock; readonly timeoutMs: number }) {
    const link = new AskingLink(new TcpLink({ host: a.host, port: a.port, connectMs: a.timeoutMs }))
    this.#master = new Master({ link, clock: a.clock, timeoutMs: a.timeoutMs })
  }

  async read(unit: number, fn: 3 | 4, at: number, count: number): Promise<readonly number[]> {
    this.#opening ??= this.#master.open().finally(() => {
      this.#opening = undefined
    })
    await this.#opening
    try {
      return await this.#master.read(unit, fn, at, count)
    } catch (error) {
      // a connection that nobody answers on may be half dead: the next question makes a new one
      if ((error as { code?: string }).code === 'TIME_OUT') await this.#master.close()
      throw error
    }
  }

  async close(): Promise<void> {
    await this.#opening?.catch(() => undefined)
    await this.#master.close()
  }
}
