import assert from 'node:assert/strict'
import fc from 'fast-check'
import { LIMITS } from '../../mesh/limits.ts'
import { brokerOf, grant, handOut, isScarce, kept, type Place, push, shareOfDebt } from '../../mesh/trade.ts'
import { suite } from '../suite.ts'

const test = suite('core/trade')

const tokens = fc.integer({ min: -5, max: 40 })
const some = fc.integer({ min: 1, max: 40 })
const demand = fc.oneof(fc.constant(0), fc.double({ min: 0.01, max: 20, noNaN: true }))

/** Gates g0, g1, … as a trader sees them. */
const places = (min: number, each: { balance?: fc.Arbitrary<number>; demand?: fc.Arbitrary<number> } = {}) =>
  fc
    .array(fc.record({ balance: each.balance ?? tokens, coming: fc.nat(5), demand: each.demand ?? demand }), {
      minLength: min,
      maxLength: 8,
    })
    .map(list => list.map((p, i): Place => ({ name: `g${i}`, account: `g${i}/1`, ...p })))

const sum = (numbers: readonly number[]) => numbers.reduce((a, b) => a + b, 0)

test('a donor gives no more than it can spare, the taker wants, or the taker may hold', () => {
  const ask = fc.record({
    spare: tokens,
    want: some,
    waiting: fc.nat(10),
    scarce: fc.boolean(),
    held: tokens,
    room: tokens,
  })
  fc.assert(
    fc.property(ask, a => {
      const given = grant(a)
      assert.ok(given >= 0 && Number.isInteger(given))
      assert.ok(given === 0 || given <= Math.min(a.spare, a.want, a.room))
      if (a.scarce) assert.ok(given <= a.waiting)
    }),
  )
})

test('who can spare one never refuses somebody who waits', () => {
  const ask = fc.record({ spare: some, want: some, waiting: some, scarce: fc.boolean(), held: tokens, room: some })
  fc.assert(fc.property(ask, a => assert.ok(grant(a) >= 1)))
})

test('while there is plenty, one ask takes half of what can be spared, unless more people wait', () => {
  const plenty = { scarce: false, held: 0, room: 99, want: 99 }
  assert.equal(grant({ ...plenty, spare: 20, waiting: 1 }), 10)
  assert.equal(grant({ ...plenty, spare: 20, waiting: 15 }), 15)
  assert.equal(grant({ ...plenty, spare: 20, waiting: 0 }), 10)
})

test('two gates that run low do not pass tokens to and fro: who gives ahead of need keeps as much as the other has', () => {
  const two = fc.record({ spare: some, held: fc.nat(40) })
  fc.assert(
    fc.property(two, ({ spare, held }) => {
      const given = grant({ spare, held, want: 99, waiting: 0, scarce: false, room: 99 })
      assert.ok(given === 0 || spare - given >= held + given, `${given} given`)
      assert.equal(given > 0, spare >= held + 2)
    }),
  )
})

test('the shares of all holders cover the debt when they hold enough, and none pays more than it has', () => {
  const mall = fc.record({ debt: tokens, held: fc.array(tokens, { minLength: 1, maxLength: 10 }) })
  fc.assert(
    fc.property(mall, ({ debt, held }) => {
      const everyone = sum(held.map(own => Math.max(0, own)))
      const shares = held.map(own => shareOfDebt(debt, own, everyone))
      for (const [i, share] of shares.entries()) assert.ok(share >= 0 && share <= Math.max(0, held[i] ?? 0))
      assert.ok(sum(shares) >= Math.min(Math.max(0, debt), everyone))
    }),
  )
})

test('nobody pays more than the debt, even when it believes to hold more than everyone', () => {
  fc.assert(fc.property(some, some, fc.nat(5), (debt, own, everyone) => shareOfDebt(debt, own, everyone) <= debt))
})

test('a push leaves the taker within its limit and, of two equally busy gates, never the poorer one giving', () => {
  const even = places(2, { demand: fc.constant(1) }).chain(all => fc.tuple(fc.constant(all), some))
  fc.assert(
    fc.property(even, ([[own, ...others], maxHeld]) => {
      const moved = push(own as Place, others, maxHeld)
      if (moved === undefined) return
      const taker = others.find(p => p.account === moved.to) as Place
      const has = taker.balance + taker.coming + moved.amount
      assert.ok(moved.amount >= 1 && Number.isInteger(moved.amount))
      assert.ok(has <= maxHeld)
      assert.ok((own as Place).balance - moved.amount >= has)
    }),
    { numRuns: 1000 },
  )
})

