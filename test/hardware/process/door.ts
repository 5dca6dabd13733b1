// A gate's process with boards at its door that another process plays, over a pseudo-terminal.

import { join } from 'node:path'
import { change, opened, type Running } from '../../process/members.ts'
import { Player } from '../player/player.ts'
import type { Line } from '../player/script.ts'

export const LANE = 'north'
const RELAYS = 1
export const LOT = 2
const INPUTS = { ask: 0, in: 1, out: 2, fire: 6 } as const
const HOLD = 1

export interface DoorOptions {
  readonly baud: number
  readonly holdMs: number
  readonly pollMs: number
}

/** Boards of one gate. They live on when the gate dies. */
export class PlayedDoor {
  readonly player: Player
  readonly config: object

  private constructor(player: Player, { baud, holdMs, pollMs }: DoorOptions) {
    this.player = player
    const on = (at: number) => ({ on: 'relays', at, normally: 'closed' })
    const lane = {
      inputs: { ask: on(INPUTS.ask) },
      grant: { on: 'relays', at: 0, pulseMs: 300 },
      hold: { on: 'relays', at: HOLD },
      counter: 'lot',
      rules: { passageMs: 4000 },
    }
    const boards = { relays: { unit: RELAYS, map: 'waveshare' }, lot: { unit: LOT, map: 'lot' } }
    const { path } = player
    this.config = {
      driver: 'modbus',
      path,
      baud,
      boards,
      lanes: { [LANE]: lane },
      fire: on(INPUTS.fire),
      holdMs,
      pollMs,
    }
  }

  static async open(dir: string, name: string, options: DoorOptions): Promise<PlayedDoor> {
    const boards = [
      { kind: 'relay', unit: RELAYS },
      { kind: 'counter', unit: LOT },
    ] as const
    const player = await Player.start({ path: join(dir, `${name}.port`), baud: options.baud, boards })
    return new PlayedDoor(player, options)
  }

  get now(): number {
    return this.player.journal.length
  }

  /** The relay that locks the entry goes on or off. */
  lock(isOn: boolean, from = 0): Promise<Line> {
    return this.player.until(line => line.what === 'relay' && line.relay === HOLD && line.isOn === isOn, from)
  }

  /** The entry is held, now or as soon as it is. */
  async locked(): Promise<void> {
    if (!this.isLocked) await this.lock(true, this.now)
  }

  get isLocked(): boolean {
    const last = this.player.journal.findLast(line => line.what === 'relay' && line.relay === HOLD)
    return last?.what === 'relay' && last.isOn
  }

  /** The loop opens, or is closed again; when it did. */
  async fire(isOpen: boolean): Promise<number> {
    const from = this.now
    this.player.send({ do: 'input', unit: RELAYS, input: INPUTS.fire, level: isOpen ? 0 : 1 })
    return (await this.player.until(line => line.what === 'input', from)).at
  }

  /** Somebody walks; in needs a permit. Resolves once the device has counted them. */
  async walk(way: 'in' | 'out', gapMs: number, isForced = false): Promise<void> {
    const from = this.now
    this.player.send({ do: 'walk', unit: LOT, way, count: 1, gapMs, isForced })
    await this.player.until(line => line.what === 'done', from)
  }
}

/** A mall in which these gates have these doors. The anchor is `members.get('anchor')`. */
export function openedWith(
  dir: string,
  doors: ReadonlyMap<string, PlayedDoor>,
  capacity: number,
): Promise<ReadonlyMap<string, Running>> {
  return opened(dir, [...doors.keys()], capacity, 'in reach', () => {
    for (const [gate, { config }] of doors) change(dir, gate, { turnstile: config })
  })
}
