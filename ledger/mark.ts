// Mark: the high-water mark of a ledger with its newest lines, in a file of its own beside the store.
//
// Law: once `write` resolves, that mark is read back after any crash; while it has not, the one before is. Slots take
// turns (slot.ts). Writing in place, durably, costs one flush; a rename would cost a new file, its directory and the
// journal every time, and a file that grows would cost the journal too.

import { constants } from 'node:fs'
import { type FileHandle, open, readFile, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { FILE_BYTES, formatFile, formatSlot, joined, readSlots, slotOffset } from './slot.ts'
import type { Mark } from './store.ts'

/** On Linux a write is over when the disk has it: one trip to another thread, where write and fdatasync are two. */
const IS_DURABLE = process.platform === 'linux'
const HOW = IS_DURABLE ? constants.O_RDWR | constants.O_DSYNC : constants.O_RDWR

export class MarkFile {
  readonly #path: string
  #handle: FileHandle | undefined
  #serial = 0

  constructor(path: string) {
    this.#path = path
  }

  async read(): Promise<Mark | 'garbled' | undefined> {
    const file = await this.#bytes()
    if (file === undefined) return undefined
    return joined(readSlots(file).map(({ mark }) => mark)) ?? 'garbled'
  }

  async write(mark: Mark): Promise<void> {
    try {
      if (this.#handle === undefined && !(await this.#reopen())) return await this.#create(mark)
      const serial = this.#serial + 1
      const slot = formatSlot({ serial, mark })
      const at = slotOffset(serial)
      const { bytesWritten } = await (this.#handle as FileHandle).write(slot, 0, slot.length, at)
      if (bytesWritten !== slot.length) throw new Error(`wrote ${bytesWritten} of ${slot.length} bytes of the mark`)
      if (!IS_DURABLE) await (this.#handle as FileHandle).datasync()
      this.#serial = serial
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

  /** False where there is no file that a slot can be written into: none, none that can be read, or one of format 1. */
  async #reopen(): Promise<boolean> {
    const file = (await this.#bytes()) ?? Buffer.alloc(0)
    const [newest] = readSlots(file)
    if (newest === undefined) return false
    this.#serial = newest.serial
    if (file.length !== FILE_BYTES) return false
    this.#handle = await open(this.#path, HOW)
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
