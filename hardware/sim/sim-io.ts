// Sim io: played arms as an Io. People walk, contacts bounce, power fails, wires break; time and chance come in.
//
// Laws: what it tells is what sensors would have told, never what it knows. What it knows, who really went in and out, is
// its truth, which no driver has and tests compare with.

import type { LaneConfig, SimConfig } from '../config.ts'
import type { Io, IoEvents, LaneOutputs, Signal } from '../io.ts'
import { type Clock, type Contact, HardwareFault } from '../turnstile.ts'
import { Agenda } from './agenda.ts'
import { Chance } from './chance.ts'
import { SimLane } from './lane.ts'
import type { Intent, Outcome, Truth, Way } from './person.ts'

/** From the command to the coil that moves. */
const RELAY_MS = 4
/** A device that counts is read so often. */
const COUNTERS_MS = 200
const PATIENCE_MS = 10_000
/** Shorter than any passage: what the mains do to a wire. */
const SPIKE_MS = [10, 35] as const

export interface SimOptions {
  readonly clock: Clock
  readonly driver: SimConfig
  readonly lanes: readonly LaneConfig[]
}

export class SimIo implements Io {
  readonly outputs: ReadonlyMap<string, LaneOutputs>
  readonly #o: SimOptions
  readonly #agenda: Agenda
  readonly #chance: Chance
  readonly #lanes: ReadonlyMap<string, SimLane>
  readonly #contacts = { fire: false, key: false }
  /** lanes whose wires are broken */
  readonly #broken = new Set<string>()
  /** outputs that were told something and have not moved yet */
  readonly #moving = new Set<(isDone: boolean) => void>()
  #events: IoEvents | undefined
  #pulses = 0

