// Keeper: the one writer of an account's ledger on a medium. Group commit, and mending after a failed write.
//
// Law: mark durable, with the new lines → acknowledged → ledger durable, before the slot of that mark is used again. So a
// decision waits for one flush; the ledger follows, several writes at a time, and what it lacks when the power goes is
// put back from the marks (unshelved.ts). One mark and one ledger write are in flight at a time; what arrives goes into
// the next. After any failed write nothing is acknowledged until the disk was closed, opened and read whole: a store
// that failed once may take later writes with a straight face and forget them at the next start.
//
// Law: a note that was kept before a line was appended, or in the same breath, is on the disk with that line, in one
// write: in its mark, and in the ledger when that takes the line. Where a mark has no room for both, both go into the
// ledger first, and the mark follows without them.

import { type Account, account as accountOf, epochOf, nameOf } from './account.ts'
import { fromBase64, toBase64 } from './base64.ts'
import { Book, type End, headOf, sizeOf } from './book.ts'
import type { ChainEnd } from './chain.ts'
import { deliver } from './delivery.ts'
import { BrokenLaw, Fault, must, storeFault } from './fault.ts'
import { type Finding, find } from './finding.ts'
import { KeptNotes } from './kept-notes.ts'
import type { Medium } from './medium.ts'
import { writeOpening } from './opening.ts'
import { Patience } from './patience.ts'
import { quietly } from './quietly.ts'
import { readAsIs } from './reading.ts'
import type { Change } from './record.ts'
import { reopen } from './reopening.ts'
import { fitsSlot } from './slot.ts'
import {
  type Found,
  type Head,
  type Kept,
  STORE_LIMITS,
  type Store,
  type StoreOptions,
  type StoreState,
} from './store.ts'
import { EMPTY_ROOT } from './tree.ts'
import { Waiters } from './waiters.ts'

const NOTHING: Head = { size: 0, root: toBase64(EMPTY_ROOT) }

/** What is acknowledged together. */
interface Portion {
  readonly end: End
  readonly waiters: number
  readonly since: number | undefined
  readonly tail: readonly string[]
  readonly changes: readonly Change[]
}

export class Keeper implements Store {
  readonly #medium: Medium
  readonly #options: StoreOptions
  #found: Found
  #state: StoreState = 'idle'
  #book: Book | undefined
  readonly #waiters = new Waiters()
  readonly #kept = new KeptNotes()
  #running: Promise<void> | undefined
  #shelving: Promise<void> | undefined
  readonly #soon: Patience
  readonly #later: Patience
  /** why the ledger could not be written, until that is being mended */
  #failure: { readonly cause: unknown } | undefined
  #beginning: Promise<void> | undefined
  #closing: Promise<void> | undefined
  readonly #stop = new AbortController()
  /** an epoch that has a place on the disk, no entry, and no mark */
  #unfinished: number | undefined

  static async open(medium: Medium, options: StoreOptions): Promise<Keeper> {
    const finding = await find(medium, options).catch(error =>
      quietly(medium.close()).then(() => Promise.reject(error)),
    )
    const keeper = new Keeper(medium, options, finding)
    await keeper.#raise(finding.marked ?? 0)
    return keeper
  }

  private constructor(medium: Medium, options: StoreOptions, { found, seen, unfinished }: Finding) {
    this.#medium = medium
    this.#soon = new Patience(medium)
    this.#later = new Patience(medium)
    this.#options = options
    this.#found = found
    this.#unfinished = unfinished
    for (const [account, note] of seen?.rows ?? []) this.#kept.rows.set(account, note)
    for (const [name, note] of seen?.notes ?? []) this.#kept.notes.set(name, note)
    if (found.kind !== 'intact') return
    must(seen?.shelf !== undefined && seen.head !== undefined, 'an intact ledger is open and has a head')
    const { shelf, head, scan } = seen
    this.#book = new Book(head.account, head.charter, shelf, { frontier: scan.frontier, last: head.last })
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
    return this.#book?.waiting ?? 0
  }

  get end(): ChainEnd | undefined {
    return this.#book?.chainEnd
  }

