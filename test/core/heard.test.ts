// When somebody was heard: who is in reach, and how old what is known of them may be called.

import assert from 'node:assert/strict'
import { LIMITS } from '../../mesh/limits.ts'
import type { Effect } from '../../mesh/message.ts'
import { occupancyOf } from '../../mesh/occupancy.ts'
import { firstHand } from '../../mesh/verdict.ts'
import { suite } from '../suite.ts'
import { Door } from './door.ts'
import { books, budget, MORNING, newId, policy } from './papers.ts'

const test = suite('core/heard')

const ageOf = ({ gate: { me }, now }: Door, account: string) => now - (me.view.get(account)?.heardAt ?? Number.NaN)

/** East, who has just heard north, which holds some tokens. */
function morning() {
  const door = new Door({ tokens: 5 })
  const north = books('north/1')
  door.grant(north, 4)
  return { door, north }
}

test('a row that somebody had kept is as old as it is, though we did not have it', () => {
  const { door, north } = morning()
  north.admit('p1', MORNING + 2000, 'local', 990)
  const kept = north.row(MORNING + 2000)
  door.now = 60_000
  door.hearRow('west', kept)
  assert.equal(door.gate.me.view.get('north/1')?.row.size, kept.size)
  assert.equal(ageOf(door, 'north/1'), 58_000)
  assert.ok(!door.gate.trader.reach.some(known => known.row.account === 'north/1'), 'nor is it in reach')
})

test('a word that gossip hands on is news, by whomever it came', () => {
  const { door, north } = morning()
  door.now = 60_000
  const mode = { epoch: 0, mode: 'NORMAL' } as const
  const word = { kind: 'rows', rows: [north.row(MORNING + 59_900)], mode } as const
  door.hear('west', firstHand('west', word))
  assert.equal(ageOf(door, 'north/1'), 0)
})

const saidAgo = ({ gate: { me }, now }: Door, account: string) => now - (me.view.get(account)?.saidAt ?? Number.NaN)

test('a word that took a roundabout way is shown as old as it is, and its gate is in reach all the same', () => {
  const { door, north } = morning()
  // every tenth of a second, and then 2.5 s late
  for (door.now = 1000; door.now <= 5000; door.now += 100) door.hearRow('north', north.row(MORNING + door.now - 20))
  assert.ok(saidAgo(door, 'north/1') <= 100 + 20)
  door.now = 8000
  door.hearRow('north', north.row(MORNING + 5500))
  assert.equal(ageOf(door, 'north/1'), 0)
  assert.ok(Math.abs(saidAgo(door, 'north/1') - 2500) < 200, `${saidAgo(door, 'north/1')} ms`)
  assert.ok(door.gate.trader.reach.some(known => known.row.account === 'north/1'))
  door.now = 8100
  door.hearRow('north', north.row(MORNING + 8080))
  assert.ok(saidAgo(door, 'north/1') < 50, 'the next one came straight')
})

test('so is a first word, as far as clocks that are well tell, and no older than it was heard where they are not', () => {
  for (const [slowMs, shown] of [
    [0, 2200],
    [-3_600_000, 0],
    [3_600_000, 0],
  ] as const) {
    const door = new Door({ tokens: 5 })
    door.now = 3200
    door.hearRow('north', books('north/1').row(MORNING + 1000 + slowMs))
    assert.equal(saidAgo(door, 'north/1'), shown)
    assert.equal(ageOf(door, 'north/1'), 0)
  }
})

test('a clock that is put back or forward, or goes a little wrong, makes nothing look old for long', () => {
  for (const wrong of [
    (ms: number) => ms - 3_600_000,
    (ms: number) => ms + 3_600_000,
    (ms: number) => ms - 400,
    (ms: number) => 0.999 * ms,
  ]) {
    const { door, north } = morning()
    for (door.now = 1000; door.now <= 5000; door.now += 500) door.hearRow('north', north.row(MORNING + door.now))
    for (; door.now <= 65_000; door.now += 500) door.hearRow('north', north.row(MORNING + wrong(door.now)))
    door.now -= 500
    assert.ok(saidAgo(door, 'north/1') < 50, `${wrong}: ${saidAgo(door, 'north/1')} ms`)
  }
})

test('a gate that speaks is heard, though its clock was put back', () => {
  const { door, north } = morning()
  door.hearRow('north', north.row(MORNING + 3_600_000))
  door.now = 10_000
  door.hearRow('north', north.row(MORNING + 10_000))
  assert.equal(ageOf(door, 'north/1'), 0)
})

test('a gate that joins does not repeat what others remember of it, as if it were so now', () => {
  const door = new Door({ joined: false })
  const before = books('east/1')
  before.note({ id: newId(), at: MORNING, type: 'policy', version: 1, hash: policy().hash })
  const north = books('north/1')
  door.hearRow('west', before.row(MORNING + 500))
  door.hearRow('west', north.row(MORNING + 500))
  assert.equal(door.gate.me.books, undefined)
  const told = (effects: readonly Effect[]) =>
    effects.flatMap(effect =>
      effect.kind === 'tell' && effect.message.kind === 'rows' ? effect.message.rows.map(row => row.account) : [],
    )
  assert.ok(door.gate.me.view.get('east/1') !== undefined, 'it remembers them')
  assert.deepEqual(told(door.step({ kind: 'met', peer: 'north' })), ['anchor/1', 'north/1'])
  const want = { kind: 'want', accounts: ['east/1', 'north/1'] } as const
  assert.deepEqual(told(door.step({ kind: 'heard', from: 'north', message: want })), ['north/1'])
})

test('what a gate hands on of an account that it had before is no word of now', () => {
  const { door, north } = morning()
  north.admit('p1', MORNING + 2000, 'local', 990)
  const old = north.row(MORNING + 2000)
  door.now = 60_000
  const now = books('north/2')
  door.hear('north', { kind: 'rows', rows: [old, now.row(MORNING + 60_000)] })
  assert.equal(door.gate.me.view.get('north/1')?.row.size, old.size)
  assert.equal(ageOf(door, 'north/1'), 58_000)
  door.hearRow('north', north.row(MORNING + 2500))
  assert.equal(ageOf(door, 'north/1'), 57_500, 'nor once its successor is known')
})

test('a copy of a row that we have is no sign of life', () => {
  const { door, north } = morning()
  const row = north.row(MORNING + 100)
  door.hearRow('north', row)
  door.now = 10_000
  door.hearRow('north', row)
  assert.equal(ageOf(door, 'north/1'), 10_000)
})

test('a gate that has not spoken since our start is out of reach, whatever its clock says', () => {
  const door = new Door({ tokens: 5 })
  const north = books('north/1')
  north.receive(door.anchor.row(MORNING), MORNING)
  door.hearRow('west', north.row(MORNING + 3_600_000))
  assert.ok(!door.gate.trader.reach.some(known => known.row.account === 'north/1'))
  door.now = 1000
  door.hearRow('north', north.row(MORNING + 3_601_000))
  assert.ok(door.gate.trader.reach.some(known => known.row.account === 'north/1'))
})

test('what an unheard anchor held may be with the unheard gates: it is in the most that can be inside', () => {
  const { door } = morning()
  door.anchor.setBudget(budget(10), { version: 1, hash: 'policy 1' }, MORNING)
  door.hearRow('anchor', door.anchor.row(MORNING + 1))
  const held = door.anchor.balance
  assert.ok(held > 0)
  const most = () => occupancyOf(door.gate.me, door.now).atMost
  assert.equal(most(), 0, 'all are heard')
  door.now += LIMITS.silentMs + 1
  assert.equal(most(), 4 + held)
})

test.run()
