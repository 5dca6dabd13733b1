// Head store: what the anchors' checkpoints say of every other account, kept until that account is read. In memory, or,
// where there may be millions, in files.

import { closeSync, existsSync, openSync, readFileSync, readSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import type { Account } from '../account.ts'
import { type Mark, MarkList, MarkMerge, type MarkQueue } from './marks.ts'
import type { HeadSink } from './reading.ts'

export interface HeadStore {
  /** For the heads of one anchor's ledger, in its order. */
  sink(): { readonly take: HeadSink; close(): void }
  /** All heads of an account, once the anchors have been read. */
  queue(account: Account, anchors: readonly Account[]): MarkQueue
}

export class MemoryHeads implements HeadStore {
  readonly #lists = new Map<Account, MarkList>()

  sink() {
    const take: HeadSink = ([account, size, root], by) => {
      const list = this.#lists.get(account) ?? new MarkList()
      this.#lists.set(account, list)
      list.add({ size, root, by })
    }
    return { take, close: () => {} }
  }

  queue(account: Account): MarkQueue {
    return this.#lists.get(account) ?? new MarkMerge([])
  }
}

/** size, seq of the entry that says so, root */
const RECORD_BYTES = 8 + 8 + 32
const BLOCK_BYTES = RECORD_BYTES * 1024

/** A file for each pair of an anchor's ledger and an account, in order of size; what comes out of order has its own. */
export class FileHeads implements HeadStore {
  readonly #dir: string

  constructor(dir: string) {
    this.#dir = dir
  }

  sink() {
    const files = new Map<string, HeadFile>()
    const fileOf = (name: string) => {
      const known = files.get(name)
      if (known !== undefined) return known
      const file = new HeadFile(join(this.#dir, name))
      files.set(name, file)
      return file
    }
    const take: HeadSink = ([account, size, root], by) => {
      const name = nameOf(by.account, account)
      const file = fileOf(name)
      // an idle account is said again and again
      if (file.size === size && file.root === root) return
      if (size >= file.size) file.add(size, root, by.seq)
      else fileOf(`${name}.odd`).add(size, root, by.seq)
    }
    const close = () => {
      for (const file of files.values()) file.close()
    }
    return { take, close }
  }

  queue(account: Account, anchors: readonly Account[]): MarkQueue {
    const queues: MarkQueue[] = []
    for (const anchor of anchors) {
      const path = join(this.#dir, nameOf(anchor, account))
      if (existsSync(path)) queues.push(new HeadReader(path, anchor))
      if (existsSync(`${path}.odd`)) queues.push(oddOf(`${path}.odd`, anchor))
    }
    return new MarkMerge(queues)
  }
}

function nameOf(anchor: Account, account: Account): string {
  return `${anchor} ${account}`.replaceAll('/', '.')
}

class HeadFile {
  readonly #file: number
  readonly #block = Buffer.allocUnsafe(BLOCK_BYTES)
  #used = 0
  size = 0
  root = ''

  constructor(path: string) {
    this.#file = openSync(path, 'w', 0o600)
  }

  add(size: number, root: string, seq: number): void {
    this.size = size
    this.root = root
    this.#block.writeDoubleBE(size, this.#used)
    this.#block.writeDoubleBE(seq, this.#used + 8)
    this.#block.write(root, this.#used + 16, 'base64')
    this.#used += RECORD_BYTES
    if (this.#used === BLOCK_BYTES) this.#flush()
  }

  close(): void {
    this.#flush()
    closeSync(this.#file)
  }

  #flush(): void {
    writeSync(this.#file, this.#block, 0, this.#used)
    this.#used = 0
  }
}

class HeadReader implements MarkQueue {
  readonly #anchor: Account
  readonly #file: number
  readonly #block = Buffer.allocUnsafe(BLOCK_BYTES)
  #used = 0
  #filled = 0
  #isAtEnd = false
  #next: Mark | undefined

  constructor(path: string, anchor: Account) {
    this.#anchor = anchor
    this.#file = openSync(path, 'r')
    this.pop()
  }

  peek(): Mark | undefined {
    return this.#next
  }

  pop(): void {
    if (this.#used === this.#filled) this.#fill()
    if (this.#isAtEnd) {
      this.#next = undefined
      return
    }
    this.#next = markAt(this.#block, this.#used, this.#anchor)
    this.#used += RECORD_BYTES
  }

  has(size: number, root: string): boolean {
    return this.#next?.size === size && this.#next.root === root
  }

  #fill(): void {
    if (this.#isAtEnd) return
    this.#filled = readSync(this.#file, this.#block)
    this.#used = 0
    if (this.#filled > 0) return
    this.#isAtEnd = true
    closeSync(this.#file)
  }
}

function oddOf(path: string, anchor: Account): MarkQueue {
  const bytes = readFileSync(path)
  const list = new MarkList()
  for (let i = 0; i < bytes.length; i += RECORD_BYTES) list.add(markAt(bytes, i, anchor))
  return list
}

function markAt(bytes: Buffer, i: number, anchor: Account): Mark {
  const root = bytes.toString('base64', i + 16, i + RECORD_BYTES)
  return { size: bytes.readDoubleBE(i), root, by: { account: anchor, seq: bytes.readDoubleBE(i + 8) } }
}
