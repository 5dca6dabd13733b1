// Skews: how far each member's clock is from ours, by the rows it tells us itself. A row leaves within a moment of its
// time, so what differs by more than a network takes is the clock's fault.

import { type Account, nameOf } from '../ledger/account.ts'
import type { Message } from '../mesh/message.ts'

export class Skews {
  readonly #ms = new Map<string, number>()

  heard(from: string, message: Message, wall: number): void {
    if (message.kind !== 'rows') return
    for (const row of message.rows) if (nameOf(row.account) === from) this.#ms.set(from, wall - row.at)
  }

  /** Ours less theirs; undefined where it never told us a row itself. */
  of(account: Account): number | undefined {
    return this.#ms.get(nameOf(account))
  }

  get all(): ReadonlyMap<string, number> {
    return this.#ms
  }
}
