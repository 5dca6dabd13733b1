// Own ledger: what a member has written itself, with a row that vouches for it.
//
// Law: a row is signed for what is on disk, and for nothing else.

import type { Account } from '../ledger/account.ts'
import type { SignerKey } from '../ledger/key.ts'
import type { Row } from '../ledger/row.ts'
import { signRow } from '../ledger/row-note.ts'
import type { Clock } from './clock.ts'
import type { Station } from './station.ts'

export class OwnLedger<Event extends { readonly kind: string }> {
  readonly #station: Station<Event>
  readonly #a: { readonly mall: string; readonly signer: SignerKey; readonly clock: Clock }
  #row: Row | undefined

  constructor(
    station: Station<Event>,
    a: { readonly mall: string; readonly signer: SignerKey; readonly clock: Clock },
  ) {
    this.#station = station
    this.#a = a
  }

  get account(): Account | undefined {
    return this.#station.me?.books?.account
  }

  size(): number {
    return this.#isOpen() ? (this.#station.shell?.store.durable.size ?? 0) : 0
  }

  range(from: number, to: number): AsyncIterable<string> {
    return this.#station.shell?.store.range(from, to) ?? nothing()
  }

  /** The newest there is; a little behind while entries are on their way to the disk. */
  row(): Row | undefined {
    const { mall, signer, clock } = this.#a
    const books = this.#station.me?.books
    if (books === undefined) return undefined
    const isNews = this.#row?.account !== books.account || this.#row.size !== books.size
    if (isNews && books.size > 0 && books.size === this.size()) {
      const row = books.row(clock.wall())
      this.#row = { ...row, note: signRow(row, mall, signer) }
    }
    return this.#row?.account === books.account ? this.#row : undefined
  }

  /** Between two lives of the core the store may hold another ledger than the books. */
  #isOpen(): boolean {
    const found = this.#station.shell?.store.found
    return found?.kind === 'intact' && found.account === this.account
  }
}

async function* nothing(): AsyncGenerator<string> {}
