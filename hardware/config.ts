// Config of the hardware at one gate, as read and checked (node/turnstile-config.ts reads it from the gate's file).
//
// Law: every wire is named by what it is on (a chip's label and offset, a board's unit and input), never by a number that
// moves when a kernel changes. Nothing in here can name an output that would lock an exit.

import type { Signal } from './io.ts'
import type { OpticalConfig } from './optical/config.ts'
import type { PassageRules } from './passage/rules.ts'

/** An input of a board or chip. `normally: closed` means that an open contact is the news. */
export interface Wire {
  /** name of the board, or label of the chip */
  readonly on: string
  readonly at: number
  readonly normally: 'open' | 'closed'
}

/** An output of a board or chip. */
export interface Coil {
  readonly on: string
  readonly at: number
}

export interface LaneConfig {
  readonly name: string
  readonly rules: PassageRules
  readonly inputs: Readonly<Partial<Record<Signal, Wire>>>
  /** pulsed for one passage */
  readonly grant?: { readonly coil: Coil; readonly pulseMs: number }
  /** energised to lock the entry; with `beatMs` it toggles that often, for a relay that lets go when the beat stops */
  readonly hold?: { readonly coil: Coil; readonly beatMs?: number }
  /** shown while somebody is refused */
  readonly red?: { readonly coil: Coil; readonly pulseMs: number }
  /** board of the kind `counter` that counts this lane and lets people in */
  readonly counter?: string
}

/** Registers of a relay and input board. */
export interface RelayMap {
  readonly kind: 'relay'
  readonly inputs: { readonly function: 1 | 2; readonly base: number; readonly count: number }
  readonly coils: { readonly base: number; readonly count: number }
  /** a coil at base + n is on for value × stepMs, and the board ends it by itself */
  readonly flash: { readonly base: number; readonly stepMs: number; readonly valueMax: number }
  /** holding registers to write once at the start, such as a channel mode */
  readonly setup: readonly { readonly at: number; readonly value: number }[]
}

/** Registers of a turnstile that counts by itself. There is none for its exit but the one that keeps it free. */
export interface CounterMap {
  readonly kind: 'counter'
  /** entries permitted: 0 none, n so many, `free` without end */
  readonly permit: { readonly at: number; readonly free: number }
  /** exits permitted; `free` is the one value that is ever written */
  readonly exits: { readonly at: number; readonly free: number }
  /** four registers from here: entries high, low, exits high, low */
  readonly counters: { readonly at: number }
  readonly error?: { readonly at: number }
  readonly setup: readonly { readonly at: number; readonly value: number }[]
}

export interface BoardConfig {
  readonly name: string
  readonly unit: number
  readonly map: RelayMap | CounterMap
}

export interface ModbusConfig {
  readonly driver: 'modbus'
  /** a serial port, or host:port of a gateway that speaks Modbus TCP */
  readonly path: string
  readonly baud: number
  readonly parity: 'none' | 'even' | 'odd'
  readonly timeoutMs: number
  /** between two looks at the inputs of a board */
  readonly pollMs: number
  readonly boards: readonly BoardConfig[]
}

export interface GpioConfig {
  readonly driver: 'gpio'
  /** sysfs by onoff, or the character device by the gpiod tools; auto: whichever this kernel has */
  readonly backend: 'auto' | 'sysfs' | 'chardev'
  /** the level of a contact that is closed: low where it is wired to ground */
  readonly closed: 'low' | 'high'
  /** who pulls an open contact to the other level, so that a broken wire is an open one: the chip, or resistors outside */
  readonly pull: 'chip' | 'outside'
  /** the level that energises an output */
  readonly energised: 'low' | 'high'
}

export interface SimConfig {
  readonly driver: 'sim'
  readonly seed: number
  /** of a thousand people who were let in, so many turn round */
  readonly turnsRoundPerMille: number
  /** of a thousand who walk in, so many are followed by somebody nobody let in */
  readonly tailgatePerMille: number
  /** time of a person through the arm */
  readonly walkMs: number
}

export interface SoftConfig {
  readonly driver: 'soft'
}

export type DriverConfig = ModbusConfig | GpioConfig | SimConfig | SoftConfig

export interface HardwareConfig {
  readonly driver: DriverConfig
  readonly lanes: readonly LaneConfig[]
  /** fire loop: a wire that is normally closed, whatever is said about others */
  readonly fire?: Wire
  readonly key?: Wire
  /** how long a hold lasts that nobody renews */
  readonly holdMs: number
  /** where counters that were read are remembered over a restart */
  readonly memory: string
  readonly optical: readonly OpticalConfig[]
}
