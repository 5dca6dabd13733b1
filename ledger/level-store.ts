// Level store: ledgers on a disk, one LevelDB per epoch and one mark for all.
//
//     DIR/1/  DIR/2/ …    an epoch each; older ones are kept and never written again
//     DIR/mark            the high-water mark of the newest, with its last lines
//     DIR/lock/           an empty database: the one lock there is that the system drops with its process
//     DIR/1.salvage/ …    what LevelDB could repair of a copy of a damaged one, for export
//
// LevelDB keeps less than its API promises (it drops damaged parts of its log without a word, and does not check its
// tables), so it is trusted with nothing that is not checked by hash or held against the mark.

import { cp, mkdir, readdir, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Level } from 'level'
import { Fault } from './fault.ts'
import { Keeper } from './keeper.ts'
import { codeOf, missingFile, setFlawedAside, takeLock } from './level-folder.ts'
import { MarkFile, syncFolder } from './mark.ts'
import type { Medium, Shelf } from './medium.ts'
import type { Change } from './record.ts'
import type { Mark, Store, StoreOptions } from './store.ts'

export interface LevelStoreOptions extends StoreOptions {
  readonly dir: string
  /** how much LevelDB keeps in its log before it writes a table; small ones make tests meet more of its files */
  readonly writeBufferBytes?: number
}

/** Every line is read and hashed first, so this takes about a second for each 100,000 entries. */
export async function openLevelStore(options: LevelStoreOptions): Promise<Store> {
  return Keeper.open(new LevelMedium(options.dir, options.writeBufferBytes), options)
}

/** There in Node, but not in the types, which are those of browsers too. */
const { repair } = Level as unknown as { repair(location: string): Promise<void> }

const EPOCH = /^[1-9][0-9]{0,8}$/
const PORTION_LINES = 500
const PORTION_BYTES = 256 * 1024

export class LevelMedium implements Medium {
  readonly #dir: string
  readonly #mark: MarkFile
  readonly #writeBufferBytes: number
  #lock: Level<string, string> | undefined

  constructor(dir: string, writeBufferBytes = 4 * 1024 * 1024) {
    this.#dir = dir
    this.#mark = new MarkFile(join(dir, 'mark'))
    this.#writeBufferBytes = writeBufferBytes
  }

