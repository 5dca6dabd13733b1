import assert from 'node:assert/strict'
import type { Clock } from '../../mesh/clock.ts'
import { Discovery } from '../../mesh/lan/discovery.ts'
import { suite } from '../suite.ts'

const test = suite('lan/discovery')

/** A discovery that has no socket, and how long it waits from one question to the next. */
function waits(isAnyoneMissing: () => boolean): { discovery: Discovery; pauses: number[]; next: () => boolean } {
  const pauses: number[] = []
  let timer: (() => void) | undefined
  let now = 0
  const clock: Clock = {
    now: () => now,
    wall: () => 0,
    in: (ms, act) => {
      pauses.push(ms)
      timer = act
      return () => {
        if (timer === act) timer = undefined
      }
    },
  }
  const none = () => undefined
  const discovery = new Discovery({ tag: 't', clock, chance: () => 1, isAnyoneMissing, saw: none, warn: none })
  const next = () => {
    const act = timer
    timer = undefined
    now += pauses.at(-1) ?? 0
    act?.()
    return act !== undefined
  }
  return { discovery, pauses, next }
}

test('while somebody is missing it asks at once, then ever more slowly, but every minute for ever', () => {
  const { discovery, pauses, next } = waits(() => true)
  discovery.start()
  for (let k = 0; k < 1000; k++) assert.equal(next(), true)
  assert.deepEqual(pauses.slice(0, 3), [1000, 1500, 2250])
  assert.equal(pauses.at(-1), 60_000)
})

test('while everyone is here it rests, until somebody goes missing', () => {
  const { discovery, pauses, next } = waits(() => false)
  discovery.start()
  next()
  assert.deepEqual(pauses, [1000, 300_000])
  discovery.quicken()
  assert.equal(pauses.at(-1), 1000)
})

test('whoever hears another ask does not ask', () => {
  const { discovery, pauses, next } = waits(() => true)
  discovery.start()
  discovery.asked()
  assert.deepEqual(pauses, [1000, 1500])
  // its own question comes back to it, and others ask in the same moment
  discovery.asked()
  assert.deepEqual(pauses, [1000, 1500])
  next()
  assert.deepEqual(pauses, [1000, 1500, 2250])
})

test('once stopped it asks no more, whoever goes missing while the rest stops', () => {
  const { discovery, next } = waits(() => true)
  discovery.start()
  discovery.stop()
  assert.equal(next(), false)
  discovery.quicken()
  assert.equal(next(), false)
})

test.run()
