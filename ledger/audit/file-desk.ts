// File desk: reads ledgers from files, on this thread.

import { type Account, isAnchor } from '../account.ts'
import type { Entry } from '../entry.ts'
import type { Desk } from './desk.ts'
import { PulledFeed } from './feed.ts'
import type { NoteFile } from './folder.ts'
import type { HeadStore } from './head-store.ts'
import type { Line } from './ledger.ts'
import { LineFile } from './line-file.ts'
import { Reading, type ReadTask } from './reading.ts'
import { type OpenedRow, openAny } from './rows.ts'
import type { Rules } from './rules.ts'
import type { Feed } from './source.ts'

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
    const file = path === undefined ? undefined : new LineFile(path, onBytes)
    return new PulledFeed(reading, {
      pull: async take => (await file?.read(take)) ?? false,
      close: async () => {
        await file?.close()
        sink.close()
      },
    })
  }
}
