// Source: one account's steps in the replay of the whole mall. First the entries that move tokens, then, where rows
// speak of entries that are not there, one leap to each row.

import type { Account } from '../account.ts'
import type { Entry, EntryType } from '../entry.ts'
import type { Row } from '../row.ts'
import type { LedgerReader } from './ledger.ts'

/** From entry `seq` to the row's size nothing is left but what the row says. */
export interface Leap {
  readonly type: 'leap'
  readonly at: number
  readonly seq: number
  readonly row: Row
}

export type Step = Entry | Leap

const MOVES: readonly EntryType[] = ['admit', 'forced', 'lapse', 'exit', 'send', 'receive', 'budget']

export class Source {
  readonly account: Account
  readonly #reader: LedgerReader | undefined
  readonly #rows: readonly Row[]
  readonly #steps: Iterator<Step> | AsyncIterator<Step>
  #step: Step | undefined

  /** `read` are the steps of a ledger that was read before, for its checkpoints. */
  constructor(account: Account, reader: LedgerReader | undefined, rows: readonly Row[], read?: readonly Step[]) {
    this.account = account
    this.#reader = reader
    this.#rows = rows
    this.#steps = read === undefined ? this.#stream() : read[Symbol.iterator]()
  }

  /** The next one to replay. */
  get step(): Step | undefined {
    return this.#step
  }

  /** Size up to which entries were read. */
  get exact(): number {
    return this.#reader?.size ?? 0
  }

  /** Size up to which entries or rows say anything. */
  get known(): number {
    return Math.max(this.exact, this.#rows.at(-1)?.size ?? 0)
  }

  /** Altered or with a hole: what comes after proves nothing. */
  get damaged(): boolean {
    return this.#reader?.damaged ?? false
  }

  async advance(): Promise<void> {
    const next = this.#steps.next()
    const { done, value } = next instanceof Promise ? await next : next
    this.#step = done ? undefined : value
  }

  async *#stream(): AsyncGenerator<Step> {
    if (this.#reader !== undefined) {
      for await (const entry of entriesOf(this.#reader)) if (movesTokens(entry)) yield entry
    }
    yield* leaps(this.#rows, this.#reader)
  }
}

export async function* entriesOf(reader: LedgerReader): AsyncGenerator<Entry> {
  for (let entry = await reader.next(); entry !== undefined; entry = await reader.next()) yield entry
}

export function movesTokens(entry: Entry): boolean {
  return MOVES.includes(entry.type)
}

/** What the rows add to a ledger that ends before them. */
export function leaps(rows: readonly Row[], reader: LedgerReader | undefined): Leap[] {
  if (reader?.damaged) return []
  let seq = reader?.size ?? 0
  const found: Leap[] = []
  for (const row of rows) {
    if (row.size <= seq) continue
    found.push({ type: 'leap', at: row.at, seq, row })
    seq = row.size
  }
  return found
}
