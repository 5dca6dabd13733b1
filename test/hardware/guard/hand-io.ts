// Hand io: pins that a test moves by hand, and outputs that answer when and what the test says.

import type { HardwareConfig, LaneConfig, Wire } from '../../../hardware/config.ts'
import type { CounterMemory, MemoryPort } from '../../../hardware/counting/memory.ts'
import { Guard } from '../../../hardware/guard.ts'
import type { Io, IoEvents, LaneOutputs, Signal } from '../../../hardware/io.ts'
import { PASSAGE_RULES } from '../../../hardware/passage/rules.ts'
import type { Happening } from '../../../hardware/turnstile.ts'
import { ModelClock } from '../sim/model-clock.ts'

export class HandIo implements Io {
  readonly outputs: ReadonlyMap<string, LaneOutputs>
  readonly figures = { frames: 7 }
  /** what outputs were told, oldest first */
  readonly orders: string[] = []
  /** what the hardware says to it; `undefined` while it thinks */
  answer: boolean | undefined | 'throws' = true
  readonly #thinking: ((isConfirmed: boolean) => void)[] = []
  #events: IoEvents | undefined
  starts = 0
  stops = 0

  constructor(lanes: readonly string[]) {
    this.outputs = new Map(lanes.map(lane => [lane, this.#outputsOf(lane)]))
  }

  get events(): IoEvents {
    return this.#events as IoEvents
  }

  /** All who wait for an answer get this one. */
  answerAll(isConfirmed: boolean): void {
    for (const resolve of this.#thinking.splice(0)) resolve(isConfirmed)
  }

  async start(events: IoEvents): Promise<void> {
    this.starts++
    this.#events = events
  }

  async stop(): Promise<void> {
    this.stops++
  }

  #outputsOf(lane: string): LaneOutputs {
    const order = (what: string) => {
      this.orders.push(`${lane} ${what}`)
      if (this.answer === 'throws') throw new Error('a driver that throws')
      const { promise, resolve } = Promise.withResolvers<boolean>()
      if (this.answer === undefined) this.#thinking.push(resolve)
      else resolve(this.answer)
      return promise
    }
    return {
      open: () => order('open'),
      hold: forMs => order(`hold ${forMs}`),
      free: () => order('free'),
      freeExit: () => order('freeExit'),
      refuse: () => order('refuse'),
    }
  }
}

const wire = (at: number, normally: Wire['normally'] = 'closed'): Wire => ({ on: 'hand', at, normally })

export function laneOf(name: string, fields: Partial<LaneConfig> = {}): LaneConfig {
  const inputs: LaneConfig['inputs'] = { ask: wire(0, 'open'), in: wire(1), out: wire(2) }
  return { name, rules: PASSAGE_RULES, inputs, ...fields }
}

export class HandRig {
  readonly clock = new ModelClock()
  readonly io: HandIo
  readonly config: HardwareConfig
  readonly guard: Guard
  readonly heard: Happening[] = []
  /** called with each happening, before it is noted */
  onHear: (happening: Happening) => void = () => undefined
  readonly memory = new Map<string, CounterMemory>()
  settled: () => Promise<void> = async () => undefined

  constructor(lanes: readonly LaneConfig[], fields: Partial<HardwareConfig> = {}) {
    this.io = new HandIo(lanes.map(lane => lane.name))
    const contacts = { fire: wire(6), key: wire(7, 'open') }
    const driver = { driver: 'gpio' } as HardwareConfig['driver']
    this.config = { driver, lanes, ...contacts, holdMs: 2000, memory: '', optical: [], ...fields }
    const memory: MemoryPort = {
      load: async lane => this.memory.get(lane),
      save: async (lane, memory) => void this.memory.set(lane, memory),
    }
    const { config, io, clock } = this
    this.guard = new Guard({ config, io, clock, memory, settled: () => this.settled(), isSameLife: async () => true })
  }

  /** Everything answers, the loop is closed, contacts are at rest. */
  async start(): Promise<void> {
    await this.guard.start(happening => {
      this.onHear(happening)
      this.heard.push(happening)
    })
    await this.clock.pass(0)
    const { events } = this.io
    const now = this.clock.now()
    for (const { name, inputs } of this.config.lanes) {
      events.link(name, true, 'it answers', now)
      for (const signal of Object.keys(inputs) as Signal[]) events.input(name, signal, false, now)
    }
    events.link(undefined, true, 'it answers', now)
    events.contact('fire', false, now)
    events.contact('key', false, now)
    await this.clock.pass(10)
    this.io.orders.splice(0)
  }

  /** Somebody walks by, as a PASS contact shows it. */
  async walks(lane: string, way: 'in' | 'out'): Promise<void> {
    this.io.events.input(lane, way, true, this.clock.now())
    await this.clock.pass(150)
    this.io.events.input(lane, way, false, this.clock.now())
    await this.clock.pass(600)
  }

  contact(contact: 'fire' | 'key', active: boolean): void {
    this.io.events.contact(contact, active, this.clock.now())
  }

  /** What was told since the last time, in words. */
  said(): string[] {
    return this.heard.splice(0).map(inWords)
  }
}

function inWords(happening: Happening): string {
  const where = 'lane' in happening && happening.lane !== undefined ? `${happening.lane} ` : ''
  switch (happening.kind) {
    case 'entered':
    case 'lapsed':
      return `${where}${happening.kind} ${happening.grant}`
    case 'intruded':
      return `${where}intruded ${happening.count} ${happening.why}`
    case 'left':
      return `${where}left ${happening.confidence > 0 ? 'sure' : 'of doubt'}`
    case 'contact':
      return `${happening.contact} ${happening.isRaised ? 'raised' : 'over'}`
    case 'fault':
      return `${where}${happening.code}${happening.isOver ? ' over' : ''}`
    case 'asked':
      return `${where}asked`
  }
}
