// Exits: whatever state the gate is in, the first thing it asks its shell for is to let the person out.

import assert from 'node:assert/strict'
import { BrokenLaw } from '../../ledger/fault.ts'
import { LIMITS } from '../../mesh/limits.ts'
import type { Effect } from '../../mesh/message.ts'
import { Gate } from '../../node/gate.ts'
import { suite } from '../suite.ts'
import { Door, kindsOf } from './door.ts'
import { books, CHARTER, MORNING, newId, policy, row } from './papers.ts'

const test = suite('core/exits')

const closed = (door: Door, contact: 'fire' | 'key') => door.step({ kind: 'contact', contact, closed: true })

/** Every state a gate can be in, each as a door that is in it. */
const STATES: Readonly<Record<string, () => Door>> = {
  'all is well': () => new Door({ tokens: 5 }),
  'without a token': () => new Door(),
  'in debt': () => stepped(new Door(), door => door.step({ kind: 'intruded', id: 'f', count: 9, why: 'fire' })),
  joining: () => new Door({ joined: false }),
  'without a policy': () => new Door({ policy: null }),
  'off the roster': () => new Door({ rostered: false }),
  expired: () => stepped(new Door({ policy: policy({ expireAfterMs: 1 }) }), door => door.after(1000)),
  'disk failed': () => stepped(new Door({ tokens: 5 }), door => door.step({ kind: 'disk', state: 'failed' })),
  FIRE: () => stepped(new Door({ tokens: 5 }), door => closed(door, 'fire')),
  EVACUATE: () => stepped(new Door({ tokens: 5 }), door => closed(door, 'key')),
  LOCKDOWN: () =>
    stepped(new Door({ tokens: 5 }), door => {
      const statement = { epoch: 0, mode: 'LOCKDOWN', by: ['ann'], at: MORNING, reason: 'x' } as const
      door.hear('anchor', { kind: 'mode', statement })
    }),
  stopping: () => stepped(new Door({ tokens: 5 }), door => door.step({ kind: 'stopping' })),
  forked: () =>
    stepped(new Door({ tokens: 5 }), door => {
      door.hear('west', { kind: 'fork', rows: [row('east/1', 9), row('east/1', 9, {}, { root: 'x' })] })
    }),
  outlived: () => stepped(new Door({ tokens: 5 }), door => door.hearRow('west', row('east/2', 1))),
  'off the roster and on fire': () => stepped(new Door({ rostered: false }), door => closed(door, 'fire')),
  'somebody waits': () =>
    stepped(new Door(), door => {
      door.grant(books('west/1'), 5)
      door.ask('p1')
    }),
  'a grant on its way to the disk': () => stepped(new Door({ tokens: 1 }), door => door.ask('p1')),
}

function stepped(door: Door, what: (door: Door) => void): Door {
  what(door)
  return door
}

const LET_OUT: Effect = { kind: 'let-out', id: 'x', afterSize: 0 }

for (const [state, make] of Object.entries(STATES)) {
  test(`let out first: ${state}`, () => {
    for (const confidence of [0, 990]) assert.deepEqual(make().leave('x', confidence)[0], LET_OUT)
    const door = make()
    door.leave('x')
    assert.deepEqual(door.leave('x')[0], LET_OUT)
  })
}

test('let out first: before the disk was read', () => {
  const gate = new Gate({ name: 'east', charter: CHARTER, limits: LIMITS, key: 'east', newId })
  assert.deepEqual(gate.step({ kind: 'left', id: 'x', confidence: 990 }, 0, MORNING), [LET_OUT])
})

test('when writing it down breaks, what is left of the step is that the person is out', () => {
  const door = new Door({ tokens: 1, brittle: true })
  assert.throws(() => door.leave('x'), BrokenLaw)
  assert.deepEqual(door.gate.me.finish(), [LET_OUT])
})

test('an exit before there is a ledger is written down as soon as there is one', () => {
  const door = new Door({ joined: false })
  door.leave('x')
  door.step({ kind: 'intruded', id: 'f', count: 2, why: 'manual' })
  assert.equal(door.entries.length, 0)
  door.hear('anchor', { kind: 'known', name: 'east', rows: [] })
  assert.deepEqual(
    door.entries.map(entry => entry.type),
    ['open', 'exit', 'forced'],
  )
})

test('an exit gives a token back where it happened, once per id', () => {
  const door = new Door({ tokens: 2 })
  for (const id of ['p1', 'p2']) door.ask(id)
  door.leave('x1')
  door.leave('x1')
  assert.equal(door.balance, 1)
  assert.equal(door.entries.filter(entry => entry.type === 'exit').length, 1)
})

test('an exit may have the id of an entry', () => {
  const door = new Door({ tokens: 1 })
  door.ask('p1')
  door.leave('p1')
  assert.equal(door.balance, 1)
})

test('no token for a doubtful exit, for one out of an empty mall, or without a policy to say what is doubtful', () => {
  const doubtful = new Door({ tokens: 2 })
  doubtful.ask('p1')
  doubtful.leave('x1', 699)
  assert.equal(doubtful.balance, 1)
  doubtful.leave('x2', 700)
  assert.equal(doubtful.balance, 2)
  doubtful.leave('x3', 990)
  assert.equal(doubtful.balance, 2)

  const lawless = new Door({ policy: null })
  lawless.step({ kind: 'intruded', id: 'f', count: 2, why: 'manual' })
  lawless.leave('x', 999)
  assert.equal(lawless.balance, -2)
})

test('people who are known to be inside, though nobody counted them, give a token back when they leave', () => {
  const door = new Door({ policy: policy({ correction: 1 }) })
  door.leave('x1')
  assert.equal(door.balance, 0)
  const inForce = { version: 1, hash: 'policy 1' }
  door.anchor.setBudget({ capacity: 10, correction: 1, reclaimed: 0, carried: 0 }, inForce, MORNING)
  door.hearRow('anchor', door.anchor.row(MORNING))
  door.leave('x2')
  assert.equal(door.balance, 1)
})

test('an exit that the ledger had before the start is not counted again, however long after', () => {
  const door = new Door({ tokens: 5, exits: ['x1'] })
  door.ask('p1')
  door.ask('p2')
  door.after(LIMITS.rememberMs * 3)
  assert.deepEqual(door.leave('x1')[0], { ...LET_OUT, id: 'x1' }, 'let out all the same')
  assert.equal(door.entries.filter(({ type }) => type === 'exit').length, 0)
  door.leave('x2')
  assert.equal(door.entries.filter(({ type }) => type === 'exit').length, 1)
})

test('an exit while the disk is away is kept in order for when it is mended', () => {
  const door = new Door({ tokens: 1 })
  door.ask('p1')
  door.step({ kind: 'disk', state: 'failed' })
  assert.ok(kindsOf(door.leave('x1')).includes('exit'))
})

test.run()
