// Lateness: where a disk holds tokens up, whoever waits for them is told, and waits a little longer.

import assert from 'node:assert/strict'
import { LATE_MS } from '../../mesh/lateness.ts'
import { LIMITS } from '../../mesh/limits.ts'
import type { Effect } from '../../mesh/message.ts'
import { TRANSIT_MS } from '../../mesh/trader.ts'
import { suite } from '../suite.ts'
import { answersIn, Door, sendsIn } from './door.ts'
import { books, CHARTER, MORNING } from './papers.ts'

const test = suite('core/lateness')
const OTHERS = CHARTER.gates.map(({ name }) => name).filter(name => name !== 'east')
const FULL = 'REJECT_AT_CAPACITY full'
const UNTIL_MS = LIMITS.decisionMs - LIMITS.writeMs

function latesIn(effects: readonly Effect[]): string[] {
  return effects.flatMap(effect =>
    effect.kind === 'tell' && effect.message.kind === 'late' ? [`${effect.message.tokens} to ${effect.to}`] : [],
  )
}

/** So many are inside, the mall is full, and tokens gather at `broker`. */
function full(broker: string, inside: number): Door {
  const door = new Door({ tokens: inside })
  for (let i = 0; i < inside; i++) door.ask(`i${i}`)
  door.sync()
  door.after(100)
  for (const name of OTHERS) {
    const hint = { demand: name === broker ? 9 : 0, waiting: 0 }
    door.hearRow(name, books(`${name}/1`).row(MORNING + door.now), hint)
  }
  door.after(LIMITS.gossipMs + 60)
  door.after(LIMITS.gossipMs)
  assert.equal(door.gate.trader.broker, broker)
  return door
}

test('tokens that wait for our disk are told of, once for as many as there are', () => {
  const door = full('west', 3)
  assert.deepEqual(sendsIn(door.leave('x1')), ['1 to west/1 (broker)'])
  assert.equal(door.gate.wakeAt, door.now + LATE_MS)
  assert.deepEqual(latesIn(door.after(LATE_MS - 1)), [])
  assert.deepEqual(latesIn(door.after(1)), ['1 to west'])
  assert.deepEqual(latesIn(door.after(1)), [])
  door.leave('x2')
  assert.deepEqual(latesIn(door.after(LATE_MS)), ['2 to west'])
  door.sync()
  door.leave('x3')
  door.sync()
  assert.deepEqual(latesIn(door.after(LATE_MS)), [], 'the disk was quick')
})

test('who waits where a token is late waits for it, and no longer once it is there', () => {
  const west = books('west/1')
  const door = full('west', 1)
  door.ask('p1')
  const waits = (effects: readonly Effect[]) => assert.deepEqual(answersIn(effects), [])
  waits(door.hear('west', { kind: 'none', re: 1, isKept: true }))
  waits(door.hear('west', { kind: 'late', tokens: 1 }))
  waits(door.after(UNTIL_MS))
  waits(door.after(LIMITS.patienceMs - UNTIL_MS - 1))
  assert.deepEqual(answersIn(door.after(1)), [FULL])
  door.ask('p2')
  door.hear('west', { kind: 'none', re: 2, isKept: true })
  door.hear('west', { kind: 'late', tokens: 1 })
  door.grant(west, 1)
  west.send('east/1', 1, MORNING, 'ask')
  const came = door.hear('west', { kind: 'rows', rows: [west.row(MORNING + door.now)], re: 2 })
  assert.deepEqual(answersIn(came), ['ADMIT stolen'])
  assert.equal(door.gate.trader.due, 0)
})

test('the broker hands on that tokens are late, to as many as there are, and makes its line longer by them', () => {
  const door = full('east', 1)
  const ask = (re: number) =>
    door.hear('west', { kind: 'ask', ask: { re, account: 'west/1', want: 1, waiting: 1, forMs: 60 } })
  for (const re of [1, 2]) assert.deepEqual(latesIn(ask(re)), [])
  assert.deepEqual(latesIn(door.hear('north', { kind: 'late', tokens: 3 })), ['1 to west', '1 to west'])
  assert.deepEqual(latesIn(ask(3)), ['1 to west'], 'there is one for it as well')
  assert.deepEqual(latesIn(ask(4)), [])
  const none = door
    .after(LIMITS.patienceMs - 1)
    .filter(effect => effect.kind === 'tell' && effect.message.kind === 'none')
  assert.deepEqual(none, [], 'the fourth has a place in line, as without any that are late')
  assert.deepEqual(sendsIn(door.leave('x1')), ['1 to west/1 (ask)'], 'somebody is still there for it')
})

test('whoever says that very many are late does not make the line endless', () => {
  const door = full('east', 1)
  door.hear('north', { kind: 'late', tokens: 1e9 })
  const ask = (re: number) =>
    door.hear('west', { kind: 'ask', ask: { re, account: 'west/1', want: 1, waiting: 1, forMs: 60 } })
  const effects = Array.from({ length: 60 }, (_, re) => ask(re)).flat()
  assert.equal(latesIn(effects).length, 20)
  const none = [...effects, ...door.after(TRANSIT_MS)].filter(
    effect => effect.kind === 'tell' && effect.message.kind === 'none' && !effect.message.isKept,
  )
  assert.equal(none.length, 38)
})

test.run()
