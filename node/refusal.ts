// Refusal: what somebody is told for whom there is no token, and for how long a crowd is told the same.
//
// Law: a refusal stands while nothing was heard, nobody left and no alarm rang since, and for a moment at most. It is
// always a no, so whoever comes in that moment costs a look and an entry, and can lose nothing but that moment.

import type { Reject } from '../ledger/entry.ts'
import type { Known } from '../ledger/view.ts'

export interface Refusal {
  readonly code: Reject
  readonly reason: string
  /** somebody in reach could have yielded a token */
  readonly isUnnecessary: boolean
}

/** A full mall is told from a cut network. */
export function refusalOf(inReach: Iterable<Known>, known: Iterable<Known>): Refusal {
  const isUnnecessary = anyHeldBy(inReach)
  if (!anyHeldBy(known)) return { code: 'REJECT_AT_CAPACITY', reason: 'full', isUnnecessary }
  return { code: 'REJECT_NO_HEADROOM', reason: isUnnecessary ? 'too-late' : 'out-of-reach', isUnnecessary }
}

function anyHeldBy(some: Iterable<Known>): boolean {
  for (const { balance } of some) if (balance > 0) return true
  return false
}

/** Who comes to a crowded door within this time of somebody who was turned away need not be thought about anew. */
const STANDS_MS = 20

export class StandingRefusal {
  #last: Refusal | undefined
  #until = Number.NEGATIVE_INFINITY

  /** Somebody was told this. */
  said(refusal: Refusal): void {
    this.#last = refusal
  }

  /** Whoever comes next would be told the same. */
  stand(now: number): void {
    this.#until = now + STANDS_MS
  }

  /** Something happened that may change it. */
  fall(): void {
    this.#until = Number.NEGATIVE_INFINITY
  }

  at(now: number): Refusal | undefined {
    return now < this.#until ? this.#last : undefined
  }
}
