// Shelf: a database of collected ledgers that exists only in memory, and a mall over days. Whenever something is to be
// forgotten it looks for itself whether files hold it.

import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import type { DayArchive } from '../../anchor/retention/caretaker.ts'
import type { RetentionConfig } from '../../anchor/retention/config.ts'
import { dayOf } from '../../anchor/retention/day.ts'
import { Retention, type RetentionOptions } from '../../anchor/retention/retention.ts'
import type { Account } from '../../ledger/account.ts'
import { Charters } from '../../ledger/charters.ts'
import { noCounters } from '../../ledger/counters.ts'
import type { CollectedHead, DayRow } from '../../mesh/archive/archive.ts'
import { MemoryCabinet } from '../../mesh/archive/memory-cabinet.ts'
import { NO_LOG } from '../../mesh/log.ts'
import { MALL, PaperMall, START, uuid7 } from '../ledger/paper-mall.ts'

export const DAY = 86_400_000
export const HOUR = 3_600_000

export class Shelf implements DayArchive {
  readonly dir: string
  readonly #lines = new Map<Account, string[]>()
  readonly #kept = new Map<Account, number>()
  readonly #rows = new Map<Account, DayRow[]>()
  /** what a line is said to be instead */
  readonly lies = new Map<string, string>()
  readonly #fresh = new Map<Account, string>()

  constructor(dir: string) {
    this.dir = dir
  }

  accounts(): readonly Account[] {
    return [...this.#lines.keys()].sort()
  }

  head(account: Account): CollectedHead | undefined {
    const size = this.#lines.get(account)?.length
    if (size === undefined) return undefined
    const signed = Math.max(0, ...(this.#rows.get(account) ?? []).map(row => row.size))
    const row = this.#fresh.get(account)
    const rest = { last: '', peaks: [], counters: noCounters(), ...(row === undefined ? {} : { row }) }
    return { account, size, signed, kept: this.#kept.get(account) ?? 0, ...rest }
  }

  async *range(account: Account, from: number, to: number): AsyncGenerator<string> {
    for (const [i, line] of (this.#lines.get(account) ?? []).entries()) {
      if (i < from || i >= to || i < (this.#kept.get(account) ?? 0)) continue
      yield this.lies.get(`${account} ${i}`) ?? line
    }
  }

  async dayRows(account: Account): Promise<readonly DayRow[]> {
    return this.#rows.get(account) ?? []
  }

  async prune(account: Account, to: number): Promise<void> {
    assert.ok(
      (this.#rows.get(account) ?? []).some(row => row.size === to),
      `${account}: no row vouches for size ${to}`,
    )
    const lines = (this.#lines.get(account) ?? []).slice(this.#kept.get(account) ?? 0, to)
    const held = new Set(linesIn(join(this.dir, MALL, account.replace('/', '-'))))
    for (const line of lines) assert.ok(held.has(line), `no file holds ${line}`)
    this.#kept.set(account, to)
  }

  /** All that this account wrote by now, and its row of this time. */
  collect(mall: PaperMall, account: Account, at: number, change = {}): string {
    const note = mall.row(account, { at, ...change })
    this.take(mall, account, note, at)
    return note
  }

  take(mall: PaperMall, account: Account, note: string, at: number): void {
    const size = Number(note.split('\n')[1])
    const rows = (this.#rows.get(account) ?? []).filter(row => row.day !== dayOf(at))
    this.#rows.set(account, [...rows, { day: dayOf(at), size, note }])
    this.#lines.set(account, [...mall.linesOf(account)])
    this.#fresh.set(account, note)
  }
}

/** Every line of every archive file that can be read, by nothing but the file system and zlib. */
export function linesIn(dir: string): string[] {
  return filesIn(dir, '.jsonl.gz').flatMap(path => {
    try {
      return gunzipSync(readFileSync(path)).toString().split('\n').slice(0, -1)
    } catch {
      return []
    }
  })
}

export function filesIn(dir: string, ending = ''): string[] {
  const names = readdirSync(dir, { recursive: true, withFileTypes: true })
  const files = names.filter(name => name.isFile() && name.name.endsWith(ending))
  return files.map(({ parentPath, name }) => join(parentPath, name)).sort()
}

export interface Rig {
  readonly dir: string
  readonly mall: PaperMall
  readonly shelf: Shelf
  readonly alarms: string[]
  /** moved by hand */
  readonly time: { wall: number }
  cabinet: MemoryCabinet
  retention: Retention
  /** As if the process had been started anew. */
  reopen(config?: Partial<RetentionConfig>, change?: Partial<RetentionOptions>): Promise<void>
}

export async function withRig(act: (rig: Rig) => Promise<void>): Promise<void> {
  const dir = await mkdtemp(join(tmpdir(), 'retention-'))
  const mall = PaperMall.opened()
  const time = { wall: START }
  const alarms: string[] = []
  const shelf = new Shelf(dir)
  const clock = { now: () => time.wall - START, wall: () => time.wall, in: () => () => undefined }
  let ids = 0
  const rig: Rig = {
    dir,
    mall,
    shelf,
    alarms,
    time,
    cabinet: new MemoryCabinet(),
    retention: undefined as unknown as Retention,
    async reopen(config = {}, change = {}) {
      rig.retention = await Retention.open({
        config: { hotDays: 35, archive: dir, keepDays: 2557, minDays: 365, ...config },
        charters: Charters.unrevised(mall.charter),
        policies: () => mall.policies,
        archive: shelf,
        cabinet: rig.cabinet,
        clock,
        log: NO_LOG,
        newId: () => uuid7(time.wall, ++ids),
        alarm: (code, detail) => alarms.push(`${code} ${detail}`),
        ...change,
      })
    },
  }
  await rig.reopen()
  try {
    await act(rig)
  } finally {
    await rig.retention.stop()
    await rm(dir, { recursive: true, force: true })
  }
}

/** Whole days of people at these gates, collected in the last minute of each; the clock stands two hours after them. */
export function days(rig: Rig, count: number, accounts: readonly Account[] = ['east/1'], people = 3): void {
  const { mall, shelf, time } = rig
  for (let n = 0; n < count; n++) {
    const begin = time.wall - (time.wall % DAY)
    for (const account of ['anchor/1', ...accounts]) {
      for (let i = 0; i < people && account !== 'anchor/1'; i++) {
        const at = begin + 10 * HOUR + i * 60_000
        mall.write(account, { type: 'admit', source: 'local', confidence: 1000, at })
        mall.write(account, { type: 'exit', credited: true, confidence: 950, at: at + 30_000 })
      }
      shelf.collect(mall, account, begin + DAY - 60_000)
    }
    time.wall = begin + DAY + 2 * HOUR
  }
}

/** Quiet days: only the anchor's row says that time goes by. */
export function quiet(rig: Rig, count: number): void {
  rig.time.wall += count * DAY
  rig.shelf.collect(rig.mall, 'anchor/1', rig.time.wall)
}

export function pathOf(rig: Rig, name: string): string {
  return join(rig.dir, MALL, name)
}
