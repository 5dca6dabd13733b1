// Memory cabinet: the disk's twin for tests, with the same order of keys and the same ways of failing.
//
// Law: no kinder than the disk. A reading sees what was there when it began, a write that rejected may have happened,
// and a closed cabinet does nothing more.

import { Fault, must } from '../../ledger/fault.ts'
import type { Cabinet, Edit, Item, Span } from './cabinet.ts'
import { KEY_MIN } from './cabinet.ts'

const PORTION = 500
/** so few are put in place one by one; more are sorted in together */
const FEW = 32

/** What a restart finds again. */
class Disk {
  readonly values = new Map<string, string>()
  /** sorted, but for the newest ones */
  #keys: string[] = []
  #fresh: string[] = []

  put([key, value]: Edit): void {
    if (value === undefined) return this.#remove(key)
    if (!this.values.has(key)) this.#fresh.push(key)
    this.values.set(key, value)
  }

  keys(): readonly string[] {
    if (this.#fresh.length > FEW) this.#keys = this.#keys.concat(this.#fresh.sort(inOrder)).sort(inOrder)
    else for (const key of this.#fresh) this.#keys.splice(this.place(key), 0, key)
    this.#fresh = []
    return this.#keys
  }

  /** Where the key is, or would be. */
  place(key: string): number {
    let low = 0
    let high = this.#keys.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if (inOrder(this.#keys[middle] as string, key) < 0) low = middle + 1
      else high = middle
    }
    return low
  }

  #remove(key: string): void {
    if (!this.values.delete(key)) return
    this.keys()
    this.#keys.splice(this.place(key), 1)
  }
}

export class MemoryCabinet implements Cabinet {
  #disk = new Disk()
  #closed = false
  #failures: boolean[] = []
  #writes = 0

  /** The next write rejects; `happened`: but it is on the disk. Called twice, the next two do. */
  failNext({ happened = false } = {}): void {
    this.#failures.push(happened)
  }

  /** Closes this one; what it held is in the new one, as after a restart. */
  reopened(): MemoryCabinet {
    const next = new MemoryCabinet()
    next.#disk = this.#disk
    this.#closed = true
    return next
  }

  /** how many keys there are */
  get size(): number {
    return this.#disk.values.size
  }

  /** how many writes were asked for */
  get writes(): number {
    return this.#writes
  }

  async get(key: string): Promise<string | undefined> {
    this.#mustBeOpen()
    return this.#disk.values.get(key)
  }

  async *read({ from, to, reverse = false, limit = Number.POSITIVE_INFINITY }: Span): AsyncGenerator<readonly Item[]> {
    this.#mustBeOpen()
    const keys = this.#disk.keys()
    const start = this.#disk.place(from)
    const end = Math.max(start, this.#disk.place(to))
    const count = Math.max(0, Math.min(limit, end - start))
    const found = reverse ? keys.slice(end - count, end).reverse() : keys.slice(start, start + count)
    const items = found.map(key => [key, this.#disk.values.get(key) as string] as const)
    for (let at = 0; at < items.length; at += PORTION) {
      yield items.slice(at, at + PORTION)
      this.#mustBeOpen()
    }
  }

  async write(edits: readonly Edit[]): Promise<void> {
    this.#mustBeOpen()
    for (const [key] of edits) must(key >= KEY_MIN, 'a key begins with a letter')
    this.#writes++
    // a disk takes its time
    await Promise.resolve()
    const happened = this.#failures.shift()
    if (happened !== false) for (const edit of edits) this.#disk.put(edit)
    if (happened !== undefined) throw new Fault('CABINET_IO', 'cannot be written: as the test wished')
  }

  async close(): Promise<void> {
    this.#closed = true
  }

  #mustBeOpen(): void {
    if (this.#closed) throw new Fault('CABINET_CLOSED', 'the cabinet is closed')
  }
}

/** By UTF-8 bytes, as on the disk; UTF-16 units differ from that only where there are surrogates. */
function inOrder(a: string, b: string): number {
  if (a === b) return 0
  if (SURROGATE.test(a) || SURROGATE.test(b)) return Buffer.compare(Buffer.from(a), Buffer.from(b))
  return a < b ? -1 : 1
}

const SURROGATE = /[\ud800-\udfff]/
