// Shelf: where a board lies while its gate is off.
//
// Law: the file is always a whole one, old or new; what cannot be read is set aside, never overwritten. A client id is
// in it only after a clean stop, and is taken out before it is used: after a crash peers may hold writes of that id
// which the file lacks, and writing under it again would corrupt the document everywhere.
//
//     gatemesh board 1 <day> <client id or -> <SHA-256 of this line without the sum, and of the update, in hex>\n
//     <Yjs update>

import { createHash } from 'node:crypto'
import { open, readFile, rename, rm, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import * as Y from 'yjs'
import { syncFolder } from '../../ledger/mark.ts'

export interface Saved {
  readonly day: number
  readonly clientId?: number | undefined
  readonly update: Uint8Array
}

const TITLE = 'gatemesh board 1'
const HEAD = /^gatemesh board 1 (\d{1,10}) (-|\d{1,10}) ([0-9a-f]{64})$/
/** no board of ours grows to this */
const FILE_BYTES_MAX = 16 << 20

export class Shelf {
  readonly #path: string
  #last: Promise<void> = Promise.resolve()

  constructor(path: string) {
    this.#path = path
  }

  /** What the file holds, with the client id taken out of it. A file that is none of ours is reported and set aside. */
  async take({ wall, alarm }: { wall: number; alarm(code: string, detail: string): void }): Promise<Saved | undefined> {
    let saved: Saved | string
    try {
      const { size } = await stat(this.#path)
      saved = size > FILE_BYTES_MAX ? `${size} bytes` : parseSaved(await readFile(this.#path))
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
      alarm('BOARD_FILE', `${this.#path} cannot be read (${(error as Error).message}): the board starts empty`)
      return undefined
    }
    if (typeof saved === 'string') {
      await this.#setAside({ why: saved, wall, alarm })
      return undefined
    }
    if (saved.clientId === undefined) return saved
    const { day, update } = saved
    try {
      await this.save({ day, update })
      return saved
    } catch (error) {
      alarm(
        'BOARD_FILE',
        `${this.#path} cannot be written (${(error as Error).message}): the board takes a new client id`,
      )
      return { day, update }
    }
  }

  /** One after the other, in the order of the calls. */
  save(saved: Saved): Promise<void> {
    const done = this.#last.then(() => this.#write(formatSaved(saved)))
    this.#last = done.catch(() => undefined)
    return done
  }

  async #write(bytes: Uint8Array): Promise<void> {
    const fresh = `${this.#path}.new`
    await rm(fresh, { force: true })
    const file = await open(fresh, 'wx')
    try {
      await file.writeFile(bytes)
      await file.sync()
    } finally {
      await file.close()
    }
    await rename(fresh, this.#path)
    await syncFolder(dirname(this.#path))
  }

  async #setAside({ why, wall, alarm }: { why: string; wall: number; alarm(code: string, detail: string): void }) {
    const aside = `${this.#path}.bad-${wall}`
    try {
      await rename(this.#path, aside)
      alarm('BOARD_FILE', `${this.#path} is not a board (${why}): set aside as ${aside}, the board starts empty`)
    } catch (error) {
      alarm('BOARD_FILE', `${this.#path} is not a board (${why}) and cannot be moved: ${(error as Error).message}`)
    }
  }
}

export function formatSaved({ day, clientId, update }: Saved): Uint8Array {
  const head = `${TITLE} ${day} ${clientId ?? '-'}`
  return Buffer.concat([Buffer.from(`${head} ${sumOf(head, update)}\n`), update])
}

/** What was saved, or what is wrong with it. */
export function parseSaved(bytes: Uint8Array): Saved | string {
  const end = bytes.indexOf(10)
  const match = HEAD.exec(Buffer.from(bytes.subarray(0, Math.min(Math.max(end, 0), 200))).toString('latin1'))
  if (!match) return 'it does not begin as one'
  const [line, day = '', clientId = '', sum = ''] = match
  const update = bytes.slice(end + 1)
  if (sumOf(line.slice(0, -sum.length - 1), update) !== sum) return 'its sum is wrong'
  const doc = new Y.Doc()
  try {
    Y.applyUpdate(doc, update)
  } catch (error) {
    return `Yjs cannot read it: ${(error as Error).message}`
  } finally {
    doc.destroy()
  }
  return { day: Number(day), update, ...(clientId === '-' ? {} : { clientId: Number(clientId) }) }
}

function sumOf(head: string, update: Uint8Array): string {
  return createHash('sha256').update(head).update('\n').update(update).digest('hex')
}
