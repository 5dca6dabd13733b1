// Words: what members said of themselves last. A row may wait for rows of others before it is believed; where its gate says
// that it has a token it can be asked for it all the same, and the answer brings along what the row stands on.
//
// Law: nothing here has authority. Who says more than is believed of it is asked last, and gives or does not.

import { nameOf } from '../ledger/account.ts'
import { balance } from '../ledger/counters.ts'
import type { Row } from '../ledger/row.ts'
import type { Known } from '../ledger/view.ts'
import type { Limits } from './limits.ts'
import type { Hint } from './message.ts'

interface Word {
  readonly hint: Hint
  readonly at: number
  /** its own row as it told it */
  readonly row: Row | undefined
  /** when it first told that row */
  readonly grewAt: number
}

/** Taken to be there where a row says so that is not believed yet. */
const UNPROVEN_MAX = 1

export class Words {
  readonly #limits: Limits
  readonly #of = new Map<string, Word>()

  constructor(limits: Limits) {
    this.#limits = limits
  }

  heard(from: string, hint: Hint, rows: readonly Row[], now: number): void {
    const demand = Math.min(Math.max(0, hint.demand), this.#limits.demandPerSecondMax)
    const row = rows.findLast(({ account }) => nameOf(account) === from)
    const before = this.#of.get(from)
    const isSame = row !== undefined && before?.row?.size === row.size && before.row.account === row.account
    this.#of.set(from, { hint: { ...hint, demand }, at: now, row, grewAt: isSame ? before.grewAt : now })
  }

  hintOf(name: string, now: number): Hint | undefined {
    return this.#fresh(name, now)?.hint
  }

  /** What it would give away, as far as it has told. */
  offeredBy(known: Known, now: number): number {
    const word = this.#fresh(nameOf(known.row.account), now)
    const row = word && this.#unproven(word, known)
    const most = Math.max(UNPROVEN_MAX, known.balance)
    const holds = row === undefined ? known.balance : Math.min(balance(row.counters, row.budget), most)
    return holds - (word?.hint.keeps ?? 0)
  }

  /** When its ledger was last said to be longer. */
  grewAt(known: Known, now: number): number {
    const word = this.#fresh(nameOf(known.row.account), now)
    return word !== undefined && this.#unproven(word, known) ? Math.max(word.grewAt, known.grewAt) : known.grewAt
  }

  #fresh(name: string, now: number): Word | undefined {
    const word = this.#of.get(name)
    return word === undefined || now - word.at > this.#limits.silentMs ? undefined : word
  }

  #unproven({ row }: Word, { row: known }: Known): Row | undefined {
    return row !== undefined && row.account === known.account && row.size > known.size ? row : undefined
  }
}
