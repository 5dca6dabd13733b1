// Refusal: what a crowd at a full mall is told, and when it is thought about anew.

import assert from 'node:assert/strict'
import type { Books } from '../../ledger/books.ts'
import { LIMITS } from '../../mesh/limits.ts'
import type { Effect } from '../../mesh/message.ts'
import { suite } from '../suite.ts'
import { answersIn, Door } from './door.ts'
import { books, CHARTER, MORNING, policy } from './papers.ts'

const test = suite('core/refusal')
const FULL = 'REJECT_AT_CAPACITY full'

/** The mall is full, tokens gather at west, and a crowd at east has just been told so. */
function crowded(): Door {
  const door = new Door()
  for (const { name } of CHARTER.gates) {
    if (name === 'east') continue
    door.hearRow(name, books(`${name}/1`).row(MORNING), { demand: name === 'west' ? 20 : 0, waiting: 0 })
  }
  door.after(60)
  for (let i = 0; i < 110; i++) door.ask(`c${i}`)
  door.after(LIMITS.patienceMs)
  const [ask] = asksIn(door.ask('c200'))
  assert.equal(ask, 'west')
  door.after(LIMITS.askTimeoutMs + 1)
  assert.deepEqual(answersIn(door.ask('c201')), [FULL], 'c200 is asked for, and nobody after it')
  return door
}

function asksIn(effects: readonly Effect[]): string[] {
  return effects.flatMap(effect => (effect.kind === 'tell' && effect.message.kind === 'ask' ? [effect.to] : []))
}

test('whoever comes right after is told the same, each by an entry of their own and once only', () => {
  const door = crowded()
  const before = door.entries.length
  for (const id of ['p1', 'p2', 'p3']) assert.deepEqual(answersIn(door.ask(id)), [FULL])
  const written = door.entries.slice(before)
  assert.deepEqual(
    written.map(entry => (entry.type === 'reject' ? [entry.id, entry.code, entry.reason] : entry.type)),
    ['p1', 'p2', 'p3'].map(id => [id, 'REJECT_AT_CAPACITY', 'full']),
  )
  const again = door.ask('p2')
  assert.deepEqual([answersIn(again), again.length], [[FULL], 1], 'the same id has the same answer, and no other entry')
})

test('a token that comes lets the next one in', () => {
  const door = crowded()
  const { now } = door
  assert.deepEqual(answersIn(door.ask('p1')), [FULL])
  // one for c200, who waits, and one more
  door.anchor.setBudget(
    { ...door.anchor.budget, capacity: 2 } as NonNullable<typeof door.anchor.budget>,
    POLICY,
    MORNING,
  )
  door.anchor.send('east/1', 2, MORNING, 'grant')
  const granted = door.hear('anchor', { kind: 'rows', rows: [door.anchor.row(MORNING + now)], re: 0 })
  assert.deepEqual(answersIn(granted), ['ADMIT stolen'])
  assert.equal(door.now, now, 'in the same moment')
  assert.deepEqual(answersIn(door.ask('p2')), ['ADMIT local'])
})

test('a mode and a failed disk are heard of by the very next one', () => {
  const fire = crowded()
  fire.step({ kind: 'contact', contact: 'fire', closed: true })
  assert.deepEqual(answersIn(fire.ask('p1')), ['REJECT_EMERGENCY fire'])
  const disk = crowded()
  disk.step({ kind: 'disk', state: 'failed' })
  assert.deepEqual(answersIn(disk.ask('p1')), ['REJECT_FAULT disk'])
})

test('it stands for a moment: the broker is asked again though nothing was heard and no alarm rang', () => {
  const door = crowded()
  assert.deepEqual(asksIn(door.ask('p1')), [])
  door.now += LIMITS.rowEveryMs + 1
  assert.deepEqual(asksIn(door.ask('p2')), ['west'])
})

test('one person waits for somebody who was asked and says nothing; a flood is told soon', () => {
  for (const [people, said] of [
    [1, undefined],
    [60, 'REJECT_NO_HEADROOM too-late'],
  ] as const) {
    const door = new Door({ policy: policy({ capacities: [{ from: 0, capacity: 90 }] }) })
    door.grant(books('west/1'), 40)
    door.after(60)
    const effects: Effect[] = []
    for (let i = 0; i < people; i++) {
      door.now++
      effects.push(...door.ask(`p${i}`))
    }
    effects.push(...door.after(LIMITS.askTimeoutMs))
    const told = effects.findLast(effect => effect.kind === 'answer')
    assert.equal(told && answersIn([told])[0], said)
    if (told?.kind === 'answer') assert.equal(told.id, `p${people - 1}`)
  }
})

/** Eighty people came in as many ms and took what was here; west has a token and is asked for the next one. */
function flooded(): { readonly door: Door; readonly west: Books } {
  const tokens = 80
  const door = new Door({ tokens, policy: policy({ capacities: [{ from: 0, capacity: tokens + 1 }] }) })
  const west = books('west/1')
  door.grant(west, 1)
  for (let i = 0; i < tokens; i++) {
    door.now++
    assert.deepEqual(answersIn(door.ask(`in${i}`)), ['ADMIT local'])
  }
  door.hearRow('west', west.row(MORNING + door.now))
  assert.deepEqual(asksIn(door.ask('p1')), ['west'])
  return { door, west }
}

test('in a flood nobody waits longer than asking a neighbour takes: a token that comes later lets the next one in', () => {
  const { door, west } = flooded()
  assert.deepEqual(answersIn(door.after(LIMITS.floodMs - 1)), [])
  assert.deepEqual(answersIn(door.after(1)), ['REJECT_NO_HEADROOM too-late'])
  west.send('east/1', 1, MORNING, 'ask')
  door.hear('west', { kind: 'rows', rows: [west.row(MORNING + door.now)], re: 1 })
  assert.deepEqual(answersIn(door.ask('p2')), ['ADMIT local'])
})

test('in a flood a place in line is nothing to wait for, here or elsewhere', () => {
  const { door } = flooded()
  assert.equal(door.gate.trader.broker, 'east')
  const told = door.hear('west', { kind: 'none', re: 1, isKept: true })
  assert.deepEqual(answersIn(told), ['REJECT_NO_HEADROOM too-late'])
})

const POLICY = { version: 1, hash: 'policy 1' }

test.run()
