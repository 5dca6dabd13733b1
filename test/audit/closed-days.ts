// Closed days: an anchor's disk as it is after days and years, made of paper: its own ledger, what it collected, and the files
// of days that were closed.

import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Reading } from '../../anchor/retention/reading.ts'
import { Retention } from '../../anchor/retention/retention.ts'
import type { Account } from '../../ledger/account.ts'
import { Charters } from '../../ledger/charters.ts'
import { copyCounters } from '../../ledger/counters.ts'
import { openLevelStore } from '../../ledger/level-store.ts'
import { parseLine } from '../../ledger/line.ts'
import type { Cabinet } from '../../mesh/archive/cabinet.ts'
import { CabinetArchive } from '../../mesh/archive/cabinet-archive.ts'
import { openLevelCabinet } from '../../mesh/archive/level-cabinet.ts'
import { NO_LOG } from '../../mesh/log.ts'
import { PaperMall, START, uuid7 } from '../ledger/paper-mall.ts'

export const DAY = 86_400_000
export const HOUR = 3_600_000

export class ClosedDays {
  readonly dir: string
  readonly mall = PaperMall.opened()
  readonly alarms: string[] = []
  wall = START
  archive!: CabinetArchive
  retention!: Retention
  #cabinet!: Cabinet
  #ids = 0

  private constructor(dir: string) {
    this.dir = dir
  }

  static async open(dir: string): Promise<ClosedDays> {
    const days = new ClosedDays(dir)
    await writeFile(join(dir, 'charter.note'), days.mall.charterNote)
    await mkdir(join(dir, 'archive'))
    const config = { name: 'anchor', store: 'anchor', charter: 'charter.note', retention: { archive: 'archive' } }
    await writeFile(join(dir, 'anchor.json'), JSON.stringify(config))
    await days.#start()
    return days
  }

  /** People at two gates through a day, and tokens for them; collected in its last minute. */
  async live(count = 1): Promise<void> {
    const { mall } = this
    for (let n = 0; n < count; n++) {
      const begin = this.wall - (this.wall % DAY)
      const at = begin + 10 * HOUR
      for (const account of ['east/1', 'west/1']) {
        for (let i = 0; i < 3; i++) {
          mall.write(account, { type: 'admit', source: 'local', confidence: 1000, at: at + i * 60_000 })
          mall.write(account, { type: 'exit', credited: true, confidence: 950, at: at + i * 60_000 + 1000 })
        }
      }
      mall.write('east/1', { type: 'send', to: 'west/1', amount: 1, why: 'push', at: at + HOUR })
      mall.write('west/1', {
        type: 'receive',
        from: 'east/1',
        amount: 1,
        size: mall.sizeOf('east/1'),
        at: at + HOUR + 5,
      })
      mall.write('west/1', { type: 'send', to: 'east/1', amount: 1, why: 'push', at: at + HOUR + 9 })
      mall.write('east/1', {
        type: 'receive',
        from: 'west/1',
        amount: 1,
        size: mall.sizeOf('west/1'),
        at: at + HOUR + 20,
      })
      const heads = ['east/1', 'north/1', 'west/1'].map(account => mall.headOf(account))
      mall.write('anchor/1', { type: 'checkpoint', heads, at: begin + DAY - 2 * HOUR })
      for (const account of mall.ledgers.keys()) await this.#collect(account, begin + DAY - 60_000)
      this.wall = begin + DAY + 2 * HOUR
      await this.retention.sweep()
    }
  }

  /** Nobody comes; only the anchor says that time goes by. */
  async wait(days: number): Promise<void> {
    this.wall += days * DAY
    await this.#collect('anchor/1', this.wall)
  }

  /** Writes the anchor's own store, and stops all: what is left is a disk. */
  async end(): Promise<void> {
    const { mall, dir } = this
    await this.retention.stop()
    await this.#cabinet.close()
    await rm(join(dir, 'anchor'), { recursive: true, force: true })
    const seal = () => mall.row('anchor/1', { at: this.wall })
    const store = await openLevelStore({ dir: join(dir, 'anchor'), name: 'anchor', seal })
    await store.begin('anchor/1', mall.charterHash)
    for (const policy of mall.policies) store.keepNote(`policy-${policy.version}`, policy.note as string)
    await Promise.all(mall.linesOf('anchor/1').map(line => store.append(line)))
    await store.close()
  }

  async again(): Promise<void> {
    await this.#start()
  }

  async #start(): Promise<void> {
    const { mall, dir } = this
    const clock = { now: () => this.wall - START, wall: () => this.wall, in: () => () => undefined }
    this.#cabinet = await openLevelCabinet({ dir: join(dir, 'anchor.office') })
    this.archive = await CabinetArchive.open({ cabinet: this.#cabinet, wall: () => this.wall })
    this.retention = await Retention.open({
      config: { hotDays: 1, archive: join(dir, 'archive'), keepDays: 365, minDays: 365 },
      charters: Charters.open([mall.charterNote], mall.owner.verifier),
      policies: () => mall.policies,
      archive: this.archive,
      cabinet: this.#cabinet,
      clock,
      log: NO_LOG,
      newId: () => uuid7(this.wall, ++this.#ids),
      alarm: (code, detail) => this.alarms.push(`${code} ${detail}`),
    })
  }

  /** All that an account wrote since, and its row of this time. */
  async #collect(account: Account, at: number): Promise<void> {
    const { archive, mall } = this
    const head = archive.head(account)
    const { size: from = 0, peaks = [], last = mall.charterHash } = head ?? {}
    const reading = new Reading({ size: from, peaks, last })
    const lines = mall.linesOf(account).slice(from)
    for (const line of lines) reading.take(line)
    const row = { ...mall.rowOf(account), at }
    const counters = copyCounters(row.counters)
    const next = { account, ...reading.joint, signed: row.size, kept: 0, counters, row: mall.row(account, { at }) }
    await archive.commit(
      next,
      lines.map(line => ({ entry: parseLine(line), line, arrivedAt: at, flags: [] })),
    )
  }
}

export async function inClosedDays(act: (days: ClosedDays) => Promise<void>): Promise<void> {
  const dir = await mkdtemp(join(tmpdir(), 'closed-days-'))
  try {
    const days = await ClosedDays.open(dir)
    await act(days)
  } finally {
    await rm(dir, { recursive: true, force: true })
  }
}
