// State of the optical counters of a gate, for people: what was heard, and how far it is to be believed.

import type { Counter } from '../../hardware/optical/counter.ts'
import type { Flow } from '../../hardware/optical/reading.ts'
import type { Reconciler } from '../../hardware/optical/reconciler.ts'
import type { FaultCode } from '../../hardware/turnstile.ts'
import type { Troubles } from './troubles.ts'

export interface CounterState extends Flow {
  readonly name: string
  /** false: unknown, not zero */
  readonly isSound: boolean
  readonly isSilent: boolean
  /** null: never since the start */
  readonly heardAgoMs: number | null
  /** messages that never came, where the device numbers them */
  readonly missing: number
  readonly faults: readonly FaultCode[]
}

/** People since the start. */
export interface DeskState extends Flow {
  readonly isSound: boolean
  readonly counters: readonly CounterState[]
  /** told as people who came in uninvited */
  readonly tailgaters: number
  /** seen by the lens alone, and taken for its own error */
  readonly excused: number
  /** seen by the lens alone, where the config says that nobody is to be judged by it */
  readonly unjudged: number
  /** counted by the arm and missed by the lens */
  readonly missed: Flow
  readonly baselinePerMille: number
  /** of a thousand exits by the arm, so many were seen by the lens */
  readonly exitConfidence: number
  /** over the last hour, as far as all was sound */
  readonly compared: { readonly optical: Flow; readonly turnstile: Flow }
  readonly faults: readonly FaultCode[]
}

export interface Seen {
  readonly now: number
  readonly counters: readonly Counter[]
  readonly reconciler: Reconciler
  readonly troubles: Troubles
  readonly isSound: boolean
  readonly tailgaters: number
  readonly unjudged: number
}

export function stateOf({ now, counters, reconciler, troubles, ...told }: Seen): DeskState {
  const shown = counters.map(
    (counter): CounterState => ({
      name: counter.name,
      ...counter.people,
      isSound: counter.isSound(now),
      isSilent: counter.isSilent(now),
      heardAgoMs: counter.isHeard ? Math.round(now - counter.heardAt) : null,
      missing: counter.missing,
      faults: troubles.of(counter.name),
    }),
  )
  const sum = (way: 'in' | 'out') => shown.reduce((people, counter) => people + counter[way], 0)
  return {
    in: sum('in'),
    out: sum('out'),
    ...told,
    counters: shown,
    excused: reconciler.excused,
    missed: reconciler.missed,
    baselinePerMille: reconciler.baseline.perMille,
    exitConfidence: told.isSound ? reconciler.drift.exitsConfirmed : 1000,
    compared: reconciler.drift.compared,
    faults: troubles.codes,
  }
}
