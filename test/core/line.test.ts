// Line: who waits elsewhere for tokens that come by here, and who does not wait any more.

import assert from 'node:assert/strict'
import { LIMITS } from '../../mesh/limits.ts'
import type { Ask, Effect } from '../../mesh/message.ts'
import { TRANSIT_MS } from '../../mesh/trader.ts'
import { suite } from '../suite.ts'
import { answersIn, Door, sendsIn } from './door.ts'
import { books, CHARTER, MORNING, policy } from './papers.ts'

const test = suite('core/line')
const OTHERS = CHARTER.gates.map(({ name }) => name).filter(name => name !== 'east')

function asksIn(effects: readonly Effect[]): readonly (Omit<Ask, 'account' | 'forMs'> & { readonly to: string })[] {
  return effects.flatMap(effect => {
    if (effect.kind !== 'tell' || effect.message.kind !== 'ask') return []
    const { re, want, waiting } = effect.message.ask
    return [{ to: effect.to, re, want, waiting }]
  })
}

function kept(effects: readonly Effect[]): readonly boolean[] {
  return effects.flatMap(effect =>
    effect.kind === 'tell' && effect.message.kind === 'none' ? [effect.message.isKept ?? false] : [],
  )
}

/** The mall is full, and tokens gather at west. */
function full(): Door {
  const door = new Door({ tokens: 1 })
  door.ask('i1')
  for (const name of OTHERS) {
    const hint = { demand: name === 'west' ? 9 : 0, waiting: 0 }
    door.hearRow(name, books(`${name}/1`).row(MORNING), hint)
  }
  door.after(LIMITS.gossipMs + 60)
  door.sync()
  assert.equal(door.gate.trader.broker, 'west')
  return door
}

test('whoever was let in by a token of their own door leaves the line elsewhere', () => {
  const door = full()
  const [ask] = asksIn(door.ask('p1'))
  door.hear('west', { kind: 'none', re: ask?.re ?? 0, isKept: true })
  const left = door.leave('x1')
  assert.deepEqual(answersIn(left), ['ADMIT stolen'])
  assert.deepEqual(asksIn(left), [{ to: 'west', re: ask?.re, want: 0, waiting: 0 }])
  assert.deepEqual(asksIn(door.leave('x2')), [], 'once')
})

test('of two in line the one who came later leaves it when one is let in', () => {
  const door = full()
  const first = asksIn(door.ask('p1'))[0]?.re ?? 0
  door.now += 6
  const second = asksIn(door.ask('p2'))[0]?.re ?? 0
  for (const re of [first, second]) door.hear('west', { kind: 'none', re, isKept: true })
  assert.deepEqual(asksIn(door.leave('x1')), [{ to: 'west', re: second, want: 0, waiting: 0 }])
})

test('a place in line that is told of after everybody was let in is given up', () => {
  const door = full()
  const [ask] = asksIn(door.ask('p1'))
  assert.deepEqual(asksIn(door.leave('x1')), [], 'it may bring a token, or a no')
  const told = door.hear('west', { kind: 'none', re: ask?.re ?? 0, isKept: true })
  assert.deepEqual(asksIn(told), [{ to: 'west', re: ask?.re, want: 0, waiting: 0 }])
})

test('whoever leaves the line makes room for others, and gets nothing', () => {
  const door = new Door({ tokens: 2 })
  for (const id of ['i1', 'i2']) door.ask(id)
  for (const name of ['west', 'north']) door.hearRow(name, books(`${name}/1`).row(MORNING))
  door.after(100)
  assert.equal(door.gate.trader.broker, 'east')
  const ask = (name: string, re: number, waiting: number) =>
    door.hear(name, { kind: 'ask', ask: { re, account: `${name}/1`, want: waiting, waiting, forMs: 60 } })
  assert.deepEqual([...kept(ask('west', 1, 1)), ...kept(ask('west', 2, 1))], [true, true])
  assert.deepEqual(kept(ask('north', 1, 1)), [], 'the line is full: no answer before a token on its way would be here')
  assert.deepEqual(ask('west', 1, 0), [], 'no answer is due to whoever leaves')
  assert.deepEqual(kept(ask('north', 2, 1)), [true])
  assert.deepEqual(sendsIn(door.leave('x1')), ['1 to west/1 (ask)'])
  assert.deepEqual(sendsIn(door.leave('x2')), ['1 to north/1 (ask)'])
})

/** North has so many, and passes them on to where they gather while we ask. */
function passedOn(tokens: number): { readonly door: Door; readonly again: readonly string[] } {
  const more = Array.from({ length: 9 }, (_, i) => `g${i}`)
  const gates = [...CHARTER.gates, ...more.map(name => ({ name, key: name }))]
  const door = new Door({ more, policy: policy({ gates, capacities: [{ from: 0, capacity: 90 }] }) })
  for (const name of [...more, 'west']) {
    door.hearRow(name, books(`${name}/1`).row(MORNING), { demand: name === 'west' ? 9 : 0, waiting: 0 })
  }
  door.grant(books('north/1'), tokens, { demand: 0, waiting: 0 })
  door.after(60)
  assert.equal(door.gate.trader.broker, 'west')
  const [toWest] = asksIn(door.ask('p1'))
  assert.equal(toWest?.to, 'west')
  door.now += 4
  const [toNorth] = asksIn(door.hear('west', { kind: 'none', re: toWest?.re ?? 0 }))
  assert.equal(toNorth?.to, 'north')
  door.now += 1
  const said = door.hear('north', { kind: 'none', re: toNorth?.re ?? 0, broker: 'west' })
  return { door, again: asksIn(said).map(({ to }) => to) }
}

test('many tokens that were passed on are asked for where they went, though it has just said no', () => {
  const { door, again } = passedOn(20)
  assert.deepEqual(again, ['west'])
  assert.deepEqual(answersIn(door.after(TRANSIT_MS)), [], 'its answer is waited for')
})

test('one that was passed on is for those in line there', () => {
  assert.deepEqual(passedOn(2).again, [])
})

test.run()
