// Worker: a thread that reads ledgers and checks signatures for `pool.ts`.

import { parentPort, workerData } from 'node:worker_threads'
import type { Account } from '../account.ts'
import { Fault } from '../fault.ts'
import { FileDesk } from './file-desk.ts'
import { FileHeads } from './head-store.ts'
import type { ReadTask } from './reading.ts'
import { type OpenedRow, openAny } from './rows.ts'
import type { Rules } from './rules.ts'
import type { Feed, ReadEnd } from './source.ts'
import type { Portion } from './steps.ts'

export interface WorkerData {
  readonly paths: ReadonlyMap<Account, string>
  readonly scratch: string
}

export type Order =
  | { readonly kind: 'rules'; readonly rules: Rules }
  | { readonly kind: 'rows'; readonly id: number; readonly notes: readonly string[] }
  | { readonly kind: 'read'; readonly id: number; readonly task: Omit<ReadTask, 'rules'> }
  | { readonly kind: 'more'; readonly id: number }

export type Answer =
  | { readonly kind: 'rows'; readonly id: number; readonly rows: readonly OpenedRow[] }
  | { readonly kind: 'portion'; readonly id: number; readonly portion: Portion }
  | { readonly kind: 'end'; readonly id: number; readonly end: ReadEnd }
  | { readonly kind: 'failed'; readonly id: number; readonly code: string; readonly what: string }
  | { readonly kind: 'bytes'; readonly bytes: number }

/** How often it is told how far the reading is. */
const TELL_BYTES = 4 << 20

if (parentPort !== null) {
  const port = parentPort
  const { paths, scratch } = workerData as WorkerData
  let read = 0
  const onBytes = (bytes: number) => {
    read += bytes
    if (read < TELL_BYTES && bytes > 0) return
    port.postMessage({ kind: 'bytes', bytes: read } satisfies Answer)
    read = 0
  }
  const desk = new FileDesk({ paths, heads: new FileHeads(scratch), onBytes })
  const feeds = new Map<number, Feed>()
  let rules: Rules | undefined

  const bring = async (id: number): Promise<void> => {
    const feed = feeds.get(id) as Feed
    const portion = await feed.next()
    if (portion !== undefined) {
      port.postMessage({ kind: 'portion', id, portion } satisfies Answer, [portion.numbers.buffer as ArrayBuffer])
      return
    }
    feeds.delete(id)
    port.postMessage({ kind: 'end', id, end: feed.end } satisfies Answer)
  }

  const follow = async (order: Order): Promise<void> => {
    switch (order.kind) {
      case 'rules':
        rules = order.rules
        return
      case 'rows':
        port.postMessage({ kind: 'rows', id: order.id, rows: order.notes.map(note => openAny(note, rules as Rules)) })
        return
      case 'read':
        feeds.set(order.id, desk.read({ ...order.task, rules: rules as Rules }))
        return
      case 'more':
        if (feeds.has(order.id)) await bring(order.id)
        return
    }
  }

  // one after the other for each ledger: a second portion is asked for before the first has come
  const last = new Map<number, Promise<void>>()
  port.on('message', (order: Order) => {
    const id = 'id' in order ? order.id : -1
    const turn = (last.get(id) ?? Promise.resolve())
      .then(() => follow(order))
      .catch((error: unknown) => {
        const code = error instanceof Fault ? error.code : 'READ'
        port.postMessage({ kind: 'failed', id, code, what: (error as Error).message } satisfies Answer)
      })
    last.set(id, turn)
  })
}
