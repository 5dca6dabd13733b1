import assert from 'node:assert/strict'
import { Charters } from '../../ledger/charters.ts'
import { flawOf, type Policy, type PolicyFlaw, scheduled } from '../../ledger/policy.ts'
import { Policybook } from '../../mesh/policybook.ts'
import { suite } from '../suite.ts'
import { CHARTER, policy } from './papers.ts'

const test = suite('core/policybook')

const [ONE, TWO, THREE] = [policy(), policy({ version: 2 }), policy({ version: 3 })]

test('policies are taken in one after the other, and each once', () => {
  const book = new Policybook(Charters.unrevised(CHARTER))
  assert.deepEqual(book.learn([ONE, TWO]), { adopted: [ONE, TWO] })
  assert.deepEqual(book.learn([ONE, TWO, THREE]), { adopted: [THREE] })
  assert.equal(book.newest, THREE)
  assert.deepEqual(book.after(1), [TWO, THREE])
  assert.equal(book.get(2), TWO)
})

test('one that came too early is a gap, and fits once those before it are here', () => {
  const book = new Policybook(Charters.unrevised(CHARTER))
  assert.deepEqual(book.learn([TWO]), { adopted: [], stopped: { version: 2, why: 'gap' } })
  assert.deepEqual(book.learn([ONE, THREE]), { adopted: [ONE], stopped: { version: 3, why: 'gap' } })
  assert.deepEqual(book.learn([TWO, THREE]).adopted, [TWO, THREE])
})

test('a bad one stops those behind it and leaves the one before in force', () => {
  const book = new Policybook(Charters.unrevised(CHARTER))
  const bad = policy({ version: 2, signers: [] })
  assert.deepEqual(book.learn([ONE, bad, THREE]), { adopted: [ONE], stopped: { version: 2, why: 'unknown-signer' } })
  assert.equal(book.newest, ONE)
  assert.deepEqual(book.learn([TWO]).adopted, [TWO])
})

test('one operator does not get in small steps where one step would not get', () => {
  const book = new Policybook(Charters.unrevised(CHARTER))
  const steps = [10, 12, 14].map((capacity, i) =>
    policy({ version: i + 1, ...at(capacity), ...(i > 0 && { signers: ['bob'] }) }),
  )
  assert.deepEqual(book.learn(steps).stopped, { version: 3, why: 'needs-two' })
  assert.equal(book.agreed, steps[0])
  assert.deepEqual(book.learn([policy({ version: 3, ...at(14) })]).stopped, undefined, 'two may')
  assert.deepEqual(
    book.learn([policy({ version: 4, ...at(16), signers: ['bob'] })]).stopped,
    undefined,
    'from there on',
  )
})

test('the newest stays the newest, in whatever order the disk gives them back', () => {
  const book = new Policybook(Charters.unrevised(CHARTER))
  for (const one of [TWO, THREE, ONE]) book.recall(one)
  assert.equal(book.newest, THREE)
  assert.deepEqual(book.learn([ONE, TWO]), { adopted: [] })
})

const at = (...capacities: number[]) => ({ capacities: capacities.map((capacity, from) => ({ from, capacity })) })
const later = (over: Partial<Policy>) => policy({ version: 2, signers: ['bob'], ...over })
const counted = (actual: number, counted: number) => ({ at: 1, actual, counted })
const TABLE: readonly (readonly [claim: string, flaw: PolicyFlaw | undefined, next: Policy, before?: Policy])[] = [
  ['the first, by two', undefined, ONE],
  ['the first, by one', 'needs-two', policy({ signers: ['ann'] })],
  ['the first, by one who signed twice', 'needs-two', policy({ signers: ['ann', 'ann'] })],
  ['a version left out', 'version-order', THREE, ONE],
  ['the same version again', 'version-order', ONE, ONE],
  ['one that stands on another', 'version-order', policy({ version: 2, previous: 'other' }), ONE],
  ['no capacity at all', 'bad-schedule', policy({ capacities: [] })],
  ['a schedule out of order', 'bad-schedule', policy({ capacities: [...at(1, 2).capacities].reverse() })],
  ['the legal maximum', undefined, policy(at(100))],
  ['more than the legal maximum', 'above-legal-max', policy(at(101))],
  ['more than the legal maximum, later', 'above-legal-max', policy(at(100, 101))],
  ['less than nobody', 'above-legal-max', policy(at(-1))],
  ['signed by nobody', 'unknown-signer', policy({ signers: [] })],
  ['signed by a viewer', 'unknown-signer', policy({ signers: ['ann', 'bob', 'vic'] })],
  ['signed by a stranger', 'unknown-signer', policy({ signers: ['ann', 'eve'] })],
  ['a fifth more, by one', undefined, later(at(12)), ONE],
  ['a fifth less, by one', undefined, later(at(8)), ONE],
  ['more than a fifth up, by one', 'needs-two', later(at(13)), ONE],
  ['more than a fifth down, by one', 'needs-two', later(at(7)), ONE],
  ['many small steps that jump once', 'needs-two', later(at(11, 12, 16)), ONE],
  ['more than a fifth up, by two', undefined, policy({ version: 2, ...at(13) }), ONE],
  ['a recount, by one', 'needs-two', later({ correction: 1 }), ONE],
  ['tokens reclaimed, by one', 'needs-two', later({ reclaimed: [{ account: 'east/1', amount: 1 }] }), ONE],
  ['a gate taken off, by one', 'needs-two', later({ gates: CHARTER.gates.slice(1) }), ONE],
  ['a gate with another key, by one', 'needs-two', later({ gates: CHARTER.gates.map(g => ({ ...g, key: 'x' })) }), ONE],
  ['a margin kept back, by one', undefined, later({ marginPerMille: 100 }), ONE],
  ['a margin that takes more than a fifth, by one', 'needs-two', later({ marginPerMille: 300 }), ONE],
  ['a head count, by two', undefined, policy({ version: 2, correction: 3, recount: counted(5, 2) }), ONE],
  ['a head count that found what was counted, by one', 'needs-two', later({ recount: counted(2, 2) }), ONE],
  [
    'a head count that does not add up',
    'bad-recount',
    policy({ version: 2, correction: 3, recount: counted(5, 3) }),
    ONE,
  ],
  ['doubtful exits believed, by one', 'needs-two', later({ confidenceMin: 500 }), ONE],
  ['longer without the anchor, by one', 'needs-two', later({ expireAfterMs: ONE.expireAfterMs + 1 }), ONE],
  ['a step that two agreed on, brought forward by one', 'needs-two', later(at(15)), policy(at(10, 15))],
  ['a step that two agreed on, left out by one', 'needs-two', later(at(10)), policy(at(10, 15))],
  ['a gate added, by one', undefined, later({ gates: [...CHARTER.gates, { name: 'south', key: 's' }] }), ONE],
]
for (const [claim, flaw, next, before] of TABLE) {
  test(`${claim}: ${flaw ?? 'fine'}`, () => assert.equal(flawOf(next, before, CHARTER), flaw))
}

test('the last step whose time has come is in force; before all of them, the first', () => {
  const day = policy({
    capacities: [
      { from: 10, capacity: 5 },
      { from: 20, capacity: 9 },
      { from: 30, capacity: 2 },
    ],
  })
  assert.deepEqual(
    [0, 10, 19, 20, 29, 30, 99].map(now => scheduled(day, now)),
    [5, 5, 5, 9, 9, 2, 2],
  )
})

test.run()
