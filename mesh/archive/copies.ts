// Copies: what a gate keeps of the anchor's ledger, so that an anchor that lost its disk finds it again.
//
// Law: it never disturbs the door. It asks seldom, takes small portions, and whatever fails is said in the log and tried
// again later; the gate does not need it for anything.

import { type Account, isAnchor } from '../../ledger/account.ts'
import { Fault } from '../../ledger/fault.ts'
import type { LedgerShelf } from '../lan/ledger-window.ts'
import type { Archive } from './archive.ts'
import type { Cabinet } from './cabinet.ts'
import { CabinetArchive } from './cabinet-archive.ts'
import { Collector, type CollectorOptions, type CollectorStatus } from './collector.ts'

export interface CopiesOptions
  extends Pick<
    CollectorOptions,
    'charterHash' | 'clock' | 'log' | 'rows' | 'banned' | 'peers' | 'range' | 'alarm' | 'everyMs'
  > {
  readonly openCabinet: () => Promise<Cabinet>
  readonly entriesKept?: number
}

/** The anchor writes a few entries a minute: nobody misses those of the last seconds. */
const EVERY_MS = 10_000
/** a few ms of the gate's thread */
const PORTION_LINES = 250
/** months of an anchor's life */
const ENTRIES_KEPT = 200_000
const REOPEN_MS = 60_000

export class Copies implements LedgerShelf {
  readonly #o: CopiesOptions
  #cabinet: Cabinet | undefined
  #archive: CabinetArchive | undefined
  #collector: Collector | undefined
  #opening: Promise<void> | undefined
  #cancel: (() => void) | undefined
  #isOver = false

  constructor(options: CopiesOptions) {
    this.#o = options
  }

  /** Returns at once; what fails is tried again in a minute. */
  start(): void {
    const { clock, log } = this.#o
    if (this.#isOver || this.#opening !== undefined) return
    this.#opening = this.#open().catch((error: Error) => {
      log.warn('copies', { error: error.message, againMs: REOPEN_MS })
      this.#opening = undefined
      if (!this.#isOver) this.#cancel = clock.in(REOPEN_MS, () => this.start())
    })
  }

  /** Never rejects: a gate that stops has more to do. Safe to repeat. */
  async stop(): Promise<void> {
    this.#isOver = true
    this.#cancel?.()
    await this.#opening
    this.#archive = undefined
    try {
      await this.#collector?.stop()
      await this.#cabinet?.close()
    } catch (error) {
      this.#o.log.warn('copies', { error: (error as Error).message })
    }
  }

  status(): CollectorStatus | undefined {
    return this.#collector?.status()
  }

  /** What was collected, for whoever takes it away as evidence; undefined until it is open. */
  get archive(): Pick<Archive, 'accounts' | 'head' | 'dayRows'> | undefined {
    return this.#archive
  }

  async accounts(): Promise<readonly Account[]> {
    return this.#archive?.accounts() ?? []
  }

  /** What its owner has signed; the rest proves nothing to others. */
  async size(account: Account): Promise<number | undefined> {
    return this.#archive?.head(account)?.signed
  }

  /** The row at the size that others may read up to. */
  vouch(account: Account): string | undefined {
    return this.#archive?.head(account)?.row
  }

  async *range(account: Account, from: number, to: number): AsyncGenerator<string> {
    const head = this.#archive?.head(account)
    if (this.#archive === undefined || head === undefined) throw new Fault('LEDGER', `there is no copy of ${account}`)
    if (from < head.kept) throw new Fault('LEDGER', `${account}: the copy begins at entry ${head.kept}`)
    yield* this.#archive.range(account, from, Math.min(to, head.signed))
  }

  async #open(): Promise<void> {
    const { openCabinet, clock, entriesKept = ENTRIES_KEPT, everyMs = EVERY_MS, ...rest } = this.#o
    const cabinet = await openCabinet()
    try {
      const archive = await CabinetArchive.open({ cabinet, wall: () => clock.wall() })
      const settings = { wants: isAnchor, everyMs, entriesKept, portionLines: PORTION_LINES }
      const collector = new Collector({ ...rest, clock, archive, ...settings })
      await collector.start()
      this.#cabinet = cabinet
      this.#archive = archive
      this.#collector = collector
    } catch (error) {
      await cabinet.close().catch(() => undefined)
      throw error
    }
  }
}
