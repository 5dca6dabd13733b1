// Rates: how many people a minute, from counts that only grow, looked at now and then.

import type { Telemetry } from '../mesh/board/telemetry.ts'
import { KINDS, type Kind, type Tally } from './door.ts'

type Counted = Readonly<Record<Kind | 'out', number>>

type PerMinute = Required<
  Pick<
    Telemetry,
    | 'localPerMinute'
    | 'stolenPerMinute'
    | 'exitsPerMinute'
    | 'atCapacityPerMinute'
    | 'noHeadroomPerMinute'
    | 'emergencyPerMinute'
    | 'faultPerMinute'
  >
>

interface Look {
  readonly at: number
  readonly counted: Counted
}

const WINDOW_MS = 60_000
/** A start of less than this is taken for this long: one person in the first second is not sixty a minute. */
const LEAST_MS = WINDOW_MS / 6

export class Rates {
  readonly #looks: Look[] = []

  /** Over the last minute, or over as much of it as there is. */
  perMinute(tally: Tally, now: number): PerMinute {
    const counted = countedIn(tally)
    this.#looks.push({ at: now, counted })
    while (now - (this.#looks[0] as Look).at > WINDOW_MS) this.#looks.shift()
    const first = this.#looks[0] as Look
    const times = WINDOW_MS / Math.max(LEAST_MS, now - first.at)
    const per = (kind: Kind | 'out') => Math.round((counted[kind] - first.counted[kind]) * times)
    return {
      localPerMinute: per('local'),
      stolenPerMinute: per('stolen'),
      exitsPerMinute: per('out'),
      atCapacityPerMinute: per('atCapacity'),
      noHeadroomPerMinute: per('noHeadroom'),
      emergencyPerMinute: per('emergency'),
      faultPerMinute: per('fault'),
    }
  }
}

function countedIn(tally: Tally): Counted {
  const counted: Record<string, number> = { out: tally.out }
  for (const kind of KINDS) counted[kind] = tally[kind]
  return counted as Counted
}
