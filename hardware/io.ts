// Io: pins and registers, as far as a turnstile needs them. Boards and pins differ; what is above this does not know.
//
// Laws: an input that cannot be read is unknown and not quiet: `link` says so. What is told as `active` is the meaning and
// not the voltage: a normally closed contact is active when it is open. An answer that did not come is never `true`.

/** What a lane's inputs mean. */
export const SIGNALS = [
  'ask', // somebody stands before the arm, or pressed the button
  'in', // PASS contact of the way in
  'out', // PASS contact of the way out
  'beam-a', // of two light barriers, the outer one
  'beam-b', // the inner one
] as const
export type Signal = (typeof SIGNALS)[number]

export interface IoEvents {
  /**
   * a lane's input as of `at`; told at the start and at every change, before any debouncing. `leadMs`: it may have become active
   * so much earlier
   */
  input(lane: string, signal: Signal, active: boolean, at: number, leadMs?: number): void
  /** fire loop open, key switch turned */
  contact(contact: 'fire' | 'key', active: boolean, at: number): void
  /** cumulative counters of a device, as read; told every time they were read */
  counters(lane: string, reading: { readonly in: number; readonly out: number }, at: number): void
  /** everything that this lane (or, without one, fire loop and key switch) rests on answers, or does not */
  link(lane: string | undefined, isUp: boolean, detail: string, at: number): void
  /** the bus or the pins misbehave, or, with `isOver`, do so no more */
  fault(code: 'NOISE' | 'TIME_OUT' | 'OUTPUT', detail: string, isOver: boolean, at: number): void
}

/** All resolve to true once the hardware confirmed it, and to false where it did not; none rejects. */
export interface LaneOutputs {
  /** one person may walk in: a pulse that the hardware ends by itself */
  open(): Promise<boolean>
  /** locked for so long; the hardware lets go by itself unless told again */
  hold(forMs: number): Promise<boolean>
  /** the entry goes free, now, ahead of everything that waits */
  free(): Promise<boolean>
  /** the exit is free: says so to devices that want to be told, and does nothing at others */
  freeExit(): Promise<boolean>
  /** where there is a lamp for it: shows for a moment that the answer is no */
  refuse?(): Promise<boolean>
}

export interface Io {
  /** lanes by name, as configured */
  readonly outputs: ReadonlyMap<string, LaneOutputs>
  /** figures for people: frames, time-outs, broken frames, slowest answer … */
  readonly figures: Readonly<Record<string, number>>
  /** Rejects with a HardwareFault where the hardware cannot be opened at all; what fails later is told by `link`. */
  start(events: IoEvents): Promise<void>
  stop(): Promise<void>
}
