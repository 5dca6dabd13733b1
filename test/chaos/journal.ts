// Journal: everything that happened in a run as the harness saw it, line by line, in the order it happened.
//
// Law: nothing in it was said by a gate but what stands in `answer`, `told` and `status`. The people and the faults are the
// harness' own: true occupancy follows from them alone.

import { appendFileSync } from 'node:fs'
import type { Fault } from './fault.ts'

/** What a member said of itself and of the mall. */
export interface Said {
  readonly state: string
  readonly mode: string
  readonly account: string
  readonly balance: number
  readonly policyVersion: number
  readonly occupancy: {
    readonly count: number
    readonly atMost: number
    readonly capacity: number
    readonly ageMs: number | null
  }
}

/** What a member shows of one gate: people in less people out by the newest row of it, and how long ago that was said. */
export interface Shown {
  readonly account: string
  readonly inside: number
  readonly ageMs: number | null
  /** it was heard within three rows, whenever it had said that */
  readonly isReachable: boolean
}

/** `t`: ms since the run began. */
export type Line = { readonly t: number } & (
  | ({ readonly is: 'run'; readonly seed: number; readonly minutes: number } & Mall)
  /** somebody asks to come in, for the first time or again */
  | { readonly is: 'ask'; readonly id: string; readonly gate: string }
  | {
      readonly is: 'answer'
      readonly id: string
      readonly gate: string
      readonly decision: string
      readonly reason: string
      readonly ms: number
    }
  /** out of the building, whoever was told so or not; `exit` is the id by which that will be told */
  | { readonly is: 'left'; readonly id: string; readonly exit: string; readonly gate: string }
  | { readonly is: 'tell'; readonly exit: string; readonly gate: string }
  | {
      readonly is: 'told'
      readonly exit: string
      readonly gate: string
      readonly status: number
      readonly credited: boolean
      readonly ms: number
    }
  /** no answer: nobody was there (`refused`), or somebody may have heard it */
  | {
      readonly is: 'silence'
      readonly of: string
      readonly way: 'in' | 'out'
      readonly gate: string
      readonly refused: boolean
      readonly ms: number
    }
  | { readonly is: 'status'; readonly member: string; readonly asked: number; readonly said: Said }
  | {
      readonly is: 'view'
      readonly member: string
      readonly asked: number
      readonly atMost: number
      readonly capacity: number
      readonly policyVersion: number
      readonly gates: readonly Shown[]
    }
  | { readonly is: 'unseen'; readonly member: string; readonly asked: number; readonly why: string }
  | { readonly is: 'fault'; readonly n: number; readonly stage: Stage; readonly fault: Fault; readonly why?: string }
  /** operators want another capacity; `version` is that of the policy once it was accepted */
  | { readonly is: 'capacity'; readonly to: number; readonly version?: number }
  /** for so long up to now the harness itself did not run, and could hear no answer */
  | { readonly is: 'stall'; readonly ms: number }
  /** a member ended without having been told to */
  | { readonly is: 'death'; readonly member: string; readonly why: string }
  | { readonly is: 'phase'; readonly name: Phase; readonly why?: string }
)

export interface Mall {
  readonly gates: readonly string[]
  readonly capacity: number
  readonly legalMax: number
}

export type Stage = 'begin' | 'begun' | 'end' | 'ended' | 'failed'
/** healing, whole again, nobody moves, all alike, somebody got in at every door, over */
export type Phase = 'heal' | 'healed' | 'still' | 'alike' | 'served' | 'over' | 'unlike' | 'unserved'

type Bare<T> = T extends unknown ? Omit<T, 't'> : never

export class Journal {
  readonly lines: Line[] = []
  readonly #path: string | undefined
  readonly #zero = performance.now()
  #unwritten: string[] = []

  constructor(path?: string) {
    this.#path = path
  }

  get now(): number {
    return Math.round((performance.now() - this.#zero) * 100) / 100
  }

  write(line: Bare<Line>): number {
    const whole = { t: this.now, ...line } as Line
    this.lines.push(whole)
    this.#unwritten.push(JSON.stringify(whole))
    if (this.#unwritten.length >= 200) this.flush()
    return whole.t
  }

  flush(): void {
    if (this.#path !== undefined && this.#unwritten.length > 0)
      appendFileSync(this.#path, `${this.#unwritten.join('\n')}\n`)
    this.#unwritten = []
  }
}
