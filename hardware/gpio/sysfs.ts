// Sysfs: pins through onoff, on kernels that still have that.
//
// Laws: the number of a line is its chip's base plus its offset, read anew at every start. A level that is written stays
// when this process is dead, so nothing is held by one: only a beat holds, and a dead man ends what a grant left on.
//
// onoff's debounce is not used: a pulse shorter than that would never be told. It reads the level when it is called, so a
// pulse that came and went while this process was busy shows as a call without a change.

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Gpio } from 'onoff'
import type { Clock } from '../turnstile.ts'
import { type Chip, chipOf } from './chips.ts'
import { DeadMan } from './dead-man.ts'
import { onoff } from './native.ts'
import { type Pin, type PinEvents, type Pins, type WantedPins, wordsOf } from './pins.ts'
import { openInput, openOutput, SYSFS_ROOT } from './sysfs-line.ts'

/** Steps by which this process notices that it was busy. */
const STEP_MS = 20
/** What happened while it was busy is told within so long after, one line after the other. */
const TOLD_MS = 500
/** After a pulse that nobody measured: quiet for so long is well again. */
const WELL_MS = 60_000

export interface SysfsOptions {
  readonly clock: Clock
  /** level that energises an output */
  readonly on: 0 | 1
  /** inputs whose pulse, where nobody measured it, is taken for a person: those that count people in */
  readonly leansToPulse: (pin: Pin) => boolean
}

interface Output {
  readonly gpio: Gpio
  cancel: (() => void) | undefined
  /** until when it beats */
  untilMs: number
}

/** What the kernel lists. */
export function sysfsChips(root: string): readonly Chip[] {
  const words = (chip: string, file: string) => readFileSync(join(root, chip, file), 'utf8').trim()
  return readdirSync(root)
    .filter(name => /^gpiochip\d+$/.test(name))
    .map(name => ({
      name,
      label: words(name, 'label'),
      lines: Number(words(name, 'ngpio')),
      base: Number(words(name, 'base')),
    }))
}

export class SysfsPins implements Pins {
  readonly holds = 'beat'
  readonly #options: SysfsOptions
  readonly #inputs: Gpio[] = []
  readonly #outputs = new Map<string, Output>()
  readonly #counts = { edges: 0, shortPulses: 0, switched: 0 }
  #deadMan: DeadMan | undefined
  #aliveAt = 0
  /** the last time it was busy: a step comes before the edges that waited with it */
  #busy = { from: 0, to: Number.NEGATIVE_INFINITY }
  #cancelStep: (() => void) | undefined
  #cancelWell: (() => void) | undefined
  #events: PinEvents | undefined

  constructor(options: SysfsOptions) {
    this.#options = options
  }

  get figures(): Pins['figures'] {
    return this.#counts
  }

  async start({ inputs, outputs }: WantedPins, events: PinEvents): Promise<void> {
    const { clock } = this.#options
    this.#events = events
    const { Gpio: Make } = await onoff()
    const chips = sysfsChips(SYSFS_ROOT)
    const look = `grep . ${SYSFS_ROOT}/gpiochip*/label`
    const numbered = (pin: Pin) => ({ pin, number: chipOf(chips, pin, look).base + pin.at })
    const off = this.#level(false)
    try {
      const files = outputs.map(numbered).map(one => {
        this.#outputs.set(wordsOf(one.pin), { gpio: openOutput(Make, one, off), cancel: undefined, untilMs: 0 })
        return `${SYSFS_ROOT}/gpio${one.number}/value`
      })
      const opened = inputs.map(numbered).map(one => {
        const gpio = openInput(Make, one)
        this.#inputs.push(gpio)
        return { pin: one.pin, gpio }
      })
      this.#deadMan = new DeadMan({ clock, off, files, fault: events.fault })
      if (files.length > 0) this.#deadMan.start()
      this.#aliveAt = clock.now()
      this.#step()
      for (const label of new Set(inputs.map(({ on }) => on))) events.chip(label, true, label, clock.now())
      for (const { pin, gpio } of opened) this.#watch(pin, gpio, events)
    } catch (error) {
      await this.stop()
      throw error
    }
  }

