// The view: any order, any repetition, any loss that is made good gives one and the same view, and each view on the way
// there is a moment that the mall could have been in.

import assert from 'node:assert/strict'
import fc from 'fast-check'
import type { Books } from '../../ledger/books.ts'
import { inside } from '../../ledger/counters.ts'
import { BrokenLaw } from '../../ledger/fault.ts'
import { type Policy, reclaimedTotal } from '../../ledger/policy.ts'
import type { Row } from '../../ledger/row.ts'
import { View } from '../../ledger/view.ts'
import { Hearing } from '../../mesh/hearing.ts'
import { LIMITS } from '../../mesh/limits.ts'
import { suite } from '../suite.ts'
import { anchorBooks, books, budget, CHARTER, MORNING, newId, policy, row } from './papers.ts'

const test = suite('core/view')

const ACCOUNTS = ['anchor/1', 'east/1', 'west/1', 'north/1'] as const
const POLICIES = [
  policy({ capacities: [20, 40, 5].map((capacity, from) => ({ from, capacity })) }),
  policy({ version: 2, capacities: [{ from: 0, capacity: 30 }], correction: 3 }),
  policy({ version: 3, capacities: [{ from: 0, capacity: 30 }], reclaimed: [{ account: 'west/9', amount: 4 }] }),
]

type Move = { kind: string; who: number; other: number; n: number }
const move: fc.Arbitrary<Move> = fc.record({
  kind: fc.constantFrom('send', 'send', 'receive', 'receive', 'admit', 'admit', 'exit', 'forced', 'lapse', 'budget'),
  who: fc.nat(3),
  other: fc.nat(3),
  n: fc.integer({ min: 1, max: 9 }),
})

/** Everything four honest accounts ever said while they did this, a row after every change. */
function historyOf(moves: readonly Move[]): Row[] {
  const all = ACCOUNTS.map(account => (account === 'anchor/1' ? anchorBooks(20) : books(account)))
  const rows = all.map(one => one.row(MORNING))
  for (const { kind, who, other, n } of moves) {
    const me = all[who] as Books
    const peer = all[other] as Books
    const size = me.size
    if (kind === 'send' && me !== peer && me.balance > 0) me.send(peer.account, Math.min(n, me.balance), MORNING, 'ask')
    else if (kind === 'receive' && me !== peer) me.receive(peer.row(MORNING), MORNING)
    else if (kind === 'budget' && who === 0) setBudget(me, POLICIES[n % 3] as Policy, n)
    else if (who > 0) moveCounter(me, kind, n)
    if (me.size > size) rows.push(me.row(MORNING))
  }
  return rows
}

function setBudget(anchor: Books, to: Policy, n: number): void {
  if (to.version < (anchor.policy?.version ?? 0)) return
  const { capacity } = to.capacities[n % to.capacities.length] as { capacity: number }
  const { correction } = to
  anchor.setBudget({ capacity, correction, reclaimed: reclaimedTotal(to), carried: 0 }, to, MORNING)
}

function moveCounter(me: Books, kind: string, n: number): void {
  if (kind === 'admit' && me.balance > 0) me.admit(newId(), MORNING, 'local', 990)
  else if (kind === 'exit') me.exit(newId(), MORNING, n > 2, 990)
  else if (kind === 'forced') me.forced(newId(), MORNING, n, 'tailgate')
  else if (kind === 'lapse' && me.counters.lapsed < me.counters.admitted) me.lapse(newId(), MORNING)
}

function hear(batches: readonly (readonly Row[])[]): View {
  const view = new View()
  const hearing = new Hearing(view, CHARTER, LIMITS, version => POLICIES[version - 1])
  for (const [i, batch] of batches.entries()) {
    const { forks, flaws } = hearing.hear(`bringer ${i % 3}`, batch, 0)
    assert.deepEqual([forks, flaws], [[], []])
    checkLaw(view)
  }
  return view
}

/** occupancy = capacity + reclaimed − carried − Σ balances − Σ in flight, with nothing received that was not sent. */
function checkLaw(view: View): void {
  const { capacity, correction, reclaimed, carried } = view.anchor()?.row.budget ?? {
    capacity: 0,
    correction: 0,
    reclaimed: 0,
    carried: 0,
  }
  let free = 0
  let people = correction
  for (const known of view.others()) {
    free += known.balance + view.inFlightTo(known.row.account)
    people += inside(known.row.counters)
  }
  // what is on its way to accounts that this view has not heard of yet
  for (const to of ACCOUNTS) if (view.get(to) === undefined) free += view.inFlightTo(to)
  assert.equal(people, capacity + reclaimed - carried - free)
  assert.equal(view.counted + correction, people)
}

function sizes(view: View): object {
  return Object.fromEntries(ACCOUNTS.map(account => [account, view.get(account)?.row.size]))
}

