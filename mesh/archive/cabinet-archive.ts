// Cabinet archive: an archive in a cabinet.
//
// Law: lines, their indexes and the head that covers them are one write. After a write that failed the disk is asked
// what it holds before anything more is added, so that nothing is there twice and nothing is missing.
//
// Everything that is added while a write is in flight goes into the next one: a hundred accounts cost a few writes.

import type { Account } from '../../ledger/account.ts'
import { fromBase64, toBase64 } from '../../ledger/base64.ts'
import type { Entry } from '../../ledger/entry.ts'
import { Fault, must } from '../../ledger/fault.ts'
import { Frontier, type Hash, leafHash } from '../../ledger/tree.ts'
import type { Archive, CollectedHead, DayRow, Event, EventPage, EventQuery, Evidence, Flag } from './archive.ts'
import type { Cabinet, Edit } from './cabinet.ts'
import { Paths } from './paths.ts'
import { all, dayOfRow, findIn, parseDay, readHeads } from './reading-room.ts'
import { KEYS, keysOf, parseRecord, parseSpot, recordText, spotText, under } from './shelfmark.ts'

/** A line that was checked, and how it came. */
export interface Arrival {
  readonly entry: Entry
  readonly line: string
  readonly arrivedAt: number
  readonly flags: readonly Flag[]
}

export interface CabinetArchiveOptions {
  readonly cabinet: Cabinet
  /** ms since 1970: no row is of a day that has not come */
  readonly wall: () => number
  /** a listener threw */
  readonly onFault?: (error: unknown) => void
}

/** What a job wants written; worked out when all before it is settled. */
interface Plan {
  readonly edits: readonly Edit[]
  readonly head?: CollectedHead
  readonly events?: readonly Event[]
  /** newest day of the account that has a row */
  readonly day?: string
}

interface Job {
  readonly plan: (state: State) => Plan
  readonly done: () => void
  readonly failed: (error: unknown) => void
}

/** What the disk holds, as far as it must be known to add to it. */
class State {
  readonly heads: Map<Account, CollectedHead>
  readonly days: Map<Account, string>
  newest: number

  constructor(heads: Map<Account, CollectedHead>, days: Map<Account, string>, newest: number) {
    this.heads = heads
    this.days = days
    this.newest = newest
  }

  copy(): State {
    return new State(new Map(this.heads), new Map(this.days), this.newest)
  }

  put({ head, events, day }: Plan): void {
    if (head !== undefined) this.heads.set(head.account, head)
    if (head !== undefined && day !== undefined) this.days.set(head.account, day)
    this.newest = events?.at(-1)?.order ?? this.newest
  }
}

/** Between two portions others get their turn. */
const PORTION = 500
const PAGE_MAX = 1000
/** a page is held in memory, and a line may be long */
const PAGE_BYTES_MAX = 4 << 20

export class CabinetArchive implements Archive {
  readonly #o: CabinetArchiveOptions
  readonly #listeners = new Set<(events: readonly Event[]) => void>()
  readonly #paths: Paths
  #state: State
  /** up to here listeners were told */
  #told: number
  #jobs: Job[] = []
  #working: Promise<void> | undefined
  #isUnsure = false

  static async open(options: CabinetArchiveOptions): Promise<CabinetArchive> {
    return new CabinetArchive(options, await stateOf(options.cabinet))
  }

  private constructor(options: CabinetArchiveOptions, state: State) {
    this.#o = options
    this.#paths = new Paths(options.cabinet)
    this.#state = state
    this.#told = state.newest
  }

