// Reconciler: counts the mall a second time, from collected entries alone, and keeps what each hour showed.
//
// Law: every entry is counted once. How far each ledger was counted is kept in the same write as what it added up to, so
// a crash at any point goes on where that write stands. It reads the archive and holds up nobody.

import { type Account, ANCHOR, isAnchor, nameOf } from '../../ledger/account.ts'
import type { Entry } from '../../ledger/entry.ts'
import { Fault } from '../../ledger/fault.ts'
import type { Archive, Event } from '../../mesh/archive/archive.ts'
import type { Cabinet, Edit } from '../../mesh/archive/cabinet.ts'
import type { Clock } from '../../mesh/clock.ts'
import type { Log } from '../../mesh/log.ts'
import { type AccountState, Cut, type CutState, type LeaseDrift, type RowOf } from './cut.ts'
import { type Drift, driftOf, HOUR_MS, type Hour, hourOf, noHour } from './hour.ts'
import type { CapacityChange, OverAdmission } from './jury.ts'
import { RejectRate, type RejectState, type Rejects } from './reject-rate.ts'

export interface ReconcilerOptions {
  readonly archive: Archive
  readonly cabinet: Cabinet
  readonly clock: Clock
  readonly log: Log
  readonly legalMax: number
  /** the newest signed row of an account, for ledgers that cannot be had */
  readonly rowOf: RowOf
  /** every account of which a row is known */
  readonly accounts: () => Iterable<Account>
}

export interface Compliance {
  /** people inside by the turnstiles' events */
  readonly turnstile: number
  /** by the optical counters; undefined where there are none */
  readonly optical?: number
  /** the higher of the two: what counts before the law */
  readonly figure: number
  readonly capacity?: number
  readonly legalMax: number
  /** admissions seen while there were too many already, ever */
  readonly overAdmissions: number
  readonly over?: OverAdmission
  /** accounts of which entries were cited that could not be had; their newest row stands in */
  readonly missing: readonly Account[]
}

export interface HourQuery {
  readonly gate?: string
  /** wall clock; from ≤ hour < to */
  readonly from?: number
  readonly to?: number
  readonly cursor?: string
  readonly limit: number
}

export interface HourPage {
  readonly hours: readonly (Hour & { readonly drift?: Drift })[]
  readonly cursor?: string
}

interface Kept {
  readonly cut: CutState
  readonly rejects: RejectState
  readonly drifts: readonly Drift[]
}

const MALL = 'reconcile/mall'
const ACCOUNT = 'reconcile/account/'
const HOUR = 'reconcile/hour/'
const END = '~'
const PORTION = 500
/** Entries that just came are not read from the disk again; more than this are. */
const FRESH_MAX = 2000
/** What an entry cites should come within seconds; after this it is counted without. */
const PATIENCE_MS = 60_000
/** An hour is judged so long after its end: what its last minutes brought is collected by then. */
const SETTLED_MS = 120_000
const KEEP_MS = 400 * 24 * HOUR_MS

export class Reconciler {
  readonly #o: ReconcilerOptions
  readonly #hours = new Map<string, { readonly hour: Hour; isJudged: boolean; isSaved: boolean }>()
  readonly #fresh = new Map<Account, Entry[]>()
  readonly #blocked = new Map<Account, { readonly from: Account; readonly size: number; readonly since: number }>()
  readonly #dirty = new Set<Account>()
  readonly #drifts = new Map<string, Drift>()
  #cut: Cut
  #rejects = new RejectRate()
  #counting: Promise<void> | undefined
  #saving: Promise<void> = Promise.resolve()
  #isLoaded = false
  #isTouched = false
  #isAsked = false
  #isStopped = false
  #stopListening: (() => void) | undefined
  #forgotAt = Number.NEGATIVE_INFINITY

  constructor(options: ReconcilerOptions) {
    this.#o = options
    this.#cut = new Cut(options)
  }

  /** Reads back what was counted, then counts on. Resolves once what is there is counted. */
  start(): Promise<void> {
    this.#stopListening ??= this.#o.archive.onEvents(events => this.#heard(events))
    return this.count()
  }

  async stop(): Promise<void> {
    this.#stopListening?.()
    this.#isStopped = true
    await this.#counting
    await this.save()
  }

