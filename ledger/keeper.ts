// Keeper: the one writer of an account's ledger on a medium. Group commit, and mending after a failed write.
//
// Law: ledger durable → mark durable → acknowledged. One write is in flight at a time; all that arrives meanwhile goes
// into the next one. After any failed write nothing is acknowledged until the disk was closed, opened and read whole:
// a store that failed once may take later writes with a straight face and forget them at the next start.

import { type Account, account as accountOf, epochOf, nameOf } from './account.ts'
import { fromBase64, toBase64 } from './base64.ts'
import type { ChainEnd } from './chain.ts'
import { BrokenLaw, Fault, must } from './fault.ts'
import { type Finding, find } from './finding.ts'
import type { Medium, Shelf } from './medium.ts'
import { writeOpening } from './opening.ts'
import { readAsIs, readChecked } from './reading.ts'
import { formatHead, HEAD, headRecord, NOTES, noteChange, OWN_ROW, pages, ROWS } from './record.ts'
import { judge } from './recovery.ts'
import { follows } from './scan.ts'
import {
  type Found,
  type Head,
  type Kept,
  STORE_LIMITS,
  type Store,
  type StoreOptions,
  type StoreState,
} from './store.ts'
import { survey } from './survey.ts'
import { EMPTY_ROOT, Frontier, type Hash, leafHash } from './tree.ts'

/** The ledger that is open. */
interface Book {
  readonly account: Account
  readonly charter: string
  shelf: Shelf
  /** after every line appended, durable or not */
  readonly frontier: Frontier
  last: string
  /** lines that this shelf took */
  written: number
  durable: Frontier
}

const NOTHING: Head = { size: 0, root: toBase64(EMPTY_ROOT) }

export class Keeper implements Store {
  readonly #medium: Medium
  readonly #options: StoreOptions
  #found: Found
  #state: StoreState = 'idle'
  #book: Book | undefined
  /** appended and not acknowledged: the entries from the durable size on */
  readonly #lines: string[] = []
  /** one promise for all who wait for one write: what is in flight or failed, then what gathers for the next */
  readonly #waiters: PromiseWithResolvers<number>[] = []
  #gathering: PromiseWithResolvers<number> | undefined
  readonly #rows = new Map<Account, string>()
  readonly #notes = new Map<string, string>()
  #unwritten = new Map<string, string>()
  #running: Promise<void> | undefined
  #beginning: Promise<void> | undefined
  #closing: Promise<void> | undefined
  readonly #stop = new AbortController()
  /** an epoch that has a place on the disk, no entry, and no mark */
  #unfinished: number | undefined

  static async open(medium: Medium, options: StoreOptions): Promise<Keeper> {
    const finding = await find(medium, options).catch(async error => {
      await quietly(medium.close())
      throw error
    })
    const keeper = new Keeper(medium, options, finding)
    await keeper.#raise(finding.marked ?? 0)
    return keeper
  }

  private constructor(medium: Medium, options: StoreOptions, { found, seen, unfinished }: Finding) {
    this.#medium = medium
    this.#options = options
    this.#found = found
    this.#unfinished = unfinished
    for (const [account, note] of seen?.rows ?? []) this.#rows.set(account, note)
    for (const [name, note] of seen?.notes ?? []) this.#notes.set(name, note)
    if (found.kind !== 'intact') return
    must(seen?.shelf !== undefined && seen.head !== undefined, 'an intact ledger is open and has a head')
    const { shelf, head, scan } = seen
    const { account, charter, last, size } = head
    const durable = scan.frontier.copy()
    this.#book = { account, charter, shelf, frontier: scan.frontier, last, written: size, durable }
    this.#become('ok')
  }

  get found(): Found {
    return this.#found
  }

  get state(): StoreState {
    return this.#state
  }

  get durable(): Head {
    return this.#book ? headOf(this.#book.durable) : NOTHING
  }

