// Disk: a member's own small file system, that can be full, fail, lose power, or be another one altogether.
//
// Law: what is done to it lasts until it is ended, also when the power goes meanwhile.

import { execFile } from 'node:child_process'
import { closeSync, existsSync, openSync, writeSync } from 'node:fs'
import { cp, mkdir, rename, rm, rmdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { LoopDisk } from '../../store/mount.ts'

const run = promisify(execFile)

const CHUNKS = [1 << 20, 4096] as const
/** more than the disk has */
const CHUNKS_MAX = 4096
/** A database that tidies up makes room again: then it is filled again. */
const REFILL_MS = 250

export class Disk {
  readonly name: string
  readonly loop: LoopDisk
  /** file whose first byte says whether writes fail */
  readonly fail: string
  readonly #failing = new Set<symbol>()
  readonly #filling = new Set<symbol>()
  #timer: NodeJS.Timeout | undefined

  static async make(a: { readonly disks: string; readonly knobs: string; readonly name: string }): Promise<Disk> {
    const loop = await LoopDisk.make(a.disks, a.name)
    await rmdir(join(loop.at, 'lost+found'))
    const fail = join(a.knobs, `${a.name}.fail`)
    await writeFile(fail, '0')
    return new Disk(a.name, loop, fail)
  }

  private constructor(name: string, loop: LoopDisk, fail: string) {
    this.name = name
    this.loop = loop
    this.fail = fail
  }

  get at(): string {
    return this.loop.at
  }

  get store(): string {
    return join(this.at, 'store')
  }

  /** From here on writes and flushes fail, until all who wanted that have had enough. */
  failFor(why: symbol): void {
    this.#failing.add(why)
    this.#tell()
  }

  workFor(why: symbol): void {
    this.#failing.delete(why)
    this.#tell()
  }

  fillFor(why: symbol): void {
    this.#filling.add(why)
    this.#keepFull()
  }

  async emptyFor(why: symbol): Promise<void> {
    this.#filling.delete(why)
    if (this.#filling.size === 0) await this.#empty()
  }

  /** After a power cut, with whoever wrote to it gone. */
  async remount(): Promise<void> {
    // what is below the mount is the machine's own disk
    this.#stopFilling()
    await this.loop.remove()
    await this.loop.mount()
    this.#keepFull()
  }

  /** The store and its high-water mark, put where nobody of the mall looks. */
  async wipe(to: string): Promise<void> {
    await mkdir(to, { recursive: true })
    // one that was never started has none
    if (existsSync(this.store)) await cp(this.store, join(to, 'store'), { recursive: true })
    await rm(this.store, { recursive: true, force: true })
    // else the next power cut would bring it back
    await run('sync', ['-f', this.at])
    this.#keepFull()
  }

  /** Kept: what is on it stays where it was, as a plain folder. */
  async remove(keep: boolean): Promise<void> {
    await this.#empty()
    const copy = `${this.at}.kept`
    if (keep) await cp(this.at, copy, { recursive: true })
    await this.loop.remove()
    if (!keep) return
    await rmdir(this.at)
    await rename(copy, this.at)
    await rm(`${this.at}.img`, { force: true })
  }

  #keepFull(): void {
    if (this.#filling.size === 0) return
    this.#fill()
    this.#timer ??= setInterval(() => this.#fill(), REFILL_MS).unref()
  }

  #stopFilling(): void {
    clearInterval(this.#timer)
    this.#timer = undefined
  }

  async #empty(): Promise<void> {
    this.#stopFilling()
    await rm(this.#ballast, { force: true })
  }

  get #ballast(): string {
    return join(this.at, 'ballast')
  }

  #fill(): void {
    let file: number | undefined
    try {
      file = openSync(this.#ballast, 'a')
      for (const bytes of CHUNKS) {
        const chunk = Buffer.alloc(bytes)
        for (let n = 0; n < CHUNKS_MAX && isRoomFor(file, chunk); n++);
      }
    } catch (error) {
      // without power for the moment, or without an inode for the ballast itself: nothing more can be written either
      if (!['EIO', 'ENOSPC', 'EROFS'].includes(String((error as NodeJS.ErrnoException).code))) throw error
    } finally {
      if (file !== undefined) closeSync(file)
    }
  }

  #tell(): void {
    // in place: members have it mapped, and one that is cut to nothing under them would end them
    const file = openSync(this.fail, 'r+')
    writeSync(file, this.#failing.size > 0 ? '1' : '0', 0)
    closeSync(file)
  }
}

function isRoomFor(file: number, bytes: Buffer): boolean {
  try {
    return writeSync(file, bytes) === bytes.length
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOSPC') return false
    throw error
  }
}
