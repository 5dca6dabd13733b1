// Line file: the lines of a ledger's file as bytes, in order, without a copy of each.

import { hash } from 'node:crypto'
import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { Fault } from '../fault.ts'
import { LINE_BYTES_MAX } from '../line.ts'
import { type Line, readBytes } from './ledger.ts'

const CHUNK_BYTES = 256 * 1024
const NEWLINE = 10
const NOTHING = hash('sha256', '', 'base64')

export class LineFile {
  readonly #path: string
  readonly #onBytes: (bytes: number) => void
  #file: number | undefined
  // one byte stands before every line: its newline, or this first one; it becomes the prefix of its hash
  #buffer = Buffer.alloc(1)
  #start = 1
  #end = 1
  #isAtEnd = false

  constructor(path: string, onBytes: (bytes: number) => void = () => {}) {
    this.#path = path
    this.#onBytes = onBytes
  }

  /** Calls back for every line that is there; reads on. False at the end. */
  async read(take: (line: Line) => void): Promise<boolean> {
    if (this.#isAtEnd) return false
    const came = this.#fill()
    if (came === 0) {
      this.#isAtEnd = true
      if (this.#end > this.#start) take({ leaf: NOTHING, flaw: 'the last line does not end in a newline' })
      await this.close()
      return false
    }
    const data = this.#buffer.subarray(0, this.#end)
    for (;;) {
      const newline = data.indexOf(NEWLINE, this.#start)
      if (newline < 0) break
      take(readBytes(data.subarray(this.#start - 1, newline), leafOf))
      this.#start = newline + 1
    }
    if (this.#end - this.#start <= LINE_BYTES_MAX) return true
    take({ leaf: NOTHING, flaw: `longer than ${LINE_BYTES_MAX} bytes` })
    this.#isAtEnd = true
    await this.close()
    return false
  }

  async close(): Promise<void> {
    const file = this.#file
    this.#file = undefined
    this.#isAtEnd = true
    if (file !== undefined) closeSync(file)
  }

  #open(): number {
    try {
      const file = openSync(this.#path, 'r')
      // most are small; one byte more, so that a file that grows meanwhile is seen to end within a line
      this.#buffer = Buffer.allocUnsafe(1 + Math.min(CHUNK_BYTES, fstatSync(file).size + 1))
      return file
    } catch (cause) {
      throw new Fault('BUNDLE', `${this.#path}: cannot be read: ${(cause as Error).message}`, { cause })
    }
  }

  /** On this thread: what a chunk's lines take is far more than what it takes to read it, or to ask another thread to. */
  #fill(): number {
    this.#file ??= this.#open()
    this.#buffer.copyWithin(1, this.#start, this.#end)
    this.#end -= this.#start - 1
    this.#start = 1
    const came = readSync(this.#file, this.#buffer, this.#end, this.#buffer.length - this.#end, null)
    this.#end += came
    this.#onBytes(came)
    return came
  }
}

function leafOf(bytes: Buffer): string {
  return hash('sha256', bytes, 'base64')
}
