// Seal: how a member signs what it says itself.
//
// Law: a row is signed for others only once the ledger it speaks of is on disk; taken back by a power cut it would be a
// second history, and its owner banned for it.

import type { Books } from '../ledger/books.ts'
import type { Head } from '../ledger/chain.ts'
import type { SignerKey } from '../ledger/key.ts'
import type { ModeStatement } from '../ledger/mode.ts'
import { signMode } from '../ledger/mode-note.ts'
import type { Row } from '../ledger/row.ts'
import { signRow } from '../ledger/row-note.ts'
import type { Signing } from './wire.ts'

export interface SealOptions {
  readonly name: string
  readonly mall: string
  readonly signer: SignerKey
  readonly books: () => Books | undefined
  readonly durable: () => number
}

export class Seal implements Signing {
  readonly #o: SealOptions

  constructor(options: SealOptions) {
    this.#o = options
  }

  /** Our row at this head, to lie on disk beside the entries it covers. It does not leave. */
  at(head: Head, wall: number): string | undefined {
    const row = this.#o.books()?.row(wall)
    return row?.size === head.size && row.root === head.root ? this.#sign(row) : undefined
  }

  /** Of others, and of our closed accounts, only what they signed can be handed on; of ours only what the disk has. */
  row(row: Row): string | undefined {
    if (row.account !== this.#o.books()?.account || row.size > this.#o.durable()) return undefined
    return this.#sign(row)
  }

  mode(statement: ModeStatement): string | undefined {
    if (statement.by.length !== 1 || statement.by[0] !== this.#o.name) return undefined
    const { by: _by, note: _note, ...text } = statement
    return signMode(text, this.#o.mall, [this.#o.signer])
  }

  #sign(row: Row): string {
    return signRow(row, this.#o.mall, this.#o.signer)
  }
}
