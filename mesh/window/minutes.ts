// Minutes: the last day of the mall, one sample for each minute that somebody watched.
//
// Law: of a minute the most people are kept, not the last, and the worst mode: what was too many for ten seconds shows.
// Minutes are in the order of time, each once; a clock that is set back takes with it what it had not lived yet.

import type { Mode } from '../../ledger/entry.ts'
import { moreSevere } from '../../ledger/mode.ts'
import type { MallReport, Trend } from './mall-report.ts'

export interface Minute {
  /** where it begins, wall clock */
  readonly at: number
  readonly count: number
  readonly atMost: number
  readonly capacity: number
  readonly mode: Mode
  readonly entries: number
  readonly exits: number
  readonly rejects: number
}

export const STEP_MS = 60_000
/** A whole day, so that there is something to see after midnight too. */
const KEPT_MAX = 24 * 60
const KEPT_MS = KEPT_MAX * STEP_MS

export class Minutes {
  readonly #minutes: Minute[] = []

  get all(): readonly Minute[] {
    return this.#minutes
  }

  /** The minute under way, as far as it is seen. */
  get last(): Minute | undefined {
    return this.#minutes.at(-1)
  }

  /** A moment of the mall; returns the minute that is over with it, if one is. */
  see({ at, occupancy, mode, rates }: Pick<MallReport, 'at' | 'occupancy' | 'mode' | 'rates'>): Minute | undefined {
    const before = this.last
    const { count, atMost, capacity } = occupancy
    const { local, stolen, exits, atCapacity, noHeadroom, emergency, fault } = rates
    this.put({
      at: at - (at % STEP_MS),
      count,
      atMost,
      capacity,
      mode,
      // rates are over the last minute: at its end, they are the minute's
      entries: Math.round(local + stolen),
      exits: Math.round(exits),
      rejects: Math.round(atCapacity + noHeadroom + emergency + fault),
    })
    return before !== undefined && this.last?.at !== before.at ? before : undefined
  }

  /** The same minute again is joined with what is known of it. */
  put(minute: Minute): void {
    const minutes = this.#minutes
    while (minutes.length > 0 && (minutes.at(-1) as Minute).at > minute.at) minutes.pop()
    const known = minutes.at(-1)
    if (known?.at === minute.at) minutes[minutes.length - 1] = joined(known, minute)
    else minutes.push(minute)
    while ((minutes[0] as Minute).at <= minute.at - KEPT_MS) minutes.shift()
  }

  trend(now: number): Trend {
    const minutes = this.#minutes.filter(({ at }) => at <= now && at > now - KEPT_MS)
    const column = <K extends keyof Minute>(key: K): readonly Minute[K][] => minutes.map(minute => minute[key])
    return {
      now,
      stepMs: STEP_MS,
      at: column('at'),
      count: column('count'),
      atMost: column('atMost'),
      capacity: column('capacity'),
      mode: column('mode'),
      entries: column('entries'),
      exits: column('exits'),
      rejects: column('rejects'),
    }
  }
}

function joined(a: Minute, b: Minute): Minute {
  const { at, capacity, entries, exits, rejects } = b
  const count = Math.max(a.count, b.count)
  const atMost = Math.max(a.atMost, b.atMost)
  return { at, count, atMost, capacity, mode: moreSevere(a.mode, b.mode), entries, exits, rejects }
}
