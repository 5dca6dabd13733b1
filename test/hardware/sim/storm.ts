// Storm: people and faults at a played turnstile, against the real guard and the real judgement, in model time.
//
// What must hold at every moment: whoever really came in a moment ago is counted in, unless no sensor had a chance to see
// them, and then a fault says so; and no more exits gave room back than people really left.

import assert from 'node:assert/strict'
import type { HardwareConfig, LaneConfig } from '../../../hardware/config.ts'
import type { CounterMemory, MemoryPort } from '../../../hardware/counting/memory.ts'
import { Guard } from '../../../hardware/guard.ts'
import type { Signal } from '../../../hardware/io.ts'
import { PASSAGE_RULES } from '../../../hardware/passage/rules.ts'
import type { Outcome } from '../../../hardware/sim/person.ts'
import { SimIo } from '../../../hardware/sim/sim-io.ts'
import { Random } from '../../sim/random.ts'
import { Gatekeeper } from './gatekeeper.ts'
import { ModelClock } from './model-clock.ts'

export const PERILS = [
  'spikes',
  'power',
  'wire',
  'stuck',
  'fire',
  'hung',
  'reset',
  'turners',
  'tailgaters',
  'bold',
] as const
export type Peril = (typeof PERILS)[number]
export type Sensors = 'contacts' | 'beams' | 'counters' | 'both'

const SIGNALS = {
  contacts: ['ask', 'in', 'out'],
  beams: ['ask', 'beam-a', 'beam-b'],
  counters: ['ask'],
  both: ['ask', 'in', 'out'],
} as const satisfies Record<Sensors, readonly Signal[]>

/** From the end of a walk until it is told: the contact's rest, and for counters the time between two looks. */
const LAG_MS = 1500
/** From when nobody can see to when that is told: as long as a contact may be open for a person. */
const BLIND_MS_MAX = PASSAGE_RULES.pulseMsMax + 1500
const STUCK_MS_MIN = PASSAGE_RULES.pulseMsMax + 500
const SAMPLE_MS = 100
/** After the last peril: all grants are done with. */
const CALM_MS = 30_000

export interface StormOptions {
  readonly seed: number
  readonly sensors: Sensors
  readonly perils: readonly Peril[]
  readonly minutes: number
  readonly capacity?: number
  readonly lanes?: number
}

export interface StormReport {
  readonly people: number
  readonly inside: number
  readonly really: number
  readonly unseen: number
  readonly keeper: Gatekeeper
  readonly io: SimIo
}

export class Storm {
  readonly #o: StormOptions
  readonly #random: Random
  readonly #clock = new ModelClock()
  readonly #config: HardwareConfig
  readonly #io: SimIo
  readonly #keeper: Gatekeeper
  readonly #visits: Promise<Outcome>[] = []
  /** true entries that sensors had a chance at, by when */
  readonly #trueIn: { readonly at: number; readonly count: number }[] = []
  readonly #blind: number[] = []
  #darkAt = Number.NEGATIVE_INFINITY
  #leaving = 0
  #unseenIn = 0
  #isCalm = false