  pulse(pin: Pin, forMs: number): Promise<boolean> {
    const output = this.#outputs.get(wordsOf(pin))
    if (output === undefined || !this.#deadMan?.isThere) return Promise.resolve(false)
    output.cancel?.()
    const isOn = this.#write(pin, output, true)
    output.cancel = this.#options.clock.in(forMs, () => void this.off(pin))
    return Promise.resolve(isOn)
  }

  hold(pin: Pin, { forMs, beatMs }: { readonly forMs: number; readonly beatMs: number | undefined }): Promise<boolean> {
    const output = this.#outputs.get(wordsOf(pin))
    if (output === undefined || beatMs === undefined) return Promise.resolve(false)
    const { clock } = this.#options
    output.untilMs = clock.now() + forMs
    if (output.cancel !== undefined) return Promise.resolve(true)
    let isOn = false
    const beat = (): boolean => {
      if (clock.now() >= output.untilMs) {
        void this.off(pin)
        return false
      }
      isOn = !isOn
      output.cancel = clock.in(beatMs, beat)
      return this.#write(pin, output, isOn)
    }
    return Promise.resolve(beat())
  }

  off(pin: Pin): Promise<boolean> {
    const output = this.#outputs.get(wordsOf(pin))
    if (output === undefined) return Promise.resolve(false)
    output.cancel?.()
    output.cancel = undefined
    return Promise.resolve(this.#write(pin, output, false))
  }

  async stop(): Promise<void> {
    this.#cancelStep?.()
    this.#cancelWell?.()
    for (const { gpio, cancel } of this.#outputs.values()) {
      cancel?.()
      // the dead man does it as well, so that a line which cannot be written here does not keep the others on
      ignoring(() => gpio.writeSync(this.#level(false)))
    }
    await this.#deadMan?.stop()
    for (const { gpio } of this.#outputs.values()) ignoring(() => gpio.unexport())
    for (const gpio of this.#inputs.splice(0)) ignoring(() => gpio.unexport())
    this.#outputs.clear()
  }

  #watch(pin: Pin, gpio: Gpio, events: PinEvents): void {
    const { clock } = this.#options
    let level = gpio.readSync()
    let toldAt = clock.now()
    events.level(pin, level === 1, toldAt)
    gpio.watch((error, value) => {
      if (error) return events.chip(pin.on, false, `${wordsOf(pin)}: ${error.message}`, clock.now())
      this.#counts.edges++
      const before = toldAt
      toldAt = clock.now()
      if (value === level) return this.#missed(pin, value === 1, before, events)
      level = value
      events.level(pin, value === 1, toldAt)
    })
  }

  /** It changed and changed back before anybody looked, after what was told of it at `toldAt`. */
  #missed(pin: Pin, isHigh: boolean, toldAt: number, events: PinEvents): void {
    const { clock, leansToPulse } = this.#options
    const now = clock.now()
    const from = Math.max(toldAt, now - this.#busy.to <= TOLD_MS ? this.#busy.from : this.#aliveAt)
    this.#counts.shortPulses++
    // within a step or two it was too short for a person; beyond them nobody knows, which leans to counting people in
    const isDoubtful = now - from > 2 * STEP_MS
    events.level(pin, !isHigh, isDoubtful && leansToPulse(pin) ? from : now)
    events.level(pin, isHigh, now)
    if (!isDoubtful) return
    const detail = `${wordsOf(pin)}: changed and changed back while the gate was busy`
    events.fault('NOISE', detail, false, now)
    this.#cancelWell?.()
    this.#cancelWell = clock.in(WELL_MS, () => events.fault('NOISE', detail, true, clock.now()))
  }

  #step(): void {
    const { clock } = this.#options
    const now = clock.now()
    if (now - this.#aliveAt > 2 * STEP_MS) {
      // busy again before all was told is busy still
      const isStill = this.#aliveAt - this.#busy.to <= TOLD_MS
      this.#busy = { from: isStill ? this.#busy.from : this.#aliveAt, to: now }
    }
    this.#aliveAt = now
    this.#cancelStep = clock.in(STEP_MS, () => this.#step())
  }

  #write(pin: Pin, { gpio }: Output, isOn: boolean): boolean {
    try {
      gpio.writeSync(this.#level(isOn))
      if (isOn) this.#counts.switched++
      return true
    } catch (error) {
      const detail = `${wordsOf(pin)}: ${(error as Error).message}`
      this.#events?.fault('OUTPUT', detail, false, this.#options.clock.now())
      return false
    }
  }

  #level(isOn: boolean): 0 | 1 {
    const { on } = this.#options
    return isOn ? on : on === 1 ? 0 : 1
  }
}

/** On the way out one that fails is left to the kernel, and the others are still let go. */
function ignoring(act: () => void): void {
  try {
    act()
  } catch {
    // see above
  }
}
