// Asks: what a gate answers to a peer that wants tokens.

import assert from 'node:assert/strict'
import { laneOf } from '../../mesh/lane.ts'
import { type Ask, type Effect, EVERYONE } from '../../mesh/message.ts'
import { suite } from '../suite.ts'
import { Door, sendsIn } from './door.ts'
import { books, budget, MORNING, policy, row } from './papers.ts'

const test = suite('core/asks')

const ASK: Ask = { re: 7, account: 'west/1', want: 5, waiting: 1, forMs: 80 }

/** A gate with plenty, and west in reach with nothing. */
function donor(tokens = 40, over: Parameters<typeof policy>[0] = {}): Door {
  const door = new Door({ tokens, policy: policy({ capacities: [{ from: 0, capacity: 90 }], ...over }) })
  door.hearRow('west', books('west/1').row(MORNING))
  return door
}

function ask(door: Door, over: Partial<Ask> = {}, from = 'west'): Effect[] {
  return door.hear(from, { kind: 'ask', ask: { ...ASK, ...over } })
}

function nonesIn(effects: readonly Effect[]): Effect[] {
  return effects.filter(effect => effect.kind === 'tell' && effect.message.kind === 'none' && !effect.message.isKept)
}

test('who asks gets what it wants, up to half of what can be spared', () => {
  assert.deepEqual(sendsIn(ask(donor())), ['5 to west/1 (ask)'])
  const door = donor()
  assert.deepEqual(sendsIn(ask(door, { want: 99 })), [`${door.balance} to west/1 (ask)`])
})

test('tokens are told of only once their send is on disk, and with the number of the ask', () => {
  const effects = ask(donor())
  const send = effects.find(effect => effect.kind === 'append' && effect.body.type === 'send')
  const tells = effects.filter(effect => effect.kind === 'tell' && effect.message.kind === 'rows')
  assert.ok(send?.kind === 'append' && tells.length > 0)
  for (const tell of tells) assert.ok(tell.kind === 'tell' && tell.afterSize > send.seq)
  assert.ok(tells.some(tell => tell.kind === 'tell' && tell.message.kind === 'rows' && tell.message.re === 7))
})

test('a no does not overtake tokens that are on their way to whoever asks; another no waits for nothing', () => {
  const door = donor()
  door.hearRow('north', books('north/1').row(MORNING))
  const sent = ask(door, { want: 99, waiting: 99 }).findLast(
    effect => effect.kind === 'tell' && effect.message.kind === 'rows',
  )
  assert.ok(sent?.kind === 'tell' && door.balance === 0)
  const [toTaker] = nonesIn(ask(door, { re: 8 }))
  assert.ok(toTaker?.kind === 'tell' && toTaker.afterSize === sent.afterSize)
  const [toOther] = nonesIn(ask(door, { re: 9, account: 'north/1' }, 'north'))
  assert.ok(toOther?.kind === 'tell' && toOther.afterSize === 0)
})

test('tokens that nobody asked for go by the way of answers, so that a no comes after them', () => {
  const door = new Door({ tokens: 5 })
  const west = books('west/1')
  west.forced('f1', MORNING, 2, 'tailgate')
  const lanes = door.hearRow('west', west.row(MORNING)).flatMap(effect => {
    const isToThem = effect.kind === 'tell' && effect.to === 'west' && effect.message.kind === 'rows'
    return isToThem ? [laneOf(effect.to, effect.message)] : []
  })
  assert.deepEqual(lanes, ['steal'])
})

test('what a crowd at our own door is about to take is not given away, and others are told how much that is', () => {
  const door = donor(90)
  for (let i = 0; i < 30; i++) {
    door.now += 4
    door.ask(`c${i}`)
  }
  const held = door.balance
  const effects = ask(door, { want: 99, waiting: 99 })
  const word = effects.find(effect => effect.kind === 'tell' && effect.to === EVERYONE)
  assert.ok(word?.kind === 'tell' && word.message.kind === 'rows')
  const keeps = word.message.hint?.keeps ?? 0
  assert.ok(keeps >= 5 && keeps < held)
  assert.deepEqual(sendsIn(effects), [`${held - keeps} to west/1 (ask)`])
  assert.deepEqual([sendsIn(ask(door, { re: 8 })), nonesIn(ask(door, { re: 9 })).length], [[], 1])
  door.after(2000)
  assert.equal(sendsIn(ask(door, { re: 10 })).length, 1, 'the crowd went elsewhere')
})

