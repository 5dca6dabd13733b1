// Fuse: a small file system whose files are functions, as the kernel's own sysfs is, served to every process over /dev/fuse.
//
// Law: a file that is polled behaves as one of sysfs: it shows POLLPRI and POLLERR from an event on until it is read again
// through the same open file, and also before it was read for the first time.

import { spawnSync } from 'node:child_process'
import { openSync, read, writeSync } from 'node:fs'
import { constants } from 'node:os'

export interface Leaf {
  read(): string
  /** throws what `refusal` makes */
  write(text: string): void
  /** counts from 1; a change of it is what a poll waits for */
  readonly event: number
}

export type Folder = ReadonlyMap<string, Leaf | Folder>

export type Errno = keyof typeof constants.errno

export const refusal = (code: Errno) => Object.assign(new Error(code), { code })

interface Handle {
  readonly leaf: Leaf
  seen: number
  /** the kernel's word for who waits */
  waiter: bigint | undefined
}

const OP = {
  lookup: 1,
  forget: 2,
  getattr: 3,
  setattr: 4,
  open: 14,
  read: 15,
  write: 16,
  release: 18,
  init: 26,
} as const
const MORE = { opendir: 27, readdir: 28, releasedir: 29, interrupt: 36, poll: 40, forgetMany: 42 } as const
const HEADER = 40
const DIRECT_IO = 1
const NOTIFY_POLL = 1
const POLL = { schedule: 1, pri: 2, err: 8 }

export class Fuse {
  readonly #root: () => Folder
  readonly #paths: string[] = ['', '']
  readonly #handles = new Map<bigint, Handle>()
  #fd = -1
  #lastHandle = 0n

  constructor(root: () => Folder) {
    this.#root = root
  }

  /** Mounted at `folder` and served until that ends. */
  serve(folder: string): void {
    this.#fd = openSync('/dev/fuse', 'r+')
    const options = 'fd=3,rootmode=40000,user_id=0,group_id=0,allow_other'
    const stdio: ('inherit' | number)[] = ['inherit', 'inherit', 'inherit', this.#fd]
    const { status } = spawnSync('mount', ['-i', '-t', 'fuse', '-o', options, 'played', folder], { stdio })
    if (status !== 0) throw new Error(`mount of a fuse file system at ${folder}: ${status}`)
    const buffer = Buffer.alloc(1 << 18)
    const next = () =>
      read(this.#fd, buffer, 0, buffer.length, null, (error, bytes) => {
        if (error?.code === 'ENODEV') return
        if (error && error.code !== 'EINTR') throw error
        if (!error) this.#request(buffer.subarray(0, bytes))
        next()
      })
    next()
  }

  /** Who waits for an event of this file looks again. */
  wake(leaf: Leaf): void {
    for (const handle of this.#handles.values()) {
      if (handle.leaf !== leaf || handle.waiter === undefined) continue
      const body = Buffer.alloc(8)
      body.writeBigUInt64LE(handle.waiter)
      this.#say(0n, NOTIFY_POLL, body)
    }
  }

