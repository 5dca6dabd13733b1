// Caretaker: looks after the ledgers of one mall, one at a time: writes closed days to files, forgets what files hold,
// takes away files whose time is over.
//
// Laws: nothing is forgotten that no file holds which was read from disk just before and found to be what its owner
// signed. Nothing under a legal hold is forgotten at all.

import type { Account } from '../../ledger/account.ts'
import type { Charters } from '../../ledger/charters.ts'
import { noCounters } from '../../ledger/counters.ts'
import { Fault } from '../../ledger/fault.ts'
import type { Policy } from '../../ledger/policy.ts'
import type { Row } from '../../ledger/row.ts'
import type { Archive } from '../../mesh/archive/archive.ts'
import type { Log } from '../../mesh/log.ts'
import { type RetentionConfig, YEAR_DAYS } from './config.ts'
import { DAY_MS, type Day, endOf } from './day.ts'
import type { Holds } from './holds.ts'
import { type Joint, titleOf } from './proof.ts'
import { Roster } from './roster.ts'
import { checkSegment, readProof, type Segment, writeSegment } from './segment-file.ts'
import { byDay, type SegmentFolder } from './segment-folder.ts'
import { closingOf, type End, type SegmentIndex, type SegmentRecord } from './segment-index.ts'

export type DayArchive = Pick<Archive, 'accounts' | 'head' | 'range' | 'prune' | 'dayRows'>

export interface CaretakerOptions {
  readonly config: RetentionConfig
  readonly charters: Charters
  /** every version there was */
  readonly policies: () => readonly Policy[]
  readonly archive: DayArchive
  readonly folder: SegmentFolder
  readonly index: SegmentIndex
  readonly holds: Holds
  readonly wall: () => number
  readonly log: Log
  readonly alarm: (code: string, detail: string) => void
  /** has somebody lost patience? */
  readonly isStopped: () => boolean
}

/** What was done. */
export interface Swept {
  written: number
  /** entries forgotten by the database, all of them in files */
  pruned: number
  removed: number
  /** accounts that something went wrong with, which the alarm was told */
  failed: number
}

/** A segment to be written. */
interface Order {
  /** of the one before it */
  readonly end: End | undefined
  readonly day: Day
  readonly part: number
  /** the row that it ends at, as it was signed */
  readonly note: string
  readonly closedAt: number
}

/** A row from the last second of a day has so long to come here. */
const CLOSE_MS = 3_600_000

export class Caretaker {
  readonly #o: CaretakerOptions
  /** accounts whose folder was looked through since the start */
  readonly #looked = new Set<Account>()
  #roster: { readonly roster: Roster; readonly version: number } | undefined

  constructor(options: CaretakerOptions) {
    this.#o = options
  }

