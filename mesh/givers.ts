// Givers: whose tokens this member took a moment ago. Gossip may not have told others of their rows yet, and without those
// nobody believes ours.

import type { Account } from '../ledger/account.ts'

export class Givers {
  readonly #forMs: number
  readonly #gaveAt = new Map<Account, number>()

  constructor(forMs: number) {
    this.#forMs = forMs
  }

  gave(account: Account, now: number): void {
    this.#gaveAt.set(account, now)
  }

  lately(now: number): Account[] {
    for (const [account, at] of this.#gaveAt) if (now - at > this.#forMs) this.#gaveAt.delete(account)
    return [...this.#gaveAt.keys()]
  }
}
