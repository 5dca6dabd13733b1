// Level cabinet: a cabinet on a disk, one LevelDB each.
//
//     DIR/                 the database
//     DIR.lock/            an empty one, held while this one is looked at or open
//     DIR.damaged-1/ …     what could not be read any more, kept for whoever wants to look
//
// LevelDB drops damaged records of its log without a word and goes on with those after them. So every write is numbered,
// and the numbers still in reach of the log must be without a gap; tables are checked before LevelDB opens them. What is
// found damaged when it is opened is set aside and begun anew. While open it is only reported: whoever holds in memory
// what the disk said must not find another disk under it.

import { access, mkdir, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { Level } from 'level'
import { Fault, must } from '../../ledger/fault.ts'
import { codeOf, missingFile, setFlawedAside, takeLock } from '../../ledger/level-folder.ts'
import { syncFolder } from '../../ledger/mark.ts'
import { type Cabinet, type Edit, type Item, KEY_MIN, type Span } from './cabinet.ts'

export interface LevelCabinetOptions {
  readonly dir: string
  /** every failure as it happens, for the alarm */
  readonly onFault?: (fault: Fault) => void
  readonly writeBufferBytes?: number
}

/** 500 malls live in one process: what one of them keeps in memory counts 500 times. */
const BUFFER_BYTES = 512 * 1024
const PORTION_ITEMS = 500
const PORTION_BYTES = 256 * 1024
/** numbers of writes sort before all keys of users */
const NUMBERS = '\u0001'
/** Two logs of the usual size hold fewer numbered writes than this. */
const NUMBERS_KEPT = 20_000

type Database = Level<string, string>

interface Waiting {
  readonly edits: readonly Edit[]
  readonly done: () => void
  readonly failed: (error: unknown) => void
}

export async function openLevelCabinet(options: LevelCabinetOptions): Promise<Cabinet> {
  const { dir, onFault = () => undefined } = options
  const lock = await lockOf(dir)
  try {
    const cabinet = new LevelCabinet(options, lock)
    try {
      await cabinet.open()
    } catch (error) {
      if (!(error instanceof Fault && error.code === 'CABINET_DAMAGED')) throw error
      const aside = await setAside(dir)
      onFault(new Fault('CABINET_DAMAGED', `${error.message}; kept as ${aside} and begun anew`, { cause: error }))
      await cabinet.open()
    }
    return cabinet
  } catch (error) {
    await lock.close()
    throw error
  }
}

class LevelCabinet implements Cabinet {
  readonly #dir: string
  readonly #bufferBytes: number
  readonly #onFault: (fault: Fault) => void
  readonly #lock: Database
  #db: Database | undefined
  #opening: Promise<Database> | undefined
  #damage: Fault | undefined
  #closing: Promise<void> | undefined
  #number = 0
  #waiting: Waiting[] = []
  #writing: Promise<void> | undefined

  constructor(
    { dir, onFault = () => undefined, writeBufferBytes = BUFFER_BYTES }: LevelCabinetOptions,
    lock: Database,
  ) {
    this.#dir = dir
    this.#bufferBytes = writeBufferBytes
    this.#onFault = onFault
    this.#lock = lock
  }

  async open(): Promise<void> {
    this.#damage = undefined
    await this.#ready()
  }

  async get(key: string): Promise<string | undefined> {
    const db = await this.#ready()
    return this.#read(() => db.get(key))
  }

  async *read({ from, to, reverse = false, limit = -1 }: Span): AsyncGenerator<readonly Item[]> {
    const db = await this.#ready()
    const gte = from < KEY_MIN ? KEY_MIN : from
    const range = { gte, lt: to, reverse, limit: Number.isFinite(limit) ? limit : -1 }
    const iterator = await this.#read(async () => db.iterator({ ...range, highWaterMarkBytes: PORTION_BYTES }))
    try {
      for (;;) {
        const portion = await this.#read(() => iterator.nextv(PORTION_ITEMS))
        if (portion.length === 0) return
        yield portion
      }
    } finally {
      await iterator.close()
    }
  }

  async write(edits: readonly Edit[]): Promise<void> {
    if (this.#closing) throw closedFault(this.#dir)
    for (const [key, value] of edits) {
      // One bad edit would fail the writes of others that go to the disk with it.
      must(key >= KEY_MIN, 'a key begins with a letter')
      must(value === undefined || typeof value === 'string', 'a value is text')
    }
    if (edits.length === 0) return
    return new Promise((done, failed) => {
      this.#waiting.push({ edits, done, failed })
      this.#writing ??= this.#writeAll()
    })
  }

  close(): Promise<void> {
    this.#closing ??= (async () => {
      await this.#writing
      await this.#opening?.catch(() => undefined)
      const db = this.#db
      this.#db = undefined
      await db?.close()
      await this.#lock.close()
    })()
    return this.#closing
  }

  /** All that waits goes to the disk in one write, and what comes meanwhile in the next. */
  async #writeAll(): Promise<void> {
    while (this.#waiting.length > 0) {
      const batch = this.#waiting
      this.#waiting = []
      try {
        await this.#writeOnce(batch.flatMap(({ edits }) => edits))
        for (const { done } of batch) done()
      } catch (error) {
        for (const { failed } of batch) failed(error)
      }
    }
    this.#writing = undefined
  }

  async #writeOnce(edits: readonly Edit[]): Promise<void> {
    const db = await this.#ready(true)
    const number = this.#number + 1
    const numbered: Edit[] = [...edits, [numberKey(number), '']]
    if (number > NUMBERS_KEPT) numbered.push([numberKey(number - NUMBERS_KEPT), undefined])
    const operations = numbered.map(([key, value]) =>
      value === undefined ? { type: 'del' as const, key } : { type: 'put' as const, key, value },
    )
    try {
      // Without `sync` LevelDB is done when the operating system has it, and a power cut takes it back.
      await db.batch(operations, { sync: true })
      this.#number = number
    } catch (error) {
      // What the disk holds now is unknown, and LevelDB may go on behind a torn record: opened again, it looks first.
      this.#db = undefined
      await db.close().catch(() => undefined)
      throw this.#report(levelFault(`${this.#dir} cannot be written`, error))
    }
  }

  async #read<T>(act: () => Promise<T>): Promise<T> {
    try {
      return await act()
    } catch (error) {
      throw this.#report(levelFault(`${this.#dir} cannot be read`, error))
    }
  }

  /** The open database; after a failed write it is opened again first. */
  async #ready(writing = false): Promise<Database> {
    if (this.#damage) throw this.#damage
    if (this.#closing && !writing) throw closedFault(this.#dir)
    if (this.#db) return this.#db
    this.#opening ??= this.#openDatabase().finally(() => {
      this.#opening = undefined
    })
    return this.#opening
  }

  async #openDatabase(): Promise<Database> {
    try {
      const db = await openDatabase(this.#dir, this.#bufferBytes)
      try {
        this.#number = await newestNumber(db, this.#dir)
      } catch (error) {
        await db.close()
        throw error
      }
      this.#db = db
      return db
    } catch (error) {
      const fault = error instanceof Fault ? error : levelFault(`${this.#dir} cannot be opened`, error)
      throw this.#report(fault)
    }
  }

  #report(fault: Fault): Fault {
    if (fault.code === 'CABINET_DAMAGED') this.#damage = fault
    this.#onFault(fault)
    return fault
  }
}

