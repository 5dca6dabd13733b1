// Lateness: tokens that are on their way and wait for a disk that is held up.
//
// Law: nothing here has authority. A token counts once its row is here; that it will come is said so that somebody waits
// for it instead of being turned away, and a lie about it costs people a moment.

import { nameOf } from '../ledger/account.ts'
import type { Books } from '../ledger/books.ts'

interface Sent {
  readonly to: string
  readonly amount: number
  /** leaves once the ledger is durable up to here */
  readonly size: number
  readonly at: number
  isTold: boolean
}

/** Disks mostly take less: what they have by then needs no word. */
export const LATE_MS = 5
/** So many are believed to be coming, whoever says so. */
const LATE_MAX = 20

export class Lateness {
  #sent: Sent[] = []
  readonly #due = new Map<string, { tokens: number; until: number }>()

  /** Tokens were sent by the last entry of these books. */
  sent(to: string, amount: number, { size }: Books, now: number): void {
    this.#sent.push({ to: nameOf(to), amount, size, at: now, isTold: false })
  }

  /** Who is to be told of how many that are late, each time there are more of them. */
  overdue({ durable }: Books, now: number): { readonly to: string; readonly tokens: number }[] {
    if (this.#sent.length === 0) return []
    this.#sent = this.#sent.filter(one => one.size > durable)
    const late = this.#sent.filter(one => one.at + LATE_MS <= now)
    const takers = new Set(late.filter(({ isTold }) => !isTold).map(({ to }) => to))
    for (const one of late) one.isTold = true
    return [...takers].map(to => ({
      to,
      tokens: late.reduce((sum, one) => sum + (one.to === to ? one.amount : 0), 0),
    }))
  }

  nextAt(durable: number): number {
    const next = this.#sent.find(({ size, isTold }) => size > durable && !isTold)
    return next === undefined ? Number.POSITIVE_INFINITY : next.at + LATE_MS
  }

  /** They say that so many are coming, and are believed until then. */
  heard(from: string, tokens: number, until: number): void {
    if (tokens > 0) this.#due.set(from, { tokens, until })
  }

  came(from: string, tokens: number): void {
    const due = this.#due.get(from)
    if (due === undefined) return
    due.tokens -= tokens
    if (due.tokens <= 0) this.#due.delete(from)
  }

  /** How many are still to come. */
  due(now: number): number {
    let tokens = 0
    for (const [from, one] of this.#due) {
      if (one.until <= now) this.#due.delete(from)
      else tokens += one.tokens
    }
    return Math.min(LATE_MAX, tokens)
  }
}
