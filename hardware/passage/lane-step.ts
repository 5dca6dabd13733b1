// What goes into a lane's judgement and what comes out of it. The judgement itself (lane-judge.ts) is pure.

import type { Signal } from '../io.ts'
import type { FaultCode, Uninvited } from '../turnstile.ts'

export type LaneInput =
  /** an input as read, before debouncing; it may have become active `leadMs` earlier */
  | { readonly kind: 'signal'; readonly signal: Signal; readonly active: boolean; readonly leadMs?: number }
  /** passages that a cumulative counter showed (counting/): already whole people; `ids` of the exits, one each */
  | {
      readonly kind: 'counted'
      readonly in: number
      readonly ids: readonly string[]
      readonly confidence: number
    }
  | { readonly kind: 'link'; readonly isUp: boolean }
  /** the gate let somebody in */
  | { readonly kind: 'grant'; readonly id: string }
  /** the gate said no */
  | { readonly kind: 'refuse'; readonly id: string }
  /** the hardware confirmed the pulse of this grant, or did not */
  | { readonly kind: 'opened'; readonly id: string; readonly isConfirmed: boolean }
  /** the arm is free (FIRE): whoever walks in now nobody let in */
  | { readonly kind: 'released'; readonly isReleased: boolean }
  | { readonly kind: 'ticked' }

export type LaneOutput =
  /** pulse the arm now */
  | { readonly kind: 'open'; readonly id: string }
  | { readonly kind: 'asked'; readonly confidence: number }
  | { readonly kind: 'entered'; readonly grant: string }
  | { readonly kind: 'intruded'; readonly count: number; readonly why: Uninvited }
  | { readonly kind: 'left'; readonly confidence: number; readonly id?: string }
  | { readonly kind: 'lapsed'; readonly grant: string }
  | { readonly kind: 'fault'; readonly code: FaultCode; readonly detail: string; readonly isOver: boolean }

/** What the judgement of one lane offers. `now` never goes back. */
export interface LaneJudge {
  /** ms at which to step with `ticked` next; infinity where nothing is due */
  readonly wakeAt: number
  step(input: LaneInput, now: number): readonly LaneOutput[]
  /** for people and doctor */
  readonly figures: {
    readonly in: number
    readonly out: number
    readonly doubles: number
    readonly noises: number
    readonly confidence: number
    readonly faults: readonly FaultCode[]
  }
  /** the grants that nobody walked through yet, oldest first: remembered over a restart */
  readonly pending: readonly string[]
}
