// Disk pace: how slow this member's disk was lately.

import assert from 'node:assert/strict'
import { DiskPace } from '../../mesh/disk-pace.ts'
import { TRANSIT_MS } from '../../mesh/trader.ts'
import { suite } from '../suite.ts'
import { Door } from './door.ts'
import { books, MORNING } from './papers.ts'

const test = suite('core/disk-pace')

test('what counts is the entry that waited longest, from when it was written', () => {
  const pace = new DiskPace()
  assert.equal(pace.slowMs(0), 0)
  for (const [size, now] of [
    [1, 100],
    [2, 100],
    [3, 104],
  ] as const)
    pace.wrote(size, now)
  pace.durable(2, 112)
  assert.equal(pace.slowMs(112), 12)
  pace.durable(3, 113)
  assert.ok(pace.slowMs(113) > 11.9 && pace.slowMs(113) < 12, 'nine are fewer than twelve a moment ago')
})

test('a bout of slowness is forgotten after a few seconds, and a disk that is asked nothing is not slow', () => {
  const pace = new DiskPace()
  pace.wrote(1, 0)
  pace.durable(1, 40)
  assert.equal(pace.slowMs(40), 40)
  assert.equal(pace.slowMs(2540), 20)
  assert.equal(pace.slowMs(9000), 0)
  pace.wrote(2, 9000)
  pace.durable(2, 9003)
  assert.equal(pace.slowMs(9003), 3)
})

test('what was durable already changes nothing', () => {
  const pace = new DiskPace()
  pace.durable(7, 100)
  assert.equal(pace.slowMs(100), 0)
})

/** Where tokens gather, with a full line; its disk takes so long. */
function transitMs(diskMs: number): number {
  const door = new Door({ tokens: 1 })
  door.ask('i1')
  for (const name of ['west', 'north']) door.hearRow(name, books(`${name}/1`).row(MORNING))
  door.now += diskMs
  door.sync()
  door.now += 400
  const ask = (re: number, waiting: number) =>
    door.hear('west', { kind: 'ask', ask: { re, account: 'west/1', want: waiting, waiting, forMs: 65 } })
  for (const re of [1, 2, 3]) ask(re, 2)
  assert.equal(door.gate.trader.broker, 'east')
  return door.gate.trader.transitMs
}

test('where the disk is slow whoever finds the line full waits longer, and never for very long', () => {
  assert.ok(Math.abs(transitMs(1) - TRANSIT_MS) < 0.1)
  assert.ok(transitMs(9) > 1.5 * TRANSIT_MS)
  assert.ok(transitMs(500) < 3.01 * TRANSIT_MS)
})

test('entries of people who were turned away wait for others, and do not count', () => {
  const door = new Door({ tokens: 0 })
  for (const name of ['west', 'north']) door.hearRow(name, books(`${name}/1`).row(MORNING))
  door.sync()
  door.ask('p1')
  door.after(100)
  assert.equal(door.entries.at(-1)?.type, 'reject')
  door.now += 50
  door.sync()
  assert.ok(door.gate.me.disk.slowMs(door.now) < 1)
})

test.run()