  get waiting(): number {
    return this.#lines.length
  }

  get end(): ChainEnd | undefined {
    const book = this.#book
    if (!book || book.frontier.size === 0) return undefined
    return { size: book.frontier.size, lastLeaf: fromBase64(book.last, 32) as Hash, frontier: book.frontier.copy() }
  }

  append(line: string): Promise<number> {
    const book = this.#book
    if (!book || this.#closing || this.#beginning) return Promise.reject(this.#refusal())
    must(!line.includes('\n'), 'what is appended is one line')
    must(follows(line, { seq: book.frontier.size, prev: book.last }), 'a line follows the one appended before it')
    must(Buffer.byteLength(line) <= STORE_LIMITS.lineBytesMax, 'a line is within its limit')
    const leaf = leafHash(line)
    book.frontier.append(leaf)
    book.last = toBase64(leaf)
    this.#lines.push(line)
    return this.#written()
  }

  keepRow(account: Account, note: string): void {
    this.#keep(this.#rows, ROWS, account, note)
  }

  rows(): ReadonlyMap<Account, string> {
    return this.#rows
  }

  keepNote(name: string, note: string): void {
    this.#keep(this.#notes, NOTES, name, note)
  }

  notes(): ReadonlyMap<string, string> {
    return this.#notes
  }

  async sync(): Promise<void> {
    if (!this.#book || this.#closing || this.#beginning) throw this.#refusal()
    if (this.#lines.length > 0 || this.#unwritten.size > 0 || this.#running) await this.#written()
  }

  async begin(account: Account, charterHash: string): Promise<void> {
    must(nameOf(account) === this.#options.name, 'a store is of one name')
    must(fromBase64(charterHash, 32) !== undefined, 'a ledger begins at a charter')
    must(this.#beginning === undefined, 'epochs are opened one at a time')
    if (this.#closing) throw this.#refusal()
    if (this.#state === 'mending') throw new Fault('STORE_IO', 'the disk is failing: no new epoch until it is mended')
    // From here on the old ledger takes no line: it could end up in the new one.
    this.#beginning = this.#begin(account, charterHash)
    try {
      await this.#beginning
    } finally {
      this.#beginning = undefined
    }
  }

  async #begin(account: Account, charterHash: string): Promise<void> {
    const epoch = epochOf(account)
    await this.#running
    if (this.#unfinished !== undefined) await this.#medium.discard(this.#unfinished)
    this.#unfinished = undefined
    const newest = (await this.#medium.epochs()).at(-1) ?? 0
    if (epoch <= newest) throw new Fault('LEDGER_EXISTS', `${account}: there is a ledger of epoch ${newest} here`)
    const shelf = await this.#medium.open(epoch, 'create')
    this.#unfinished = epoch
    const unwritten = this.#unwritten
    this.#unwritten = new Map()
    const rows = [...this.#rows].map(([of, note]) => noteChange(ROWS + of, note))
    const notes = [...this.#notes].map(([name, note]) => noteChange(NOTES + name, note))
    try {
      await writeOpening(this.#medium, shelf, { account, charterHash, empty: NOTHING, carried: [...rows, ...notes] })
    } catch (error) {
      this.#unwritten = new Map([...unwritten, ...this.#unwritten])
      await quietly(shelf.close())
      throw error
    }
    await quietly(this.#book?.shelf.close())
    this.#unfinished = undefined
    const [frontier, durable] = [new Frontier(), new Frontier()]
    this.#book = { account, charter: charterHash, shelf, frontier, last: charterHash, written: 0, durable }
    this.#found = { kind: 'intact', account, ...NOTHING, flaws: [] }
    this.#become('ok')
  }

  range(from: number, to: number): AsyncIterable<string> {
    const book = this.#book
    if (!book) throw this.#refusal()
    return readChecked(book.shelf, book.account, from, Math.min(to, book.durable.size))
  }

  async accounts(): Promise<Account[]> {
    const epochs = await this.#medium.epochs()
    return epochs.filter(epoch => epoch !== this.#unfinished).map(epoch => accountOf(this.#options.name, epoch))
  }

  async *salvage(account: Account): AsyncGenerator<Kept> {
    const own = this.#book?.account === account ? this.#book.shelf : undefined
    const shelf = own ?? (await this.#medium.salvage(epochOf(account)))
    try {
      yield* readAsIs(shelf)
    } finally {
      if (!own) await quietly(shelf.close())
    }
  }

  close(): Promise<void> {
    this.#closing ??= this.#end()
    return this.#closing
  }

  async #end(): Promise<void> {
    await quietly(this.#beginning)
    if (this.#state === 'ok' && this.#unwritten.size > 0) void this.#written().catch(() => undefined)
    if (this.#state === 'mending') this.#stop.abort()
    await this.#running
    const book = this.#book
    this.#book = undefined
    await quietly(book?.shelf.close())
    await quietly(this.#medium.close())
    this.#become('closed')
  }

  /** A crash between ledger and mark leaves the mark behind. What is told as found must be as safe as an append. */
  async #raise(marked: number): Promise<void> {
    const book = this.#book
    if (!book || book.written === marked) return
    try {
      await book.shelf.write([[HEAD, formatHead(headRecord(book.account, book.charter, book.last, book.frontier))]])
      await this.#medium.writeMark({ account: book.account, ...headOf(book.frontier) })
    } catch (error) {
      await this.close()
      throw error
    }
  }

  #keep(kept: Map<string, string>, prefix: string, name: string, note: string): void {
    if (Buffer.byteLength(note) > STORE_LIMITS.noteBytesMax) {
      throw new Fault('NOTE_TOO_LARGE', `${name}: ${note.length} characters are more than a note may have`)
    }
    kept.set(name, note)
    this.#unwritten.set(prefix + name, note)
  }

  /** Resolves with the durable size once all that was asked for so far is part of it. */
  #written(): Promise<number> {
    if (!this.#gathering) {
      this.#gathering = Promise.withResolvers()
      this.#waiters.push(this.#gathering)
      this.#running ??= this.#run()
    }
    return this.#gathering.promise
  }

  async #run(): Promise<void> {
    // Whoever appended first may have more to append in the same breath: all of it is one write, under one row.
    await undefined
    while (this.#waiters.length > 0 && this.#book) {
      try {
        await this.#commit(this.#book)
      } catch (error) {
        if (error instanceof BrokenLaw) throw error
        await this.#mend(this.#book, error)
      }
    }
    this.#running = undefined
  }

  async #commit(book: Book): Promise<void> {
    const lines = this.#lines.slice(book.written - book.durable.size)
    const count = this.#lines.length
    const waiters = this.#waiters.length
    this.#gathering = undefined
    const frontier = book.frontier.copy()
    const head = headOf(frontier)
    const unwritten = this.#unwritten
    this.#unwritten = new Map()

    const since = this.#medium.now?.()
    const changes = pages(book.written, lines)
    if (count > 0) {
      changes.push([HEAD, formatHead(headRecord(book.account, book.charter, book.last, frontier))])
      const row = this.#seal(head)
      if (row !== undefined) changes.push(noteChange(OWN_ROW, row))
    }
    for (const [key, note] of unwritten) changes.push(noteChange(key, note))
    try {
      if (changes.length > 0) await book.shelf.write(changes)
      if (count > 0) await this.#medium.writeMark({ account: book.account, ...head })
    } catch (error) {
      this.#unwritten = new Map([...unwritten, ...this.#unwritten])
      throw error
    }
    book.written = frontier.size
    book.durable = frontier
    this.#lines.splice(0, count)
    for (const waiter of this.#waiters.splice(0, waiters)) waiter.resolve(head.size)
    if (since !== undefined && count > 0) this.#options.onWrite?.((this.#medium.now?.() ?? since) - since, count)
  }

  #seal(head: Head): string | undefined {
    try {
      return this.#options.seal?.(head)
    } catch (error) {
      // The lines must not wait for the row: an exit is among them.
      this.#report(new Fault('ROW_NOT_SEALED', `no row at size ${head.size}`, { cause: error }))
      return undefined
    }
  }

  async #mend(book: Book, cause: unknown): Promise<void> {
    this.#become('mending')
    this.#report(asFault(cause))
    for (let pauseMs: number = STORE_LIMITS.retryMsMin; ; pauseMs = Math.min(2 * pauseMs, STORE_LIMITS.retryMsMax)) {
      await quietly(book.shelf.close())
      if (this.#closing) return this.#giveUp(new Fault('STORE_CLOSED', 'closed while the disk was failing'))
      try {
        if (!(await this.#verify(book))) return
        await this.#commit(book)
        return this.#become('ok')
      } catch (error) {
        this.#report(asFault(error))
      }
      // An abort ends the wait early; the next round sees why.
      await quietly(this.#medium.wait(pauseMs, this.#stop.signal))
    }
  }

  /** Opens the ledger again and reads it whole. False if it has less than was acknowledged, or something else. */
  async #verify(book: Book): Promise<boolean> {
    // While the process lives its memory is the better mark: it knows what was acknowledged. The file may be ahead of
    // that, by a write that failed after it had arrived, and what it is ahead by is still waiting in `#lines`.
    const mark = { account: book.account, ...headOf(book.durable) }
    const wanted = { account: book.account, begun: true, wanted: [mark.size], onProgress: this.#options.onProgress }
    const { stored, scan, damage, shelf } = await survey(this.#medium, wanted)
    const found = judge({ mark, stored, rootAt: size => scan.rootAt(size), damage })
    const same = found.kind === 'intact' && this.#rootAt(book, found.size) === found.root
    if (same && shelf) {
      book.shelf = shelf
      book.written = found.size
      return true
    }
    await quietly(shelf?.close())
    const other = judge({ mark, stored, rootAt: () => undefined })
    this.#found = found.kind === 'lost' ? found : other
    this.#book = undefined
    this.#become('lost')
    this.#giveUp(this.#refusal())
    return false
  }

  /** What the root should be at a size between what is durable and what was appended. */
  #rootAt(book: Book, size: number): string | undefined {
    const frontier = book.durable.copy()
    if (size > frontier.size + this.#lines.length) return undefined
    for (const line of this.#lines.slice(0, size - frontier.size)) frontier.append(leafHash(line))
    return toBase64(frontier.root())
  }

  #giveUp(fault: Fault): void {
    this.#lines.length = 0
    this.#gathering = undefined
    for (const waiter of this.#waiters.splice(0)) waiter.reject(fault)
    this.#report(fault)
  }

  #refusal(): Fault {
    if (this.#closing) return new Fault('STORE_CLOSED', 'the store is closed')
    if (this.#found.kind === 'lost') return new Fault('LEDGER_LOST', this.#found.what)
    return new Fault('LEDGER_NOT_OPEN', this.#beginning ? 'the next epoch is being opened' : 'no ledger was begun')
  }

  #report(fault: Fault): void {
    this.#options.onFault?.(fault)
  }

  #become(state: StoreState): void {
    if (state === this.#state) return
    this.#state = state
    this.#options.onState?.(state)
  }
}

function headOf(frontier: Frontier): Head {
  return { size: frontier.size, root: toBase64(frontier.root()) }
}

function asFault(error: unknown): Fault {
  return error instanceof Fault ? error : new Fault('STORE_IO', 'a write failed', { cause: error })
}

/** For closing what has already failed, or waiting for what may be cut off. */
async function quietly(promise: Promise<unknown> | undefined): Promise<void> {
  await promise?.catch(() => undefined)
}
