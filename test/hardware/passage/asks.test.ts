import assert from 'node:assert/strict'
import { suite } from '../../suite.ts'
import { LaneRig } from './lane-rig.ts'

const test = suite('hardware/passage/asks')

const asks = (rig: LaneRig) => rig.said.filter(line => line === 'asked').length
const refuse = (rig: LaneRig) => {
  rig.step({ kind: 'refuse', id: 'no' })
  return rig
}

test('somebody before the arm asks once, whatever the contact bounces', () => {
  const rig = new LaneRig().wait(1000).edge('ask', true, [1, 2, 1, 2]).wait(2000).edge('ask', false, [1, 1, 2])
  rig.wait(1000)
  assert.equal(asks(rig), 1)
})

test('the question comes as soon as the contact has stopped bouncing, and tells the confidence', () => {
  const rig = new LaneRig().wait(1000).level('ask', true).wait(8)
  assert.deepEqual(rig.played, [{ at: 1008, output: { kind: 'asked', confidence: 1000 } }])
})

test('a spike asks nothing', () => {
  const rig = new LaneRig().wait(1000).pulse('ask', 5).wait(1000)
  assert.equal(asks(rig), 0)
  assert.equal(rig.judge.figures.noises, 1)
})

test('an ask while a grant is open is told when the lane is idle again, if its person still stands there', () => {
  const rig = new LaneRig().wait(1000).pulse('ask', 100).wait(10).grant('a').wait(500)
  rig.level('ask', true).wait(4000)
  assert.equal(asks(rig), 1)
  rig.pulse('in', 200).wait(100)
  assert.deepEqual(rig.said, ['asked', 'open a', 'entered a', 'asked'])
})

test('one who pressed within three seconds and let go is remembered, one who did before that is gone', () => {
  for (const [ms, count] of [
    [2500, 2],
    [3500, 1],
  ] as const) {
    const rig = new LaneRig().wait(1000).pulse('ask', 100).wait(10).grant('a').wait(500)
    rig
      .pulse('ask', 100)
      .wait(ms - 100 - 208)
      .pulse('in', 200)
      .wait(1000)
    assert.equal(asks(rig), count, `${ms} ms`)
  }
})

test('pressing again before the answer is the same question', () => {
  const rig = new LaneRig().wait(1000).pulse('ask', 100).wait(100).pulse('ask', 100).wait(100)
  refuse(rig).wait(1000)
  assert.equal(asks(rig), 1)
})

test('an answer that never comes does not close the lane for ever', () => {
  const rig = new LaneRig().wait(1000).pulse('ask', 100).wait(6000).pulse('ask', 100).wait(1000)
  assert.equal(asks(rig), 2)
})

test('whoever stays after a no asks again now and then; who left does not', () => {
  const stays = refuse(new LaneRig().wait(1000).level('ask', true).wait(100)).wait(4900)
  assert.equal(asks(stays), 1)
  assert.equal(asks(stays.wait(200)), 2)
  const leaves = refuse(new LaneRig().wait(1000).pulse('ask', 500).wait(100)).wait(60_000)
  assert.equal(asks(leaves), 1)
})

test('a contact that is still held after a grant that nobody took does not ask again by itself', () => {
  const rig = new LaneRig().wait(1000).level('ask', true).wait(100).grant('a').wait(20_000)
  assert.deepEqual(rig.said, ['asked', 'open a', 'lapsed a'])
})

test('a contact that is held for a minute is stuck and asks no more until it was let go', () => {
  const rig = new LaneRig().wait(1000).level('ask', true)
  for (let k = 0; k < 30; k++) refuse(rig.wait(5000))
  assert.deepEqual(rig.faults, ['STUCK'])
  assert.ok(asks(rig) <= 12, `${asks(rig)} questions`)
  const before = asks(rig)
  rig.level('ask', false).wait(100).level('ask', true).wait(100)
  assert.deepEqual(rig.faults, ['STUCK', 'STUCK over'])
  assert.equal(asks(rig), before + 1)
})

test('nobody is asked about while the arm is let go, the power is gone or the link is down', () => {
  const released = new LaneRig().wait(1000)
  released.step({ kind: 'released', isReleased: true })
  const dark = new LaneRig().wait(1000).level('in', true).level('out', true).wait(5000)
  const cut = new LaneRig().wait(1000)
  cut.step({ kind: 'link', isUp: false })
  for (const rig of [released, dark, cut]) assert.equal(asks(rig.pulse('ask', 500).wait(5000)), 0)
})

test('a queue walks in one by one on one contact that is never free', () => {
  const rig = new LaneRig({ grants: true }).wait(1000).level('ask', true)
  for (let k = 0; k < 10; k++) rig.wait(1500).pulse('in', 300)
  rig.wait(300)
  assert.deepEqual(
    rig.people,
    Array.from({ length: 10 }, (_, k) => `entered auto-${k + 1}`),
  )
})

test.run()