test('somebody who asks again and again is one person: nothing is kept for them', () => {
  const door = donor(90)
  for (let i = 0; i < 100; i++) {
    door.now += 4
    door.ask('c')
  }
  const held = door.balance
  const effects = ask(door, { want: 99, waiting: 99 })
  assert.deepEqual(sendsIn(effects), [`${held} to west/1 (ask)`])
  const word = effects.find(effect => effect.kind === 'tell' && effect.to === EVERYONE)
  assert.ok(word?.kind === 'tell' && word.message.kind === 'rows')
  assert.deepEqual([word.message.hint?.keeps, (word.message.hint?.demand ?? 9) < 0.1], [undefined, true])
})

test('nobody gets more than a gate may hold', () => {
  assert.deepEqual(sendsIn(ask(donor(40, { maxSharePerMille: 100 }))), ['4 to west/1 (ask)'])
})

const REFUSED: Readonly<Record<string, readonly [Partial<Ask>, from?: string]>> = {
  'for the account of another': [{}, 'north'],
  'for ourselves': [{ account: 'east/1' }, 'east'],
  'for an epoch that nobody has heard of': [{ account: 'west/2' }],
  'for nothing': [{ want: 0 }],
  'for less than nothing': [{ want: -3 }],
  'for half a token': [{ want: 0.5 }],
  'for more than can be counted': [{ want: Number.POSITIVE_INFINITY }],
  'with fewer than nobody waiting': [{ waiting: -1 }],
}
for (const [what, [over, from]] of Object.entries(REFUSED)) {
  test(`an ask ${what} gets none`, () => {
    const effects = ask(donor(), over, from)
    assert.deepEqual(sendsIn(effects), [])
    assert.equal(nonesIn(effects).length, 1)
  })
}

test('an epoch that is over gets none', () => {
  const door = donor()
  door.hearRow('west', row('west/2', 1))
  assert.equal(nonesIn(ask(door)).length, 1)
})

test('a gate that is banned gets nothing, not even an answer', () => {
  const door = donor()
  door.hear('north', { kind: 'fork', rows: [row('west/1', 9), row('west/1', 9, {}, { root: 'x' })] })
  assert.deepEqual(
    ask(door).filter(effect => effect.kind === 'tell' && effect.to === 'west'),
    [],
  )
})

test('a gate that joins or stops has none', () => {
  const stopping = donor()
  stopping.step({ kind: 'stopping' })
  for (const door of [new Door({ tokens: 40, joined: false }), stopping]) assert.equal(nonesIn(ask(door)).length, 1)
})

test('with its last token a gate where nobody waits yields to one where somebody does', () => {
  assert.deepEqual(sendsIn(ask(donor(1), { want: 1 })), ['1 to west/1 (ask)'])
})

test('a gate in debt gives nothing', () => {
  const door = donor(1)
  door.step({ kind: 'intruded', id: 'f', count: 3, why: 'tailgate' })
  assert.deepEqual(sendsIn(ask(door)), [])
})

/** East is where people are, and has nothing left: the broker. */
function broker(): Door {
  const door = new Door({ tokens: 1 })
  door.ask('p1')
  for (const gate of ['west/1', 'north/1']) door.hearRow(gate.slice(0, -2), books(gate).row(MORNING))
  door.after(100)
  return door
}

test('the broker keeps an ask that it cannot meet, and meets it when a token comes in time', () => {
  const door = broker()
  assert.deepEqual([ask(door), ask(door, { re: 8 })].flatMap(nonesIn), [])
  door.now += 79
  assert.deepEqual(sendsIn(door.leave('x1')), ['1 to west/1 (ask)'])
})

test('the broker forgets an ask whose time is over', () => {
  const door = broker()
  ask(door)
  door.now += 80
  assert.deepEqual(sendsIn(door.leave('x1')), [])
})

test('a prefetch is not kept: nobody waits behind it', () => {
  const door = broker()
  assert.equal(nonesIn(ask(door, { waiting: 0, forMs: 0 })).length, 1)
})

test('a row that breaks a policy which comes after it is reported when the policy comes', () => {
  const door = new Door({ policy: null })
  door.anchor.setBudget(budget(91), { version: 1, hash: 'policy 1' }, MORNING)
  door.hearRow('anchor', door.anchor.row(MORNING))
  const effects = door.hear('anchor', { kind: 'policies', policies: [policy()] })
  assert.ok(effects.some(effect => effect.kind === 'alarm' && effect.detail.includes('breaks over-budget')))
})

test.run()
