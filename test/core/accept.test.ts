// What a row *is*, each answer with the smallest example of it.

import assert from 'node:assert/strict'
import fc from 'fast-check'
import { areForked, type Place, place, type RowLaw, type Rules } from '../../ledger/accept.ts'
import type { Row } from '../../ledger/row.ts'
import { suite } from '../suite.ts'
import { budget, CHARTER, policy, row } from './papers.ts'

const test = suite('core/accept')

const POLICIES = [
  policy({ capacities: [{ from: 0, capacity: 40 }] }),
  policy({ version: 2, correction: 2, reclaimed: [{ account: 'west/1', amount: 3 }] }),
]
const RULES: Rules = {
  legalMax: CHARTER.legalMax,
  policy: version => POLICIES[version - 1],
  exitsAllowed: () => 5,
  sentBy: donor => (donor === 'anchor/1' ? 10 : 0),
  mintedBefore: anchor => (anchor === 'anchor/2' ? 40 : 0),
}
const FIRST = { version: 1, hash: 'policy 1' }
const SECOND = { version: 2, hash: 'policy 2' }
const HELD = row('east/1', 5, { admitted: 2, received: { 'anchor/1': 4 } })
const anchor = (over: Partial<Row>, sent: Record<string, number> = {}) => row('anchor/1', 5, { sent }, over)

type Is = Exclude<Place['is'], 'flawed'> | RowLaw
/** `shrunk` is a fork, and told as one. */
const TABLE: readonly (readonly [claim: string, is: Is, row: Row, before?: Row])[] = [
  ['the first row of an account', 'next', row('east/1', 1)],
  ['a longer ledger', 'next', row('east/1', 6, { admitted: 3, received: { 'anchor/1': 4 } }), HELD],
  ['the same row', 'seen', HELD, HELD],
  ['the same row, said again later', 'seen', { ...HELD, at: HELD.at + 1000 }, HELD],
  ['an earlier row that comes late', 'old', row('east/1', 4, { admitted: 1, received: { 'anchor/1': 4 } }), HELD],

  ['tokens whose send nobody showed', 'gap', row('east/1', 1, { received: { 'west/1': 1 } })],
  ['more than the donor is known to have sent', 'gap', row('east/1', 1, { received: { 'anchor/1': 11 } })],
  ['a budget of a policy not here yet', 'gap', anchor({ budget: budget(40), policy: { version: 3, hash: 'x' } })],

  ['one size, two roots', 'fork', { ...HELD, root: 'other' }, HELD],
  ['one size, one root, other counters', 'fork', row('east/1', 5, { admitted: 3, received: { 'anchor/1': 4 } }), HELD],
  ['a longer ledger that admitted fewer', 'fork', row('east/1', 6, { received: { 'anchor/1': 4 } }), HELD],
  ['a longer ledger that received less', 'fork', row('east/1', 6, { admitted: 2, exited: 2 }), HELD],
  ['a shorter ledger that admitted more', 'fork', row('east/1', 4, { admitted: 3, received: { 'anchor/1': 4 } }), HELD],
  [
    'an anchor of two budgets at one size',
    'fork',
    anchor({ budget: budget(40), policy: FIRST }),
    anchor({ budget: budget(30), policy: FIRST }),
  ],

  ['sent does not add up', 'totals', row('east/1', 1, { exited: 2, sent: { 'west/1': 1 }, sentTotal: 0 })],
  ['received does not add up', 'totals', row('east/1', 1, { receivedTotal: 7 })],
  ['sent to itself', 'self', row('east/1', 1, { exited: 1, sent: { 'east/1': 1 } })],
  ['received from itself', 'self', row('east/1', 1, { received: { 'east/1': 1 } })],
  ['a gate with a budget', 'budget', row('east/1', 1, {}, { budget: budget(5) })],
  ['a gate with a policy', 'budget', row('east/1', 1, {}, { policy: FIRST })],
  ['more lapsed than admitted', 'lapsed', row('east/1', 1, { lapsed: 1 })],
  ['admitted without a token', 'insolvent', row('east/1', 1, { admitted: 1 })],
  ['sent without a token', 'insolvent', row('east/1', 1, { sent: { 'west/1': 1 } })],
  ['forced below zero, which nobody chose', 'next', row('east/1', 1, { forced: 7 })],
  ['forced does not excuse an admission', 'insolvent', row('east/1', 1, { forced: 7, admitted: 1 })],
  ['more exits than a door has', 'rate', row('east/1', 1, { exited: 6 })],
  ['as many exits as a door has', 'next', row('east/1', 1, { exited: 5 })],
  ['old exits are not counted again', 'next', row('east/1', 2, { exited: 9 }), row('east/1', 1, { exited: 9 })],

  ['an anchor that has not begun', 'next', anchor({})],
  ['an anchor that sends without a budget', 'no-budget', anchor({}, { 'east/1': 1 })],
  ['an anchor that follows its policy', 'next', anchor({ budget: budget(40), policy: FIRST }, { 'east/1': 40 })],
  ['capacity above the legal maximum', 'over-budget', anchor({ budget: budget(101), policy: FIRST })],
  ['capacity above what operators signed', 'over-budget', anchor({ budget: budget(41), policy: FIRST })],
  ['more handed out than minted', 'over-budget', anchor({ budget: budget(40), policy: FIRST }, { 'east/1': 41 })],
  ['another policy under its number', 'budget', anchor({ budget: budget(40), policy: { version: 1, hash: 'x' } })],
  ['a correction nobody signed', 'budget', anchor({ budget: budget(40, { correction: -1 }), policy: FIRST })],
  ['reclaimed what nobody signed', 'budget', anchor({ budget: budget(40, { reclaimed: 1 }), policy: FIRST })],
  [
    'a cut after more was handed out',
    'next',
    anchor({ budget: budget(10, { correction: 2, reclaimed: 3 }), policy: SECOND }, { 'east/1': 40 }),
  ],
  [
    'a second life that mints again',
    'over-budget',
    row('anchor/2', 1, {}, { budget: budget(40, { carried: 39 }), policy: FIRST }),
  ],
  [
    'a second life that carries the first',
    'next',
    row('anchor/2', 1, {}, { budget: budget(40, { carried: 40 }), policy: FIRST }),
  ],
]

