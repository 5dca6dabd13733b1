// A day at one gate: people walk by a script at boards played in another process, over a pseudo-terminal at the speed of
// its wire, and the whole driver with the real passage logic counts them.

import type { HardwareConfig, LaneConfig } from '../../../hardware/config.ts'
import { Guard } from '../../../hardware/guard.ts'
import { MAPS } from '../../../hardware/modbus/maps.ts'
import { ModbusIo } from '../../../hardware/modbus/modbus-io.ts'
import { PASSAGE_RULES, type PassageRules } from '../../../hardware/passage/rules.ts'
import type { Happening } from '../../../hardware/turnstile.ts'
import { REAL_CLOCK } from '../../../mesh/real-clock.ts'
import { Player } from '../player/player.ts'
import { type Line, now } from '../player/script.ts'

export const RELAYS = 1
export const TRIPOD = 2
/** the relay that nothing but latency is measured by, and the one that holds */
const LAMP = 0
const HOLD = 1
/** on the relay board: arms with a PASS contact per direction */
const ARMS = [0, 2, 4]
const FIRE = 7
/** two bounces long */
export const PULSE_MS_MIN = 16

export interface Counts {
  readonly in: number
  readonly out: number
}

export interface DayOptions {
  readonly path: string
  readonly baud: number
  readonly timeoutMs: number
  readonly seed?: number
  /** PASS pulses and what lies between them, in ms; rules follow from these */
  readonly widthMs: number
  readonly blindMs?: number
  readonly pollMs?: number
}

export class Day {
  readonly player: Player
  readonly guard: Guard
  readonly io: ModbusIo
  readonly happenings: Happening[] = []

  private constructor(player: Player, options: DayOptions) {
    this.player = player
    const config = configOf(options, player.path)
    this.io = new ModbusIo({ ...config, clock: REAL_CLOCK })
    this.guard = new Guard({
      config,
      io: this.io,
      clock: REAL_CLOCK,
      memory: { load: async () => undefined, save: async () => undefined },
      settled: async () => undefined,
      isSameLife: async () => true,
    })
  }

  static async begin(options: DayOptions): Promise<Day> {
    const player = await Player.start({
      path: options.path,
      baud: options.baud,
      boards: [
        { kind: 'relay', unit: RELAYS },
        { kind: 'counter', unit: TRIPOD },
      ],
      seed: options.seed ?? 1,
      ...(options.blindMs && { blindMs: options.blindMs }),
    })
    const day = new Day(player, options)
    await day.guard.start(happening => day.happenings.push(happening))
    return day
  }

  /** So many through each arm, and each way through the tripod; resolves once all have walked. */
  async people(a: {
    readonly perArm: number
    readonly widthMs: number
    readonly eachWay: number
    readonly everyMs: number
  }) {
    const from = this.player.journal.length
    for (const input of ARMS) {
      const inputs = [input, input + 1]
      this.player.send({ do: 'pass', unit: RELAYS, inputs, count: a.perArm, widthMs: a.widthMs, gapMs: a.widthMs })
    }
    for (const way of ['in', 'out'] as const)
      this.player.send({ do: 'walk', unit: TRIPOD, way, count: a.eachWay, gapMs: a.everyMs, isForced: true })
    const done = () => this.player.journal.slice(from).filter(line => line.what === 'done').length
    await this.player.until(() => done() === ARMS.length + 2, from, 110_000)
  }

  /** Pulses of the lamp's relay, one after the other, until `end`: ms from the order to the relay. */
  async grants(end: Promise<unknown>): Promise<number[]> {
    const latencies: number[] = []
    let isOver = false
    const over = () => {
      isOver = true
    }
    end.then(over, over)
    while (!isOver) {
      const from = this.player.journal.length
      const asked = now()
      await this.io.outputs.get('lamp')?.open()
      const on = await this.player.until(line => isSwitch(line, LAMP, true), from)
      latencies.push(on.at - asked)
      await this.player.until(line => isSwitch(line, LAMP, false), from)
    }
    return latencies
  }

  /** Opens the fire loop while an arm is held: ms from the loop to the relay. Closes it again. */
  async fire(): Promise<number> {
    const arm = this.guard.lanes[0]
    const from = this.player.journal.length
    this.guard.rearm()
    const isHeld = () => this.player.journal.slice(from).some(line => isSwitch(line, HOLD, true))
    // as a gate does it: again and again, for nothing is held before the loop was read
    await this.until(() => {
      arm?.entry.hold(5000)
      return isHeld()
    }, 15_000)
    // at any moment between two looks
    await new Promise(resolve => setTimeout(resolve, 20 + Math.random() * 50))
    this.player.send({ do: 'input', unit: RELAYS, input: FIRE, level: 0 })
    const opened = await this.player.until(line => line.what === 'input', from)
    const off = await this.player.until(line => isSwitch(line, HOLD, false), from)
    const told = this.happenings.length
    this.player.send({ do: 'input', unit: RELAYS, input: FIRE, level: 1 })
    await this.until(() => this.happenings.slice(told).some(one => one.kind === 'contact' && !one.isRaised))
    return off.at - opened.at
  }