const history = fc.array(move, { maxLength: 60 }).map(historyOf)
/** all of them in some order, some more than once, one to five in a message */
const mixed = (rows: Row[]) =>
  fc
    .tuple(
      fc.shuffledSubarray(rows, { minLength: rows.length }),
      fc.array(fc.constantFrom(...rows), { maxLength: 20 }),
      fc.integer({ min: 1, max: 5 }),
    )
    .map(([once, again, at]) => {
      const all = [...again.slice(0, at), ...once, ...again.slice(at)]
      return Array.from({ length: Math.ceil(all.length / at) }, (_, i) => all.slice(i * at, i * at + at))
    })
const heardTwice = history.chain(rows => fc.tuple(fc.constant(rows), mixed(rows), mixed(rows)))

test('any order and any repetition of honest rows gives one view, and each view on the way keeps the law', () => {
  fc.assert(
    fc.property(heardTwice, ([rows, a, b]) => {
      const inOrder = sizes(hear(rows.map(one => [one])))
      assert.deepEqual(sizes(hear(a)), inOrder)
      assert.deepEqual(sizes(hear(b)), inOrder)
    }),
    { numRuns: 300 },
  )
})

function newestOf(rows: readonly Row[]): Row[] {
  const newest = new Map<string, Row>()
  for (const one of rows) newest.set(one.account, one)
  return [...newest.values()]
}

test('the newest rows alone give the view that all rows give', () => {
  const newest = history.chain(rows =>
    fc.tuple(fc.constant(rows), fc.shuffledSubarray(newestOf(rows), { minLength: ACCOUNTS.length })),
  )
  fc.assert(
    fc.property(newest, ([rows, last]) => {
      assert.deepEqual(sizes(hear(last.map(one => [one]))), sizes(hear([rows])))
    }),
    { numRuns: 300 },
  )
})

test('whatever part of the rows is lost, what was heard keeps the law', () => {
  fc.assert(
    fc.property(
      history.chain(rows => fc.shuffledSubarray(rows)),
      some => void hear(some.map(one => [one])),
    ),
    { numRuns: 300 },
  )
})

test('two rows that each received from the other join together or not at all', () => {
  const anchor = anchorBooks(20, { 'east/1': 5 })
  const [east, west] = [books('east/1'), books('west/1')]
  east.receive(anchor.row(MORNING), MORNING)
  east.send('west/1', 3, MORNING, 'ask')
  west.receive(east.row(MORNING), MORNING)
  west.send('east/1', 2, MORNING, 'ask')
  east.receive(west.row(MORNING), MORNING)
  const [a, e, w] = [anchor.row(MORNING), east.row(MORNING), west.row(MORNING)]
  const view = new View()
  const hearing = new Hearing(view, CHARTER, LIMITS, version => POLICIES[version - 1])
  assert.deepEqual(hearing.hear('x', [a], 0).joined, [a])
  assert.deepEqual(hearing.hear('x', [e], 0).joined, [])
  assert.deepEqual(hearing.overdue(300, 250), [{ from: 'x', missing: ['west/1'] }])
  assert.deepEqual(new Set(hearing.hear('x', [w], 0).joined), new Set([e, w]))
  checkLaw(view)
})

test('a row that waits is not forgotten when an older one of its account joins', () => {
  const view = new View()
  const hearing = new Hearing(view, CHARTER, LIMITS, version => POLICIES[version - 1])
  hearing.hear('x', [row('east/1', 2, { received: { 'anchor/1': 5 } })], 0)
  hearing.hear('x', [row('east/1', 1)], 0)
  hearing.hear('x', [anchorBooks(20, { 'east/1': 5 }).row(MORNING)], 0)
  assert.equal(view.get('east/1')?.row.size, 2)
})

test('a claim that can never be believed does not keep out what others bring of the same account', () => {
  const view = new View()
  const hearing = new Hearing(view, CHARTER, LIMITS, version => POLICIES[version - 1])
  hearing.hear('west', [row('west/1', 99, { received: { 'anchor/1': 5, 'north/1': 50 } })], 0)
  hearing.hear('east', [row('west/1', 3, { received: { 'anchor/1': 5 } })], 0)
  hearing.hear('anchor', [anchorBooks(20, { 'west/1': 5 }).row(MORNING)], 0)
  assert.equal(view.get('west/1')?.row.size, 3)
  checkLaw(view)
})

test('a row that waited and turns out to be a lie is reported', () => {
  const known: Policy[] = []
  const hearing = new Hearing(new View(), CHARTER, LIMITS, version => known[version - 1])
  const greedy = row('anchor/1', 1, {}, { budget: budget(41), policy: { version: 1, hash: 'policy 1' } })
  assert.deepEqual(hearing.hear('x', [greedy], 0), { joined: [], forks: [], flaws: [] })
  known.push(POLICIES[0] as Policy)
  assert.deepEqual(hearing.hear('x', [], 0).flaws, [{ row: greedy, law: 'over-budget' }])

  const [waits, other] = [row('east/1', 3, { received: { 'anchor/1': 5 } }), row('east/1', 2, { exited: 1 })]
  hearing.hear('x', [waits], 0)
  assert.deepEqual(hearing.hear('x', [other], 0).forks, [[other, waits]])
})

