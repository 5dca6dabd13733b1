// Faulty: any medium, with failures where the test wants them and a record of the order in which things were done.

import { setTimeout as sleep } from 'node:timers/promises'
import { Fault } from '../../ledger/fault.ts'
import type { Medium, Shelf } from '../../ledger/medium.ts'
import type { Change } from '../../ledger/record.ts'
import type { Mark } from '../../ledger/store.ts'

/** 'lost': nothing was written. 'arrived': all was, and the answer was an error all the same. */
export type Failure = 'lost' | 'arrived'

export class Faulty implements Medium {
  readonly log: string[] = []
  /** called before a ledger is opened again: the moment to swap the disk under it */
  beforeOpen: (() => Promise<void>) | undefined
  readonly #inner: Medium
  #writes: { left: number; how: Failure } = { left: 0, how: 'lost' }
  #marks: { left: number; how: Failure } = { left: 0, how: 'lost' }
  #gate: Promise<void> | undefined
  #ledgerGate: Promise<void> | undefined

  /** where the medium has patience of its own */
  readonly linger?: NonNullable<Medium['linger']>

  constructor(inner: Medium) {
    this.#inner = inner
    if (inner.linger) this.linger = inner.linger.bind(inner)
  }

  failWrites(left: number, how: Failure = 'lost'): void {
    this.#writes = { left, how }
  }

  failMarks(left: number, how: Failure = 'lost'): void {
    this.#marks = { left, how }
  }

  heal(): void {
    this.failWrites(0)
    this.failMarks(0)
  }

  /** Writes do not come back until the returned function is called. */
  hold(): () => void {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#gate = promise
    return () => {
      this.#gate = undefined
      resolve()
    }
  }

  /** Writes to the ledger do not come back until the returned function is called; marks do. */
  holdLedger(): () => void {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#ledgerGate = promise
    return () => {
      this.#ledgerGate = undefined
      resolve()
    }
  }

  readMark(): Promise<Mark | 'garbled' | undefined> {
    return this.#inner.readMark()
  }

  writeMark(mark: Mark): Promise<void> {
    return this.#act(`mark ${mark.size}`, this.#marks, () => this.#inner.writeMark(mark))
  }

  epochs(): Promise<number[]> {
    return this.#inner.epochs()
  }

  async open(epoch: number, how: 'existing' | 'create'): Promise<Shelf> {
    await this.beforeOpen?.()
    this.log.push(`${how === 'create' ? 'create' : 'open'} ${epoch}`)
    const shelf = await this.#inner.open(epoch, how)
    return {
      get: key => shelf.get(key),
      floor: key => shelf.floor(key),
      read: (from, to) => shelf.read(from, to),
      write: async (changes: readonly Change[]) => {
        await this.#ledgerGate
        await this.#act('write', this.#writes, () => shelf.write(changes))
      },
      close: () => shelf.close(),
    }
  }

  salvage(epoch: number): Promise<Shelf> {
    return this.#inner.salvage(epoch)
  }

  discard(epoch: number): Promise<void> {
    return this.#inner.discard(epoch)
  }

  /** Patience is not what these tests are about. */
  async wait(_ms: number, signal: AbortSignal): Promise<void> {
    await sleep(1, undefined, { signal })
  }

  close(): Promise<void> {
    return this.#inner.close()
  }

  async #act(what: string, failing: { left: number; how: Failure }, act: () => Promise<void>): Promise<void> {
    await this.#gate
    if (failing.left > 0) {
      failing.left--
      this.log.push(`${what} fails`)
      if (failing.how === 'arrived') await act()
      throw new Fault('STORE_IO', `${what}: failed as told`)
    }
    await act()
    this.log.push(what)
  }
}
