// Memory store: the twin of `level-store.ts`, no kinder than the disk. A `MemoryDisk` outlives the stores that are
// opened on it, as a disk outlives processes, and can be made to fail in the ways that were seen on real ones:
//
//     a failed write leaves its shelf torn: later writes through it succeed and are gone after reopening
//     a failed write may have arrived all the same
//     a crash takes back, or keeps, what was in flight
//     damage in the log drops a batch without a word; damage in a table changes a value
//     an old image comes back, of the ledger alone or with its mark

import { Fault } from './fault.ts'
import { Keeper } from './keeper.ts'
import type { Medium, Shelf } from './medium.ts'
import type { Change } from './record.ts'
import { joined } from './slot.ts'
import { type Mark, STORE_LIMITS, type Store, type StoreOptions } from './store.ts'

export async function openMemoryStore(disk: MemoryDisk, options: StoreOptions): Promise<Store> {
  return Keeper.open(disk, options)
}

type Batch = readonly Change[]

export interface Image {
  readonly ledgers: ReadonlyMap<number, readonly Batch[]>
  readonly marks: Marks
}

/** the newest first */
type Marks = readonly Mark[] | 'garbled' | undefined

/** What a failing write does before it says so. */
export type Failure = 'lost' | 'arrived'

export class MemoryDisk implements Medium {
  #ledgers = new Map<number, Batch[]>()
  #marks: Marks
  #open = new Set<MemoryShelf>()
  #failing: { writes: number; marks: number; how: Failure } = { writes: 0, marks: 0, how: 'lost' }
  #life = 0
  #held: (() => void)[] | undefined
  #asleep: (() => void)[] = []

  /** The next writes to a ledger fail. */
  failWrites(count: number, how: Failure = 'lost'): void {
    this.#failing = { writes: count, marks: 0, how }
  }

  /** The next writes of the mark fail. */
  failMarks(count: number, how: Failure = 'lost'): void {
    this.#failing = { writes: 0, marks: count, how }
  }

  /** Writes work again, and whoever waited for that tries at once. */
  heal(): void {
    this.#failing = { writes: 0, marks: 0, how: 'lost' }
    this.elapse()
  }

