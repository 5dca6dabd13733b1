// Flows: tokens seen going from member to member.
//
// Law: what is shown went by while somebody looked. Accounts say how much they have sent in all; what is more than at the
// look before has moved since. What an account had sent when it was first seen, or while nobody looked, is no flow: it
// may be of days ago.

import { type Account, nameOf } from '../../ledger/account.ts'
import type { Counters } from '../../ledger/counters.ts'
import type { Flow } from './mall-report.ts'

export interface Holder {
  readonly account: Account
  readonly counters: Readonly<Counters>
}

interface Sent {
  readonly total: number
  readonly to: Readonly<Record<Account, number>>
}

/** More at once is a picture that nobody can follow; whoever draws it asks twice a second. */
const KEPT_MAX = 60
const KEPT_MS = 6000
/** Without a look for so long, what went by was not seen. */
const GAP_MS = 5000

export class Flows {
  readonly #sent = new Map<Account, Sent>()
  #newest: Flow[] = []
  #seq = 0
  #lookedAt = Number.NEGATIVE_INFINITY

  /** Cheap where nothing moved: one number is compared for each account. */
  look(holders: Iterable<Holder>, { now, wall }: { readonly now: number; readonly wall: number }): void {
    const isGap = now - this.#lookedAt > GAP_MS
    this.#lookedAt = now
    for (const { account, counters } of holders) {
      const before = this.#sent.get(account)
      // less than before: one of two histories, and the longer one was seen
      if (before !== undefined && counters.sentTotal <= before.total) continue
      if (before !== undefined && !isGap) this.#moved(account, counters.sent, { before, at: wall })
      this.#sent.set(account, { total: counters.sentTotal, to: { ...counters.sent } })
    }
  }

  /** Oldest first. */
  newest(wall: number): readonly Flow[] {
    return this.#newest.filter(({ at }) => Math.abs(wall - at) <= KEPT_MS)
  }

  #moved(
    from: Account,
    sent: Readonly<Record<Account, number>>,
    a: { readonly before: Sent; readonly at: number },
  ): void {
    for (const [to, total] of Object.entries(sent)) {
      const amount = total - (a.before.to[to] ?? 0)
      if (amount <= 0) continue
      this.#newest.push({ seq: ++this.#seq, at: a.at, from: nameOf(from), to: nameOf(to), amount })
    }
    if (this.#newest.length > KEPT_MAX) this.#newest = this.#newest.slice(-KEPT_MAX)
  }
}