  append(line: string, when: 'now' | 'soon' = 'now'): Promise<number> {
    const book = this.#book
    if (!book || this.#closing || this.#beginning) return Promise.reject(this.#refusal())
    book.append(line)
    this.#running ??= this.#run()
    const urgency = book.waiting < STORE_LIMITS.soonLines ? when : 'now'
    if (urgency === 'now') this.#soon.hurry()
    return this.#waiters.appended(urgency)
  }

  keepRow(account: Account, note: string): void {
    this.#kept.keepRow(account, note)
  }

  rows(): ReadonlyMap<Account, string> {
    return this.#kept.rows
  }

  keepNote(name: string, note: string): void {
    this.#kept.keepNote(name, note)
  }

  notes(): ReadonlyMap<string, string> {
    return this.#kept.notes
  }

  async sync(): Promise<void> {
    const book = this.#book
    if (!book || this.#closing || this.#beginning) throw this.#refusal()
    if (book.isAtRest && this.#kept.isWritten && !this.#shelving && !this.#running) return
    const synced = this.#waiters.synced(book.size)
    this.#shelve()
    await synced
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
    await this.#rest()
    if (this.#unfinished !== undefined) await this.#medium.discard(this.#unfinished)
    this.#unfinished = undefined
    const newest = (await this.#medium.epochs()).at(-1) ?? 0
    if (epoch <= newest) throw new Fault('LEDGER_EXISTS', `${account}: there is a ledger of epoch ${newest} here`)
    const shelf = await this.#medium.open(epoch, 'create')
    this.#unfinished = epoch
    const { written, giveBack } = this.#kept.take()
    const carried = this.#kept.all()
    try {
      await writeOpening(this.#medium, shelf, { account, charterHash, empty: NOTHING, carried })
      written()
    } catch (error) {
      giveBack()
      await quietly(shelf.close())
      throw error
    }
    await quietly(this.#book?.shelf.close())
    this.#unfinished = undefined
    this.#book = Book.empty(account, charterHash, shelf)
    this.#found = { kind: 'intact', account, ...NOTHING, flaws: [] }
    this.#become('ok')
  }

  range(from: number, to: number): AsyncIterable<string> {
    if (!this.#book) throw this.#refusal()
    return this.#book.range(from, to)
  }

  async accounts(): Promise<Account[]> {
    const epochs = await this.#medium.epochs()
    return epochs.filter(epoch => epoch !== this.#unfinished).map(epoch => accountOf(this.#options.name, epoch))
  }

  async *salvage(account: Account): AsyncGenerator<Kept> {
    if (this.#book?.account === account) return yield* this.#book.kept()
    const shelf = await this.#medium.salvage(epochOf(account))
    try {
      yield* readAsIs(shelf)
    } finally {
      await quietly(shelf.close())
    }
  }

  close(): Promise<void> {
    this.#closing ??= this.#end()
    return this.#closing
  }

  async #end(): Promise<void> {
    await quietly(this.#beginning)
    if (this.#state === 'mending') this.#stop.abort()
    else this.#shelve()
    await this.#rest()
    const book = this.#book
    this.#book = undefined
    await quietly(book?.shelf.close())
    await quietly(this.#medium.close())
    this.#become('closed')
  }

  /** A crash between ledger and mark leaves the mark behind. What is told as found must be as safe as an append. */
  async #raise(marked: number): Promise<void> {
    const book = this.#book
    if (!book || book.size === marked) return
    try {
      await book.shelf.write([book.headChange(book.end)])
      await this.#medium.writeMark({ account: book.account, ...headOf(book.end) })
    } catch (error) {
      await this.close()
      throw error
    }
  }

  async #run(): Promise<void> {
    // Whoever appended first may have more to append in the same breath: all of it is one write, under one mark.
    await undefined
    while (this.#book && (!this.#waiters.isEmpty || this.#failure)) {
      try {
        // lines that nobody waits for wait for others
        if (!this.#waiters.isHurried && !this.#closing) await this.#soon.wait(STORE_LIMITS.soonMs)
        if (this.#failure) throw this.#failure.cause
        await this.#commit(this.#book)
      } catch (error) {
        if (error instanceof BrokenLaw) throw error
        await this.#mend(this.#book, error)
      }
      this.#shelve()
    }
    this.#running = undefined
  }

  /** What was appended goes into a mark, or where it is too much into the ledger first, and is acknowledged. */
  async #commit(book: Book): Promise<void> {
    while (book.isFarBehind) {
      this.#shelve()
      await this.#shelving
      if (this.#failure) throw this.#failure.cause
    }
    const tail = book.tail()
    if (tail === undefined || this.#kept.isUnderway || this.#waiters.isSyncing) return this.#rewrite(book)
    const notes = this.#kept.take()
    if (!fitsSlot(tail, notes.changes)) {
      notes.giveBack()
      return this.#rewrite(book)
    }
    await this.#mark(book, this.#gathered(book, tail, notes.changes)).catch(error => {
      notes.giveBack()
      throw error
    })
    notes.written()
  }

  /** Slowly and surely: everything into the ledger, then its mark. */
  async #rewrite(book: Book): Promise<void> {
    while (this.#shelving) {
      this.#later.hurry()
      await this.#shelving
    }
    if (this.#failure) throw this.#failure.cause
    const portion = this.#gathered(book)
    const putting = this.#put(book, portion.end)
    this.#shelving = quietly(putting)
    const tell = await putting.finally(() => {
      this.#shelving = undefined
    })
    await this.#mark(book, portion)
    tell()
  }

  #gathered(book: Book, tail: readonly string[] = [], changes: readonly Change[] = []): Portion {
    return { end: book.end, waiters: this.#waiters.gathered(), since: this.#medium.now?.(), tail, changes }
  }

  async #mark(book: Book, { end, waiters, since, tail, changes }: Portion): Promise<void> {
    const head = headOf(end)
    const notes = changes.map(change => ({ size: head.size, change }))
    await this.#medium.writeMark({ account: book.account, ...head, tail, notes })
    const count = head.size - sizeOf(book.durable)
    book.acknowledged(end, changes)
    this.#waiters.acknowledge(waiters, head.size)
    if (since !== undefined && count > 0) this.#options.onWrite?.((this.#medium.now?.() ?? since) - since, count)
  }

  /** What was acknowledged, and notes, go into the ledger in the background. */
  #shelve(): void {
    const book = this.#book
    if (!book || this.#state !== 'ok' || this.#failure || !this.#hasToShelve(book)) return
    if (this.#isUrged(book)) this.#later.hurry()
    this.#shelving ??= this.#shelveAll(book)
  }

  async #shelveAll(book: Book): Promise<void> {
    // never over before it is known to be under way
    await undefined
    try {
      while (this.#hasToShelve(book)) {
        if (!this.#isUrged(book)) await this.#later.wait(STORE_LIMITS.shelveMs)
        await this.#put(book, book.durable).then(tell => tell())
      }
    } catch (cause) {
      this.#failure = { cause }
    }
    this.#shelving = undefined
    if (this.#failure) this.#running ??= this.#run()
  }

  #isUrged(book: Book): boolean {
    return this.#closing !== undefined || book.isBehind || this.#waiters.isSyncing
  }

  #hasToShelve(book: Book): boolean {
    if (!book.isShelved) return true
    // what is being committed takes them along
    if (book.waiting > 0) return false
    return !this.#kept.isWritten || this.#waiters.syncing(book.size).count > 0
  }

  #put(book: Book, to: End): Promise<() => void> {
    return deliver(book, to, { kept: this.#kept, waiters: this.#waiters, options: this.#options })
  }

  /** Resolves once nothing is being written, and nothing that was acknowledged has to be. */
  async #rest(): Promise<void> {
    while (this.#running || this.#shelving) await (this.#running ?? this.#shelving)
  }

  async #mend(book: Book, cause: unknown): Promise<void> {
    this.#become('mending')
    this.#options.onFault?.(storeFault(cause))
    for (let pauseMs: number = STORE_LIMITS.retryMsMin; ; pauseMs = Math.min(2 * pauseMs, STORE_LIMITS.retryMsMax)) {
      while (this.#shelving) await this.#shelving
      this.#failure = undefined
      await quietly(book.shelf.close())
      if (this.#closing) return this.#giveUp(new Fault('STORE_CLOSED', 'closed while the disk was failing'))
      try {
        const lost = await reopen(book, this.#medium, this.#options)
        if (lost !== undefined) return this.#lose(lost)
        await this.#rewrite(book)
        return this.#become('ok')
      } catch (error) {
        this.#options.onFault?.(storeFault(error))
      }
      // An abort ends the wait early; the next round sees why.
      await quietly(this.#medium.wait(pauseMs, this.#stop.signal))
    }
  }

  #lose(found: Found): void {
    this.#found = found
    this.#book = undefined
    this.#become('lost')
    this.#giveUp(this.#refusal())
  }

  #giveUp(fault: Fault): void {
    this.#waiters.giveUp(fault)
    this.#options.onFault?.(fault)
  }

  #refusal(): Fault {
    if (this.#closing) return new Fault('STORE_CLOSED', 'the store is closed')
    if (this.#found.kind === 'lost') return new Fault('LEDGER_LOST', this.#found.what)
    return new Fault('LEDGER_NOT_OPEN', this.#beginning ? 'the next epoch is being opened' : 'no ledger was begun')
  }

  #become(state: StoreState): void {
    if (state === this.#state) return
    this.#state = state
    this.#options.onState?.(state)
  }
}