  constructor(options: SimOptions) {
    this.#o = options
    this.#agenda = new Agenda(options.clock)
    this.#chance = new Chance(options.driver.seed, 'people')
    this.#lanes = new Map(options.lanes.map(lane => [lane.name, this.#laneOf(lane)]))
    this.outputs = new Map(options.lanes.map(lane => [lane.name, this.#outputsOf(lane)]))
  }

  get figures(): Readonly<Record<string, number>> {
    const { in: entries, out: exits } = this.truth
    return { walkedIn: entries, walkedOut: exits, pulses: this.#pulses, waiting: this.waiting }
  }

  get truth(): Truth {
    const sum = { in: 0, out: 0, unseenIn: 0, unseenOut: 0 }
    for (const { truth } of this.#lanes.values()) {
      for (const key of Object.keys(sum) as (keyof Truth)[]) sum[key] += truth[key]
    }
    return sum
  }

  /** People who are on their way through, or stand before an arm. */
  get waiting(): number {
    let sum = 0
    for (const lane of this.#lanes.values()) sum += lane.waiting
    return sum
  }

  async start(events: IoEvents): Promise<void> {
    this.#events = events
    const at = this.#agenda.now
    for (const { name } of this.#o.lanes) {
      events.link(name, true, 'played', at)
      this.#tellInputs(name)
    }
    events.link(undefined, true, 'played', at)
    for (const contact of ['fire', 'key'] as const) events.contact(contact, this.#contacts[contact], at)
    if (this.#o.lanes.some(lane => lane.counter !== undefined)) this.#readCounters()
  }

  async stop(): Promise<void> {
    if (this.#agenda.isOver) return
    this.#agenda.end()
    for (const resolve of this.#moving) resolve(false)
    this.#moving.clear()
    for (const lane of this.#lanes.values()) {
      lane.arm.free()
      lane.close()
    }
  }

  /** Somebody comes. Resolves once they are through, or have gone away. */
  person(way: Way, intent: Intent = {}): Promise<Outcome> {
    const { turnsRoundPerMille, tailgatePerMille } = this.#o.driver
    const lane = intent.lane === undefined ? this.#shortest() : this.lane(intent.lane)
    const {
      patienceMs = PATIENCE_MS,
      turnsRound = this.#chance.isOne(turnsRoundPerMille),
      isFollowed = this.#chance.isOne(tailgatePerMille),
      isBold = false,
      id,
    } = intent
    return new Promise(end => {
      if (this.#agenda.isOver) end({ lane: lane.name, walked: false, why: 'stopped', followers: 0 })
      else lane.come({ way, id, patienceMs, turnsRound: way === 'in' && turnsRound, isFollowed, isBold, end })
    })
  }

  /** Somebody could hear what this lane's sensors and devices say. */
  isRead(name: string): boolean {
    return this.lane(name).arm.isPowered && !this.#broken.has(name)
  }

  lane(name: string): SimLane {
    const lane = this.#lanes.get(name)
    if (lane === undefined) throw new HardwareFault('LINK', `there is no lane ${JSON.stringify(name)} here`)
    return lane
  }

  /** The fire loop opens, or the key is turned; or both are as always again. */
  contact(contact: Contact, isActive: boolean): void {
    if (this.#contacts[contact] === isActive || this.#agenda.isOver) return
    this.#contacts[contact] = isActive
    this.#events?.contact(contact, isActive, this.#agenda.now)
  }

  power(isOn: boolean, name?: string): void {
    for (const { name: own, counter } of this.#chosen(name)) {
      const lane = this.lane(own)
      if (lane.arm.isPowered === isOn) continue
      // a device that counts is silent without power; bare contacts are still read
      if (counter !== undefined && !isOn) this.#tellLink(own, false, 'the device does not answer')
      lane.power(isOn)
      if (counter !== undefined && isOn) this.#tellLink(own, true, 'it answers again')
    }
  }

  /** The wires to a lane break, or are mended. */
  wire(isWhole: boolean, name?: string): void {
    for (const { name: own } of this.#chosen(name)) {
      if (this.#broken.has(own) !== isWhole) continue
      if (isWhole) this.#broken.delete(own)
      else this.#broken.add(own)
      this.lane(own).isReadable = isWhole
      this.#tellLink(own, isWhole, isWhole ? 'it answers again' : 'nobody answers')
    }
  }

  stick(name: string, signal: Signal, at: boolean | undefined): void {
    this.lane(name).stick(signal, at)
  }

  spike(name: string, signal: Signal): void {
    this.lane(name).spike(signal, this.#chance.between(...SPIKE_MS))
  }

  #laneOf({ name, rules, inputs, counter }: LaneConfig): SimLane {
    const { driver } = this.#o
    return new SimLane({
      name,
      rules,
      signals: Object.keys(inputs) as Signal[],
      hasCounters: counter !== undefined,
      walkMs: driver.walkMs,
      agenda: this.#agenda,
      chance: new Chance(driver.seed, name),
      tell: (signal, active) => {
        if (!this.#broken.has(name)) this.#events?.input(name, signal, active, this.#agenda.now)
      },
    })
  }

  #outputsOf({ name, rules }: LaneConfig): LaneOutputs {
    const lane = this.lane(name)
    return {
      open: () =>
        this.#moves(lane, now => {
          this.#pulses++
          lane.arm.open(now, rules.passageMs)
          lane.look()
        }),
      hold: forMs => this.#moves(lane, now => lane.arm.hold(now, forMs)),
      free: () => {
        // over a broken wire nothing comes: then the hold runs out by itself
        if (this.#broken.has(name)) return Promise.resolve(false)
        lane.arm.free()
        lane.look()
        return Promise.resolve(true)
      },
      freeExit: () => Promise.resolve(true),
    }
  }

  /** What was on its way to the coil when the arm was let go stays undone. */
  #moves(lane: SimLane, act: (now: number) => void): Promise<boolean> {
    if (this.#agenda.isOver) return Promise.resolve(false)
    const { promise, resolve } = Promise.withResolvers<boolean>()
    const { frees } = lane.arm
    this.#moving.add(resolve)
    this.#agenda.in(RELAY_MS, () => {
      const isHeard = this.isRead(lane.name) && lane.arm.frees === frees
      if (isHeard) act(this.#agenda.now)
      this.#moving.delete(resolve)
      resolve(isHeard)
    })
    return promise
  }

  #chosen(name: string | undefined): readonly LaneConfig[] {
    if (name !== undefined) this.lane(name)
    return this.#o.lanes.filter(lane => name === undefined || lane.name === name)
  }

  #shortest(): SimLane {
    let best: SimLane | undefined
    for (const lane of this.#lanes.values()) if (best === undefined || lane.waiting < best.waiting) best = lane
    if (best === undefined) throw new HardwareFault('LINK', 'there is no lane here')
    return best
  }

  #tellLink(name: string, isUp: boolean, detail: string): void {
    this.#events?.link(name, isUp, detail, this.#agenda.now)
    if (isUp) this.#tellInputs(name)
  }

  #tellInputs(name: string): void {
    const { inputs } = this.#o.lanes.find(lane => lane.name === name) as LaneConfig
    const lane = this.lane(name)
    for (const signal of Object.keys(inputs) as Signal[]) {
      this.#events?.input(name, signal, lane.shown(signal), this.#agenda.now)
    }
  }

  #readCounters(): void {
    for (const { name, counter } of this.#o.lanes) {
      const lane = this.lane(name)
      if (counter === undefined || !this.isRead(name)) continue
      this.#events?.counters(name, lane.readCounters(), this.#agenda.now)
    }
    this.#agenda.in(COUNTERS_MS, () => this.#readCounters())
  }
}
