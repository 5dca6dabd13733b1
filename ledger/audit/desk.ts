// Desk: where an auditor has signatures checked and ledgers read. This one does it all by itself, here and now; that of
// `pool.ts` has others for it.

import type { Account } from '../account.ts'
import type { Entry } from '../entry.ts'
import { PulledFeed } from './feed.ts'
import type { NoteFile } from './folder.ts'
import { type Line, readText } from './ledger.ts'
import { MarkList, MarkMerge } from './marks.ts'
import { Reading, type ReadTask } from './reading.ts'
import { type OpenedRow, openAny } from './rows.ts'
import type { Rules } from './rules.ts'
import type { Feed } from './source.ts'

export interface Desk {
  /** Calls back for each of them, in order. */
  openRows(notes: readonly NoteFile[], rules: Rules, take: (opened: OpenedRow, i: number) => void): Promise<void>
  /** The first entry of a ledger, unjudged. */
  first(account: Account): Promise<Entry | undefined>
  /** Heads that an anchor's ledger names are kept for those that are read after it. Each ledger is read once. */
  read(task: ReadTask): Feed
}

/** Lines without newlines; read once, from the first to the last. */
export type Lines = Iterable<string> | AsyncIterable<string>

export class LocalDesk implements Desk {
  readonly #tapes = new Map<Account, Tape>()
  readonly #heads = new Map<Account, MarkList>()

  constructor(ledgers: ReadonlyMap<Account, Lines>) {
    for (const [account, lines] of ledgers) this.#tapes.set(account, new Tape(lines))
  }

  async openRows(
    notes: readonly NoteFile[],
    rules: Rules,
    take: (opened: OpenedRow, i: number) => void,
  ): Promise<void> {
    for (const [i, { note }] of notes.entries()) take(openAny(note, rules), i)
  }

  async first(account: Account): Promise<Entry | undefined> {
    const line = await this.#tapes.get(account)?.first()
    return line === undefined ? undefined : readText(line).entry
  }

  read(task: ReadTask): Feed {
    const heads = this.#heads.get(task.account) ?? new MarkMerge([])
    const reading = new Reading(task, heads, ([account, size, root], by) => {
      const marks = this.#heads.get(account) ?? new MarkList()
      this.#heads.set(account, marks)
      marks.add({ size, root, by })
    })
    const tape = this.#tapes.get(task.account) ?? new Tape([])
    const pull = async (take: (line: Line) => void) => {
      const line = await tape.next()
      if (line !== undefined) take(readText(line))
      return line !== undefined
    }
    return new PulledFeed(reading, { pull, close: async () => {} })
  }
}

/** Lines of which the first can be looked at beforehand. */
class Tape {
  readonly #lines: Iterator<string> | AsyncIterator<string>
  #first: { readonly line: string | undefined } | undefined
  #isBegun = false

  constructor(lines: Lines) {
    this.#lines = Symbol.asyncIterator in lines ? lines[Symbol.asyncIterator]() : lines[Symbol.iterator]()
  }

  async first(): Promise<string | undefined> {
    this.#first ??= { line: await this.#pull() }
    return this.#first.line
  }

  async next(): Promise<string | undefined> {
    if (this.#isBegun) return this.#pull()
    this.#isBegun = true
    return this.first()
  }

  async #pull(): Promise<string | undefined> {
    const { done, value } = await this.#lines.next()
    return done ? undefined : value
  }
}