for (const [claim, is, given, before] of TABLE) {
  test(`${claim}: ${is}`, () => {
    const found = place(given, before, RULES)
    assert.equal(found.is === 'flawed' ? found.law : found.is, is)
  })
}

test('a gap says what is missing', () => {
  const given = row('east/1', 1, { received: { 'west/1': 1, 'anchor/1': 3, 'north/1': 2 } })
  assert.deepEqual(place(given, undefined, RULES), { is: 'gap', missing: ['west/1', 'north/1'] })
  const later = anchor({ budget: budget(40), policy: { version: 3, hash: 'x' } })
  assert.deepEqual(place(later, undefined, RULES), { is: 'gap', missing: ['policy:3'] })
})

test('a fork comes with the row that proves it', () => {
  assert.deepEqual(place({ ...HELD, root: 'other' }, HELD, RULES), { is: 'fork', with: HELD })
})

const few = fc.nat(2)
const anyRow = fc
  .record({ account: fc.constantFrom('east/1', 'east/2'), size: few, root: fc.constantFrom('r', 's'), a: few, s: few })
  .map(r => row(r.account, r.size, { admitted: r.a, sent: { 'west/1': r.s } }, { root: r.root }))

test('two rows are forked whichever is named first, and no row is forked with itself', () => {
  fc.assert(fc.property(anyRow, anyRow, (a, b) => assert.equal(areForked(a, b), areForked(b, a))))
  fc.assert(fc.property(anyRow, a => assert.equal(areForked(a, a), false)))
})

test('rows of two epochs never prove a fork', () => {
  assert.equal(areForked(row('east/1', 5, { admitted: 3 }), row('east/2', 5)), false)
})

test.run()
