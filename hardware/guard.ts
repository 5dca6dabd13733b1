// Guard: makes a turnstile of anything that has pins or registers.
//
// Laws: when the fire loop opens, every entry is free before this turn of the program ends and before anybody is told;
// what a listener does or throws cannot come in between. Nothing here waits for a disk, a listener or a board before it
// lets somebody go. Locking is what has conditions, and letting go has none.

import type { HardwareConfig } from './config.ts'
import type { MemoryPort } from './counting/memory.ts'
import { Interlock } from './interlock.ts'
import type { Io, IoEvents } from './io.ts'
import { LaneGuard } from './lane-guard.ts'
import {
  type Clock,
  type Contact,
  type FaultCode,
  type Happening,
  HardwareFault,
  type Turnstile,
  type TurnstileState,
} from './turnstile.ts'

export interface GuardOptions {
  readonly config: HardwareConfig
  readonly io: Io
  readonly clock: Clock
  readonly memory: MemoryPort
  /** resolves once all that was told is in the gate's ledger */
  readonly settled: () => Promise<void>
  /** true once the gate goes on with the ledger that it had before it started */
  readonly isSameLife: () => Promise<boolean>
}

/** Who stops does not wait longer for boards that do not answer: they let go by themselves. */
const STOP_MS_MAX = 1000

export class Guard implements Turnstile {
  readonly lanes: readonly LaneGuard[]
  readonly #o: GuardOptions
  readonly #byName: ReadonlyMap<string, LaneGuard>
  readonly #interlock: Interlock
  /** faults of the whole, with what was said of them */
  readonly #faults = new Map<FaultCode, string>()
  #hear: (happening: Happening) => void = () => undefined
  #stopping: Promise<void> | undefined

  constructor(options: GuardOptions) {
    const { config } = options
    this.#o = options
    this.#interlock = new Interlock({ fire: config.fire !== undefined, key: config.key !== undefined })
    this.lanes = config.lanes.map(lane => this.#laneOf(lane.name))
    this.#byName = new Map(this.lanes.map(lane => [lane.name, lane]))
  }

  async start(hear: (happening: Happening) => void): Promise<void> {
    this.#hear = hear
    this.#stopping = undefined
    for (const lane of this.lanes) lane.start()
    await this.#o.io.start(this.#events())
  }

  rearm(): boolean {
    return this.#interlock.rearm()
  }

  state(): TurnstileState {
    return {
      driver: this.#o.config.driver.driver,
      isLatched: this.#interlock.isLatched,
      fire: this.#interlock.now('fire'),
      key: this.#interlock.now('key'),
      lanes: this.lanes.map(lane => lane.state()),
      link: this.#o.io.figures,
    }
  }

  stop(): Promise<void> {
    this.#stopping ??= this.#stop()
    return this.#stopping
  }

  async #stop(): Promise<void> {
    const freed = Promise.all(this.lanes.map(lane => lane.stop()))
    const { promise: late, resolve } = Promise.withResolvers<void>()
    const forget = this.#o.clock.in(STOP_MS_MAX, resolve)
    await Promise.race([freed, late])
    forget()
    await this.#o.io.stop()
  }

  #events(): IoEvents {
    return {
      input: (lane, signal, active, at, leadMs) => this.#byName.get(lane)?.input(signal, active, at, leadMs),
      counters: (lane, reading, at) => this.#byName.get(lane)?.counters(reading, at),
      contact: (contact, active, at) => this.#contact(contact, active, at),
      link: (lane, isUp, detail) => {
        if (lane === undefined) this.#sees(isUp, detail)
        else this.#byName.get(lane)?.link(isUp, detail)
      },
      fault: (code, detail, isOver) => this.#fault(code, detail, isOver),
    }
  }

  #contact(contact: Contact, active: boolean, at: number): void {
    const isNews = this.#interlock.saw(contact, active)
    if (contact === 'fire' && active) for (const lane of this.lanes) lane.release()
    if (isNews) this.#tell({ kind: 'contact', contact, at, isRaised: active })
  }

  #sees(isUp: boolean, detail: string): void {
    if (this.#interlock.sees(isUp)) this.#fault('INTERLOCK_BLIND', detail, isUp)
  }

  #fault(code: FaultCode, detail: string, isOver: boolean): void {
    if (isOver ? !this.#faults.delete(code) : this.#faults.get(code) === detail) return
    if (!isOver) this.#faults.set(code, detail)
    this.#tell({ kind: 'fault', at: this.#o.clock.now(), code, detail, isOver })
  }

  /** A listener that throws is a bug of the gate and is heard of as one, but not in the middle of this. */
  #tell(happening: Happening): void {
    try {
      this.#hear(happening)
    } catch (error) {
      this.#o.clock.in(0, () => {
        throw error
      })
    }
  }

  #laneOf(name: string): LaneGuard {
    const { config, clock, memory, settled, isSameLife } = this.#o
    const lane = config.lanes.find(one => one.name === name)
    const outputs = this.#o.io.outputs.get(name)
    if (lane === undefined || outputs === undefined)
      throw new HardwareFault('LINK', `lane ${name}: the driver has none`)
    return new LaneGuard({
      config: lane,
      outputs,
      clock,
      memory,
      settled,
      isSameLife,
      mayHold: () => this.#interlock.mayHold,
      tell: happening => this.#tell(happening),
    })
  }
}
