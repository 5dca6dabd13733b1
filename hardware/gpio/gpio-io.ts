// Gpio: a turnstile wired to pins.
//
// Laws: what a wire means is in the config and not in its voltage. A lane is up only while every chip it listens on is. An
// output that would outlive a dead gate is refused before anything is opened.

import type { Coil, GpioConfig, HardwareConfig, LaneConfig, Wire } from '../config.ts'
import type { Io, IoEvents, LaneOutputs, Signal } from '../io.ts'
import { HardwareFault } from '../turnstile.ts'
import { type Pin, type Pins, wordsOf } from './pins.ts'

interface Meaning {
  readonly wire: Wire
  readonly tell: (active: boolean, at: number) => void
}

interface Listener {
  /** undefined: fire loop and key switch */
  readonly lane: string | undefined
  readonly chips: readonly string[]
}

export interface GpioOptions {
  readonly config: HardwareConfig
  readonly driver: GpioConfig
  /** finds out which way this kernel has, and opens nothing yet */
  readonly pins: () => Promise<Pins>
}

export class GpioIo implements Io {
  readonly outputs: ReadonlyMap<string, LaneOutputs>
  readonly #config: HardwareConfig
  readonly #driver: GpioConfig
  readonly #find: () => Promise<Pins>
  readonly #listeners: readonly Listener[]
  /** chips that answer now */
  readonly #up = new Set<string>()
  #pins: Pins | undefined

  constructor({ config, driver, pins }: GpioOptions) {
    this.#config = config
    this.#driver = driver
    this.#find = pins
    this.outputs = new Map(config.lanes.map(lane => [lane.name, this.#outputsOf(lane)]))
    const listening = (lane: string | undefined, wires: readonly (Wire | undefined)[]): Listener => ({
      lane,
      chips: [...new Set(wires.flatMap(wire => (wire === undefined ? [] : [wire.on])))],
    })
    this.#listeners = [
      ...config.lanes.map(({ name, inputs }) => listening(name, Object.values(inputs))),
      ...((config.fire ?? config.key) ? [listening(undefined, [config.fire, config.key])] : []),
    ]
  }

  get figures(): Io['figures'] {
    return this.#pins?.figures ?? {}
  }

  async start(events: IoEvents): Promise<void> {
    const meanings = this.#meanings(events)
    const coils = this.#config.lanes.flatMap(coilsOf)
    refuseDoubles([...meanings.map(({ wire }) => wire), ...coils])
    const byPin = new Map(meanings.map(meaning => [wordsOf(meaning.wire), meaning]))
    const pins = await this.#find()
    this.#refuseHolds(pins)
    this.#pins = pins
    await pins.start(
      { inputs: meanings.map(({ wire }) => wire), outputs: coils },
      {
        level: (pin, isHigh, at) => {
          const meaning = byPin.get(wordsOf(pin))
          if (meaning === undefined) return
          const isClosed = isHigh === (this.#driver.closed === 'high')
          meaning.tell(isClosed === (meaning.wire.normally === 'open'), at)
        },
        chip: (label, isUp, detail, at) => this.#chip(label, isUp, detail, at, events),
        fault: (...words) => events.fault(...words),
      },
    )
  }

  async stop(): Promise<void> {
    await this.#pins?.stop()
  }

  #chip(label: string, isUp: boolean, detail: string, at: number, events: IoEvents): void {
    const wereUp = this.#listeners.map(listener => this.#isUp(listener))
    if (isUp) this.#up.add(label)
    else this.#up.delete(label)
    this.#listeners.forEach((listener, k) => {
      const isNow = this.#isUp(listener)
      if (isNow !== wereUp[k]) events.link(listener.lane, isNow, detail, at)
    })
  }

  #isUp({ chips }: Listener): boolean {
    return chips.every(chip => this.#up.has(chip))
  }

  #meanings(events: IoEvents): readonly Meaning[] {
    const meanings: Meaning[] = []
    // first, because what is told first is heard first when everything changes at once
    for (const contact of ['fire', 'key'] as const) {
      const wire = this.#config[contact]
      if (wire) meanings.push({ wire, tell: (active, at) => events.contact(contact, active, at) })
    }
    for (const { name, inputs } of this.#config.lanes) {
      for (const [signal, wire] of Object.entries(inputs) as [Signal, Wire][]) {
        meanings.push({ wire, tell: (active, at) => events.input(name, signal, active, at) })
      }
    }
    return meanings
  }

  #outputsOf({ grant, hold, red }: LaneConfig): LaneOutputs {
    const pins = (act: (pins: Pins) => Promise<boolean>) =>
      this.#pins === undefined ? Promise.resolve(false) : act(this.#pins)
    const done = () => Promise.resolve(true)
    return {
      // a lane that is neither held nor opened by a coil is open; one that is held has to be let go by something
      open: () => (grant ? pins(to => to.pulse(grant.coil, grant.pulseMs)) : Promise.resolve(hold === undefined)),
      hold: hold ? forMs => pins(to => to.hold(hold.coil, { forMs, beatMs: hold.beatMs })) : done,
      free: hold ? () => pins(to => to.off(hold.coil)) : done,
      // the way out has no coil, so it has nothing to be told
      freeExit: done,
      ...(red ? { refuse: () => pins(to => to.pulse(red.coil, red.pulseMs)) } : {}),
    }
  }

  /** Whether what this config holds lets go by itself, the way these pins are reached. */
  #refuseHolds(pins: Pins): void {
    for (const { name, hold } of this.#config.lanes) {
      if (hold === undefined) continue
      if (pins.holds === 'beat' && hold.beatMs === undefined) {
        throw new HardwareFault(
          'OUTPUT',
          `lane ${name}: hold on ${wordsOf(hold.coil)}: through sysfs a level stays when the gate is dead, so nothing is ` +
            `held by one. Install the gpiod tools (apt install gpiod) and set "backend": "chardev", or wire a relay that ` +
            `lets go when its pulses stop and set "beatMs"`,
        )
      }
      if (pins.holds === 'level' && hold.beatMs !== undefined) {
        throw new HardwareFault(
          'OUTPUT',
          `lane ${name}: hold on ${wordsOf(hold.coil)}: the gpiod tools cannot beat: leave "beatMs" out, or set ` +
            `"backend": "sysfs"`,
        )
      }
    }
  }
}

function coilsOf({ grant, hold, red }: LaneConfig): readonly Coil[] {
  return [grant, hold, red].flatMap(output => (output === undefined ? [] : [output.coil]))
}

function refuseDoubles(all: readonly Pin[]): void {
  const seen = new Set<string>()
  for (const words of all.map(wordsOf)) {
    if (seen.has(words)) throw new HardwareFault('LINK', `${words} is in the config twice: one pin is one wire`)
    seen.add(words)
  }
}
