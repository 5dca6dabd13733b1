import assert from 'node:assert/strict'
import fc from 'fast-check'
import { BrokenLaw } from '../../ledger/fault.ts'
import type { Effect } from '../../mesh/message.ts'
import { Outbox } from '../../mesh/outbox.ts'
import { suite } from '../suite.ts'

const test = suite('core/outbox')

const open = (id: string, afterSize: number): Effect => ({ kind: 'open', id, afterSize })
const answer = (id: string, afterSize: number): Effect => ({
  kind: 'answer',
  id,
  answer: { decision: 'ADMIT', reason: '', source: 'local' },
  afterSize,
})
type Held = Exclude<Effect, { kind: 'append' }>

function outbox(durable = 0): { box: Outbox; out: Effect[]; put: (effect: Effect) => void } {
  const out: Effect[] = []
  const box = new Outbox(durable, effect => out.push(effect))
  return { box, out, put: effect => box.put(effect as Held) }
}

test('nothing leaves before its entry is durable, and everything whose entry is leaves', () => {
  const step = fc.oneof(fc.record({ put: fc.nat(20) }), fc.record({ sync: fc.integer({ min: 1, max: 5 }) }))
  fc.assert(
    fc.property(fc.array(step), steps => {
      const { box, out, put } = outbox()
      let durable = 0
      let given = 0
      for (const each of steps) {
        if ('put' in each) put(open(`${given++}`, each.put))
        else durable += each.sync
        box.durable(durable)
        assert.ok(out.every(effect => effect.kind === 'open' && effect.afterSize <= durable))
        assert.equal(out.length + box.waiting, given)
      }
      box.durable(durable + 20)
      assert.equal(out.length, given)
    }),
  )
})

test('effects of one size leave in the order they were put in', () => {
  const { box, out, put } = outbox()
  for (const id of ['a', 'b', 'c']) put(open(id, 2))
  box.durable(1)
  assert.equal(out.length, 0)
  box.durable(2)
  assert.deepEqual(
    out.map(effect => effect.kind === 'open' && effect.id),
    ['a', 'b', 'c'],
  )
})

test('what depends on nothing does not wait for the disk', () => {
  const { out, put } = outbox()
  put(open('held', 9))
  put({ kind: 'let-out', id: 'p', afterSize: 0 })
  assert.deepEqual(out, [{ kind: 'let-out', id: 'p', afterSize: 0 }])
})

test('a grant is withdrawn whole, or not at all once it has left', () => {
  const { box, out, put } = outbox()
  put(open('a', 1))
  put(answer('a', 1))
  put(open('b', 1))
  assert.equal(box.withdraw('a'), true)
  assert.equal(box.withdraw('a'), false)
  box.durable(1)
  assert.deepEqual(out, [open('b', 1)])
  assert.equal(box.withdraw('b'), false)
})

test('what was withdrawn is waited for no longer, and its id can be let in anew', () => {
  const { box, out, put } = outbox()
  put(open('a', 1))
  put(answer('a', 1))
  assert.equal(box.waiting, 2)
  assert.equal(box.withdraw('a'), true)
  assert.equal(box.waiting, 0)
  put(open('a', 2))
  box.durable(1)
  assert.deepEqual(out, [])
  assert.equal(box.waiting, 1)
  box.durable(2)
  assert.deepEqual(out, [open('a', 2)])
})

test('what was durable stays durable', () => {
  assert.throws(() => outbox(5).box.durable(4), BrokenLaw)
})

test.run()
