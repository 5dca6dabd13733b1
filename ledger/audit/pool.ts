// Pool: a desk whose work is done by several threads, so that an audit uses all of a machine.
//
// A ledger is read by one thread, a little ahead of what the replay has asked for; signatures go to whoever is free.

import { rm } from 'node:fs/promises'
import { Worker } from 'node:worker_threads'
import type { Account } from '../account.ts'
import type { Entry } from '../entry.ts'
import { Fault } from '../fault.ts'
import type { Desk } from './desk.ts'
import { FileDesk } from './file-desk.ts'
import type { NoteFile } from './folder.ts'
import { MemoryHeads } from './head-store.ts'
import type { ReadTask } from './reading.ts'
import type { OpenedRow } from './rows.ts'
import type { Rules } from './rules.ts'
import type { Feed, ReadEnd } from './source.ts'
import type { Portion } from './steps.ts'
import type { Answer, Order, WorkerData } from './worker.ts'

export interface PoolOptions {
  readonly threads: number
  readonly ledgers: ReadonlyMap<Account, { readonly path: string; readonly bytes: number }>
  /** an empty folder of our own, removed at the end */
  readonly scratch: string
  readonly onBytes: (bytes: number) => void
}

/** Portions that a thread is ahead of the replay, per ledger. */
const AHEAD = 2
/** Signatures that are checked in one go. */
const NOTES_AT_ONCE = 16

export class Pool implements Desk {
  readonly #o: PoolOptions
  readonly #threads: Thread[]
  readonly #local: FileDesk
  #rules: Rules | undefined
  #ids = 0

  constructor(options: PoolOptions) {
    this.#o = options
    const paths = new Map([...options.ledgers].map(([account, { path }]) => [account, path]))
    const workerData: WorkerData = { paths, scratch: options.scratch }
    this.#threads = Array.from({ length: options.threads }, () => new Thread(workerData, options.onBytes))
    this.#local = new FileDesk({ paths, heads: new MemoryHeads(), onBytes: () => {} })
  }

  async close(): Promise<void> {
    await Promise.all(this.#threads.map(thread => thread.close()))
    await rm(this.#o.scratch, { recursive: true, force: true })
  }

  async openRows(
    notes: readonly NoteFile[],
    rules: Rules,
    take: (opened: OpenedRow, i: number) => void,
  ): Promise<void> {
    this.#tell(rules)
    const early = new Map<number, readonly OpenedRow[]>()
    let begun = 0
    let taken = 0
    const handOver = () => {
      for (let rows = early.get(taken); rows !== undefined; rows = early.get(taken)) {
        early.delete(taken)
        for (const row of rows) take(row, taken++)
      }
    }
    await Promise.all(
      this.#threads.map(async thread => {
        while (begun < notes.length) {
          const from = begun
          begun += NOTES_AT_ONCE
          const some = notes.slice(from, from + NOTES_AT_ONCE).map(({ note }) => note)
          early.set(from, await thread.openRows(++this.#ids, some))
          handOver()
        }
      }),
    )
  }

  first(account: Account): Promise<Entry | undefined> {
    return this.#local.first(account)
  }

  read({ rules, ...task }: ReadTask): Feed {
    this.#tell(rules)
    const bytes = this.#o.ledgers.get(task.account)?.bytes ?? 0
    const [thread] = [...this.#threads].sort((a, b) => a.load - b.load)
    return (thread as Thread).read(++this.#ids, task, bytes)
  }

  #tell(rules: Rules): void {
    if (this.#rules === rules) return
    this.#rules = rules
    for (const thread of this.#threads) thread.order({ kind: 'rules', rules })
  }
}

interface Waiting {
  readonly resolve: (answer: Answer) => void
  readonly reject: (error: Error) => void
}

class Thread {
  readonly #worker: Worker
  readonly #waiting = new Map<number, Waiting[]>()
  readonly #came = new Map<number, Answer[]>()
  #failed: Error | undefined
  #isClosed = false
  /** bytes that it was given to read */
  load = 0

  constructor(data: WorkerData, onBytes: (bytes: number) => void) {
    this.#worker = new Worker(new URL('worker.ts', import.meta.url), { workerData: data })
    this.#worker.on('message', (answer: Answer) => {
      if (answer.kind === 'bytes') onBytes(answer.bytes)
      else this.#take(answer)
    })
    this.#worker.on('error', error => this.#fail(error))
    this.#worker.on('exit', code => {
      if (!this.#isClosed) this.#fail(new Fault('THREAD', `a thread ended with ${code}`))
    })
  }

  async close(): Promise<void> {
    this.#isClosed = true
    await this.#worker.terminate()
  }

  order(order: Order): void {
    this.#worker.postMessage(order)
  }

  async openRows(id: number, notes: readonly string[]): Promise<readonly OpenedRow[]> {
    this.order({ kind: 'rows', id, notes })
    const answer = await this.#next(id)
    return answer.kind === 'rows' ? answer.rows : []
  }

  read(id: number, task: Omit<ReadTask, 'rules'>, bytes: number): Feed {
    this.load += bytes
    this.order({ kind: 'read', id, task })
    for (let i = 0; i < AHEAD; i++) this.order({ kind: 'more', id })
    let end: ReadEnd | undefined
    return {
      get end() {
        return end as ReadEnd
      },
      next: async (): Promise<Portion | undefined> => {
        if (end !== undefined) return undefined
        const answer = await this.#next(id)
        if (answer.kind === 'portion') {
          this.order({ kind: 'more', id })
          return answer.portion
        }
        if (answer.kind === 'end') end = answer.end
        return undefined
      },
    }
  }

  #next(id: number): Promise<Answer> {
    if (this.#failed !== undefined) return Promise.reject(this.#failed)
    const came = this.#came.get(id)?.shift()
    if (came !== undefined) return settled(came)
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, [...(this.#waiting.get(id) ?? []), { resolve, reject }])
    }).then(answer => settled(answer as Answer))
  }

  #take(answer: Exclude<Answer, { kind: 'bytes' }>): void {
    const waiting = this.#waiting.get(answer.id)?.shift()
    if (waiting !== undefined) return waiting.resolve(answer)
    const came = this.#came.get(answer.id)
    if (came === undefined) this.#came.set(answer.id, [answer])
    else came.push(answer)
  }

  #fail(error: Error): void {
    this.#failed = error
    for (const waiting of this.#waiting.values()) for (const { reject } of waiting) reject(error)
    this.#waiting.clear()
  }
}

async function settled(answer: Answer): Promise<Answer> {
  if (answer.kind === 'failed') throw new Fault(answer.code, answer.what)
  return answer
}
