// Pins: lines of GPIO chips, as far as a turnstile needs them. Two kernels' ways of it are behind this (sysfs.ts,
// chardev.ts).
//
// Laws: a pin is named by its chip's label and its offset there; numbers that a kernel gives out move. An input is told
// with its level or its chip is told as lost, never silently neither. An output is on for a time, and goes off by itself
// when that is over, when this process is dead, and when it hangs.

import type { Io, IoEvents } from '../io.ts'

export interface Pin {
  /** label of the chip */
  readonly on: string
  readonly at: number
}

export interface PinEvents {
  /** told for every input at the start, at every change, and again for all of a chip that was lost */
  level(pin: Pin, isHigh: boolean, at: number): void
  /** the inputs of this chip can be read, or cannot */
  chip(label: string, isUp: boolean, detail: string, at: number): void
  fault: IoEvents['fault']
}

export interface WantedPins {
  readonly inputs: readonly Pin[]
  readonly outputs: readonly Pin[]
}

/** All that set something resolve to true once it is so, and to false where it is not known to be; none rejects. */
export interface Pins {
  /** how an output can be held so that it lets go by itself */
  readonly holds: 'level' | 'beat'
  readonly figures: Io['figures']
  /** Resolves with every chip up and every level told; outputs are off. */
  start(wanted: WantedPins, events: PinEvents): Promise<void>
  /** on for so long, once */
  pulse(pin: Pin, forMs: number): Promise<boolean>
  /** On for so long, unless told again by then. With a beat it toggles that often instead. */
  hold(pin: Pin, a: { readonly forMs: number; readonly beatMs: number | undefined }): Promise<boolean>
  off(pin: Pin): Promise<boolean>
  /** Switches every output off and lets go of all. Safe to repeat. */
  stop(): Promise<void>
}

export function wordsOf(pin: Pin): string {
  return `line ${pin.at} of ${pin.on}`
}
