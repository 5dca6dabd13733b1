import assert from 'node:assert/strict'
import fc from 'fast-check'
import { type Asked, lowered, standOf } from '../../anchor/bms/stand.ts'
import { capacityAt, STANDBY_FROM } from '../../ledger/policy.ts'
import { suite } from '../suite.ts'

const test = suite('bms/stand')

const asks = (atMost: number, enact = false): Asked => ({ rule: `r${atMost}`, atMost, enact, words: 'because' })
const policy = (steps: readonly (readonly [number, number])[], ...reserve: number[]) => ({
  capacities: [
    ...steps.map(([from, capacity]) => ({ from, capacity })),
    ...reserve.map((capacity, i) => ({ from: STANDBY_FROM + i, capacity })),
  ],
})

test('of the reserve the largest that is low enough is in force, for rules that may', () => {
  const day = policy([[0, 300]], 200, 150, 100)
  const cases: [Asked[], capacity: number, proposal: number | undefined][] = [
    [[], 300, undefined],
    [[asks(180, true)], 150, undefined],
    [[asks(200, true)], 200, undefined],
    [[asks(180)], 300, 180],
    [[asks(180, true), asks(120)], 150, 120],
    [[asks(180, true), asks(160)], 150, undefined],
    [[asks(180, true), asks(120, true)], 100, undefined],
    [[asks(90, true)], 300, 90],
    [[asks(180, true), asks(90, true)], 150, 90],
    [[asks(300), asks(400, true)], 200, undefined],
  ]
  for (const [asked, capacity, proposal] of cases) {
    const stand = standOf(asked, day, 5)
    assert.deepEqual([stand.capacity, stand.proposal?.atMost], [capacity, proposal], JSON.stringify(asked))
  }
})

test('a proposal keeps what is lower later on, and raises nothing', () => {
  const day = policy(
    [
      [0, 300],
      [100, 400],
      [200, 120],
      [300, 350],
    ],
    90,
  )
  assert.deepEqual(lowered(day, 50, 180), [
    { from: 50, capacity: 180 },
    { from: 200, capacity: 120 },
    { from: 300, capacity: 180 },
  ])
})

test('whatever is asked: nothing in force or proposed is above the schedule, at any time', () => {
  const step = fc.tuple(fc.integer({ min: 1, max: 1000 }), fc.nat(500))
  const asked = fc.record({ rule: fc.constant('r'), atMost: fc.nat(600), enact: fc.boolean(), words: fc.constant('w') })
  const steps = fc.uniqueArray(step, { selector: ([from]) => from, maxLength: 6 })
  fc.assert(
    fc.property(fc.nat(500), steps, fc.array(fc.nat(600), { maxLength: 4 }), fc.array(asked), fc.nat(1200), (...a) => {
      const [first, later, reserve, all, wall] = a
      const day = policy([[0, first], ...later.sort(([x], [y]) => x - y)], ...reserve)
      const usual = capacityAt(day, wall)
      const { capacity, proposal } = standOf(all, day, wall)
      assert.ok(capacity <= usual)
      assert.ok(capacity === usual || reserve.includes(capacity))
      for (const one of all) assert.ok(standOf([one], day, wall).capacity >= capacity, 'more signals never raise it')
      if (proposal === undefined) return
      assert.ok(proposal.atMost < capacity)
      const text = { capacities: lowered(day, wall, proposal.atMost) }
      for (let at = wall; at < 1300; at += 7)
        assert.ok(capacityAt(text, at) <= Math.min(capacityAt(day, at), proposal.atMost))
    }),
  )
})

test.run()