  #request(request: Buffer): void {
    const op = request.readUInt32LE(4)
    if (op === OP.forget || op === MORE.forgetMany || op === MORE.interrupt) return
    const unique = request.readBigUInt64LE(8)
    try {
      this.#say(unique, 0, this.#answer(op, Number(request.readBigUInt64LE(16)), request.subarray(HEADER)))
    } catch (error) {
      const number = constants.errno[(error as { code?: Errno }).code ?? 'EIO']
      if (number === undefined) throw error
      this.#say(unique, -number, Buffer.alloc(0))
    }
  }

  #say(unique: bigint, error: number, body: Buffer): void {
    const head = Buffer.alloc(16)
    head.writeUInt32LE(16 + body.length, 0)
    head.writeInt32LE(error, 4)
    head.writeBigUInt64LE(unique, 8)
    try {
      writeSync(this.#fd, Buffer.concat([head, body]))
    } catch (reason) {
      // who asked, or waited, is gone meanwhile
      if ((reason as NodeJS.ErrnoException).code !== 'ENOENT') throw reason
    }
  }

  #answer(op: number, node: number, body: Buffer): Buffer {
    const path = this.#paths[node] ?? ''
    switch (op) {
      case OP.init: {
        const out = Buffer.alloc(64)
        for (const [k, word] of [7, 31, 0, 0, 0, 1 << 16].entries()) out.writeUInt32LE(word, 4 * k)
        return out
      }
      case OP.lookup: {
        const child = `${path}/${body.toString('latin1', 0, body.indexOf(0))}`
        const out = Buffer.alloc(40)
        const attributes = this.#attributes(child)
        out.writeBigUInt64LE(attributes.readBigUInt64LE(0), 0)
        return Buffer.concat([out, attributes])
      }
      case OP.getattr:
      case OP.setattr:
        return Buffer.concat([Buffer.alloc(16), this.#attributes(path)])
      case MORE.opendir:
        return Buffer.alloc(16)
      case MORE.readdir:
        return this.#list(path, Number(body.readBigUInt64LE(8)))
      case OP.open: {
        const leaf = this.#at(path)
        if (leaf instanceof Map) throw refusal('EISDIR')
        this.#handles.set(++this.#lastHandle, { leaf: leaf as Leaf, seen: 0, waiter: undefined })
        const out = Buffer.alloc(16)
        out.writeBigUInt64LE(this.#lastHandle, 0)
        out.writeUInt32LE(DIRECT_IO, 8)
        return out
      }
      case OP.release:
        this.#handles.delete(body.readBigUInt64LE(0))
        return Buffer.alloc(0)
      case MORE.releasedir:
        return Buffer.alloc(0)
      case OP.read: {
        const handle = this.#handle(body)
        handle.seen = handle.leaf.event
        const from = Number(body.readBigUInt64LE(8))
        return Buffer.from(handle.leaf.read()).subarray(from, from + body.readUInt32LE(16))
      }
      case OP.write: {
        const size = body.readUInt32LE(16)
        this.#handle(body).leaf.write(body.toString('latin1', HEADER, HEADER + size).trim())
        const out = Buffer.alloc(8)
        out.writeUInt32LE(size, 0)
        return out
      }
      case MORE.poll: {
        const handle = this.#handle(body)
        if (body.readUInt32LE(16) & POLL.schedule) handle.waiter = body.readBigUInt64LE(8)
        const out = Buffer.alloc(8)
        out.writeUInt32LE(handle.seen === handle.leaf.event ? 0 : POLL.pri | POLL.err, 0)
        return out
      }
      default:
        throw refusal('ENOSYS')
    }
  }

  #handle(body: Buffer): Handle {
    const handle = this.#handles.get(body.readBigUInt64LE(0))
    if (handle === undefined) throw refusal('EBADF')
    return handle
  }

  #at(path: string): Leaf | Folder {
    let at: Leaf | Folder | undefined = this.#root()
    for (const name of path.split('/').slice(1)) at = at instanceof Map ? at.get(name) : undefined
    if (at === undefined) throw refusal('ENOENT')
    return at
  }

  #attributes(path: string): Buffer {
    const isFolder = this.#at(path) instanceof Map
    const known = this.#paths.indexOf(path, 1)
    const out = Buffer.alloc(88)
    out.writeBigUInt64LE(BigInt(known > 0 ? known : this.#paths.push(path) - 1), 0)
    out.writeBigUInt64LE(isFolder ? 0n : 4096n, 8)
    out.writeUInt32LE(isFolder ? 0o040755 : 0o100644, 60)
    out.writeUInt32LE(1, 64)
    return out
  }

  #list(path: string, offset: number): Buffer {
    const names = [...(this.#at(path) as Folder).keys()]
    const entries = names.slice(offset).map((name, k) => {
      const out = Buffer.alloc(Math.ceil((24 + name.length) / 8) * 8)
      out.writeBigUInt64LE(1n, 0)
      out.writeBigUInt64LE(BigInt(offset + k + 1), 8)
      out.writeUInt32LE(name.length, 16)
      out.write(name, 24)
      return out
    })
    return Buffer.concat(entries)
  }
}