  /** Counts whatever is collected and not counted yet. Called again meanwhile, it looks once more. */
  count(): Promise<void> {
    this.#isAsked = true
    this.#counting ??= this.#count().finally(() => {
      this.#counting = undefined
    })
    return this.#counting
  }

  /** Writes down what was counted since the last time. */
  save(): Promise<void> {
    this.#saving = this.#saving.catch(() => undefined).then(() => this.#save())
    return this.#saving
  }

  compliance(): Compliance {
    const turnstile = this.#cut.turnstile
    const optical = this.#cut.eyes.count
    const { capacity, over, overs } = this.#cut.jury
    return {
      turnstile,
      ...(optical === undefined ? {} : { optical }),
      figure: Math.max(0, turnstile, optical ?? 0),
      ...(capacity === undefined ? {} : { capacity }),
      legalMax: this.#o.legalMax,
      overAdmissions: overs,
      ...(over === undefined ? {} : { over }),
      missing: this.#cut.missing,
    }
  }

  leaseDrift(): LeaseDrift {
    return this.#cut.leases()
  }

  rejects(): Rejects {
    return this.#rejects.look(this.#o.clock.wall())
  }

  exitsRefused(): { readonly total: number; readonly last?: NonNullable<CutState['exitRefused']> } {
    const { exitsRefused: total, exitRefused: last } = this.#cut
    return last === undefined ? { total } : { total, last }
  }

  /** The newest capacity changes, oldest first. */
  changes(): readonly CapacityChange[] {
    return this.#cut.jury.changes
  }

  /** Of every gate with two kinds of sensors, the newest hour that is over. */
  drifts(): readonly Drift[] {
    this.#judge()
    return [...this.#drifts.values()]
  }

  /** How many entries of an account were counted. */
  position(account: Account): number {
    return this.#cut.position(account)
  }

  async hours(query: HourQuery): Promise<HourPage> {
    if (query.cursor !== undefined && !query.cursor.startsWith(HOUR)) throw new Fault('CURSOR', 'not one of ours')
    await this.save()
    const from = query.cursor ?? HOUR + keyTime(query.from ?? 0)
    const to = query.to === undefined ? HOUR + END : HOUR + keyTime(query.to)
    const hours: Hour[] = []
    for await (const items of this.#o.cabinet.read({ from, to })) {
      for (const [key, value] of items) {
        const hour = JSON.parse(value) as Hour
        if (query.gate !== undefined && hour.gate !== query.gate) continue
        if (hours.length === query.limit) return { hours: hours.map(withDrift), cursor: key }
        hours.push(hour)
      }
    }
    return { hours: hours.map(withDrift) }
  }

  #heard(events: readonly Event[]): void {
    for (const { account, entry } of events) {
      const fresh = this.#fresh.get(account) ?? []
      const next = (fresh.at(-1)?.seq ?? this.#cut.position(account) - 1) + 1
      if (entry.seq !== next || fresh.length >= FRESH_MAX) this.#fresh.delete(account)
      else if (fresh.push(entry) === 1) this.#fresh.set(account, fresh)
    }
    this.count().catch(error => this.#o.log.warn('reconcile', { what: (error as Error).message }))
  }

  async #load(): Promise<void> {
    if (this.#isLoaded) return
    const { cabinet } = this.#o
    const text = await cabinet.get(MALL)
    const kept = text === undefined ? undefined : (JSON.parse(text) as Kept)
    const accounts: (readonly [Account, AccountState])[] = []
    for await (const items of cabinet.read({ from: ACCOUNT, to: ACCOUNT + END })) {
      for (const [key, value] of items) accounts.push([key.slice(ACCOUNT.length), JSON.parse(value)])
    }
    this.#cut = new Cut(this.#o, kept?.cut, accounts)
    this.#rejects = new RejectRate(kept?.rejects)
    for (const drift of kept?.drifts ?? []) this.#drifts.set(drift.gate, drift)
    this.#fresh.clear()
    this.#isLoaded = true
  }

  async #count(): Promise<void> {
    await this.#load()
    while (this.#isAsked && !this.#isStopped) {
      this.#isAsked = false
      let went = true
      while (went && !this.#isStopped) {
        went = false
        for (const account of this.#o.archive.accounts()) {
          if (await this.#countOne(account)) went = true
          if (this.#isStopped) return
        }
      }
    }
    this.#tryIn()
  }

  #tryIn(): void {
    const { accounts, clock } = this.#o
    const { jury } = this.#cut
    if (!jury.hasSuspects) return
    jury.judge(clock.wall(), this.#cut.isComplete(accounts()))
    this.#isTouched = true
  }

  /** One portion of one ledger; false when there was nothing to take. */
  async #countOne(account: Account): Promise<boolean> {
    const entries = this.#isHeldUp(account) ? [] : await this.#next(account)
    let taken = 0
    for (const entry of entries) {
      const waits = this.#cut.waits(entry)
      if (waits !== undefined && !this.#hasWaited(account, waits)) break
      if (waits !== undefined) this.#giveUp(account, waits)
      const cell = await this.#hourOf(account, entry)
      cell.isSaved = false
      cell.isJudged = false
      this.#cut.take(account, entry, cell.hour)
      // in the same breath: a save between the two would count this entry twice after a crash
      this.#dirty.add(account)
      if (entry.type === 'reject') this.#rejects.add(entry.at)
      taken++
    }
    const fresh = this.#fresh.get(account)
    const position = this.#cut.position(account)
    const at = fresh?.findIndex(entry => entry.seq >= position) ?? -1
    if (at === -1) this.#fresh.delete(account)
    else if (at > 0) fresh?.splice(0, at)
    return taken > 0
  }

  #isHeldUp(account: Account): boolean {
    const blocked = this.#blocked.get(account)
    if (blocked === undefined) return false
    return this.#cut.position(blocked.from) < blocked.size && !this.#isOver(blocked.since)
  }

  #isOver(since: number): boolean {
    return this.#o.clock.now() - since > PATIENCE_MS
  }

  #hasWaited(account: Account, waits: { readonly from: Account; readonly size: number }): boolean {
    const blocked = this.#blocked.get(account)
    const isSame = blocked !== undefined && blocked.from === waits.from && blocked.size === waits.size
    if (!isSame) this.#blocked.set(account, { ...waits, since: this.#o.clock.now() })
    return isSame && this.#isOver(blocked.since)
  }

  #giveUp(account: Account, waits: { readonly from: Account; readonly size: number }): void {
    this.#cut.giveUp(waits)
    this.#blocked.delete(account)
    this.#o.log.warn('reconcile', { what: 'counted without what it cites', account, ...waits })
  }

  async #next(account: Account): Promise<readonly Entry[]> {
    const { archive, log } = this.#o
    const position = this.#cut.position(account)
    const fresh = this.#fresh.get(account)
    if (fresh?.[0]?.seq === position) return fresh.slice(0, PORTION)
    const head = archive.head(account)
    if (head === undefined || head.size <= position) return []
    // what was pruned before it was ever counted can only be left out: a counter that was wiped, on an old archive
    const from = Math.max(position, head.kept)
    if (from > position)
      log.warn('reconcile', { what: 'pruned before it was counted', account, entries: from - position })
    const entries: Entry[] = []
    for await (const line of archive.range(account, from, Math.min(head.size, from + PORTION))) {
      // the archive checked every byte of it on arrival
      entries.push(JSON.parse(line) as Entry)
    }
    return entries
  }

  async #hourOf(account: Account, entry: Entry) {
    // a clock far ahead must not fill hours that are to come
    const start = hourOf(Math.min(entry.at, this.#o.clock.wall() + HOUR_MS))
    const key = `${HOUR}${keyTime(start)}/${nameOf(account)}`
    // nobody walks through the anchor
    if (isAnchor(account)) return { hour: noHour(start, ANCHOR), isJudged: true, isSaved: true }
    const known = this.#hours.get(key)
    if (known !== undefined) return known
    const text = await this.#o.cabinet.get(key)
    const hour = text === undefined ? noHour(start, nameOf(account)) : (JSON.parse(text) as Hour)
    const cell = { hour, isJudged: false, isSaved: true }
    this.#hours.set(key, cell)
    return cell
  }

  /** Hours that are over are compared. */
  #judge(): void {
    const wall = this.#o.clock.wall()
    for (const cell of this.#hours.values()) {
      if (cell.isJudged || cell.hour.hour + HOUR_MS + SETTLED_MS > wall) continue
      cell.isJudged = true
      const drift = driftOf(cell.hour)
      if (drift !== undefined && drift.hour >= (this.#drifts.get(drift.gate)?.hour ?? 0)) {
        this.#drifts.set(drift.gate, drift)
      }
    }
  }

  async #save(): Promise<void> {
    if (!this.#isLoaded) return
    this.#judge()
    const accounts = [...this.#dirty]
    const cells = [...this.#hours].filter(([, cell]) => !cell.isSaved)
    if (accounts.length > 0 || cells.length > 0 || this.#isTouched) {
      this.#isTouched = false
      const kept: Kept = { cut: this.#cut.state(), rejects: this.#rejects.state(), drifts: [...this.#drifts.values()] }
      const edits: Edit[] = [[MALL, JSON.stringify(kept)]]
      for (const account of accounts) edits.push([ACCOUNT + account, JSON.stringify(this.#cut.accountState(account))])
      for (const [key, { hour }] of cells) edits.push([key, JSON.stringify(hour)])
      // what is counted while this is written is dirty again by then
      this.#dirty.clear()
      for (const [, cell] of cells) cell.isSaved = true
      try {
        await this.#o.cabinet.write(edits)
      } catch (error) {
        this.#isTouched = true
        for (const account of accounts) this.#dirty.add(account)
        for (const [, cell] of cells) cell.isSaved = false
        throw error
      }
    }
    const wall = this.#o.clock.wall()
    for (const [key, cell] of this.#hours) {
      if (cell.isSaved && cell.isJudged && cell.hour.hour < wall - 2 * HOUR_MS) this.#hours.delete(key)
    }
    await this.#forget(wall)
  }

  /** Hours of long ago, once an hour. */
  async #forget(wall: number): Promise<void> {
    if (this.#o.clock.now() - this.#forgotAt < HOUR_MS) return
    this.#forgotAt = this.#o.clock.now()
    for await (const items of this.#o.cabinet.read({ from: HOUR, to: HOUR + keyTime(Math.max(0, wall - KEEP_MS)) })) {
      await this.#o.cabinet.write(items.map(([key]) => [key, undefined]))
    }
  }
}

function keyTime(ms: number): string {
  return new Date(hourOf(ms)).toISOString().slice(0, 13).toLowerCase()
}

function withDrift(hour: Hour): Hour & { readonly drift?: Drift } {
  const drift = driftOf(hour)
  return drift === undefined ? hour : { ...hour, drift }
}
