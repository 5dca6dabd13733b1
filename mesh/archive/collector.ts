// Collector: brings into an archive whatever rows show beyond what is there.
//
// Laws: an account is asked for by one pull at a time, and what is committed is where the next one goes on, so that no
// outage leaves a gap or a duplicate. Whoever contradicts what was signed is kept as evidence and collected no further.
// A slow or dead peer holds up nobody else.

import { type Account, nameOf } from '../../ledger/account.ts'
import type { Entry } from '../../ledger/entry.ts'
import { Fault } from '../../ledger/fault.ts'
import type { Row } from '../../ledger/row.ts'
import type { Clock } from '../clock.ts'
import type { Log } from '../log.ts'
import { type Family, single, tallied } from '../window/prometheus.ts'
import type { CollectedHead, Flag } from './archive.ts'
import type { CabinetArchive } from './cabinet-archive.ts'
import { Docket } from './docket.ts'
import { type Pulled, pull } from './pull.ts'
import { Standing } from './standing.ts'

/** The ledger that is written here. */
export interface OwnLedger {
  readonly account: Account | undefined
  /** on disk */
  size(): number
  range(from: number, to: number): AsyncIterable<string>
  /** our newest signed row; without it nothing vouches for what we wrote ourselves */
  row(): Row | undefined
}

export interface CollectorOptions {
  readonly archive: CabinetArchive
  readonly charterHash: string
  readonly clock: Clock
  readonly log: Log
  readonly wants: (account: Account) => boolean
  /** the newest row of every account in view */
  readonly rows: () => Iterable<Row>
  /** who was found to have two histories, and the rows that prove it */
  readonly banned: () => ReadonlyMap<string, readonly Row[]>
  /** names of those in reach */
  readonly peers: () => Iterable<string>
  readonly range: (peer: string, question: Question) => AsyncIterable<string>
  /** what a peer's copy of somebody's ledger stands on: a row whose signature was checked */
  readonly vouched?: (peer: string, account: Account) => Promise<Row | undefined>
  readonly alarm: (code: string, detail: string) => void
  /** our clock less the owner's; undefined where it never spoke to us itself */
  readonly skewMs?: (account: Account) => number | undefined
  readonly own?: OwnLedger
  /** once a second */
  readonly everyMs?: number
  /** committed together; checking them takes the thread for so long */
  readonly portionLines?: number
  /** older entries of an account are forgotten */
  readonly entriesKept?: number
}

export interface Gap {
  readonly account: Account
  /** entries [from, to) are missing */
  readonly from: number
  readonly to: number
  readonly sinceMs: number
  readonly why: string
}

export interface CollectorStatus {
  readonly accounts: number
  readonly entries: number
  /** entries that rows show and that are not here */
  readonly behind: number
  /** age of the oldest row that was not reached yet */
  readonly lagMs: number
  /** not collected any more: there is evidence against them */
  readonly stopped: readonly Account[]
  readonly gaps: readonly Gap[]
}

const AT_ONCE_MAX = 4
/** beside the owner, of those who may have a copy */
const OTHERS_MAX = 3
const GAP_MS = 60_000
const LATE_MS = 300_000
const SKEW_MS = 2000
/** fewer are there before anybody could read about it */
const BACKLOG = 5000
const SAY_EVERY_MS = 10_000

interface Question {
  readonly account: Account
  readonly from: number
  readonly to: number
}

interface Task {
  readonly row: Row
  readonly standing: Standing
}

export class Collector {
  readonly #o: CollectorOptions
  readonly #standings = new Map<Account, Standing>()
  readonly #docket: Docket
  readonly #active = new Set<Promise<void>>()
  readonly #ranges = { met: 0, short: 0, contradicted: 0 }
  readonly #onStop = new Set<() => void>()
  #tasks: Task[] = []
  #fetching = 0
  #turn = 0
  #isOver = false
  #cancel: (() => void) | undefined

  constructor(options: CollectorOptions) {
    this.#o = options
    const { archive, clock, alarm } = options
    this.#docket = new Docket({ archive, alarm, wall: () => clock.wall() })
  }

