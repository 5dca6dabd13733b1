import assert from 'node:assert/strict'
import fc from 'fast-check'
import { balance, copyCounters, inside, minted, noCounters } from '../../ledger/counters.ts'
import type { Body } from '../../ledger/entry.ts'
import { type BudgetInForce, fold, foldBudget } from '../../ledger/fold.ts'
import { suite } from '../suite.ts'
import { ONE_OF_EACH } from './one-of-each.ts'
import { START, uuid7 } from './paper-mall.ts'

const test = suite('ledger/fold')
const common = { id: uuid7(START, 1), at: START }

test('each type moves its own counter and no other', () => {
  const zero = noCounters()
  const moved = {
    admit: { admitted: 1 },
    forced: undefined,
    lapse: { lapsed: 1 },
    send: undefined,
    receive: { received: { 'anchor/1': 400 }, receivedTotal: 400 },
  } as Readonly<Record<string, object | undefined>>
  for (const body of ONE_OF_EACH) {
    const counters = noCounters()
    fold(counters, body)
    if (body.type === 'exit') assert.deepEqual(counters, { ...zero, exited: body.credited ? 1 : 0 })
    else if (body.type === 'forced') assert.deepEqual(counters, { ...zero, forced: body.count })
    else if (body.type === 'send') {
      assert.deepEqual(counters, { ...zero, sent: { [body.to]: body.amount }, sentTotal: body.amount })
    } else assert.deepEqual(counters, { ...zero, ...moved[body.type] })
  }
})

test('only a budget changes the budget, and the newest is in force', () => {
  let budget: BudgetInForce | undefined
  for (const body of ONE_OF_EACH) budget = foldBudget(budget, body)
  assert.deepEqual(budget, { capacity: 0, correction: 4, reclaimed: 0, carried: 500, version: 4 })
  assert.equal(minted(budget), -504)
})

test('a copy stays as it was', () => {
  const counters = noCounters()
  const copy = copyCounters(counters)
  fold(counters, { ...common, type: 'send', to: 'a/1', amount: 3, why: 'ask' })
  assert.deepEqual(copy, noCounters())
})

const GATES = ['a/1', 'b/1', 'c/1'] as const
const gate = fc.constantFrom(...GATES)
const move = fc.oneof(
  fc.record({ kind: fc.constantFrom('admit', 'exit', 'forced', 'lapse'), gate, n: fc.integer({ min: 1, max: 4 }) }),
  fc.record({
    kind: fc.constantFrom('send', 'receive'),
    gate,
    other: fc.constantFrom('anchor/1', ...GATES),
    n: fc.integer({ min: 1, max: 9 }),
  }),
  fc.record({
    kind: fc.constant('budget'),
    n: fc.nat(50),
    correction: fc.integer({ min: -5, max: 5 }),
    reclaimed: fc.nat(5),
  }),
)

test('occupancy = capacity + reclaimed − Σ balances − Σ in flight, whatever anybody does', () => {
  fc.assert(
    fc.property(fc.array(move, { maxLength: 60 }), moves => {
      const counters = new Map(['anchor/1', ...GATES].map(account => [account, noCounters()]))
      let budget: BudgetInForce = { capacity: 0, correction: 0, reclaimed: 0, carried: 0, version: 1 }
      const write = (account: string, body: Body) => {
        const mine = counters.get(account)
        assert.ok(mine)
        fold(mine, body)
        budget = foldBudget(budget, body) as BudgetInForce
      }
      for (const m of moves) {
        if ('correction' in m) {
          const { n: capacity, correction, reclaimed } = m
          write('anchor/1', { ...common, type: 'budget', capacity, correction, reclaimed, carried: 0, policy: 1 })
        } else if ('other' in m) {
          if (m.other === m.gate) continue
          const [from, to] = m.kind === 'send' ? [m.gate, m.other] : [m.other, m.gate]
          write(from, { ...common, type: 'send', to, amount: m.n, why: 'ask' })
          if (m.n % 2 === 0) write(to, { ...common, type: 'receive', from, amount: m.n, size: 1 })
        } else if (m.kind === 'forced') write(m.gate, { ...common, type: 'forced', count: m.n, why: 'fire' })
        else if (m.kind === 'lapse') write(m.gate, { ...common, type: 'lapse', admit: common.id })
        else if (m.kind === 'exit') write(m.gate, { ...common, type: 'exit', credited: m.n > 1, confidence: 1 })
        else write(m.gate, { ...common, type: 'admit', source: 'local', confidence: 1 })
      }
      let people = budget.correction
      let held = 0
      let inFlight = 0
      for (const [account, c] of counters) {
        people += inside(c)
        held += balance(c, account === 'anchor/1' ? budget : undefined)
        for (const to in c.sent) inFlight += (c.sent[to] ?? 0) - (counters.get(to)?.received[account] ?? 0)
      }
      assert.equal(people, budget.capacity + budget.reclaimed - held - inFlight)
    }),
  )
})

test.run()
