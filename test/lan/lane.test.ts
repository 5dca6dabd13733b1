import assert from 'node:assert/strict'
import type { ModeStatement } from '../../ledger/mode.ts'
import { type Lane, laneOf } from '../../mesh/lane.ts'
import { EVERYONE, type Message, UNASKED } from '../../mesh/message.ts'
import { firstHand, type Verdict, verdictOn } from '../../mesh/verdict.ts'
import { Desk } from '../core/desk.ts'
import { MORNING, row } from '../core/papers.ts'
import { suite } from '../suite.ts'

const test = suite('lan/lane')

const statement: ModeStatement = { epoch: 0, mode: 'FIRE', by: ['east'], at: MORNING, reason: 'contact' }
const ask = { re: 1, account: 'east/1', want: 2, waiting: 1, forMs: 80 }
const [one, two] = [row('east/1', 1), row('east/1', 2)]
const hint = { demand: 3, waiting: 1 }
const mode = { epoch: 0, mode: 'NORMAL' } as const

/** One of each kind: a kind that is added without saying its lane does not compile. */
const KINDS = {
  rows: [{ kind: 'rows', rows: [one] }, 'gossip', 'rows'],
  ask: [{ kind: 'ask', ask }, 'steal', 'steal'],
  none: [{ kind: 'none', re: 1 }, 'steal', 'steal'],
  late: [{ kind: 'late', tokens: 1 }, 'steal', 'steal'],
  want: [{ kind: 'want', accounts: ['east/1'] }, 'rows', 'rows'],
  mode: [{ kind: 'mode', statement }, 'alarm', 'steal'],
  policies: [{ kind: 'policies', policies: [] }, 'rows', 'rows'],
  'want-policies': [{ kind: 'want-policies', after: 1 }, 'rows', 'rows'],
  whois: [{ kind: 'whois', name: 'east' }, 'rows', 'rows'],
  known: [{ kind: 'known', name: 'east', rows: [] }, 'rows', 'rows'],
  enrol: [{ kind: 'enrol', id: 'i', epoch: 1 }, 'rows', 'rows'],
  enrolled: [{ kind: 'enrolled', id: 'i', account: 'east/1' }, 'rows', 'rows'],
  fork: [{ kind: 'fork', rows: [one, two] }, 'steal', 'steal'],
  extend: [{ kind: 'extend', until: 1, by: ['ann'] }, 'rows', 'rows'],
} as const satisfies Record<Message['kind'], readonly [Message, toAll: Lane, toOne: Lane]>

test('every kind of message has its lane, to all and to one', () => {
  for (const [message, toAll, toOne] of Object.values(KINDS)) {
    assert.equal(laneOf(EVERYONE, message), toAll, `${message.kind} to all`)
    assert.equal(laneOf('west', message), toOne, `${message.kind} to one`)
  }
})

test('an answer that somebody waits for at the arm goes by the steal stream, and so do tokens that nobody asked for', () => {
  assert.equal(laneOf('west', { kind: 'rows', rows: [one], re: 7 }), 'steal')
  assert.equal(laneOf('west', { kind: 'rows', rows: [one], re: UNASKED }), 'steal')
  const many = Array<typeof one>(17).fill(one)
  assert.equal(laneOf('west', { kind: 'rows', rows: many, re: UNASKED }), 'rows', 'a bulky one keeps nobody waiting')
  assert.equal(laneOf('west', { kind: 'rows', rows: many, re: 7 }), 'steal')
  assert.equal(laneOf('west', { kind: 'rows', rows: [one] }), 'rows')
})

test('a row is news once, then it is let drop, and neither costs its sender anything', () => {
  const news = row('east/1', 1)
  assert.equal(verdictOn('east', { kind: 'rows', rows: [news] }, Desk.opening().anchor.me), 'ignore')
  const desk = Desk.opening()
  desk.hear('east', { kind: 'rows', rows: [news] })
  assert.equal(verdictOn('east', { kind: 'rows', rows: [news] }, desk.anchor.me), 'accept')
  assert.equal(verdictOn('west', { kind: 'rows', rows: [{ ...news }] }, desk.anchor.me), 'ignore')
  assert.equal(verdictOn('west', { kind: 'rows', rows: [] }, desk.anchor.me), 'ignore')
})

test('whoever is banned is at fault with every kind of message, and nobody else with any', () => {
  for (const [message] of Object.values(KINDS)) {
    const desk = Desk.opening()
    desk.hear('west', { kind: 'fork', rows: [one, { ...one, root: 'another' }] })
    assert.ok(desk.anchor.me.banned.has('east'))
    assert.equal(verdictOn('east', message, desk.anchor.me), 'reject' satisfies Verdict, message.kind)
    const expected: Verdict = message.kind === 'rows' ? 'ignore' : 'accept'
    assert.equal(verdictOn('west', message, desk.anchor.me), expected, message.kind)
  }
})

test('hint and mode are believed from the mouth of the one they are about', () => {
  const own: Message = { kind: 'rows', rows: [one], hint, mode }
  assert.equal(firstHand('east', own), own)
})

test('from another’s mouth, with other rows or with none, they are left out and the rows stay', () => {
  const bare = { kind: 'rows', rows: [one] }
  assert.deepEqual(firstHand('west', { kind: 'rows', rows: [one], hint }), bare)
  assert.deepEqual(firstHand('west', { kind: 'rows', rows: [one], hint, re: 4 }), { ...bare, re: 4 })
  assert.deepEqual(firstHand('east', { kind: 'rows', rows: [], mode }), { kind: 'rows', rows: [] })
  const both = [one, row('west/1', 1)]
  assert.deepEqual(firstHand('east', { kind: 'rows', rows: both, hint }), { kind: 'rows', rows: both })
})

test('a regular word that gossip handed on is told from a row that somebody had kept', () => {
  const word = { kind: 'rows', rows: [one], isWord: true }
  assert.deepEqual(firstHand('west', { kind: 'rows', rows: [one], hint, mode }), word)
  const both = [one, row('west/1', 1)]
  assert.deepEqual(firstHand('north', { kind: 'rows', rows: both, mode }), { kind: 'rows', rows: both })
  assert.deepEqual(firstHand('west', { kind: 'rows', rows: [one], mode, re: 4 }), { kind: 'rows', rows: [one], re: 4 })
})

test('a message without hint or mode passes as it is, whoever says it', () => {
  for (const [message] of Object.values(KINDS)) assert.equal(firstHand('north', message), message)
})

test.run()
