// Ledgers: what a member's store holds, for others to read: the ledger that is being written, closed ones as far as they
// can still be read, and copies that it keeps of others'.
//
// Law: lines are given in order and without gaps, or the answer breaks off where the first one is missing.

import type { Account } from '../ledger/account.ts'
import { Fault } from '../ledger/fault.ts'
import type { Store } from '../ledger/store.ts'
import type { LedgerShelf } from './lan/ledger-window.ts'

export class Ledgers implements LedgerShelf {
  readonly #store: () => Store
  readonly #copies: LedgerShelf | undefined
  /** closed ledgers do not change any more */
  readonly #sizes = new Map<Account, number>()

  constructor(store: () => Store, copies?: LedgerShelf) {
    this.#store = store
    this.#copies = copies
  }

  async accounts(): Promise<readonly Account[]> {
    const own = await this.#store().accounts()
    const copied = (await this.#copies?.accounts()) ?? []
    return [...own, ...copied.filter(account => !own.includes(account))]
  }

  async size(account: Account): Promise<number | undefined> {
    const store = this.#store()
    if (isOpen(store, account)) return store.durable.size
    const known = this.#sizes.get(account)
    if (known !== undefined) return known
    if (!(await store.accounts()).includes(account)) return this.#copies?.size(account)
    let size = 0
    for await (const { seq } of store.salvage(account)) if (seq === size) size++
    this.#sizes.set(account, size)
    return size
  }

  vouch(account: Account): string | undefined {
    return this.#copies?.vouch?.(account)
  }

  async *range(account: Account, from: number, to: number): AsyncGenerator<string> {
    const store = this.#store()
    if (isOpen(store, account)) {
      yield* store.range(from, to)
      return
    }
    if (this.#copies !== undefined && !(await store.accounts()).includes(account)) {
      yield* this.#copies.range(account, from, to)
      return
    }
    let next = from
    for await (const { seq, line } of store.salvage(account)) {
      if (seq < from) continue
      if (seq >= to) return
      if (seq !== next++) throw new Fault('LEDGER', `${account}: entry ${next - 1} cannot be read any more`)
      yield line
    }
  }
}

function isOpen({ found }: Store, account: Account): boolean {
  return found.kind === 'intact' && found.account === account
}
