// Mark: the high-water mark of a ledger, in a file of its own beside the store.
//
// Law: once `write` resolves, that mark is read back after any crash; while it has not, the one before is. Two slots take
// turns, so a torn write ruins at most the slot that nobody relies on yet. Writing in place, durably, costs
// one flush; a rename would cost a new file, its directory and the journal every time.
//
//     gatemesh mark 1
//     <serial>           the larger one is the newer
//     <account>
//     <size>
//     <root>
//     <SHA-256 of the lines above, in base64>

import { hash } from 'node:crypto'
import { constants } from 'node:fs'
import { type FileHandle, open, readFile, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { isAccount } from './account.ts'
import { isHash64 } from './base64.ts'
import { parseCount } from './decimal.ts'
import type { Mark } from './store.ts'

const TITLE = 'gatemesh mark 1'
/** a sector: what a disk writes whole or not at all */
const SLOT_BYTES = 512
/** slots lie in different pages, so that a page lost with its slot leaves the other */
const SLOT_STRIDE = 4096
/** On Linux a write is over when the disk has it: one trip to another thread, where write and fdatasync are two. */
const IS_DURABLE = process.platform === 'linux'
const HOW = IS_DURABLE ? constants.O_RDWR | constants.O_DSYNC : constants.O_RDWR
const FILE_BYTES = SLOT_STRIDE + SLOT_BYTES

interface Slot {
  readonly serial: number
  readonly mark: Mark
}

export function formatSlot({ serial, mark }: Slot): Buffer {
  const text = [TITLE, serial, mark.account, mark.size, mark.root, ''].join('\n')
  const slot = Buffer.alloc(SLOT_BYTES)
  slot.write(`${text}${hash('sha256', text, 'base64')}\n`)
  return slot
}

function parseSlot(bytes: Buffer): Slot | undefined {
  const lines = bytes.toString('latin1').split('\n')
  const [title, serialText = '', account = '', sizeText = '', root = '', sum] = lines
  const serial = parseCount(serialText)
  const size = parseCount(sizeText)
  if (title !== TITLE || serial === undefined || size === undefined || !isAccount(account) || !isHash64(root))
    return undefined
  if (sum !== hash('sha256', `${lines.slice(0, 5).join('\n')}\n`, 'base64')) return undefined
  return { serial, mark: { account, size, root } }
}

/** The newest slot that can be read. */
export function newestSlot(file: Buffer): Slot | undefined {
  const slots = [0, SLOT_STRIDE].map(at => parseSlot(file.subarray(at, at + SLOT_BYTES)))
  const [a, b] = slots
  if (a === undefined || b === undefined) return a ?? b
  return a.serial > b.serial ? a : b
}

export function slotOffset(serial: number): number {
  return (serial % 2) * SLOT_STRIDE
}

/** A whole file with one slot filled. */
export function formatFile(slot: Slot): Buffer {
  const file = Buffer.alloc(FILE_BYTES)
  formatSlot(slot).copy(file, slotOffset(slot.serial))
  return file
}

export class MarkFile {
  readonly #path: string
  #handle: FileHandle | undefined
  #serial = 0

  constructor(path: string) {
    this.#path = path
  }

  async read(): Promise<Mark | 'garbled' | undefined> {
    const file = await this.#bytes()
    return file === undefined ? undefined : (newestSlot(file)?.mark ?? 'garbled')
  }

  async write(mark: Mark): Promise<void> {
    try {
      if (this.#handle === undefined && !(await this.#reopen())) return await this.#create(mark)
      const slot = { serial: this.#serial + 1, mark }
      const { bytesWritten } = await (this.#handle as FileHandle).write(
        formatSlot(slot),
        0,
        SLOT_BYTES,
        slotOffset(slot.serial),
      )
      if (bytesWritten !== SLOT_BYTES) throw new Error(`wrote ${bytesWritten} of ${SLOT_BYTES} bytes of the mark`)
      if (!IS_DURABLE) await (this.#handle as FileHandle).datasync()
      this.#serial = slot.serial
    } catch (error) {
      // What the file holds now is unknown: the next write looks first, and again spares the newest slot.
      await this.close()
      throw error
    }
  }

  async close(): Promise<void> {
    const handle = this.#handle
    this.#handle = undefined
    await handle?.close().catch(() => undefined)
  }

  /** False where there is no file that a slot can be written into. */
  async #reopen(): Promise<boolean> {
    const newest = newestSlot((await this.#bytes()) ?? Buffer.alloc(0))
    if (newest === undefined) return false
    this.#handle = await open(this.#path, HOW)
    this.#serial = newest.serial
    return true
  }

  async #create(mark: Mark): Promise<void> {
    const fresh = `${this.#path}.new`
    this.#serial++
    await rm(fresh, { force: true })
    const file = await open(fresh, 'wx')
    try {
      await file.writeFile(formatFile({ serial: this.#serial, mark }))
      await file.sync()
    } finally {
      await file.close()
    }
    await rename(fresh, this.#path)
    await syncFolder(dirname(this.#path))
    this.#handle = await open(this.#path, HOW)
  }

  async #bytes(): Promise<Buffer | undefined> {
    try {
      return await readFile(this.#path)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
      throw error
    }
  }
}

/** A new name is durable once its folder is. */
export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r')
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}
