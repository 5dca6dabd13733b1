import assert from 'node:assert/strict'
import fc from 'fast-check'
import type { RuleConfig } from '../../anchor/bms/config.ts'
import { Rule } from '../../anchor/bms/rule.ts'
import { suite } from '../suite.ts'

const test = suite('bms/rule')

const AIR: RuleConfig = {
  name: 'air',
  source: 'co2',
  side: 'above',
  level: 1200,
  forMs: 300_000,
  clear: 1000,
  clearMs: 600_000,
  limit: { perCent: 60 },
  enact: false,
}

/** Readings at minutes, as people would write them down; what it asks for after each. */
function told(
  rule: Rule,
  readings: readonly (readonly [minute: number, value: number])[],
  scheduled: number | undefined = 300,
) {
  return readings.map(([minute, value]) => {
    const now = minute * 60_000
    rule.hear(value, { now, wall: now, scheduled })
    return rule.demand?.atMost
  })
}

test('it begins only where the level is passed for its whole time', () => {
  const none = undefined
  assert.deepEqual(
    told(new Rule(AIR), [
      [0, 1201],
      [4, 1500],
      [5, 1201],
      [6, 1201],
    ]),
    [none, none, 180, 180],
  )
  assert.deepEqual(
    told(new Rule(AIR), [
      [0, 1300],
      [4, 1200],
      [5, 1300],
      [9, 1300],
      [10, 1300],
    ]),
    [none, none, none, none, 180],
    'the level itself is not above it, and begins the time anew',
  )
})

test('it is over at another level, held for another time', () => {
  const rule = new Rule({ ...AIR, forMs: 0 })
  assert.deepEqual(
    told(rule, [
      [0, 1300],
      [1, 1100],
      [30, 1001],
      [31, 1000],
      [40, 1000],
      [41, 900],
    ]),
    [180, 180, 180, 180, 180, undefined],
  )
})

test('a figure that trembles around its level is one change', () => {
  const rule = new Rule({ ...AIR, forMs: 0, clearMs: 0 })
  const news = Array.from({ length: 100 }, (_, i) =>
    rule.hear(i % 2 === 0 ? 1201 : 1199, { now: i * 1000, wall: i, scheduled: 300 }),
  ).filter(one => one !== undefined)
  assert.deepEqual(news, ['begun'])
})

test('below is the other way round', () => {
  const cars = new Rule({ ...AIR, side: 'below', level: 20, clear: 60, forMs: 0, clearMs: 0, limit: { capacity: 200 } })
  assert.deepEqual(
    told(cars, [
      [0, 20],
      [1, 19],
      [2, 59],
      [3, 60],
    ]),
    [undefined, 200, 200, undefined],
  )
})

test('how many it asks for is fixed when it begins, and never above the schedule', () => {
  const rule = new Rule({ ...AIR, forMs: 0 })
  told(rule, [[0, 1300]], 300)
  // its own limit is what is scheduled by now
  assert.deepEqual(told(rule, [[1, 1300]], 180), [180])
  assert.deepEqual(told(new Rule({ ...AIR, forMs: 0, limit: { capacity: 500 } }), [[0, 1300]], 300), [300])
})

test('a silence begins the time anew, and takes nothing back', () => {
  const rule = new Rule(AIR)
  told(rule, [
    [0, 1300],
    [4, 1300],
  ])
  rule.lost()
  assert.deepEqual(
    told(rule, [
      [5, 1300],
      [9, 1300],
      [10, 1300],
      [11, 900],
      [20, 900],
    ]),
    [undefined, undefined, 180, 180, 180],
  )
  rule.lost()
  assert.deepEqual(
    told(rule, [
      [21, 900],
      [30, 900],
      [31, 900],
    ]),
    [180, 180, undefined],
  )
})

test('without a policy nothing is asked for', () => {
  const rule = new Rule({ ...AIR, forMs: 0 })
  rule.hear(1300, { now: 0, wall: 0, scheduled: undefined })
  assert.equal(rule.demand, undefined)
})

test('whatever is read: it begins after its time above the level without a break, and ends the same way', () => {
  const reading = fc.record({
    afterMs: fc.integer({ min: 1, max: 400_000 }),
    value: fc.integer({ min: 900, max: 1300 }),
  })
  fc.assert(
    fc.property(fc.array(reading, { maxLength: 60 }), readings => {
      const rule = new Rule(AIR)
      let now = 0
      // what an onlooker writes down who knows nothing but the two levels
      const seen: { now: number; value: number }[] = []
      let isOn = false
      for (const { afterMs, value } of readings) {
        now += afterMs
        seen.push({ now, value })
        const holds = (is: (v: number) => boolean, ms: number) => {
          const first = seen.findLastIndex(one => !is(one.value)) + 1
          const from = seen[first]
          return from !== undefined && now - from.now >= ms
        }
        rule.hear(value, { now, wall: now, scheduled: 300 })
        if (isOn ? holds(v => v <= 1000, AIR.clearMs) : holds(v => v > 1200, AIR.forMs)) {
          isOn = !isOn
          // the levels exclude each other: what ended it cannot have begun the next
        }
        assert.equal(rule.demand !== undefined, isOn)
      }
    }),
  )
})

test.run()