async function lockOf(dir: string): Promise<Database> {
  try {
    await mkdir(dirname(dir), { recursive: true })
    return await takeLock(`${dir}.lock`)
  } catch (error) {
    if (codeOf(error) === 'LEVEL_LOCKED')
      throw new Fault('CABINET_LOCKED', `another process holds ${dir}`, { cause: error })
    throw new Fault('CABINET_IO', `${dir} cannot be opened: ${(error as Error).message}`, { cause: error })
  }
}

async function openDatabase(dir: string, bufferBytes: number): Promise<Database> {
  const isNew = !(await exists(dir))
  if (!isNew) {
    await setFlawedAside(dir)
    // LevelDB would make a new database of a folder that lost the file CURRENT, and sweep out what is left in it.
    const missing = await missingFile(dir)
    if (missing) throw new Fault('CABINET_DAMAGED', `${missing} is missing in ${dir}`)
  }
  const db: Database = new Level(dir, {
    createIfMissing: isNew,
    errorIfExists: isNew,
    // tables are checked as they are, and hashes hardly compress anyway
    compression: false,
    writeBufferSize: bufferBytes,
    cacheSize: BUFFER_BYTES,
  })
  try {
    await db.open()
  } catch (error) {
    // Half a database can neither be opened nor made again.
    if (isNew) await rm(dir, { recursive: true, force: true }).catch(() => undefined)
    throw levelFault(`${dir} cannot be opened`, (error as Error).cause ?? error)
  }
  // Opening renames files; with the folders synced a power cut finds either all of that or none of it.
  await syncFolder(dir)
  if (isNew) await syncFolder(dirname(dir))
  return db
}

async function newestNumber(db: Database, dir: string): Promise<number> {
  const keys = await db.keys({ gte: NUMBERS, lt: KEY_MIN }).all()
  const numbers = keys.map(key => Number(key.slice(NUMBERS.length)))
  for (let at = 1; at < numbers.length; at++) {
    const expected = (numbers[at - 1] as number) + 1
    if (numbers[at] !== expected) throw new Fault('CABINET_DAMAGED', `write ${expected} is missing in ${dir}`)
  }
  return numbers.at(-1) ?? 0
}

function numberKey(number: number): string {
  return NUMBERS + String(number).padStart(16, '0')
}

async function setAside(dir: string): Promise<string> {
  for (let number = 1; ; number++) {
    const aside = `${dir}.damaged-${number}`
    if (await exists(aside)) continue
    await rename(dir, aside)
    await syncFolder(dirname(dir))
    return aside
  }
}

async function exists(path: string): Promise<boolean> {
  try {
    await access(path)
    return true
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return false
    throw error
  }
}

function levelFault(what: string, cause: unknown): Fault {
  const damaged = codeOf(cause) === 'LEVEL_CORRUPTION'
  return new Fault(damaged ? 'CABINET_DAMAGED' : 'CABINET_IO', `${what}: ${(cause as Error).message}`, { cause })
}

function closedFault(dir: string): Fault {
  return new Fault('CABINET_CLOSED', `${dir} is closed`)
}