  readMark(): Promise<Mark | 'garbled' | undefined> {
    return io('the mark cannot be read', () => this.#mark.read())
  }

  writeMark(mark: Mark): Promise<void> {
    return io('the mark cannot be written', () => this.#mark.write(mark))
  }

  async epochs(): Promise<number[]> {
    const names = await io('the folder cannot be read', async () => {
      await mkdir(this.#dir, { recursive: true })
      return readdir(this.#dir)
    })
    return names
      .filter(name => EPOCH.test(name))
      .map(Number)
      .sort((a, b) => a - b)
  }

  async open(epoch: number, how: 'existing' | 'create'): Promise<Shelf> {
    const path = this.#path(epoch)
    await this.#hold()
    if (how === 'existing') {
      await io(`${path} cannot be read`, () => setFlawedAside(path))
      return this.#shelf(path, how)
    }
    await io('no new ledger can be made', () => makeFolder(path))
    try {
      return await this.#shelf(path, how)
    } catch (error) {
      // Half a database can neither be opened nor made again.
      await rm(path, { recursive: true, force: true }).catch(() => undefined)
      throw error
    }
  }

  async salvage(epoch: number): Promise<Shelf> {
    try {
      return await this.open(epoch, 'existing')
    } catch (error) {
      if (!(error instanceof Fault && error.code === 'LEDGER_DAMAGED')) throw error
    }
    const path = this.#path(epoch)
    const copy = `${path}.salvage`
    await io(`${copy} cannot be made`, async () => {
      await rm(copy, { recursive: true, force: true })
      await cp(path, copy, { recursive: true })
    })
    await repair(copy).catch(cause => {
      throw new Fault('LEDGER_DAMAGED', `${path} cannot be repaired: ${cause.message}`, { cause })
    })
    return this.#shelf(copy, 'existing')
  }

  async #shelf(path: string, how: 'existing' | 'create'): Promise<Shelf> {
    const create = how === 'create'
    const db = new Level<string, string>(path, {
      // LevelDB would make a new database of a folder that lost the file CURRENT, and sweep out what is left in it.
      createIfMissing: create,
      errorIfExists: create,
      // A flipped bit then spoils one line and not a block of them; hashes hardly compress anyway.
      compression: false,
      writeBufferSize: this.#writeBufferBytes,
    })
    try {
      await db.open()
    } catch (error) {
      const cause = (error as Error).cause ?? error
      if (codeOf(cause) === 'LEVEL_LOCKED') throw lockedFault(path, cause)
      const missing = create ? undefined : await missingFile(path)
      if (missing) throw new Fault('LEDGER_DAMAGED', `${missing} is missing`, { cause })
      throw levelFault(`${path} cannot be opened`, cause)
    }
    // Opening renames files; with the folder synced a power cut finds either all of that or none of it.
    await io('the folder cannot be synced', () => syncFolder(path))
    return new LevelShelf(db)
  }

  async discard(epoch: number): Promise<void> {
    const path = this.#path(epoch)
    await this.#hold()
    await io(`${path} cannot be removed`, () => rm(path, { recursive: true, force: true }))
  }

  async close(): Promise<void> {
    await this.#mark.close()
    const lock = this.#lock
    this.#lock = undefined
    await lock?.close()
  }

  /** Before any ledger is touched: looking at the tables of a running store would see them half written. */
  async #hold(): Promise<void> {
    if (this.#lock) return
    const path = join(this.#dir, 'lock')
    try {
      this.#lock = await takeLock(path)
    } catch (error) {
      if (codeOf(error) === 'LEVEL_LOCKED') throw lockedFault(this.#dir, error)
      throw new Fault('STORE_IO', `${path} cannot be made anew: ${(error as Error).message}`, { cause: error })
    }
  }

  #path(epoch: number): string {
    return join(this.#dir, String(epoch))
  }

  now(): number {
    return performance.now()
  }

  linger(ms: number, over: () => void): () => void {
    const timer = setTimeout(over, ms)
    return () => clearTimeout(timer)
  }

  wait(ms: number, signal: AbortSignal): Promise<void> {
    return sleep(ms, undefined, { signal })
  }
}

class LevelShelf implements Shelf {
  readonly #db: Level<string, string>

  constructor(db: Level<string, string>) {
    this.#db = db
  }

  async get(key: string): Promise<string | undefined> {
    return level('cannot be read', () => this.#db.get(key))
  }

  async floor(key: string): Promise<string | undefined> {
    const [found] = await level('cannot be read', () => this.#db.keys({ lte: key, reverse: true, limit: 1 }).all())
    return found
  }

  async *read(from: string, to: string): AsyncGenerator<Change[]> {
    const iterator = await level('cannot be read', async () =>
      this.#db.iterator({ gte: from, lt: to, highWaterMarkBytes: PORTION_BYTES }),
    )
    try {
      for (;;) {
        const portion = await level('cannot be read', () => iterator.nextv(PORTION_LINES))
        if (portion.length === 0) return
        yield portion
      }
    } finally {
      await iterator.close()
    }
  }

  async write(changes: readonly Change[]): Promise<void> {
    const puts = changes.map(([key, value]) => ({ type: 'put' as const, key, value }))
    // Without `sync` LevelDB is done when the operating system has it, and a power cut takes it back.
    await level('cannot be written', () => this.#db.batch(puts, { sync: true }))
  }

  close(): Promise<void> {
    return level('cannot be closed', () => this.#db.close())
  }
}

async function makeFolder(path: string): Promise<void> {
  await mkdir(path)
  await syncFolder(dirname(path))
}

async function level<T>(what: string, act: () => Promise<T>): Promise<T> {
  try {
    return await act()
  } catch (error) {
    throw levelFault(what, error)
  }
}

function lockedFault(path: string, cause: unknown): Fault {
  return new Fault('LEDGER_LOCKED', `another process holds ${path}`, { cause })
}

function levelFault(what: string, cause: unknown): Fault {
  const damaged = codeOf(cause) === 'LEVEL_CORRUPTION'
  return new Fault(damaged ? 'LEDGER_DAMAGED' : 'STORE_IO', `${what}: ${(cause as Error).message}`, { cause })
}

async function io<T>(what: string, act: () => Promise<T>): Promise<T> {
  try {
    return await act()
  } catch (error) {
    if (codeOf(error) === 'EEXIST') throw new Fault('LEDGER_EXISTS', what, { cause: error })
    throw new Fault('STORE_IO', `${what}: ${(error as Error).message}`, { cause: error })
  }
}