  /** Ends every pause between attempts. */
  elapse(): void {
    for (const wake of this.#asleep.splice(0)) wake()
  }

  /** Writes are not durable until `release`: a slow fsync. */
  hold(): void {
    this.#held ??= []
  }

  release(): void {
    const held = this.#held ?? []
    this.#held = undefined
    for (const go of held) go()
  }

  /** The process is gone: its shelves never answer again, and what was in flight did not make it. */
  crash(): void {
    this.#life++
    this.#held = undefined
    this.#asleep = []
    this.#open.clear()
    this.#failing = { writes: 0, marks: 0, how: 'lost' }
  }

  image(): Image {
    return { ledgers: new Map([...this.#ledgers].map(([epoch, log]) => [epoch, [...log]])), marks: this.#marks }
  }

  /** Call it between processes. */
  restore(image: Image, what: 'ledger' | 'mark' | 'both'): void {
    if (what !== 'mark') this.#ledgers = new Map([...image.ledgers].map(([epoch, log]) => [epoch, [...log]]))
    if (what !== 'ledger') this.#marks = image.marks
  }

  removeMark(): void {
    this.#marks = undefined
  }

  garbleMark(): void {
    this.#marks = 'garbled'
  }

  batches(epoch: number): number {
    return this.#log(epoch).length
  }

  cutTail(epoch: number, batches: number): void {
    const log = this.#log(epoch)
    log.length = Math.max(0, log.length - batches)
  }

  /** Damage in the log: the batch is not there. */
  dropBatch(epoch: number, at: number): void {
    this.#log(epoch).splice(at, 1)
  }

  /** Damage in a table: the lowest bit of a character of one value is the other way round. */
  flipBit(epoch: number, where: { batch: number; change: number; character: number }): void {
    const log = this.#log(epoch)
    const batch = log[where.batch] ?? []
    log[where.batch] = batch.map(([key, value], k) => {
      if (k !== where.change) return [key, value]
      const flipped = String.fromCharCode(value.charCodeAt(where.character) ^ 1)
      return [key, value.slice(0, where.character) + flipped + value.slice(where.character + 1)]
    })
  }

  async readMark(): Promise<Mark | 'garbled' | undefined> {
    return this.#marks === 'garbled' ? 'garbled' : joined(this.#marks ?? [])
  }

  async writeMark(mark: Mark): Promise<void> {
    await this.#flight('marks', () => {
      const before = this.#marks === 'garbled' ? [] : (this.#marks ?? [])
      this.#marks = [mark, ...before].slice(0, STORE_LIMITS.marks)
    })
  }

  async epochs(): Promise<number[]> {
    return [...this.#ledgers.keys()].sort((a, b) => a - b)
  }

  async open(epoch: number, how: 'existing' | 'create'): Promise<Shelf> {
    if ([...this.#open].some(shelf => shelf.epoch === epoch)) {
      throw new Fault('LEDGER_LOCKED', `another store holds epoch ${epoch}`)
    }
    if (how === 'create') {
      if (this.#ledgers.has(epoch)) throw new Fault('LEDGER_EXISTS', `epoch ${epoch} is there`)
      this.#ledgers.set(epoch, [])
    }
    const shelf: MemoryShelf = new MemoryShelf(epoch, this.#log(epoch), {
      write: act => this.#flight('writes', act),
      close: () => this.#open.delete(shelf),
    })
    this.#open.add(shelf)
    return shelf
  }

  salvage(epoch: number): Promise<Shelf> {
    return this.open(epoch, 'existing')
  }

  async discard(epoch: number): Promise<void> {
    this.#ledgers.delete(epoch)
  }

  wait(_ms: number, signal: AbortSignal): Promise<void> {
    return new Promise(resolve => {
      this.#asleep.push(resolve)
      signal.addEventListener('abort', () => resolve())
    })
  }

  async close(): Promise<void> {}

  #log(epoch: number): Batch[] {
    const log = this.#ledgers.get(epoch)
    if (log === undefined) throw new Fault('LEDGER_DAMAGED', `epoch ${epoch} is not there`)
    return log
  }

  async #flight(kind: 'writes' | 'marks', act: () => void): Promise<void> {
    const life = this.#life
    const held = this.#held
    if (held) await new Promise<void>(go => held.push(go))
    else await undefined
    if (life !== this.#life) await new Promise(() => undefined)
    if (this.#failing[kind] > 0) {
      this.#failing[kind]--
      if (this.#failing.how === 'arrived') act()
      throw new Fault('STORE_IO', `a write failed, as it was told to (${kind})`)
    }
    act()
  }
}

interface Platter {
  write(act: () => void): Promise<void>
  close(): void
}

class MemoryShelf implements Shelf {
  readonly epoch: number
  readonly #log: Batch[]
  readonly #platter: Platter
  /** what this shelf shows: more than the log once it is torn */
  readonly #view = new Map<string, string>()
  #torn = false

  constructor(epoch: number, log: Batch[], platter: Platter) {
    this.epoch = epoch
    this.#log = log
    this.#platter = platter
    for (const batch of log) this.#show(batch)
  }

  async get(key: string): Promise<string | undefined> {
    return this.#view.get(key)
  }

  async floor(key: string): Promise<string | undefined> {
    return [...this.#view.keys()]
      .filter(other => other <= key)
      .sort()
      .at(-1)
  }

  async *read(from: string, to: string): AsyncGenerator<Change[]> {
    const keys = [...this.#view.keys()].filter(key => key >= from && key < to).sort()
    if (keys.length > 0) yield keys.map(key => [key, this.#view.get(key) as string])
  }

  async write(changes: Batch): Promise<void> {
    try {
      await this.#platter.write(() => {
        if (!this.#torn) this.#log.push([...changes])
      })
    } catch (error) {
      this.#torn = true
      throw error
    }
    this.#show(changes)
  }

  async close(): Promise<void> {
    this.#platter.close()
  }

  #show(batch: Batch): void {
    for (const [key, value] of batch) this.#view.set(key, value)
  }
}
