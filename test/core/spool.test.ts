import assert from 'node:assert/strict'
import type { Clock } from '../../mesh/clock.ts'
import { Spool } from '../../mesh/spool.ts'
import { suite } from '../suite.ts'

const test = suite('core/spool')

function spool() {
  const stored: string[] = []
  const alarms = new Map<() => void, number>()
  const clock: Clock = {
    now: () => 0,
    wall: () => 0,
    in: (ms, act) => {
      alarms.set(act, ms)
      return () => alarms.delete(act)
    },
  }
  const ring = () => {
    for (const act of [...alarms.keys()]) {
      alarms.delete(act)
      act()
    }
  }
  return { box: new Spool(clock, line => stored.push(line)), stored, alarms, ring }
}

test('a line that somebody waits for goes to the store at once, behind all that were written before it', () => {
  const { box, stored, alarms } = spool()
  box.put('a', false)
  box.put('b', false)
  assert.deepEqual(stored, [])
  assert.equal(box.waiting, 2)
  box.put('c', true)
  assert.deepEqual(stored, ['a', 'b', 'c'])
  assert.equal(box.waiting, 0)
  assert.equal(alarms.size, 0)
})

test('lines that nobody waits for go together, a moment after the first of them', () => {
  const { box, stored, alarms, ring } = spool()
  box.put('a', false)
  box.put('b', false)
  assert.deepEqual([...alarms.values()], [20])
  ring()
  assert.deepEqual(stored, ['a', 'b'])
  box.put('c', false)
  assert.equal(alarms.size, 1)
  box.flush()
  assert.deepEqual(stored, ['a', 'b', 'c'])
  assert.equal(alarms.size, 0)
})

test('what was for a ledger that is gone is not written to the next', () => {
  const { box, stored, ring } = spool()
  box.put('a', false)
  box.drop()
  ring()
  box.flush()
  assert.deepEqual(stored, [])
})

test.run()
