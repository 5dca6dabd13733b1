// Words: whoever says that it has a token is asked for it, also before what it says is believed.

import assert from 'node:assert/strict'
import type { Books } from '../../ledger/books.ts'
import type { Ask, Effect, Hint } from '../../mesh/message.ts'
import { suite } from '../suite.ts'
import { answersIn, Door } from './door.ts'
import { books, MORNING, policy, row } from './papers.ts'

const test = suite('core/words')
const QUIET: Hint = { demand: 0, waiting: 0 }

function asksIn(effects: readonly Effect[]): { readonly to: string; readonly ask: Ask }[] {
  const asks = effects.flatMap(effect =>
    effect.kind === 'tell' && effect.message.kind === 'ask' ? [{ to: effect.to, ask: effect.message.ask }] : [],
  )
  return asks.filter(({ ask }) => ask.waiting > 0)
}

/** North gave west all it had, and we heard of west alone: its row stands on one of north's that is not here. */
function unproven(tokens = 2, hint = QUIET): { readonly door: Door; readonly north: Books; readonly west: Books } {
  const door = new Door({ policy: policy({ capacities: [{ from: 0, capacity: 90 }] }) })
  const [north, west] = [books('north/1'), books('west/1')]
  door.hearRow('west', west.row(MORNING), QUIET)
  door.grant(north, tokens, QUIET)
  door.after(60)
  north.send('west/1', tokens, MORNING, 'ask')
  west.receive(north.row(MORNING), MORNING)
  door.hearRow('west', west.row(MORNING + door.now), hint)
  assert.equal(door.gate.me.view.get('west/1')?.balance, 0, 'not believed yet')
  return { door, north, west }
}

test('a token of which its gate tells is found before what it stands on is known, and comes with that', () => {
  const { door, north, west } = unproven()
  const [first] = asksIn(door.ask('p1'))
  assert.equal(first?.to, 'north', 'who is believed is asked first')
  const [second] = asksIn(door.hear('north', { kind: 'none', re: first?.ask.re ?? 0 }))
  assert.equal(second?.to, 'west')
  west.send('east/1', 1, MORNING, 'ask')
  const rows = [north.row(MORNING + door.now), west.row(MORNING + door.now)]
  const came = door.hear('west', { kind: 'rows', rows, re: second?.ask.re ?? 0 })
  assert.deepEqual(answersIn(came), ['ADMIT stolen'])
})

test('whoever says that it has very much is believed to have one', () => {
  const { door } = unproven(9)
  const reach = door.gate.trader.reach.find(({ row }) => row.account === 'west/1')
  assert.ok(reach !== undefined && door.gate.trader.offeredBy(reach) === 1)
})

test('what its crowd is about to take is not there for others', () => {
  const { door } = unproven(2, { ...QUIET, keeps: 2 })
  const [first] = asksIn(door.ask('p1'))
  assert.deepEqual(asksIn(door.hear('north', { kind: 'none', re: first?.ask.re ?? 0 })), [])
})

test('whoever said no is asked again once it tells that its ledger grew, and not because it says the same again', () => {
  const { door, west } = unproven()
  const [toNorth] = asksIn(door.ask('p1'))
  const [toWest] = asksIn(door.hear('north', { kind: 'none', re: toNorth?.ask.re ?? 0 }))
  door.now += 1
  door.hear('west', { kind: 'none', re: toWest?.ask.re ?? 0 })
  door.now += 1
  assert.deepEqual(asksIn(door.hearRow('west', west.row(MORNING + door.now), QUIET)), [])
  west.exit('x1', MORNING, true, 990)
  assert.deepEqual(
    asksIn(door.hearRow('west', west.row(MORNING + door.now), QUIET)).map(({ to }) => to),
    ['west'],
  )
})

test('once the row is believed it counts for what it shows', () => {
  const { door, north } = unproven(9)
  door.hearRow('north', north.row(MORNING + door.now), QUIET)
  const known = door.gate.me.view.get('west/1')
  assert.ok(known !== undefined && known.balance === 9 && door.gate.trader.offeredBy(known) === 9)
})

test('a gate that tells of less than it was believed to have is not asked for more than that', () => {
  const { door, north, west } = unproven()
  door.hearRow('north', north.row(MORNING + door.now), QUIET)
  const known = door.gate.me.view.get('west/1')
  assert.ok(known !== undefined && known.balance === 2)
  west.receive(row('anchor/1', 9, { sent: { 'west/1': 1 } }), MORNING)
  west.send('north/1', 3, MORNING, 'ask')
  door.hearRow('west', west.row(MORNING + door.now), QUIET)
  assert.equal(known.balance, 2, 'its newest row waits for one of the anchor')
  assert.equal(door.gate.trader.offeredBy(known), 0)
})

test.run()
