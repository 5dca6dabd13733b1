// Counter: one optical counter as configured, which may be several devices or lines, and how much of it is to be believed.
//
// Law: a counter that is silent is unknown and not zero. It is sound only while it is heard and nothing of it was lost
// since people had time to show up in its totals.

import type { OpticalConfig } from './config.ts'
import { type Flow, NOBODY, type OpticalMessage, plus } from './reading.ts'
import { type DeviceMemory, type Flaw, Tally } from './tally.ts'

/** Somebody under the lens is through the arm by then, or the other way round, unless the config says otherwise. */
const WALK_MS = 10_000
const SILENT_MS = 300_000
const SILENT_TIMES = 3
/** No device reports less often; a clock that jumps must not make it seem so. */
const INTERVAL_MS_MAX = 3_600_000
/** More devices and lines than stand above one gate, with those that were exchanged; who was silent longest is forgotten. */
const DEVICES_MAX = 64
/** Numbers of messages that go back further were begun anew. */
const PACKAGES_BACK_MAX = 100

export interface CounterMemory {
  readonly devices: Readonly<Record<string, DeviceMemory>>
}

export interface Heard extends Flow {
  /** what was odd about it, with the device it is about; the first message of a device is not */
  readonly flaws: readonly { readonly flaw: Exclude<Flaw, 'first'>; readonly device: string }[]
}

export class Counter {
  readonly name: string
  readonly #config: OpticalConfig
  readonly #devices = new Map<string, Tally>()
  readonly #packages = new Map<string, number>()
  readonly #startedAt: number
  #heardAt: number | undefined
  #people: Flow = NOBODY
  #intervalMs = 0
  #soundAt: number
  #missing = 0
  #hasMemory = false

  constructor(config: OpticalConfig, now: number, memory?: CounterMemory) {
    this.name = config.name
    this.#config = config
    this.#startedAt = now
    this.#soundAt = now
    for (const [device, known] of Object.entries(memory?.devices ?? {})) this.#devices.set(device, new Tally(known))
    this.#hasMemory = this.#devices.size > 0
  }

  get memory(): CounterMemory {
    const devices: Record<string, DeviceMemory> = {}
    for (const [device, tally] of this.#devices) {
      const { memory } = tally
      if (memory !== undefined) devices[device] = memory
    }
    return { devices }
  }

  /** People seen since the start, and, by totals that were remembered, while this process was not there. */
  get people(): Flow {
    return this.#people
  }

  /** Heard since the start. */
  get isHeard(): boolean {
    return this.#heardAt !== undefined
  }

  /** What it told before this process began is known, so that a first message tells of what passed in between. */
  get hasMemory(): boolean {
    return this.#hasMemory
  }

  get heardAt(): number {
    return this.#heardAt ?? this.#startedAt
  }

  /** messages that never came, where the device numbers them; totals repair what was in them */
  get missing(): number {
    return this.#missing
  }

  /** By then whoever passed was told of, by this counter and by the arm. */
  get settleMs(): number {
    const { pull, walkMs = WALK_MS } = this.#config
    return walkMs + (pull === undefined ? 2 * this.#intervalMs : 2 * pull.everyMs + pull.timeoutMs)
  }

  isSilent(now: number): boolean {
    return now - this.heardAt > this.#silentMs
  }

  isSound(now: number): boolean {
    return this.isHeard && !this.isSilent(now) && now >= this.#soundAt
  }

  hear({ readings, package: parcel }: OpticalMessage, now: number, wall: number): Heard {
    this.#heardAt = now
    if (parcel !== undefined) this.#number(parcel.device, parcel.number)
    const flaws: { flaw: Exclude<Flaw, 'first'>; device: string }[] = []
    const known = new Set(this.#devices.keys())
    let people: Flow = NOBODY
    for (const reading of readings) {
      const { device } = reading
      if (reading.counts === 'interval' && reading.until !== undefined && reading.time !== undefined) {
        this.#intervalMs = Math.max(0, Math.min(INTERVAL_MS_MAX, reading.until - reading.time))
      }
      const taken = this.#tallyOf(device).take(reading, !known.has(device), wall)
      people = plus(people, taken)
      if (taken.flaw === undefined || taken.flaw === 'first') continue
      flaws.push({ flaw: taken.flaw, device })
      this.#soundAt = now + this.settleMs
    }
    this.#people = plus(this.#people, people)
    return { ...people, flaws }
  }

  /** A few questions without an answer, or a few reports that did not come. */
  get #silentMs(): number {
    const { pull, silentMs } = this.#config
    if (silentMs !== undefined) return silentMs
    if (pull === undefined) return Math.max(SILENT_MS, SILENT_TIMES * this.#intervalMs)
    return Math.max(WALK_MS, SILENT_TIMES * (pull.everyMs + pull.timeoutMs))
  }

  /** Whoever was heard last stands last. */
  #tallyOf(device: string): Tally {
    const tally = this.#devices.get(device) ?? new Tally()
    this.#devices.delete(device)
    this.#devices.set(device, tally)
    forgetBeyond(this.#devices)
    return tally
  }

  #number(device: string, number: number): void {
    const last = this.#packages.get(device)
    if (last !== undefined && number > last + 1) this.#missing += number - last - 1
    if (last === undefined || number > last || last - number > PACKAGES_BACK_MAX) this.#packages.set(device, number)
    forgetBeyond(this.#packages)
  }
}

function forgetBeyond(known: Map<string, unknown>): void {
  for (const device of known.keys()) {
    if (known.size <= DEVICES_MAX) return
    known.delete(device)
  }
}
