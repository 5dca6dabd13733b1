// Spool: a ledger on its way to a bundle. Lines go to a file as they are written, so that a year fits into memory; the
// last of them wait a little, because a disk may yet forget them.

import { closeSync, openSync, writeSync } from 'node:fs'
import type { Account } from '../../../ledger/account.ts'
import { must } from '../../../ledger/fault.ts'

/** More than a gate writes between two of its rows: a loss goes back to one that others hold. */
const HELD = 1024
/** Held lines are let go in heaps of this many. */
const HEAP = 512

export class Spool {
  readonly account: Account
  readonly path: string
  readonly #fd: number
  #held: string[] = []
  #written = 0

  constructor(account: Account, path: string) {
    this.account = account
    this.path = path
    this.#fd = openSync(path, 'wx')
  }

  get size(): number {
    return this.#written + this.#held.length
  }

  add(line: string): void {
    this.#held.push(line)
    if (this.#held.length >= HELD + HEAP) this.#write(HEAP)
  }

  /** Forgets all from this size on. */
  cut(size: number): void {
    must(size >= this.#written && size <= this.size, 'a spool forgets only what it still holds')
    this.#held.length = size - this.#written
  }

  end(): void {
    this.#write(this.#held.length)
    closeSync(this.#fd)
  }

  #write(count: number): void {
    if (count === 0) return
    const heap = Buffer.from(`${this.#held.slice(0, count).join('\n')}\n`)
    this.#held = this.#held.slice(count)
    this.#written += count
    for (let done = 0; done < heap.length; ) done += writeSync(this.#fd, heap, done)
  }
}