  /** `oldBy` is the time by which things are old. */
  async tend(account: Account, oldBy: number, swept: Swept): Promise<void> {
    if (!this.#looked.has(account)) await this.#adopt(account)
    this.#looked.add(account)
    await this.#write(account, swept)
    await this.#prune(account, oldBy, swept)
    await this.#remove(account, oldBy, swept)
  }

  /** Files that the index does not know: it was lost, or the power went between the two. */
  async #adopt(account: Account): Promise<void> {
    const { folder, index, log, alarm, isStopped } = this.#o
    let end = await index.end(account)
    for (const title of await folder.titles(account)) {
      if (isStopped()) return
      if (end !== undefined && byDay(title, titleOf(end)) <= 0) continue
      const path = folder.pathOf(account, title)
      const proof = await readProof(path).catch(() => undefined)
      const joint = this.#jointOf(end)
      if (proof?.from !== joint.size || proof.account !== account) continue
      // what follows a file that is gone is right by itself, but leads up to nothing that we could still check
      if (await folder.isRemoved(account, title)) return
      try {
        const segment = await checkSegment(path, { open: this.#open, counters: this.#countersOf(end) })
        if (!isSame(segment.proof.before, joint)) throw new Fault('SEGMENT', `${path}: goes on from another ledger`)
        if (titleOf(segment.proof) !== title) throw new Fault('SEGMENT', `${path}: is ${titleOf(segment.proof)}`)
        await index.add(segment, { isLast: true })
        log.info('segment found', { account, title })
        end = await index.end(account)
      } catch (error) {
        if (!isDamage(error)) throw error
        const aside = await folder.setAside(account, title)
        alarm('SEGMENT', `${error.message}; kept as ${aside}`)
      }
    }
  }

  async #write(account: Account, swept: Swept): Promise<void> {
    const { archive, folder, index, wall, isStopped } = this.#o
    const rows = await archive.dayRows(account)
    for (const { day, size, note } of rows.toSorted((a, b) => a.size - b.size)) {
      if (isStopped()) return
      const end = await index.end(account)
      if (size <= this.#jointOf(end).size) continue
      if (endOf(day) + CLOSE_MS > wall()) continue
      const part = (await folder.partsOf(account, day)) + 1
      await index.add(await this.#put({ end, day, part, note, closedAt: wall() }), { isLast: true })
      swept.written++
    }
  }

  /** Writes a segment from what the database has. */
  async #put({ end, day, part, note, closedAt }: Order): Promise<Segment> {
    const { archive, charters, folder } = this.#o
    const row = this.#open(note)
    const { account } = row
    const joint = this.#jointOf(end)
    const kept = archive.head(account)?.kept ?? 0
    if (kept > joint.size) {
      throw new Fault('RETENTION', `entries ${joint.size} to ${kept - 1} are neither in the database nor in a file`)
    }
    return writeSegment({
      path: folder.pathOf(account, titleOf({ day, part })),
      lines: archive.range(account, joint.size, row.size),
      joint,
      counters: this.#countersOf(end),
      row,
      proof: { mall: charters.first.mall, account, day, part, closedAt, row: note },
    })
  }

  async #prune(account: Account, oldBy: number, swept: Swept): Promise<void> {
    const { archive, config, index, isStopped } = this.#o
    for (;;) {
      const head = archive.head(account)
      if (head === undefined || isStopped()) return
      const record = await index.next(account, head.kept)
      if (record === undefined || record.from !== head.kept || record.to > head.signed) return
      if (!isOld(record, config.hotDays, oldBy) || this.#isHeld(record)) return
      if (!(await this.#isSound(record))) return
      // somebody may have asked for a hold while the file was read
      if (this.#isHeld(record)) return
      await archive.prune(account, record.to)
      swept.pruned += record.to - record.from
    }
  }

  /** Is it on disk, to the last byte? One that is not is put beside, and written again while its lines are still here. */
  async #isSound(record: SegmentRecord): Promise<boolean> {
    const { account, from, to } = record
    const path = this.#o.folder.pathOf(account, titleOf(record))
    try {
      const { proof } = await checkSegment(path, { open: this.#open })
      const isIt = proof.account === account && proof.from === from && proof.to === to
      if (isIt && titleOf(proof) === titleOf(record)) return true
      throw new Fault('SEGMENT', `${path}: holds ${proof.account} ${titleOf(proof)} from ${proof.from} to ${proof.to}`)
    } catch (error) {
      if (!isDamage(error)) throw error
      await this.#mend(record, error)
      return false
    }
  }

  async #mend(record: SegmentRecord, why: Fault): Promise<void> {
    const { archive, alarm, folder, index } = this.#o
    const { account, from, to, day, part, closedAt } = record
    const title = titleOf(record)
    const row = (await archive.dayRows(account)).find(({ size }) => size === to)
    // it is in the proof as well, which may be whole though the lines are not
    const note = row?.note ?? (await readProof(folder.pathOf(account, title))).row
    const before = from === 0 ? undefined : await this.#endAt(account, from)
    const isLast = this.#jointOf(await index.end(account)).size === to
    const aside = await folder.setAside(account, title)
    const segment = await this.#put({ end: before, day, part, note, closedAt })
    await index.add(segment, { isLast })
    alarm('SEGMENT', `${why.message}; kept as ${aside} and written again`)
  }

  /** Where the ledger stood at this size, from the file that leads up to it. */
  async #endAt(account: Account, size: number): Promise<End> {
    const { folder } = this.#o
    for (const title of await folder.titles(account)) {
      const path = folder.pathOf(account, title)
      const proof = await readProof(path).catch(() => undefined)
      if (proof?.to !== size) continue
      const { joint } = await checkSegment(path, { open: this.#open })
      return { joint, row: proof.row, day: proof.day, part: proof.part }
    }
    throw new Fault('RETENTION', `there is no file that leads up to entry ${size}`)
  }

  async #remove(account: Account, oldBy: number, swept: Swept): Promise<void> {
    const { archive, config, folder, index, log, wall, isStopped } = this.#o
    const days = Math.max(config.keepDays, config.minDays, YEAR_DAYS)
    for (let from = 0; ; ) {
      const record = await index.next(account, from)
      const kept = archive.head(account)?.kept ?? 0
      if (record === undefined || isStopped() || record.to > kept || !isOld(record, days, oldBy)) return
      from = record.to
      if (this.#isHeld(record)) continue
      const removedAt = wall()
      const why = `closed for more than ${days} days`
      await folder.remove(account, titleOf(record), { ...record, removedAt, why })
      await index.removed(record, removedAt)
      log.info('segment removed', { account, title: titleOf(record), gzSha256: record.gzSha256, why })
      swept.removed++
    }
  }

  /** Whatever happened in a segment's own time, and on the day it was closed: a gate's clock may have been wrong. */
  #isHeld({ day, oldest, newest }: SegmentRecord): boolean {
    const end = endOf(day)
    return this.#o.holds.on(Math.min(oldest, end - DAY_MS), Math.max(newest, end - 1)) !== undefined
  }

  #jointOf(end: End | undefined): Joint {
    return end?.joint ?? { size: 0, peaks: [], last: this.#o.charters.hash }
  }

  #countersOf(end: End | undefined): Row['counters'] {
    return end === undefined ? noCounters() : this.#open(end.row).counters
  }

  readonly #open = (note: string): Row => {
    const policies = this.#o.policies()
    const version = policies.at(-1)?.version ?? 0
    if (this.#roster?.version !== version) this.#roster = { roster: new Roster(this.#o.charters, policies), version }
    return this.#roster.roster.open(note)
  }
}

function isOld(record: SegmentRecord, days: number, oldBy: number): boolean {
  return closingOf(record) + days * DAY_MS <= oldBy
}

function isSame(before: Pick<Joint, 'peaks' | 'last'>, joint: Joint): boolean {
  return before.last === joint.last && before.peaks.join() === joint.peaks.join()
}

/** The file is not what it should be; all else is the disk's trouble, or ours, or a policy that has yet to come. */
function isDamage(error: unknown): error is Fault {
  return error instanceof Fault && !['SEGMENT_IO', 'RETENTION', 'ROSTER'].includes(error.code)
}
