import assert from 'node:assert/strict'
import type { Effect } from '../../mesh/message.ts'
import { suite } from '../suite.ts'
import { Desk } from './desk.ts'
import { sendsIn } from './door.ts'
import { anchorBooks, books, GATES, MORNING, policy, row } from './papers.ts'

const test = suite('core/anchor')

test('nothing is minted before a policy, nor under one that a single operator signed', () => {
  const desk = Desk.opening()
  assert.equal(desk.begun, 'anchor/1')
  assert.equal(desk.books.balance, 0)
  const effects = desk.step({ kind: 'decreed', policy: policy({ signers: ['ann'] }) })
  assert.ok(effects.some(effect => effect.kind === 'alarm' && effect.detail.endsWith('needs-two')))
  assert.equal(desk.books.balance, 0)
  desk.step({ kind: 'decreed', policy: policy({ signers: ['ann', 'bob'] }) })
  assert.equal(desk.books.budget?.capacity, 10)
  assert.equal(desk.books.balance, 10)
})

test('a policy above the legal maximum mints nothing', () => {
  const desk = Desk.opening()
  desk.step({ kind: 'decreed', policy: policy({ capacities: [{ from: 0, capacity: 101 }] }) })
  assert.equal(desk.books.balance, 0)
})

/** Three gates in reach and ten tokens a gate, so that nothing is scarce. */
function handedOut(capacity = 30): Desk {
  const desk = Desk.opening()
  for (const gate of GATES) desk.hearBooks(books(`${gate}/1`))
  desk.step({ kind: 'decreed', policy: policy({ capacities: [{ from: 0, capacity }] }) })
  desk.after(100)
  return desk
}

test('everything is handed out, evenly while nobody is busier', () => {
  const desk = handedOut()
  assert.equal(desk.books.balance, 0)
  assert.deepEqual(desk.books.counters.sent, { 'east/1': 10, 'west/1': 10, 'north/1': 10 })
})

test('what is kept back for sensors is never minted', () => {
  const desk = Desk.opening()
  desk.step({ kind: 'decreed', policy: policy({ capacities: [{ from: 0, capacity: 99 }], marginPerMille: 15 }) })
  assert.equal(desk.books.budget?.capacity, 97, 'rounded down')
  assert.equal(desk.books.balance, 97)
})

test('what a policy changes is an entry each, with who, why and what was before', () => {
  const desk = handedOut(10)
  const entries = (effects: readonly Effect[]) =>
    effects.flatMap(effect =>
      effect.kind === 'append' && /change|recount/.test(effect.body.type) ? [effect.body] : [],
    )
  const recount = { at: MORNING, actual: 7, counted: 4 }
  const gates = [...policy().gates].slice(1)
  const over = { correction: 3, recount, gates, capacities: [{ from: 0, capacity: 8 }], reason: 'heads counted' }
  const told = entries(desk.step({ kind: 'decreed', policy: policy({ version: 2, ...over }) }))
  const signed = { by: 'ann,bob', reason: 'heads counted', policy: 2 }
  assert.deepEqual(
    told.map(({ id: _id, at: _at, ...rest }) => rest),
    [
      { type: 'change', what: 'capacity', before: '10', after: '8', ...signed },
      { type: 'change', what: 'correction', before: '0', after: '3', ...signed },
      { type: 'change', what: 'roster', before: policy().gates[0]?.key, after: '', ...signed },
      { type: 'recount', actual: 7, counted: 4, residual: 3, ...signed },
    ],
  )
  assert.deepEqual(entries(desk.step({ kind: 'decreed', policy: policy({ version: 2, ...over }) })), [], 'once')
})

test('heads are written down every ten seconds while they change, every minute while none does', () => {
  const desk = handedOut()
  const written = (effects: readonly Effect[]) =>
    effects.filter(effect => effect.kind === 'append' && effect.body.type === 'checkpoint').length
  let count = 0
  for (let s = 0; s < 121; s++) count += written(desk.after(1000))
  assert.ok(count >= 2 && count <= 4, `${count} in two idle minutes`)
  const east = books('east/1')
  east.receive(desk.books.row(MORNING), MORNING)
  count = 0
  for (let s = 0; s < 60; s++) {
    east.exit(`0190a0a0-0000-7000-8000-${String(s).padStart(12, '0')}`, MORNING, true, 1000)
    desk.hearBooks(east)
    count += written(desk.after(1000))
  }
  assert.ok(count >= 5 && count <= 7, `${count} in a busy minute`)
})

