import assert from 'node:assert/strict'
import type { OpticalConfig } from '../../../hardware/optical/config.ts'
import { Counter } from '../../../hardware/optical/counter.ts'
import type { OpticalMessage, OpticalReading } from '../../../hardware/optical/reading.ts'
import { suite } from '../../suite.ts'

const test = suite('hardware/optical/counter')

const PUSHED: OpticalConfig = { name: 'north', format: 'xovis', isSwapped: false }
const PULLED: OpticalConfig = { ...PUSHED, format: 'axis', pull: { url: 'http://x/', everyMs: 5000, timeoutMs: 3000 } }
const MINUTE = 60_000

const total = (device: string, people: number): OpticalReading => {
  return { device, counts: 'cumulative', in: people, out: 0 }
}
const report = (minute: number, people: number, minutes = 1): OpticalMessage => {
  const time = minute * MINUTE
  const until = time + minutes * MINUTE
  return { readings: [{ device: 'd', counts: 'interval', in: people, out: 0, id: String(time), time, until }] }
}

test('a counter that was never heard is unknown; one that is heard is sound', () => {
  const counter = new Counter(PULLED, 0)
  assert.deepEqual([counter.isHeard, counter.isSound(1000), counter.isSilent(1000)], [false, false, false])
  assert.equal(counter.isSilent(24_001), true)
  counter.hear({ readings: [total('d', 5)] }, 30_000, 0)
  assert.deepEqual([counter.isSound(30_000), counter.isSilent(54_000), counter.isSilent(54_001)], [true, false, true])
})

test('how long it may say nothing follows from how often it speaks, unless the config says it', () => {
  const pushing = new Counter(PUSHED, 0)
  assert.deepEqual([pushing.isSilent(300_000), pushing.isSilent(300_001)], [false, true])
  pushing.hear(report(0, 1, 15), 0, 0)
  assert.deepEqual([pushing.isSilent(2_700_000), pushing.isSilent(2_700_001)], [false, true])
  const told = new Counter({ ...PUSHED, silentMs: 10_000 }, 0)
  assert.deepEqual([told.isSilent(10_000), told.isSilent(10_001)], [false, true])
})

test('how long people take to show up follows from how it is heard', () => {
  assert.equal(new Counter(PUSHED, 0).settleMs, 10_000)
  assert.equal(new Counter(PULLED, 0).settleMs, 23_000)
  assert.equal(new Counter({ ...PUSHED, walkMs: 45_000 }, 0).settleMs, 45_000)
  const reporting = new Counter(PUSHED, 0)
  reporting.hear(report(0, 1), 0, 0)
  assert.equal(reporting.settleMs, 10_000 + 2 * MINUTE)
  // a clock that jumped a year
  reporting.hear(report(1, 1, 525_600), 0, 0)
  assert.equal(reporting.settleMs, 10_000 + 120 * MINUTE)
})

test('after something was lost it is not sound until people had time to show up', () => {
  const counter = new Counter(PUSHED, 0)
  for (const [k, people] of [100, 101, 0, 0].entries()) {
    counter.hear({ readings: [total('d', people)] }, k * 1000, k * 1000)
  }
  assert.deepEqual([counter.isSound(3000), counter.isSound(12_999), counter.isSound(13_000)], [false, false, true])
  assert.deepEqual(counter.people, { in: 1, out: 0 })
})

test('several devices and lines are added up, each with its own beginning', () => {
  const counter = new Counter(PUSHED, 0)
  counter.hear({ readings: [total('a', 10)] }, 0, 0)
  counter.hear({ readings: [total('b', 9000)] }, 0, 0)
  counter.hear({ readings: [total('a', 12), total('b', 9003)] }, 0, 0)
  assert.deepEqual(counter.people, { in: 5, out: 0 })
})

test('however many devices somebody invents, memory stays small, and those at work are not forgotten', () => {
  const counter = new Counter(PUSHED, 0)
  for (let k = 0; k < 500; k++) {
    counter.hear(
      { readings: [total('real', k), total(`ghost-${k}`, 1)], package: { device: `g${k}`, number: 1 } },
      0,
      0,
    )
  }
  assert.ok(Object.keys(counter.memory.devices).length <= 64)
  assert.equal(counter.people.in, 499)
})

test('numbers of messages show which never came, and begin anew with the device', () => {
  const counter = new Counter(PUSHED, 0)
  const heard = (number: number) => {
    counter.hear({ readings: [], package: { device: 'd', number } }, 0, 0)
    return counter.missing
  }
  assert.deepEqual([7, 8, 12, 10, 13, 500, 0, 1].map(heard), [0, 0, 3, 3, 3, 489, 489, 489])
})

test('what is remembered goes on where it was', () => {
  const before = new Counter(PUSHED, 0)
  before.hear({ readings: [total('d', 10)] }, 0, 0)
  const after = new Counter(PUSHED, 0, JSON.parse(JSON.stringify(before.memory)))
  assert.deepEqual([before.hasMemory, after.hasMemory, after.isHeard], [false, true, false])
  after.hear({ readings: [total('d', 14)] }, 0, 0)
  assert.deepEqual(after.people, { in: 4, out: 0 })
})

test.run()
