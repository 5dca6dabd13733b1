import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Reading } from '../../anchor/retention/reading.ts'
import { Retention } from '../../anchor/retention/retention.ts'
import { verifyArchive } from '../../anchor/retention/verify-archive.ts'
import type { Account } from '../../ledger/account.ts'
import { Charters } from '../../ledger/charters.ts'
import { copyCounters } from '../../ledger/counters.ts'
import { parseLine } from '../../ledger/line.ts'
import { CabinetArchive } from '../../mesh/archive/cabinet-archive.ts'
import { openLevelCabinet } from '../../mesh/archive/level-cabinet.ts'
import { NO_LOG } from '../../mesh/log.ts'
import { PaperMall, START, uuid7 } from '../ledger/paper-mall.ts'
import { suite } from '../suite.ts'
import { DAY, HOUR } from './shelf.ts'

const test = suite('retention/real')

const PORTION = 1000

/** Puts all that an account wrote since into the archive, and its row of this time. */
async function collect(archive: CabinetArchive, mall: PaperMall, account: Account, at: number): Promise<void> {
  const row = { ...mall.rowOf(account), at }
  const note = mall.row(account, { at })
  const lines = mall.linesOf(account)
  for (let from = archive.head(account)?.size ?? 0; from < lines.length; from += PORTION) {
    const head = archive.head(account)
    const start = { size: from, peaks: head?.peaks ?? [], last: head?.last ?? mall.charterHash }
    const reading = new Reading(start)
    const portion = lines.slice(from, from + PORTION)
    for (const line of portion) reading.take(line)
    const isLast = reading.size === row.size
    const next = {
      account,
      ...reading.joint,
      signed: isLast ? row.size : (head?.signed ?? 0),
      kept: 0,
      counters: copyCounters(row.counters),
      ...(isLast ? { row: note } : {}),
    }
    await archive.commit(
      next,
      portion.map(line => ({ entry: parseLine(line), line, arrivedAt: at, flags: [] })),
    )
  }
}

test('on a real database days are written, forgotten and verified, and others get their turn', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'retention-real-'))
  const mall = PaperMall.opened()
  let wall = START
  const alarms: string[] = []
  const clock = { now: () => wall - START, wall: () => wall, in: () => () => undefined }
  const open = async () => {
    const cabinet = await openLevelCabinet({ dir: join(dir, 'anchor.cabinet') })
    const archive = await CabinetArchive.open({ cabinet, wall: () => wall })
    const retention = await Retention.open({
      config: { hotDays: 1, archive: join(dir, 'archive'), keepDays: 365, minDays: 365 },
      charters: Charters.unrevised(mall.charter),
      policies: () => mall.policies,
      archive,
      cabinet,
      clock,
      log: NO_LOG,
      newId: () => uuid7(wall, 1),
      alarm: (code, detail) => alarms.push(`${code} ${detail}`),
    })
    return { cabinet, archive, retention }
  }
  try {
    let { cabinet, archive, retention } = await open()
    for (let i = 0; i < 6000; i++) {
      mall.write('east/1', { type: 'admit', source: 'local', confidence: 1000, at: wall + i })
      mall.write('east/1', { type: 'exit', credited: true, confidence: 950, at: wall + i })
    }
    await collect(archive, mall, 'east/1', wall + HOUR)
    wall += DAY + 2 * HOUR
    let turns = 0
    const turning = setInterval(() => turns++, 1)
    assert.deepEqual(await retention.sweep(), { written: 1, pruned: 0, removed: 0, failed: 0 }, alarms.join())
    clearInterval(turning)
    assert.ok(turns >= 10, `the loop turned ${turns} times`)
    mall.admit('east/1')
    await collect(archive, mall, 'east/1', wall)
    await retention.stop()
    await cabinet.close()

    ;({ cabinet, archive, retention } = await open())
    wall += 2 * DAY
    mall.admit('east/1')
    await collect(archive, mall, 'east/1', wall)
    assert.deepEqual(await retention.sweep(), { written: 1, pruned: 12_002, removed: 0, failed: 0 }, alarms.join())
    assert.equal(archive.head('east/1')?.kept, 12_002)
    const left: string[] = []
    for await (const line of archive.range('east/1', 0, 20_000)) left.push(line)
    assert.deepEqual(left, mall.linesOf('east/1').slice(12_002))
    const report = await verifyArchive(join(dir, 'archive'), {
      charters: Charters.unrevised(mall.charter),
      policies: mall.policies,
    })
    assert.deepEqual([report.entries, report.findings], [12_003, []])
    await retention.stop()
    await cabinet.close()
    assert.deepEqual(alarms, [])
  } finally {
    await rm(dir, { recursive: true, force: true })
  }
})

test.run()
