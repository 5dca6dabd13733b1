import assert from 'node:assert/strict'
import type { Answer } from '../../mesh/message.ts'
import { REMEMBERED_MAX, Requests } from '../../node/requests.ts'
import { suite } from '../suite.ts'

const test = suite('core/requests')

const ADMIT: Answer = { decision: 'ADMIT', reason: '', source: 'local' }
const waiting = (id: string, askedAt: number) => ({
  id,
  confidence: 990,
  askedAt,
  until: askedAt + 80,
  latest: askedAt + 200,
})

test('who waits is pending until it is answered, first come first served', () => {
  const requests = new Requests(1000)
  requests.wait(waiting('a', 0))
  requests.wait(waiting('b', 1))
  assert.equal(requests.said('a')?.answer, 'pending')
  assert.deepEqual(
    [requests.nextAt(79, () => true), requests.nextAt(80, () => true)],
    [80, 200],
    'later, where an answer is due',
  )
  assert.deepEqual(
    [requests.nextAt(79, () => false), requests.nextAt(90, () => false)],
    [80, 80],
    'at once, where none is',
  )
  assert.deepEqual([requests.next()?.id, requests.next()?.id, requests.next()?.id], ['a', 'b', undefined])
})

test('an answer is remembered for its time and no longer', () => {
  const requests = new Requests(1000)
  requests.remember('a', ADMIT, 3, 0)
  requests.remember('b', ADMIT, 4, 500)
  requests.forget(1000, 60)
  assert.deepEqual(requests.said('a'), { answer: ADMIT, afterSize: 3, at: 0 })
  requests.forget(1001, 60)
  assert.deepEqual([requests.said('a'), requests.said('b')?.afterSize], [undefined, 4])
})

test('a sensor gone mad fills no memory: the oldest answers go first, and nobody who still waits', () => {
  const requests = new Requests(1000)
  for (let k = 0; k < REMEMBERED_MAX + 10; k++) requests.remember(`${k}`, ADMIT, k, 0)
  requests.forget(0, 60)
  assert.deepEqual([requests.said('9'), requests.said('10')?.afterSize], [undefined, 10])
  requests.wait(waiting('w', 0))
  for (let k = 0; k < 2 * REMEMBERED_MAX; k++) requests.remember(`later ${k}`, ADMIT, k, 0)
  requests.forget(0, 60)
  assert.equal(requests.said('w')?.answer, 'pending')
})

test('an answer that changed is as young as its change', () => {
  const requests = new Requests(1000)
  requests.remember('a', ADMIT, 3, 0)
  requests.remember('b', ADMIT, 4, 10)
  requests.remember('a', { decision: 'REJECT_FAULT', reason: 'disk' }, 0, 20)
  requests.forget(1015, 60)
  assert.deepEqual(
    [requests.said('a')?.answer, requests.said('b')],
    [{ decision: 'REJECT_FAULT', reason: 'disk' }, undefined],
  )
})

test('a grant is overdue once, and never after the disk had it', () => {
  const requests = new Requests(1000)
  for (const [id, size] of [['a', 1] as const, ['b', 2] as const]) requests.grant({ id, size, until: 80 }, 0)
  requests.durable(1)
  assert.deepEqual(requests.overdue(79), [])
  assert.deepEqual(
    requests.overdue(80).map(late => late.id),
    ['b'],
  )
  assert.deepEqual(requests.overdue(99), [])
})

test('all grants still on their way are abandoned together', () => {
  const requests = new Requests(1000)
  for (const [id, size] of [['a', 1] as const, ['b', 2] as const, ['c', 3] as const]) {
    requests.grant({ id, size, until: 80 }, 0)
  }
  requests.durable(1)
  assert.deepEqual(
    requests.abandon().map(opening => opening.id),
    ['b', 'c'],
  )
  assert.deepEqual(requests.abandon(), [])
})

test('an admission lapses at most once, and not when it is long past', () => {
  const requests = new Requests(1000)
  requests.grant({ id: 'a', size: 1, until: 80 }, 0)
  assert.deepEqual([requests.passed('a'), requests.passed('a'), requests.passed('z')], [true, false, false])
  requests.grant({ id: 'b', size: 2, until: 80 }, 0)
  requests.forget(61, 60)
  assert.equal(requests.passed('b'), false)
})

test.run()
