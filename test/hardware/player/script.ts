// What a played bus is told and what it tells back: shared by the process that plays (main.ts) and the test (player.ts).

export interface PlayedBoard {
  readonly kind: 'relay' | 'counter'
  readonly unit: number
}

export interface PlayerArguments {
  /** where the port appears */
  readonly path: string
  readonly baud: number
  readonly boards: readonly PlayedBoard[]
  /** of the chances in faults */
  readonly seed: number
  /** from the end of a question to the beginning of the answer */
  readonly turnaroundMs: number
  /**
   * People at contacts stand still once nobody has looked at them for so long: then it is the testing machine that is held up,
   * and not the bus. Longer than two time-outs in a row, so that what lost frames cost is paid.
   */
  readonly blindMs: number
}

/** Chances in a thousand frames. */
export interface Faults {
  /** a few random bytes before the answer */
  readonly noise?: number
  /** the question does not arrive, and nothing is done */
  readonly lostQuestion?: number
  /** it is done, and the answer does not arrive */
  readonly lostAnswer?: number
  /** the answer comes in pieces */
  readonly split?: number
  /** a bit of the answer is wrong */
  readonly wrongCrc?: number
  /** a byte of the answer is missing */
  readonly missingByte?: number
  /** the answer takes `slowMs` longer */
  readonly slow?: number
  readonly slowMs?: number
}

export type Command =
  /** a contact of a relay board: 1 is closed */
  | { readonly do: 'input'; readonly unit: number; readonly input: number; readonly level: 0 | 1 }
  /** people one after the other at one arm, each through one of these PASS contacts, which idle closed; times vary */
  | {
      readonly do: 'pass'
      readonly unit: number
      readonly inputs: readonly number[]
      readonly count: number
      readonly widthMs: number
      readonly gapMs: number
    }
  /** people one after the other through a turnstile that counts; entries need a permit unless forced */
  | {
      readonly do: 'walk'
      readonly unit: number
      readonly way: 'in' | 'out'
      readonly count: number
      readonly gapMs: number
      readonly isForced: boolean
    }
  | { readonly do: 'faults'; readonly faults: Faults }
  /** somebody else, or the device itself, changes a register */
  | { readonly do: 'register'; readonly unit: number; readonly at: number; readonly value: number }
  /** without power nothing answers, relays drop; counters come back as they were, or at nought */
  | { readonly do: 'power'; readonly unit: number; readonly isOn: boolean; readonly isReset?: boolean }
  /** the port goes away, and comes back */
  | { readonly do: 'unplug' }
  | { readonly do: 'replug' }
  /** asks for a line of figures */
  | { readonly do: 'figures' }

/** `at` is in ms of the machine's clock that never goes back, the same for all processes. */
export type Line = { readonly at: number } & (
  | { readonly what: 'ready' | 'unplugged' }
  | {
      readonly what: 'relay'
      readonly unit: number
      readonly relay: number
      readonly isOn: boolean
      readonly by: 'flash' | 'coil' | 'end' | 'power'
    }
  | { readonly what: 'wrote'; readonly unit: number; readonly register: number; readonly value: number }
  | { readonly what: 'input'; readonly unit: number; readonly input: number; readonly level: number }
  | { readonly what: 'passed'; readonly unit: number; readonly input?: number; readonly way?: 'in' | 'out' }
  | { readonly what: 'stopped'; readonly unit: number; readonly way: 'in' }
  /** all people of one command have walked */
  | {
      readonly what: 'done'
      readonly unit: number
      readonly inputs?: readonly number[]
      readonly way?: 'in' | 'out'
    }
  | { readonly what: 'figures'; readonly figures: Readonly<Record<string, number>> }
)

/** What a played board counts its flashes by. */
export interface BoardTime {
  now(): number
  in(ms: number, act: () => void): () => void
}

/** ms of the clock that all processes of this machine share. */
export function now(): number {
  return Number(process.hrtime.bigint()) / 1e6
}
