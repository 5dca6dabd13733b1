// Retention: closed days move from the database into files, and out of them when they were kept for long enough. Once an
// hour all ledgers of a mall are looked after.
//
// Law: both our clock and the mall's must say that something is old before it is forgotten.

import { nameOf } from '../../ledger/account.ts'
import { Fault } from '../../ledger/fault.ts'
import type { Cabinet } from '../../mesh/archive/cabinet.ts'
import type { Clock } from '../../mesh/clock.ts'
import { type Family, single } from '../../mesh/window/prometheus.ts'
import { Caretaker, type CaretakerOptions, type Swept } from './caretaker.ts'
import { type Hold, Holds, type HoldWish } from './holds.ts'
import { titleOf } from './proof.ts'
import { LINES } from './segment-file.ts'
import { SegmentFolder } from './segment-folder.ts'
import { SegmentIndex, type SegmentRecord } from './segment-index.ts'
import { WholeLedgers } from './whole-ledger.ts'

export interface RetentionOptions
  extends Pick<CaretakerOptions, 'config' | 'charters' | 'policies' | 'archive' | 'log' | 'alarm'> {
  readonly cabinet: Cabinet
  readonly clock: Clock
  readonly newId: () => string
}

export interface ArchiveFile {
  readonly name: string
  readonly isRemoved: boolean
}

const ROUND_MS = 3_600_000
/** After a start there are more urgent things to do. */
const FIRST_ROUND_MS = 60_000
const HOLDS_FILE = 'holds.json'

export class Retention {
  /** ledgers as they were written, whether files hold them or the database */
  readonly whole: WholeLedgers
  readonly #o: RetentionOptions
  readonly #index: SegmentIndex
  readonly #holds: Holds
  /** undefined where there is nowhere to write to: then nothing is forgotten */
  readonly #caretaker: Caretaker | undefined
  readonly #total: Swept = { written: 0, pruned: 0, removed: 0, failed: 0 }
  #round: Promise<Swept> | undefined
  #roundAt: number | undefined
  #isStopped = false
  #cancel: (() => void) | undefined

  static async open(options: RetentionOptions): Promise<Retention> {
    const { config, charters, cabinet } = options
    const folder = config.archive === undefined ? undefined : new SegmentFolder(config.archive, charters.first.mall)
    const copy = folder && {
      recall: () => folder.recall(HOLDS_FILE),
      keep: (text: string) => folder.keep(HOLDS_FILE, text),
    }
    const retention = new Retention(options, folder, await Holds.open(cabinet, copy))
    await retention.#mirror()
    return retention
  }