test('pushes come to rest', () => {
  fc.assert(
    fc.property(places(2), some, (start, maxHeld) => {
      let all = start.map(p => ({ ...p, coming: 0 }))
      const total = sum(all.map(p => p.balance))
      for (let round = 0; round < 50; round++) {
        let rests = true
        for (const { account } of all) {
          const own = all.find(p => p.account === account) as Place
          const moved = push(
            own,
            all.filter(p => p !== own),
            maxHeld,
          )
          if (moved === undefined) continue
          rests = false
          const by = (p: Place) => (p === own ? -moved.amount : p.account === moved.to ? moved.amount : 0)
          all = all.map(p => ({ ...p, balance: p.balance + by(p) }))
        }
        if (rests) return assert.equal(sum(all.map(p => p.balance)), total)
      }
      assert.fail('still pushing after 50 rounds')
    }),
  )
})

test('a hand-out gives all that fits under the most a gate may hold, and nothing above it', () => {
  fc.assert(
    fc.property(places(1), some, some, (gates, amount, maxHeld) => {
      const parts = handOut(amount, gates, maxHeld)
      assert.equal(new Set(parts.map(part => part.to)).size, parts.length)
      const room = (p: Place) => Math.max(0, maxHeld - p.balance - p.coming)
      for (const part of parts) {
        const gate = gates.find(p => p.account === part.to) as Place
        assert.ok(part.amount >= 1 && Number.isInteger(part.amount) && part.amount <= room(gate))
      }
      assert.equal(sum(parts.map(part => part.amount)), Math.min(amount, sum(gates.map(room))))
    }),
    { numRuns: 1000 },
  )
})

test('nothing is kept for as many as a lane lets through; for a crowd, what it takes within a decision', () => {
  const lane = LIMITS.demandPerSecondMax
  fc.assert(fc.property(fc.double({ min: 0, max: lane, noNaN: true }), rate => assert.equal(kept(rate, LIMITS), 0)))
  assert.equal(kept(lane + 1000, LIMITS), LIMITS.decisionMs)
})

test('nobody to hand out to: nothing is handed out', () => {
  assert.deepEqual(handOut(5, [], 10), [])
})

test('scarcity begins below three per gate and ends at four and a half', () => {
  const scarce = (free: number, was: boolean) => isScarce(free, 10, was, LIMITS)
  assert.deepEqual(
    [scarce(29, false), scarce(30, false), scarce(44, true), scarce(45, true)],
    [true, false, true, false],
  )
})

test('all who see the same hints name the same broker, and it is the busiest', () => {
  const shuffled = places(1).chain(all =>
    fc.tuple(fc.constant(all), fc.shuffledSubarray(all, { minLength: all.length })),
  )
  fc.assert(
    fc.property(shuffled, ([a, b]) => {
      const broker = brokerOf(a, undefined)
      assert.equal(brokerOf(b, undefined), broker)
      const busiest = Math.max(...a.map(p => p.demand))
      const { demand: busy = 0 } = a.find(p => p.name === broker) ?? {}
      assert.ok(busy >= busiest / 2 || busiest <= 0.2, `${busy} of ${busiest}`)
    }),
  )
})

const at = (name: string, busy: number): Place => ({
  name,
  account: `${name}/1`,
  balance: 0,
  coming: 0,
  demand: busy,
})

test('a broker stays while it is about as busy as any, or until it is out of reach', () => {
  assert.equal(brokerOf([at('east', 4.2), at('west', 6)], undefined), 'east')
  assert.equal(brokerOf([at('east', 3.8), at('west', 6)], 'east'), 'east')
  assert.equal(brokerOf([at('east', 3), at('west', 6)], 'east'), 'west')
  assert.equal(brokerOf([at('west', 1)], 'east'), 'west')
  assert.equal(brokerOf([], 'east'), undefined)
})

test('gates that named different brokers agree once they heard the same', () => {
  const heard = [at('east', 11), at('north', 9), at('west', 10)]
  const named = ['east', 'north', 'west', undefined].map(last => brokerOf(heard, last))
  assert.deepEqual(new Set(named), new Set(['east']))
})

test.run()