test('an exit rate no door can have is a flaw, except right after a long silence', () => {
  const view = new View()
  const hearing = new Hearing(view, CHARTER, { ...LIMITS, exitBurst: 10 }, () => undefined)
  assert.equal(hearing.hear('east', [row('east/1', 1)], 0).joined.length, 1)
  assert.deepEqual(hearing.hear('west', [row('east/1', 60, { exited: 50 })], 1000).flaws[0]?.law, 'rate')
  assert.equal(hearing.hear('west', [row('east/1', 60, { exited: 50 })], 10_000).joined.length, 1)
})

test('an old row handed on by somebody else says nothing about the rate', () => {
  const hearing = new Hearing(new View(), CHARTER, LIMITS, () => undefined)
  assert.equal(hearing.hear('west', [row('east/1', 10)], 0).joined.length, 1)
  assert.equal(hearing.hear('east', [row('east/1', 2000, { exited: 1000 })], 5).joined.length, 1)
  assert.equal(hearing.hear('east', [row('east/1', 4000, { exited: 2000 })], 10).flaws[0]?.law, 'rate')
})

const act = fc.record({
  kind: fc.constantFrom('admit', 'exit', 'doubtful', 'forced', 'lapse', 'send', 'receive', 'again', 'note'),
  n: fc.integer({ min: 1, max: 6 }),
})

test('a balance is what a plain count says, and neither admitting nor sending takes it below zero', () => {
  fc.assert(
    fc.property(fc.array(act, { maxLength: 80 }), acts => {
      const donor = anchorBooks(100)
      const east = books('east/1')
      let count = 0
      let admitted = 0
      /** what the plain count makes of one act; undefined when it must be refused */
      const change = (kind: string, n: number): number | undefined => {
        if (kind === 'admit') return count >= 1 ? -1 : undefined
        if (kind === 'send') return count >= n ? -n : undefined
        if (kind === 'lapse') return admitted > 0 ? 1 : undefined
        if (kind === 'receive') return Math.min(n, donor.balance)
        return { exit: 1, forced: -n }[kind] ?? 0
      }
      const perform = (kind: string, n: number): void => {
        if (kind === 'admit') east.admit(newId(), MORNING, 'local', 990)
        else if (kind === 'send') east.send('west/1', n, MORNING, 'push')
        else if (kind === 'lapse') east.lapse(newId(), MORNING)
        else if (kind === 'exit' || kind === 'doubtful') east.exit(newId(), MORNING, kind === 'exit', 990)
        else if (kind === 'forced') east.forced(newId(), MORNING, n, 'manual')
        else if (kind === 'note') east.note({ id: newId(), at: MORNING, type: 'optical', in: n, out: n })
        else if (kind === 'again') assert.equal(east.receive(donor.row(MORNING), MORNING), 0)
        else if (donor.balance > 0) {
          donor.send('east/1', Math.min(n, donor.balance), MORNING, 'grant')
          east.receive(donor.row(MORNING), MORNING)
        }
      }
      for (const { kind, n } of acts) {
        const by = change(kind, n)
        const { size } = east
        if (by === undefined) {
          assert.throws(() => perform(kind, n), BrokenLaw)
          assert.equal(east.size, size)
        } else {
          perform(kind, n)
          count += by
          admitted += kind === 'admit' ? 1 : kind === 'lapse' ? -1 : 0
        }
        assert.equal(east.balance, count)
        if (by !== undefined && (kind === 'admit' || kind === 'send')) assert.ok(east.balance >= 0)
      }
    }),
  )
})

test('nobody sends to itself, nothing, less than nothing, or half a token', () => {
  const east = books('east/1')
  east.receive(anchorBooks(20, { 'east/1': 5 }).row(MORNING), MORNING)
  for (const amount of [0, -1, 0.5, Number.NaN]) {
    assert.throws(() => east.send('west/1', amount, MORNING, 'ask'), BrokenLaw)
  }
  assert.throws(() => east.send('east/1', 1, MORNING, 'ask'), BrokenLaw)
  assert.equal(east.balance, 5)
})

test('a row read twice brings its tokens once, a later one only what is new', () => {
  const anchor = anchorBooks(20, { 'east/1': 5 })
  const east = books('east/1')
  const first = anchor.row(MORNING)
  assert.deepEqual([east.receive(first, MORNING), east.receive(first, MORNING)], [5, 0])
  anchor.send('east/1', 2, MORNING, 'grant')
  assert.deepEqual([east.receive(anchor.row(MORNING), MORNING), east.receive(first, MORNING)], [2, 0])
  assert.equal(east.balance, 7)
})

test.run()