  /** What really happened, by the boards' journal: lane → counts. */
  get played(): ReadonlyMap<string, Counts> {
    const passed = this.player.journal.filter(line => line.what === 'passed')
    const counts = (is: (line: (typeof passed)[number]) => 'in' | 'out' | undefined): Counts => ({
      in: passed.filter(line => is(line) === 'in').length,
      out: passed.filter(line => is(line) === 'out').length,
    })
    const arms = ARMS.map(input => {
      const way = (line: (typeof passed)[number]) =>
        line.input === input ? 'in' : line.input === input + 1 ? 'out' : undefined
      return [nameOf(input), counts(way)] as const
    })
    return new Map([...arms, ['tripod', counts(line => line.way)]])
  }

  /** What the turnstile told of: lane → counts. */
  get seen(): ReadonlyMap<string, Counts> {
    const seen = new Map([...ARMS.map(nameOf), 'tripod'].map(lane => [lane, { in: 0, out: 0 }]))
    for (const one of this.happenings) {
      if (one.kind !== 'entered' && one.kind !== 'intruded' && one.kind !== 'left') continue
      const counts = seen.get(one.lane)
      if (!counts) continue
      if (one.kind === 'left') counts.out++
      else counts.in += one.kind === 'intruded' ? one.count : 1
    }
    return seen
  }

  /** Waits until what was seen is what was played, or for a time in which it surely would be. */
  async settled(): Promise<void> {
    const same = () => JSON.stringify([...this.seen]) === JSON.stringify([...this.played])
    await this.until(same).catch(() => undefined)
    // one too many would come late as well
    await new Promise(resolve => setTimeout(resolve, 300))
  }

  async until(is: () => boolean, msMax = 5000): Promise<void> {
    const end = performance.now() + msMax
    while (!is()) {
      if (performance.now() > end) throw new Error(`not so after ${msMax} ms`)
      await new Promise(resolve => setTimeout(resolve, 10))
    }
  }

  async end(): Promise<void> {
    await this.guard.stop()
    await this.player.stop()
  }
}

function isSwitch(line: Line, relay: number, isOn: boolean): boolean {
  return line.what === 'relay' && line.relay === relay && line.isOn === isOn
}

function nameOf(input: number): string {
  return `arm-${input}`
}

function configOf(
  { baud, timeoutMs, widthMs, pollMs }: DayOptions,
  path: string,
): HardwareConfig & { driver: { driver: 'modbus' } } {
  // Faster people than there are, so that the day is short: the rules are those of tripods, at their speed.
  const rules: PassageRules = {
    ...PASSAGE_RULES,
    pulseMsMin: PULSE_MS_MIN,
    // people are a width apart, and a machine that is busy sees them closer together than they were
    doubleMs: Math.floor(widthMs / 4),
    togetherMs: 5,
    perMinuteMax: Math.floor(60_000 / Math.max(20, Math.floor(widthMs / 2))),
  }
  const wire = (at: number) => ({ on: 'relays', at, normally: 'closed' as const })
  const arms: LaneConfig[] = ARMS.map(input => ({
    name: nameOf(input),
    rules,
    inputs: { in: wire(input), out: wire(input + 1) },
    ...(input === 0 && { hold: { coil: { on: 'relays', at: HOLD } } }),
  }))
  const lamp: LaneConfig = {
    name: 'lamp',
    rules,
    inputs: {},
    grant: { coil: { on: 'relays', at: LAMP }, pulseMs: 100 },
  }
  const tripod: LaneConfig = {
    name: 'tripod',
    rules: { ...rules, doubleMs: 10, perMinuteMax: 6000 },
    inputs: {},
    counter: 'tripod',
  }
  return {
    driver: {
      driver: 'modbus',
      path,
      baud,
      parity: 'none',
      timeoutMs,
      pollMs: pollMs ?? 10,
      boards: [
        { name: 'relays', unit: RELAYS, map: MAPS.waveshare },
        { name: 'tripod', unit: TRIPOD, map: MAPS.lot },
      ],
    },
    lanes: [...arms, tripod, lamp],
    fire: wire(FIRE),
    holdMs: 2000,
    memory: '',
    optical: [],
  }
}