  constructor(options: StormOptions) {
    this.#o = options
    const { seed, sensors, perils, lanes = 2, capacity = 15 } = options
    this.#random = new Random(`${seed} ${sensors} storm`)
    const signals: readonly Signal[] = SIGNALS[sensors]
    const inputs = Object.fromEntries(signals.map((signal, at) => [signal, { on: 'sim', at, normally: 'open' }]))
    const counter = sensors === 'counters' || sensors === 'both' ? { counter: 'board' } : {}
    const driver = {
      driver: 'sim',
      seed,
      turnsRoundPerMille: perils.includes('turners') ? 150 : 0,
      tailgatePerMille: perils.includes('tailgaters') ? 100 : 0,
      walkMs: 700,
    } as const
    this.#config = {
      driver,
      lanes: Array.from({ length: lanes }, (_, i): LaneConfig => {
        return { name: `lane-${i}`, rules: PASSAGE_RULES, inputs, ...counter } as LaneConfig
      }),
      fire: { on: 'sim', at: 6, normally: 'closed' },
      holdMs: 2000,
      memory: 'none',
      optical: [],
    }
    this.#io = new SimIo({ clock: this.#clock, driver, lanes: this.#config.lanes })
    const memory = new Notebook()
    const guard = new Guard({
      config: this.#config,
      io: this.#io,
      clock: this.#clock,
      memory,
      settled: () => Promise.resolve(),
      isSameLife: async () => true,
    })
    this.#keeper = new Gatekeeper({
      turnstile: guard,
      clock: this.#clock,
      capacity,
      chance: () => this.#random.next(),
      refused: lane => this.#io.lane(lane).sendAway(),
    })
  }

  async rage(): Promise<StormReport> {
    const clock = this.#clock
    await this.#keeper.start()
    await clock.pass(1000)
    this.#come()
    this.#trouble()
    const samples = (this.#o.minutes * 60_000) / SAMPLE_MS
    for (let i = 0; i < samples; i++) await this.#sample()
    this.#isCalm = true
    this.#mend()
    for (let i = 0; i < CALM_MS / SAMPLE_MS; i++) await this.#sample()
    await clock.until(Promise.all(this.#visits))
    const { in: ins, out: outs, unseenIn, unseenOut } = this.#io.truth
    assert.deepEqual(this.#keeper.flaws, [], this.#name)
    return {
      people: this.#visits.length,
      inside: this.#keeper.inside,
      really: ins - outs,
      unseen: unseenIn + unseenOut,
      keeper: this.#keeper,
      io: this.#io,
    }
  }

  get #name(): string {
    const { seed, sensors, perils } = this.#o
    return `seed ${seed}, ${sensors}, ${perils.join(' ') || 'no perils'}, at ${Math.round(this.#clock.now())} ms`
  }

  async #sample(): Promise<void> {
    await this.#clock.pass(SAMPLE_MS)
    const { entries, counters } = this.#keeper
    const { in: ins, out, unseenIn } = this.#io.truth
    const now = this.#clock.now()
    this.#trueIn.push({ at: now, count: ins - unseenIn })
    while ((this.#trueIn[1]?.at ?? now) <= now - LAG_MS) this.#trueIn.shift()
    const before = (this.#trueIn[0]?.at ?? now) <= now - LAG_MS ? (this.#trueIn[0]?.count ?? 0) : 0
    if (this.#isRead(now)) assert.ok(entries >= before, `${entries} counted in of ${before} who came in; ${this.#name}`)
    assert.ok(counters.exited <= out, `${counters.exited} exits gave room back, ${out} left; ${this.#name}`)
    if (unseenIn > this.#unseenIn) this.#blind.push(now)
    this.#unseenIn = unseenIn
    this.#checkBlind(now)
  }

  /** A device that counts tells of people when it is read: not while its wire is broken or its power gone. */
  #isRead(now: number): boolean {
    const isDark = ({ name, counter }: LaneConfig) => counter !== undefined && !this.#io.isRead(name)
    if (this.#config.lanes.some(isDark)) this.#darkAt = now
    return now - this.#darkAt > LAG_MS
  }

  /** Somebody came in whom no sensor could see: a fault was told of around then. */
  #checkBlind(now: number): void {
    while (this.#blind.length > 0 && (this.#blind[0] as number) < now - BLIND_MS_MAX) {
      const at = this.#blind.shift() as number
      const near = this.#keeper.told.some(fault => fault.at <= at + BLIND_MS_MAX && fault.at >= at - 60_000)
      assert.ok(near || this.#keeper.faults.size > 0, `nobody said that nothing could be seen at ${at}; ${this.#name}`)
    }
  }

  #come(): void {
    const random = this.#random
    if (this.#isCalm) return
    this.#clock.in(random.wait(900), () => {
      const { in: ins, out } = this.#io.truth
      if (ins - out - this.#leaving > 0 && random.chance(0.45)) this.#leave()
      else if (this.#io.waiting < 12) {
        const isBold = this.#has('bold') && random.chance(0.3)
        this.#visits.push(this.#io.person('in', { patienceMs: random.between(2000, 9000), isBold }))
      }
      this.#come()
    })
  }

  #leave(): void {
    this.#leaving++
    const leaving = this.#io.person('out').then(outcome => {
      this.#leaving--
      assert.equal(outcome.walked, true, `somebody could not leave; ${this.#name}`)
      return outcome
    })
    this.#visits.push(leaving)
  }

  #has(peril: Peril): boolean {
    return this.#o.perils.includes(peril)
  }

  #trouble(): void {
    const random = this.#random
    if (this.#isCalm) return
    this.#clock.in(random.wait(4000), () => {
      if (this.#isCalm) return
      const lane = random.pick(this.#config.lanes).name
      const peril = random.pick(PERILS)
      if (this.#has(peril)) this.#strike(peril, lane, random.between(300, 12_000))
      this.#trouble()
    })
  }

  #strike(peril: Peril, lane: string, forMs: number): void {
    const io = this.#io
    const later = (act: () => void, msMin = 0) => {
      this.#clock.in(Math.max(forMs, msMin), () => this.#isCalm || act())
    }
    const sensors = SIGNALS[this.#o.sensors].filter(signal => signal !== 'ask')
    switch (peril) {
      case 'spikes':
        for (const signal of sensors) if (this.#random.chance(0.6)) io.spike(lane, signal)
        return
      case 'power':
        io.power(false, lane)
        return later(() => io.power(true, lane))
      case 'wire':
        io.wire(false, lane)
        return later(() => io.wire(true, lane))
      case 'stuck': {
        if (sensors.length === 0) return
        const signal = this.#random.pick(sensors)
        io.stick(lane, signal, true)
        // a contact that sticks for a moment only is, to anybody who looks at it, a person
        return later(() => io.stick(lane, signal, undefined), STUCK_MS_MIN)
      }
      case 'fire':
        io.contact('fire', true)
        return later(() => {
          io.contact('fire', false)
          this.#keeper.rearm()
        })
      case 'hung':
        this.#keeper.isHung = true
        return later(() => {
          this.#keeper.isHung = false
        })
      case 'reset':
        return io.lane(lane).resetCounters()
      default:
    }
  }

  #mend(): void {
    const io = this.#io
    io.power(true)
    io.wire(true)
    io.contact('fire', false)
    this.#keeper.rearm()
    this.#keeper.isHung = false
    for (const { name, inputs } of this.#config.lanes) {
      for (const signal of Object.keys(inputs) as Signal[]) io.stick(name, signal, undefined)
    }
  }
}

class Notebook implements MemoryPort {
  readonly #pages = new Map<string, CounterMemory>()

  async load(lane: string): Promise<CounterMemory | undefined> {
    return this.#pages.get(lane)
  }

  async save(lane: string, memory: CounterMemory): Promise<void> {
    this.#pages.set(lane, memory)
  }
}
