// Turnstile: what a gate needs of the hardware at its door, whatever that is made of.
//
// Laws: entry and exit are different objects, and an exit has nothing that could lock or refuse it. Holding an entry is a
// lease that ends by itself unless it is renewed. The fire loop lets the entry go in here, before anybody is told of it.

export type Contact = 'fire' | 'key'

/** Why somebody is inside whom nobody let in. */
export type Uninvited = 'tailgate' | 'manual' | 'fire'

/** What the hardware saw. `at` is in ms of the clock that never goes back. Confidence is from 0 to 1000. */
export type Happening =
  /** somebody stands before the arm and wants in; the answer is `grant` or `refuse` with any id */
  | { readonly kind: 'asked'; readonly lane: string; readonly at: number; readonly confidence: number }
  /** the person of this grant walked in */
  | { readonly kind: 'entered'; readonly lane: string; readonly at: number; readonly grant: string }
  /** people came in whom no grant was for */
  | {
      readonly kind: 'intruded'
      readonly lane: string
      readonly at: number
      readonly count: number
      readonly why: Uninvited
    }
  /** one person walked out; an id where the same exit may be told again after a restart */
  | {
      readonly kind: 'left'
      readonly lane: string
      readonly at: number
      readonly confidence: number
      readonly id?: string
    }
  /** the hardware watched the whole time and nobody walked through on this grant */
  | { readonly kind: 'lapsed'; readonly lane: string; readonly at: number; readonly grant: string }
  /** the fire loop is open, or the key switch turned */
  | { readonly kind: 'contact'; readonly contact: Contact; readonly at: number; readonly isRaised: boolean }
  /** something is wrong, or, with `isOver`, is well again; `code` in capitals, the same for both */
  | {
      readonly kind: 'fault'
      readonly lane?: string
      readonly at: number
      readonly code: FaultCode
      readonly detail: string
      readonly isOver: boolean
    }

export const FAULT_CODES = [
  'LINK', // a board or device does not answer: what passes there is unknown, not zero
  'POWER', // the turnstile's own power is gone
  'STUCK', // a contact stays where no person can hold it
  'NOISE', // contacts chatter, or bytes on the bus are broken, more than a few
  'RATE', // more passages than people can walk
  'COUNTER_RESET', // a cumulative counter went down
  'COUNTER_GAP', // it moved further than people can walk since it was last read
  'DISAGREE', // pulses and counters of one lane tell different stories
  'DIRECTION', // in and out look swapped
  'SILENT', // nothing seen for longer than this lane is ever quiet
  'OUTPUT', // the board did not confirm what it was told
  'INTERLOCK_BLIND', // the fire loop or key switch cannot be read
  'NATIVE', // a native module or system tool is missing
  'TIME_OUT', // late or lost answers, more than a few
  'MEMORY', // what counters showed cannot be written down or read back
] as const
export type FaultCode = (typeof FAULT_CODES)[number]

export interface Entry {
  /** Lets one person in: a pulse that ends by itself. */
  grant(id: string): void
  /** Shows the person that the answer is no. The arm stays as it is. */
  refuse(id: string): void
  /** Locked for so long and no longer. Without effect while the fire loop is open, or not yet re-armed. */
  hold(forMs: number): void
  /** The arm goes free at once and stays so until it is held again: FIRE. */
  release(): void
}

/** The way out. It can be told that it is free, which it is. */
export interface Exit {
  free(): void
}

export interface Lane {
  readonly name: string
  readonly entry: Entry
  readonly exit: Exit
}

/** For status, doctor and commissioning: what one lane's sensors have said since the start. */
export interface LaneState {
  readonly name: string
  readonly isUp: boolean
  readonly isHeld: boolean
  readonly isReleased: boolean
  /** passages seen, before anybody judged them */
  readonly in: number
  readonly out: number
  /** second edges and bounces that were taken for the person before */
  readonly doubles: number
  readonly noises: number
  /** from 0 to 1000: how much of what this lane says is believed now */
  readonly confidence: number
  /** inputs as they are now, by the names of the config */
  readonly inputs: Readonly<Record<string, boolean | 'unknown'>>
  readonly faults: readonly FaultCode[]
}

export interface TurnstileState {
  readonly driver: string
  /** the fire loop opened, and nobody has re-armed since */
  readonly isLatched: boolean
  readonly fire: boolean | 'unknown'
  readonly key: boolean | 'unknown'
  readonly lanes: readonly LaneState[]
  /** counts and times of the bus or the pins, for people */
  readonly link: Readonly<Record<string, number>>
}

export interface Turnstile {
  readonly lanes: readonly Lane[]
  state(): TurnstileState
  /** Begins to listen. Resolves once the hardware was found, or rejects with what is missing and how to mend it. */
  start(hear: (happening: Happening) => void): Promise<void>
  /**
   * Two people re-armed the mall: with the fire loop closed again, the latch opens. False where it does not yet, because
   * the loop is open or cannot be read.
   */
  rearm(): boolean
  /** Lets every entry go and closes what was opened. Safe to repeat. */
  stop(): Promise<void>
}

/** Time of this machine; mesh/clock.ts has the same shape. */
export interface Clock {
  now(): number
  wall(): number
  in(ms: number, act: () => void): () => void
}

/** A driver cannot work: what is wrong, where, and the command that mends it. */
export class HardwareFault extends Error {
  readonly code: FaultCode

  constructor(code: FaultCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}
