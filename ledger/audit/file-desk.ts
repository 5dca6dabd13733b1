// File desk: reads ledgers from files, on this thread.

import { type Account, isAnchor } from '../account.ts'
import type { Entry } from '../entry.ts'
import type { Desk } from './desk.ts'
import type { NoteFile } from './folder.ts'
import type { HeadStore } from './head-store.ts'
import type { Line } from './ledger.ts'
import { LineFile } from './line-file.ts'
import { Reading, type ReadTask } from './reading.ts'
import { type OpenedRow, openAny } from './rows.ts'
import type { Rules } from './rules.ts'
import type { Feed, ReadEnd } from './source.ts'
import type { Portion } from './steps.ts'

export interface FileDeskOptions {
  /** where each account's ledger is */
  readonly paths: ReadonlyMap<Account, string>
  readonly heads: HeadStore
  /** so many more were read */
  readonly onBytes: (bytes: number) => void
}

export class FileDesk implements Desk {
  readonly #o: FileDeskOptions
  readonly #anchors: readonly Account[]

  constructor(options: FileDeskOptions) {
    this.#o = options
    this.#anchors = [...options.paths.keys()].filter(isAnchor)
  }

  async openRows(
    notes: readonly NoteFile[],
    rules: Rules,
    take: (opened: OpenedRow, i: number) => void,
  ): Promise<void> {
    for (const [i, { note }] of notes.entries()) take(openAny(note, rules), i)
  }

  async first(account: Account): Promise<Entry | undefined> {
    const path = this.#o.paths.get(account)
    if (path === undefined) return undefined
    const file = new LineFile(path)
    let first: Line | undefined
    await file.read(line => {
      first ??= line
    })
    await file.close()
    return first?.entry
  }

  read(task: ReadTask): Feed {
    const { heads, onBytes, paths } = this.#o
    const sink = heads.sink()
    const reading = new Reading(task, heads.queue(task.account, this.#anchors), sink.take)
    const path = paths.get(task.account)
    return new FileFeed(reading, path === undefined ? undefined : new LineFile(path, onBytes), () => sink.close())
  }
}

class FileFeed implements Feed {
  readonly #reading: Reading
  readonly #file: LineFile | undefined
  readonly #close: () => void
  #portions: Portion[] = []
  #end: ReadEnd | undefined

  constructor(reading: Reading, file: LineFile | undefined, close: () => void) {
    this.#reading = reading
    this.#file = file
    this.#close = close
  }

  get end(): ReadEnd {
    return this.#end as ReadEnd
  }

  async next(): Promise<Portion | undefined> {
    while (this.#portions.length === 0 && this.#end === undefined) {
      const goesOn = !this.#reading.isOver && (await this.#file?.read(line => this.#reading.push(line)))
      if (!goesOn) {
        await this.#file?.close()
        this.#end = this.#reading.end()
        this.#close()
      }
      this.#portions = this.#reading.take(!goesOn)
    }
    return this.#portions.shift()
  }
}