test('what is known of a gate when it is banned is kept, so that its people are counted after a restart', () => {
  const desk = handedOut()
  desk.hear('west', { kind: 'rows', rows: [row('west/1', 9, { received: { 'anchor/1': 5 }, admitted: 2 })] })
  desk.hear('west', { kind: 'rows', rows: [row('west/1', 12, { received: { 'anchor/1': 5 }, admitted: 5 })] })
  const told = desk.hear('east', { kind: 'fork', rows: [row('west/1', 8), row('west/1', 8, {}, { root: 'other' })] })
  const kept = told.flatMap(effect => (effect.kind === 'keep' ? [[effect.row.account, effect.row.size]] : []))
  assert.deepEqual(
    kept.filter(([account]) => account === 'west/1'),
    [['west/1', 12]],
  )
  assert.equal(desk.anchor.me.view.counted, 5)
})

test('with nobody in reach it keeps everything', () => {
  const desk = Desk.opening()
  desk.step({ kind: 'decreed', policy: policy() })
  desk.after(100)
  assert.equal(desk.books.balance, 10)
})

test('a cut makes its balance negative, and what is paid back stays until it is positive', () => {
  const desk = handedOut()
  desk.step({ kind: 'decreed', policy: policy({ version: 2, capacities: [{ from: 0, capacity: 12 }] }) })
  assert.equal(desk.books.balance, -18)
  const east = books('east/1')
  east.receive(desk.books.row(MORNING), MORNING)
  east.send('anchor/1', 10, MORNING, 'debt')
  desk.hearBooks(east)
  assert.equal(desk.books.balance, -8)
  assert.deepEqual(sendsIn(desk.after(500)), [])
})

test('the schedule is followed by its own clock, up and down', () => {
  const desk = Desk.opening()
  const capacities = [10, 20, 4].map((capacity, i) => ({ from: MORNING + i * 1000, capacity }))
  desk.step({ kind: 'decreed', policy: policy({ capacities }) })
  const seen = [0, 999, 1, 999, 1].map(ms => {
    desk.after(ms)
    return desk.books.budget?.capacity
  })
  assert.deepEqual(seen, [10, 10, 20, 20, 4])
})

test('a recount takes tokens out of use, and reclaimed ones come back into it', () => {
  const desk = Desk.opening()
  desk.step({ kind: 'decreed', policy: policy() })
  desk.step({ kind: 'decreed', policy: policy({ version: 2, correction: 3 }) })
  assert.equal(desk.books.balance, 7)
  const reclaimed = [{ account: 'west/1', amount: 2 }]
  desk.step({ kind: 'decreed', policy: policy({ version: 3, correction: 3, reclaimed }) })
  assert.equal(desk.books.balance, 9)
})

test('a failed disk stops the handing out', () => {
  const desk = handedOut()
  desk.step({ kind: 'disk', state: 'failed' })
  desk.step({ kind: 'decreed', policy: policy({ version: 2, capacities: [{ from: 0, capacity: 60 }] }) })
  assert.deepEqual(sendsIn(desk.after(500)), [])
  desk.step({ kind: 'disk', state: 'ok' })
  desk.after(500)
  assert.equal(desk.books.counters.sentTotal, 60)
})

function enrolmentIn(effects: readonly Effect[]): { account: string; afterSize: number } | undefined {
  for (const effect of effects) {
    if (effect.kind === 'tell' && effect.message.kind === 'enrolled') {
      return { account: effect.message.account, afterSize: effect.afterSize }
    }
  }
  return undefined
}

function enrolledAs(desk: Desk, id: string, epoch: number, from = 'east'): string | undefined {
  return enrolmentIn(desk.hear(from, { kind: 'enrol', id, epoch }))?.account
}