  async start(): Promise<void> {
    await this.#docket.read()
    if (!this.#isOver) this.#look()
  }

  /** Resolves once nothing more is written. Safe to repeat. */
  async stop(): Promise<void> {
    this.#isOver = true
    this.#cancel?.()
    for (const act of this.#onStop) act()
    await Promise.all(this.#active)
    await this.#o.archive.settled()
  }

  gaps(): readonly Gap[] {
    const now = this.#o.clock.now()
    const gaps: Gap[] = []
    for (const [account, standing] of this.#standings) {
      const sinceMs = standing.stuckMs(now)
      if (sinceMs <= GAP_MS || this.#docket.isClosed(account)) continue
      const from = this.#sizeOf(account)
      gaps.push({ account, from, to: standing.rowSize, sinceMs, why: standing.why ?? 'it is being asked for' })
    }
    return gaps
  }

  status(): CollectorStatus {
    const { archive, clock } = this.#o
    const now = clock.now()
    const accounts = archive.accounts()
    let behind = 0
    let lagMs = 0
    for (const [account, standing] of this.#standings) {
      if (this.#docket.isClosed(account)) continue
      behind += Math.max(0, standing.rowSize - this.#sizeOf(account))
      lagMs = Math.max(lagMs, standing.lagMs(now))
    }
    const entries = accounts.reduce((sum, account) => sum + this.#sizeOf(account), 0)
    return { accounts: accounts.length, entries, behind, lagMs, stopped: this.#docket.closed, gaps: this.gaps() }
  }

  families(): Family[] {
    const { accounts, entries, behind, lagMs, stopped, gaps } = this.status()
    const said = (what: string) => `gatemesh_collected_${what}`
    return [
      single('gauge', said('accounts'), 'Accounts of which something was collected.', accounts),
      single('gauge', said('entries'), 'Entries collected and checked, pruned ones included.', entries),
      single('gauge', said('behind_entries'), 'Entries that rows show and that are not here yet.', behind),
      single('gauge', said('lag_seconds'), 'Age of the oldest row that was not reached yet.', lagMs / 1000),
      single('gauge', said('stopped_accounts'), 'Accounts not collected any more, for evidence.', stopped.length),
      single('gauge', said('gaps'), 'Accounts of which nothing came for a minute although there is more.', gaps.length),
      tallied('counter', said('ranges_total'), 'Ranges asked for, by how they ended.', {
        by: 'end',
        values: Object.entries(this.#ranges),
      }),
    ]
  }

  #look(): void {
    const { clock, everyMs = 1000, own } = this.#o
    this.#cancel = clock.in(everyMs, () => this.#look())
    const up = new Set(this.#o.peers())
    const rows = [...this.#o.rows()]
    const ownRow = own?.row()
    if (ownRow !== undefined && ownRow.account === own?.account && ownRow.size <= own.size()) rows.push(ownRow)
    this.#tasks = rows
      .filter(row => this.#isWanted(row) && this.#isBehind(row, up))
      .map(row => ({ row, standing: this.#standingOf(row.account) }))
      // those who waited longest come first, or a few busy ones would keep the rest out
      .sort((a, b) => a.standing.askedAt - b.standing.askedAt)
    this.#fill()
  }

  #isWanted(row: Row): boolean {
    const { account } = row
    if (account !== this.#o.own?.account && !this.#o.wants(account)) return false
    if (this.#docket.isClosed(account)) return false
    const proof = this.#o.banned().get(nameOf(account))
    if (proof === undefined) return true
    // all its ledgers: which of its lives lied is for people to find out
    const flaw = { what: 'fork', detail: `${nameOf(account)} was found to have two histories` } as const
    this.#docket.accuse({ account, flaw, rows: proof, lines: [], source: nameOf(account) })
    return false
  }

  #isBehind(row: Row, up: ReadonlySet<string>): boolean {
    const { account } = row
    const { archive, clock } = this.#o
    const head = archive.head(account)
    const size = head?.size ?? 0
    const standing = this.#standingOf(account)
    standing.see(row.size, size, clock.now())
    const isUp = up.has(nameOf(account))
    if (isUp && !standing.wasUp) standing.hope()
    standing.wasUp = isUp
    if (standing.isBusy) return false
    // a portion that ended at the row's very size waits for its signature
    return row.size > size || (row.size === size && (head?.signed ?? 0) < size) || this.#isFork(row, head)
  }

  /** The same size as what a row vouches for, but not the same row. */
  #isFork(row: Row, head: CollectedHead | undefined): boolean {
    return head?.row !== undefined && row.size === head.signed && row.size === head.size && !head.row.includes(row.root)
  }

  #fill(): void {
    while (this.#fetching < AT_ONCE_MAX && !this.#isOver) {
      const task = this.#tasks.shift()
      if (task === undefined) return
      const { standing } = task
      if (standing.isBusy || standing.retryAt > this.#o.clock.now()) continue
      standing.isBusy = true
      standing.askedAt = this.#o.clock.now()
      this.#fetching++
      const active = this.#tend(task)
        .catch(error => this.#failed(task, error as Error))
        .finally(() => {
          standing.isBusy = false
          this.#active.delete(active)
        })
      this.#active.add(active)
    }
  }

  /** From one source after the other, until the row is met. The next account's turn comes while the disk writes. */
  async #tend({ row, standing }: Task): Promise<void> {
    const { account } = row
    const { archive } = this.#o
    let isFetching = true
    const release = () => {
      if (!isFetching) return
      isFetching = false
      this.#fetching--
      this.#fill()
    }
    try {
      this.#say(row, standing)
      let why = 'nobody who may have it is in reach'
      for (const source of this.#sources(row)) {
        if (this.#isOver) return
        const { flaw, met, arrivals, ...pulled } = await this.#pullFrom(source, row)
        this.#ranges[flaw === undefined ? (met ? 'met' : 'short') : 'contradicted']++
        const rows = [archive.head(account)?.row, row]
        if (flaw !== undefined && this.#docket.accuse({ account, flaw, rows, lines: pulled.dropped, source })) return
        if (met) release()
        if (arrivals.length > 0 || met) {
          await archive.commit(pulled.head, arrivals)
          standing.moved(this.#sizeOf(account), this.#o.clock.now())
        }
        if (met) return this.#caughtUp(row, standing)
        if (await this.#pullCopy(source, row, standing)) return
        why = `${source}: ${pulled.why}`
        // it goes on there next time, when others had their turn
        if (arrivals.length > 0 && !pulled.wasCut) return
        if (arrivals.length > 0) break
      }
      standing.failed(why, this.#o.clock.now())
    } finally {
      release()
    }
  }

  /** A copy that ends before the row can be believed as far as an older row vouches for it: its end may be lost for good. */
  async #pullCopy(source: string, row: Row, standing: Standing): Promise<boolean> {
    const { archive, vouched } = this.#o
    const { account } = row
    if (source === nameOf(account) || vouched === undefined) return false
    const older = await vouched(source, account)
    if (older?.account !== account || older.size >= row.size || older.size <= this.#sizeOf(account)) return false
    const { met, head, arrivals } = await this.#pullFrom(source, older)
    if (!met) return false
    await archive.commit(head, arrivals)
    standing.moved(this.#sizeOf(account), this.#o.clock.now())
    return true
  }

  #pullFrom(source: string, row: Row): Promise<Pulled> {
    const { archive, charterHash, clock, portionLines = BACKLOG } = this.#o
    const { account } = row
    return pull({
      account,
      row,
      head: archive.head(account),
      charterHash,
      lines: (from, to) => this.#lines(source, { account, from, to }),
      isOwner: source === nameOf(account),
      portionLines,
      clock,
      flags: (entry, arrivedAt) => this.#flagsOf(account, entry, arrivedAt),
      commit: async (head, arrivals) => {
        await archive.commit(head, arrivals)
        const standing = this.#standingOf(account)
        standing.moved(head.size, clock.now())
        this.#say(row, standing)
      },
      onStop: act => {
        this.#onStop.add(act)
        return () => this.#onStop.delete(act)
      },
    })
  }

  /** One answer has so many lines at most. An owner is asked for more next time; others prove nothing before the end. */
  async *#lines(source: string, { account, from, to }: Question): AsyncGenerator<string> {
    const { own, range } = this.#o
    if (account === own?.account) return yield* own.range(from, to)
    let next = from
    for (let before = -1; next < to && before < next; ) {
      before = next
      for await (const line of range(source, { account, from: next, to })) {
        next++
        yield line
      }
      if (source === nameOf(account)) return
    }
  }

  /** The owner first; of the others not always the same. */
  #sources({ account, size }: Row): string[] {
    const owner = nameOf(account)
    // our own, or a row that only has to be compared
    if (account === this.#o.own?.account || size <= this.#sizeOf(account)) return [owner]
    const up = [...this.#o.peers()]
    const others = up.filter(name => name !== owner && !this.#docket.isLiar(name, account))
    const start = others.length === 0 ? 0 : this.#turn++ % others.length
    const some = [...others.slice(start), ...others.slice(0, start)].slice(0, OTHERS_MAX)
    return up.includes(owner) ? [owner, ...some] : some
  }

  #caughtUp(row: Row, standing: Standing): void {
    const { archive, log, entriesKept } = this.#o
    const { account, size } = row
    if (standing.saidAt !== Number.NEGATIVE_INFINITY) log.info('collected', { account, size })
    standing.saidAt = Number.NEGATIVE_INFINITY
    standing.met()
    const { kept = 0, signed = 0 } = archive.head(account) ?? {}
    // now and then, and not one by one
    if (entriesKept === undefined || signed - kept < entriesKept * 1.1) return
    archive.prune(account, signed - entriesKept).catch((error: Error) => {
      this.#o.alarm('ARCHIVE', `${account} cannot be pruned: ${error.message}`)
    })
  }

  #failed({ row, standing }: Task, error: Error): void {
    standing.failed(error.message, this.#o.clock.now())
    // a write that failed had happened after all, and the next look goes on after it
    if (error instanceof Fault && error.code === 'ARCHIVE_MOVED') return
    this.#o.alarm('ARCHIVE', `collection: ${row.account}: ${error.message}`)
  }

  #say({ account, size: of }: Row, standing: Standing): void {
    const { clock, log } = this.#o
    const have = this.#sizeOf(account)
    if (of - have < BACKLOG || clock.now() - standing.saidAt < SAY_EVERY_MS) return
    standing.saidAt = clock.now()
    log.info('collecting', { account, have, of })
  }

  #flagsOf(account: Account, entry: Entry, arrivedAt: number): readonly Flag[] {
    const flags: Flag[] = []
    if (arrivedAt - entry.at > LATE_MS) flags.push('late')
    if (Math.abs(this.#o.skewMs?.(account) ?? 0) > SKEW_MS) flags.push('skew')
    return flags
  }

  #standingOf(account: Account): Standing {
    let standing = this.#standings.get(account)
    if (standing === undefined) {
      standing = new Standing()
      this.#standings.set(account, standing)
    }
    return standing
  }

  #sizeOf(account: Account): number {
    return this.#o.archive.head(account)?.size ?? 0
  }
}
