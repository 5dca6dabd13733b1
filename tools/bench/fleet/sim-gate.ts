// Sim gate: a gate as its anchor sees it: a real key, a real ledger, rows that are really signed. It has no door, no disk
// and no peers; people are numbers that somebody draws.

import type { Account } from '../../../ledger/account.ts'
import { Books } from '../../../ledger/books.ts'
import { Chain } from '../../../ledger/chain.ts'
import { noCounters } from '../../../ledger/counters.ts'
import type { SignerKey } from '../../../ledger/key.ts'
import type { Row } from '../../../ledger/row.ts'
import { signRow } from '../../../ledger/row-note.ts'
import { toWire } from '../../../mesh/wire.ts'

export interface SimGateOptions {
  readonly mall: string
  readonly name: string
  readonly charterHash: string
  readonly signer: SignerKey
  readonly newId: (at: number) => string
  /** people per second, for the hint in its rows */
  readonly demand: number
  readonly at: number
}

export class SimGate {
  readonly name: string
  readonly account: Account
  readonly books: Books
  /** its ledger, for whoever asks for a range */
  readonly lines: string[] = []
  readonly #o: SimGateOptions
  #toldSize = 0
  #toldAt = 0
  #note = ''
  #seen = { in: 0, out: 0 }
  #at: number

  constructor(options: SimGateOptions) {
    const { mall, name, charterHash, signer, newId, at } = options
    this.#o = options
    this.name = name
    this.account = `${name}/1`
    const opened = { account: this.account, pen: new Chain(charterHash), counters: noCounters() }
    this.books = new Books(
      opened,
      ({ line }) => this.lines.push(line),
      () => newId(this.#at),
    )
    this.#at = at
    const key = signer.verifier.toString()
    this.books.note({ id: newId(at), at, type: 'open', mall, account: this.account, key })
  }

  /** The newest row that it told anyone, as it was signed. */
  get note(): string {
    return this.#note
  }

  /** its size in the newest row that it told */
  get told(): number {
    return this.#toldSize
  }

  get isChanged(): boolean {
    return this.books.size > this.#toldSize
  }

  isIdleFor(ms: number, at: number): boolean {
    return at - this.#toldAt >= ms
  }

  /** Somebody asks to come in: true if let in. */
  enter(at: number): boolean {
    const { books } = this
    const id = this.#o.newId(at)
    this.#seen.in++
    if (books.balance < 1) {
      const reason = 'nobody in reach holds a token'
      books.note({ id, at, type: 'reject', code: 'REJECT_AT_CAPACITY', reason, confidence: 950 })
      return false
    }
    books.admit(id, at, 'local', 950)
    return true
  }

  leave(at: number): void {
    this.#seen.out++
    this.books.exit(this.#o.newId(at), at, true, 930)
  }

  /** What the optical counter saw since it last said so. */
  optical(at: number): void {
    this.books.note({ id: this.#o.newId(at), at, type: 'optical', ...this.#seen })
    this.#seen = { in: 0, out: 0 }
  }

  give(taker: SimGate, amount: number, at: number): void {
    this.#at = at
    this.books.send(taker.account, amount, at, 'ask')
  }

  take(donor: Row, at: number): number {
    this.#at = at
    return this.books.receive(donor, at)
  }

  /** Its regular word, as the text that crosses the wire. */
  word(at: number): string {
    const { mall, signer, demand } = this.#o
    this.#toldSize = this.books.size
    this.#toldAt = at
    const sign = (row: Row) => {
      this.#note = signRow(row, mall, signer)
      return this.#note
    }
    const text = toWire(
      { kind: 'rows', rows: [this.books.row(at)], hint: { demand, waiting: 0 }, mode: { epoch: 0, mode: 'NORMAL' } },
      { row: sign, mode: () => undefined },
    )
    return text as string
  }
}
