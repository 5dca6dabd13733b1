// Free: tokens that somebody can still let people in with.
//
// Law: what was lost with a disk is not among them, and neither is what that disk had sent and nobody took: its last row may
// have gone with it, and if anyone had heard it the taker would have it by now. Both come back by a head count.

import { type Account, epochOf, nameOf } from '../../ledger/account.ts'

export interface Held {
  readonly account: Account
  readonly balance: number
}

export interface Moved {
  readonly type: string
  readonly from?: Account
  readonly to?: Account
  readonly amount?: number
}

export class Free {
  readonly #newest = new Map<string, Account>()
  #total = 0

  constructor(accounts: readonly Held[]) {
    for (const { account } of accounts) {
      const known = this.#newest.get(nameOf(account))
      if (known === undefined || epochOf(known) < epochOf(account)) this.#newest.set(nameOf(account), account)
    }
    for (const { account, balance } of accounts) if (this.#lives(account)) this.#total += Math.max(0, balance)
  }

  get total(): number {
    return this.#total
  }

  /** An entry of this account's ledger. What is on its way from one that lives to another will arrive. */
  take(account: Account, { type, from = '', to = '', amount = 0 }: Moved): void {
    if (type === 'send' && this.#lives(account) && this.#lives(to)) this.#total += amount
    if (type === 'receive' && this.#lives(account) && this.#lives(from)) this.#total -= amount
  }

  #lives(account: Account): boolean {
    return account !== '' && this.#newest.get(nameOf(account)) === account
  }
}
