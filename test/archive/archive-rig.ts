// Archive rig: a paper mall whose ledgers are collected by hand into an archive that can be opened again.

import assert from 'node:assert/strict'
import type { Account } from '../../ledger/account.ts'
import type { Event, EventQuery } from '../../mesh/archive/archive.ts'
import type { Cabinet } from '../../mesh/archive/cabinet.ts'
import { CabinetArchive } from '../../mesh/archive/cabinet-archive.ts'
import { Inspector } from '../../mesh/archive/inspector.ts'
import { MemoryCabinet } from '../../mesh/archive/memory-cabinet.ts'
import { PaperMall, START } from '../ledger/paper-mall.ts'

export const DAY_MS = 86_400_000

export class Rig {
  readonly mall = PaperMall.opened()
  cabinet = new MemoryCabinet()
  archive!: CabinetArchive
  heard: Event[] = []
  wall = START + DAY_MS

  static async open(cabinet = new MemoryCabinet()): Promise<Rig> {
    const rig = new Rig()
    rig.cabinet = cabinet
    await rig.reopen(cabinet)
    return rig
  }

  async reopen(cabinet: Cabinet = this.restartedCabinet()): Promise<void> {
    this.archive = await CabinetArchive.open({ cabinet, wall: () => this.wall })
    this.archive.onEvents(events => this.heard.push(...events))
  }

  restartedCabinet(): MemoryCabinet {
    this.cabinet = this.cabinet.reopened()
    return this.cabinet
  }

  fill(account: Account, count: number): void {
    for (let n = 0; n < count; n++) n % 2 === 0 ? this.mall.admit(account) : this.mall.exit(account)
  }

  /** Everything that is written and not collected yet, or so many lines of it. */
  async collect(account: Account, count = Number.POSITIVE_INFINITY, arrivedAt = this.wall): Promise<void> {
    const { archive, mall } = this
    const inspector = new Inspector(account, mall.charterHash, archive.head(account))
    const lines = mall.linesOf(account).slice(inspector.size, inspector.size + count)
    const arrivals = lines.map(line => {
      const taken = inspector.take(line)
      assert.ok(taken.flaw === undefined)
      return { entry: taken.entry, line, arrivedAt, flags: [] }
    })
    const row = { ...mall.rowOf(account), note: mall.row(account) }
    if (inspector.size === row.size) assert.equal(inspector.meet(row), undefined)
    await archive.commit(inspector.head(), arrivals)
  }

  async pages(query: Omit<EventQuery, 'cursor'>, between?: () => Promise<void>): Promise<Event[]> {
    const events: Event[] = []
    let cursor: string | undefined
    for (;;) {
      const page = await this.archive.find({ ...query, ...(cursor === undefined ? {} : { cursor }) })
      assert.ok(page.events.length <= query.limit)
      events.push(...page.events)
      if (page.cursor === undefined) return events
      cursor = page.cursor
      await between?.()
    }
  }

  all(): Promise<readonly Event[]> {
    return this.archive.since(0, 1000)
  }
}

export const places = (events: readonly Event[]) => events.map(({ account, entry }) => `${account} ${entry.seq}`)