test('one request is one account, however often it comes; another is the next epoch', () => {
  const desk = Desk.opening()
  assert.deepEqual(
    ['r1', 'r1', 'r2', 'r1'].map(id => enrolledAs(desk, id, 1)),
    ['east/1', 'east/1', 'east/2', 'east/1'],
  )
  assert.equal(desk.entries.filter(entry => entry.type === 'enrol').length, 2)
})

test('an account given is beyond what the gate heard of, what the anchor saw and what it gave', () => {
  const desk = Desk.opening()
  assert.equal(enrolledAs(desk, 'r1', 4), 'east/4')
  desk.hear('west', { kind: 'rows', rows: [row('west/6', 1)] })
  assert.equal(enrolledAs(desk, 'r2', 1, 'west'), 'west/7')
  assert.equal(enrolledAs(desk, 'r3', 1, 'stranger'), undefined)
})

test('the account is told only after it was written down', () => {
  const desk = Desk.opening()
  const effects = desk.hear('east', { kind: 'enrol', id: 'r1', epoch: 1 })
  const written = effects.find(effect => effect.kind === 'append' && effect.body.type === 'enrol')
  const told = enrolmentIn(effects)
  assert.ok(written?.kind === 'append' && told !== undefined && told.afterSize > written.seq)
})

test('what was given before a restart is given again to the same request, and to no other', () => {
  const desk = new Desk({ enrolled: [{ id: 'r1', account: 'east/3' }] }, { birth: true })
  desk.join()
  assert.equal(enrolledAs(desk, 'r1', 1), 'east/3')
  assert.equal(enrolledAs(desk, 'r2', 1), 'east/4')
})

const EARLIER = anchorBooks(10, { 'east/1': 10 }).row(MORNING)

/** Its memory is gone; the gates have kept its policies and its last row. */
function reborn(): Desk {
  const desk = new Desk({ memory: { kind: 'lost', account: 'anchor/1' } })
  for (const gate of GATES) {
    desk.hear(gate, { kind: 'policies', policies: [policy()] })
    desk.hear(gate, { kind: 'known', name: 'anchor', rows: [EARLIER] })
  }
  desk.join()
  return desk
}

test('an anchor that lost its memory opens its next epoch and mints nothing again', () => {
  const desk = reborn()
  assert.equal(desk.begun, 'anchor/2')
  const opened = desk.entries.find(entry => entry.type === 'open')
  assert.ok(opened?.type === 'open' && opened.after === 'anchor/1' && opened.afterSize === EARLIER.size)
  desk.after(100)
  assert.equal(desk.books.budget?.carried, 10)
  assert.equal(desk.books.balance, 0)
})

test('what a later policy allows beyond the first life is minted, and a cut is a debt', () => {
  const raised = reborn()
  raised.step({ kind: 'decreed', policy: policy({ version: 2, capacities: [{ from: 0, capacity: 13 }] }) })
  assert.equal(raised.books.balance, 3)
  const cut = reborn()
  cut.step({ kind: 'decreed', policy: policy({ version: 2, capacities: [{ from: 0, capacity: 6 }] }) })
  assert.equal(cut.books.balance, -4)
})

test('without the policies of its first life it opens nothing', () => {
  const desk = new Desk({ memory: { kind: 'lost', account: 'anchor/1' } })
  desk.join()
  assert.equal(desk.begun, undefined)
  assert.equal(desk.anchor.isJoined, false)
})

test('a blank disk in a mall that was opened before is a loss, not a birth', () => {
  const desk = new Desk({ policies: [policy()] })
  desk.join()
  assert.equal(desk.begun, 'anchor/2')
  const born = new Desk({ policies: [policy()] }, { birth: true })
  for (const gate of GATES) born.hear(gate, { kind: 'known', name: 'anchor', rows: [EARLIER] })
  assert.equal(born.begun, 'anchor/2')
})

test('a checkpoint holds the head of everyone it knows, in order', () => {
  const desk = handedOut()
  desk.after(10_000)
  const last = desk.entries.findLast(entry => entry.type === 'checkpoint')
  assert.ok(last?.type === 'checkpoint')
  assert.deepEqual(
    last.heads.map(([account]) => account),
    ['east/1', 'north/1', 'west/1'],
  )
})

test.run()
