// Sightings: what a lane's sensors say about people, before anybody asks who was let in.
//
// Law: an entry of doubt is a passage all the same, with `isSure: false`, and so is an exit of doubt. What the doubt costs
// is decided once, in lane-judge.ts, and never here: nothing is dropped for being unclear.

import type { Signal } from '../io.ts'

export type Direction = 'in' | 'out'

export type Sighting =
  /** one person; `since` is the earliest moment it can have begun; `either`: which way cannot be known */
  | {
      readonly kind: 'passage'
      readonly direction: Direction | 'either'
      readonly since: number
      readonly isSure: boolean
    }
  /** a second edge of the person before */
  | { readonly kind: 'double' }
  /** contacts moved and nobody was there; `isHint`: unless somebody was, on the way in */
  | { readonly kind: 'noise'; readonly isHint: boolean }
  /** the turnstile's power went, or came back */
  | { readonly kind: 'power'; readonly isOut: boolean; readonly detail: string }
  /** a contact stays where no person can hold it */
  | { readonly kind: 'stuck'; readonly signal: Signal; readonly isStuck: boolean; readonly detail: string }
  /** one sensor of two sees people whom the other never does */
  | { readonly kind: 'blind'; readonly isBlind: boolean; readonly detail: string }

/** Sensors of one lane that together tell passages. */
export interface Eye {
  /** an input as read; `at` may lie a little before the last tick, and it may have become active `leadMs` before that */
  signal(signal: Signal, isActive: boolean, at: number, leadMs?: number): readonly Sighting[]
  tick(now: number): readonly Sighting[]
  /** the link is lost: what is under way is decided now, to the safe side */
  cut(now: number): readonly Sighting[]
  /** nobody is on the way in, as far as can be seen */
  readonly isQuiet: boolean
  /** when time alone changes something; those that are past wait for something else */
  readonly dues: readonly number[]
}