  accounts(): readonly Account[] {
    return [...this.#state.heads.keys()].sort()
  }

  head(account: Account): CollectedHead | undefined {
    return this.#state.heads.get(account)
  }

  get newest(): number {
    return this.#state.newest
  }

  async *range(account: Account, from: number, to: number): AsyncGenerator<string> {
    for await (const { line } of this.#events(account, from, to)) yield line
  }

  find(query: EventQuery): Promise<EventPage> {
    return findIn(this.#o.cabinet, query, { newest: this.newest, eventsMax: PAGE_MAX, bytesMax: PAGE_BYTES_MAX })
  }

  async byId(id: string, account?: Account): Promise<Event | undefined> {
    if (account !== undefined) {
      const seq = await this.#o.cabinet.get(KEYS.id(id, account))
      return seq === undefined ? undefined : this.#event(account, Number(seq))
    }
    for await (const portion of this.#o.cabinet.read({ ...under(`a/id/${id}/`), limit: 1 })) {
      for (const [key, seq] of portion) return this.#event(key.slice(`a/id/${id}/`.length), Number(seq))
    }
    return undefined
  }

  async path(account: Account, index: number, size: number): Promise<readonly Hash[]> {
    for (;;) {
      const head = this.head(account)
      if (head === undefined || size > head.size || index >= size) {
        throw new Fault('ARCHIVE', `${account}: entry ${index} at size ${size} was not collected`)
      }
      const { kept, keptPeaks = [] } = head
      if (index < kept) throw new Fault('PRUNED', `${account}: entries before ${kept} are in archive files`)
      try {
        return await this.#paths.find({ account, index, size, kept, peaks: keptPeaks })
      } catch (error) {
        // pruned while it was read: then it begins later now
        if (!(error instanceof Fault) || this.head(account)?.kept === kept) throw error
      }
    }
  }

  async since(order: number, limit: number): Promise<readonly Event[]> {
    const events: Event[] = []
    let bytes = 0
    const span = { from: KEYS.order(order + 1), to: KEYS.order(this.newest + 1), limit: Math.min(limit, PAGE_MAX) }
    for await (const portion of this.#o.cabinet.read(span)) {
      for (const [, spot] of portion) {
        const { account, seq } = parseSpot(spot)
        const event = await this.#event(account, seq)
        if (event === undefined) continue
        events.push(event)
        bytes += event.line.length
        if (bytes >= PAGE_BYTES_MAX) return events
      }
    }
    return events
  }

  async evidence(): Promise<readonly Evidence[]> {
    const items = await all(this.#o.cabinet, under('a/evidence/'))
    return items.map(([, text]): Evidence => JSON.parse(text)).sort((a, b) => a.at - b.at)
  }

  onEvents(listener: (events: readonly Event[]) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  async dayRows(account: Account): Promise<readonly DayRow[]> {
    return (await all(this.#o.cabinet, under(`a/day/${account}/`))).map(parseDay)
  }

  /** Lines that were checked to follow what is here, and the head they lead to; none where only a row came. */
  commit(next: CollectedHead, arrivals: readonly Arrival[]): Promise<void> {
    return this.#do(state => this.#planCommit(state, next, arrivals))
  }

  /** Said twice it is kept once. */
  keep(evidence: Evidence): Promise<void> {
    return this.#do(() => ({ edits: [[KEYS.evidence(evidence.id), JSON.stringify(evidence)]] }))
  }

  async prune(account: Account, to: number): Promise<void> {
    const { signed = 0 } = this.head(account) ?? {}
    if (to > signed) throw new Fault('ARCHIVE', `${account} cannot be pruned to ${to}: rows vouch up to ${signed}`)
    for (;;) {
      const { kept = 0, keptPeaks } = this.head(account) ?? {}
      if (kept >= to) break
      const end = Math.min(to, kept + PORTION)
      const edits: Edit[] = []
      const tree = frontierAt(kept, keptPeaks)
      for await (const event of this.#events(account, kept, end)) {
        for (const key of keysOf(account, event)) edits.push([key, undefined])
        tree?.append(leafHash(event.line))
      }
      const peaks = tree === undefined ? {} : { keptPeaks: tree.peaks.map(toBase64) }
      await this.#do(state => {
        const head = state.heads.get(account)
        must(head !== undefined && head.kept <= end, 'what was pruned stays pruned')
        return change({ ...head, kept: end, ...peaks }, edits)
      })
    }
    const days = await this.dayRows(account)
    const gone = days.filter(({ size }, at) => size < to && at < days.length - 1)
    if (gone.length > 0) await this.#do(() => ({ edits: gone.map(({ day }) => [KEYS.day(account, day), undefined]) }))
  }

  /** Resolves once everything asked for is written or failed. */
  async settled(): Promise<void> {
    await this.#working
  }

  #planCommit(state: State, next: CollectedHead, arrivals: readonly Arrival[]): Plan {
    const { account } = next
    const head = state.heads.get(account)
    const [first] = arrivals
    const from = next.size - arrivals.length
    if ((head?.size ?? 0) !== from || (head !== undefined && first !== undefined && first.entry.prev !== head.last)) {
      throw new Fault('ARCHIVE_MOVED', `${account} was collected up to ${head?.size ?? 0}, not ${from}`)
    }
    let order = state.newest
    const events = arrivals.map((arrival): Event => ({ account, ...arrival, order: ++order }))
    const edits = events.flatMap(event => editsOf(account, event))
    if (events.length > 0) edits.push([KEYS.newest, String(order)])
    const { row } = next
    const { kept = 0, keptPeaks } = head ?? {}
    const now = { ...next, kept, ...(keptPeaks === undefined ? {} : { keptPeaks }) }
    if (row === undefined || row === head?.row) return { ...change(now, edits), events }
    const day = dayOfRow(row, { notBefore: state.days.get(account), wall: this.#o.wall() })
    edits.push([KEYS.day(account, day), `${next.signed}\n${row}`])
    return { ...change(now, edits), events, day }
  }

  #do(plan: Job['plan']): Promise<void> {
    return new Promise((done, failed) => {
      this.#jobs.push({ plan, done, failed })
      this.#working ??= this.#work()
    })
  }

  async #work(): Promise<void> {
    // whoever asks in the same turn is in the same write
    await Promise.resolve()
    while (this.#jobs.length > 0) {
      const jobs = this.#jobs
      this.#jobs = []
      try {
        if (this.#isUnsure) await this.#look()
        await this.#write(jobs)
      } catch (error) {
        for (const { failed } of jobs) failed(error)
      }
    }
    this.#working = undefined
  }

  async #write(jobs: readonly Job[]): Promise<void> {
    const state = this.#state.copy()
    const plans: Plan[] = []
    const planned: Job[] = []
    for (const job of jobs) {
      try {
        const plan = job.plan(state)
        state.put(plan)
        plans.push(plan)
        planned.push(job)
      } catch (error) {
        job.failed(error)
      }
    }
    try {
      const edits = plans.flatMap(plan => plan.edits)
      if (edits.length > 0) await this.#o.cabinet.write(edits)
    } catch (error) {
      // it may have happened all the same
      this.#isUnsure = true
      await this.#look().catch(() => undefined)
      for (const { failed } of planned) failed(error)
      return
    }
    this.#state = state
    this.#tell(plans.flatMap(plan => plan.events ?? []))
    for (const { done } of planned) done()
  }

  /** What the disk holds. An order that was given away once is never given to another entry while this process lives. */
  async #look(): Promise<void> {
    const state = await stateOf(this.#o.cabinet)
    const { newest } = state
    state.newest = Math.max(newest, this.#state.newest)
    this.#state = state
    while (this.#told < newest) {
      const events = await this.since(this.#told, PORTION)
      if (events.length === 0) break
      this.#tell(events)
    }
    this.#isUnsure = false
  }

  #tell(events: readonly Event[]): void {
    if (events.length === 0) return
    this.#told = events.at(-1)?.order ?? this.#told
    for (const listener of this.#listeners) {
      try {
        listener(events)
      } catch (error) {
        this.#o.onFault?.(error)
      }
    }
  }

  /** In order and without a hole, or it ends with a fault where the first one is missing. */
  async *#events(account: Account, from: number, to: number): AsyncGenerator<Event> {
    const { kept = 0, size = 0 } = this.head(account) ?? {}
    let next = Math.max(from, kept)
    const end = Math.min(to, size)
    if (next >= end) return
    const span = { from: KEYS.line(account, next), to: KEYS.line(account, end) }
    for await (const portion of this.#o.cabinet.read(span)) {
      for (const [, record] of portion) {
        const event = parseRecord(account, record)
        if (event.entry.seq !== next) break
        next++
        yield event
      }
    }
    // what was pruned while it was read is no hole
    if (next < end && next >= (this.head(account)?.kept ?? 0)) {
      throw new Fault('ARCHIVE_DAMAGED', `entry ${next} of ${account} is missing in the archive`)
    }
  }

  async #event(account: Account, seq: number): Promise<Event | undefined> {
    const record = await this.#o.cabinet.get(KEYS.line(account, seq))
    return record === undefined ? undefined : parseRecord(account, record)
  }
}

async function stateOf(cabinet: Cabinet): Promise<State> {
  const { heads, days } = await readHeads(cabinet)
  return new State(heads, days, Number((await cabinet.get(KEYS.newest)) ?? 0))
}

function editsOf(account: Account, event: Event): Edit[] {
  const { entry } = event
  const spot = spotText({ account, seq: entry.seq, type: entry.type })
  return keysOf(account, event).map((key): Edit => {
    if (key.startsWith('a/line/')) return [key, recordText(event)]
    return [key, key.startsWith('a/id/') ? String(entry.seq) : spot]
  })
}

/** Undefined where it is not known: an older program pruned without writing it down. */
function frontierAt(kept: number, peaks: readonly string[] = []): Frontier | undefined {
  const hashes = peaks.map(peak => fromBase64(peak, 32)).filter(hash => hash !== undefined)
  return kept > 0 && hashes.length === 0 ? undefined : new Frontier(kept, hashes)
}

/** The row lies with its day. */
function change(head: CollectedHead, edits: readonly Edit[]): Plan {
  const { row: _row, ...rest } = head
  return { head, edits: [...edits, [KEYS.head(head.account), JSON.stringify(rest)]] }
}