  private constructor(options: RetentionOptions, folder: SegmentFolder | undefined, holds: Holds) {
    const { archive, cabinet, clock } = options
    this.#o = options
    this.#holds = holds
    this.#index = new SegmentIndex(cabinet)
    this.whole = new WholeLedgers({ archive, index: this.#index, folder })
    if (folder === undefined) return
    const wall = () => clock.wall()
    const isStopped = () => this.#isStopped
    this.#caretaker = new Caretaker({ ...options, folder, holds, index: this.#index, wall, isStopped })
  }

  /** Once an hour from here on; each mall at its own minute, so that many of them do not crowd one disk. */
  start(): void {
    let sum = 0
    for (const letter of this.#o.charters.first.mall) sum = (sum * 31 + (letter.codePointAt(0) ?? 0)) % ROUND_MS
    this.#plan(FIRST_ROUND_MS + ((sum * 7919) % (ROUND_MS / 2)))
  }

  /** Safe to repeat. */
  async stop(): Promise<void> {
    this.#isStopped = true
    this.#cancel?.()
    await this.#round?.catch(() => undefined)
  }

  /** Ended ones too, oldest first. */
  holds(): readonly Hold[] {
    return this.#holds.list()
  }

  /** Refused with a Fault 'HOLD' where it makes no sense. */
  async hold(wish: HoldWish): Promise<Hold> {
    const hold = await this.#holds.add(wish, { id: this.#o.newId(), at: this.#o.clock.wall() })
    await this.#mirror()
    return hold
  }

  /** Undefined where there is no such hold. */
  async endHold(id: string, a: { readonly by: string; readonly reason: string }): Promise<Hold | undefined> {
    const hold = await this.#holds.end(id, { ...a, at: this.#o.clock.wall() })
    await this.#mirror()
    return hold
  }

  /**
   * Up to when entries (of one gate, or of all) lie in files and are not found in the database any more; undefined where
   * nothing was pruned.
   */
  async archivedUntil(gate?: string): Promise<number | undefined> {
    const { archive } = this.#o
    let until: number | undefined
    for (const account of archive.accounts()) {
      const { kept = 0 } = archive.head(account) ?? {}
      if (kept === 0 || (gate !== undefined && nameOf(account) !== gate)) continue
      const { newest = 0 } = (await this.#index.last(account, kept)) ?? {}
      until = Math.max(until ?? 0, newest)
    }
    return until
  }

  /** Names of files, below the archive's folder of this mall, that hold what happened about then; so many at most. */
  async filesAt(time: { readonly from: number; readonly to: number }, limit: number): Promise<readonly ArchiveFile[]> {
    const records = await this.#index.at(time, limit)
    return records.map(record => ({
      name: `${record.account.replace('/', '-')}/${titleOf(record)}${LINES}`,
      isRemoved: record.removedAt !== undefined,
    }))
  }

  /** What was taken out of the archive. */
  removed(): AsyncIterable<SegmentRecord> {
    return this.#index.gone()
  }

  /** Everything that is due, now. One round at a time: whoever asks meanwhile waits for the same one. */
  sweep(): Promise<Swept> {
    this.#round ??= this.#sweep().finally(() => {
      this.#round = undefined
    })
    return this.#round
  }

  families(): Family[] {
    const { written, pruned, removed, failed } = this.#total
    const age = this.#roundAt === undefined ? -1 : Math.round((this.#o.clock.now() - this.#roundAt) / 1000)
    const held = this.#holds.list().filter(hold => hold.ended === undefined).length
    const called = (what: string) => `gatemesh_retention_${what}`
    return [
      single('counter', called('segments_written_total'), 'Closed days written to archive files.', written),
      single('counter', called('entries_pruned_total'), 'Entries forgotten by the database; files hold them.', pruned),
      single('counter', called('segments_removed_total'), 'Archive files removed after their time.', removed),
      single('counter', called('failures_total'), 'Ledgers that a round could not look after.', failed),
      single('gauge', called('holds'), 'Legal holds that last.', held),
      single('gauge', called('round_age_seconds'), 'How long ago all was last looked after; -1 for never.', age),
    ]
  }

  #plan(ms: number): void {
    this.#cancel = this.#o.clock.in(ms, () => {
      const again = () => {
        if (!this.#isStopped) this.#plan(ROUND_MS)
      }
      this.sweep().then(again, again)
    })
  }

  async #sweep(): Promise<Swept> {
    const { archive, alarm, clock, log } = this.#o
    const swept: Swept = { written: 0, pruned: 0, removed: 0, failed: 0 }
    if (this.#caretaker === undefined) return swept
    if (!(await this.#mirror())) {
      this.#total.failed++
      return { ...swept, failed: 1 }
    }
    const oldBy = Math.min(clock.wall(), this.#newestSigned())
    for (const account of archive.accounts()) {
      if (this.#isStopped) break
      try {
        await this.#caretaker.tend(account, oldBy, swept)
      } catch (error) {
        // one ledger's trouble is no reason to keep the others waiting
        swept.failed++
        const { message, stack } = error as Error
        alarm('RETENTION', `${account}: ${error instanceof Fault ? message : stack}`)
      }
    }
    for (const what of ['written', 'pruned', 'removed', 'failed'] as const) this.#total[what] += swept[what]
    if (swept.written + swept.pruned + swept.removed + swept.failed > 0) log.info('retention', { ...swept })
    this.#roundAt = clock.now()
    return swept
  }

  /** Does everybody who keeps holds know all of them? */
  async #mirror(): Promise<boolean> {
    try {
      await this.#holds.mirror()
      return true
    } catch (error) {
      this.#o.alarm(
        'RETENTION',
        `${HOLDS_FILE}: ${(error as Error).message}; nothing is forgotten until that is mended`,
      )
      return false
    }
  }

  /** The newest time that anybody signed: a clock of ours that runs ahead must not cost evidence. */
  #newestSigned(): number {
    const { archive } = this.#o
    let newest = 0
    for (const account of archive.accounts()) {
      const at = /\nat (\d+)\n/.exec(archive.head(account)?.row ?? '')?.[1]
      newest = Math.max(newest, Number(at ?? 0))
    }
    return newest
  }
}
