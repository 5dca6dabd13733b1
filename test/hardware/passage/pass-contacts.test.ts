import assert from 'node:assert/strict'
import { suite } from '../../suite.ts'
import { LaneRig } from './lane-rig.ts'

const test = suite('hardware/passage/pass-contacts')

const BOUNCE = [1, 2, 1, 1]

test('a pulse on each contact is one person in and one person out', () => {
  const rig = new LaneRig()
  rig.wait(1000).pulse('in', 200).wait(1000).pulse('out', 200).wait(1000)
  assert.deepEqual(rig.people, ['intruded 1 manual', 'left 1000'])
  assert.deepEqual(rig.faults, [])
})

test('contacts that bounce on both edges tell the same people', () => {
  const rig = new LaneRig()
  rig.wait(1000).pulse('in', 200, BOUNCE).wait(1000).pulse('out', 200, BOUNCE).wait(1000)
  assert.deepEqual(rig.people, ['intruded 1 manual', 'left 1000'])
  assert.equal(rig.judge.figures.noises, 0)
})

test('a pulse is judged by its width: 49 ms are noise, 50 ms are a person', () => {
  for (const [ms, people] of [
    [7, 0],
    [49, 0],
    [50, 1],
    [3999, 1],
  ] as const) {
    const rig = new LaneRig()
    rig.wait(1000).pulse('in', ms).wait(1000)
    assert.equal(rig.entries, people, `${ms} ms`)
    assert.equal(rig.judge.figures.noises, 1 - people, `${ms} ms`)
  }
})

test('a look that took long does not make a person shorter than they may have been', () => {
  for (const [leadMs, people] of [
    [39, 0],
    [40, 1],
  ] as const) {
    const rig = new LaneRig()
    rig.wait(1000).level('in', true, leadMs).wait(10).level('in', false).wait(1000)
    assert.equal(rig.entries, people, `10 ms, and ${leadMs} before`)
  }
})

test('a look that took long does not make two people one: they are as far apart as they were seen', () => {
  const rig = new LaneRig()
  const { doubleMs } = rig.rules
  rig
    .wait(1000)
    .pulse('in', 200)
    .wait(doubleMs - 200)
  rig.level('in', true, doubleMs).wait(100).level('in', false).wait(1000)
  assert.equal(rig.entries, 2)
})

test('a person whom a long look saw may have been there before the grant, and is not the one it was for', () => {
  const rig = new LaneRig()
  rig.wait(1000).grant('one').wait(50).level('in', true, 200).wait(100).level('in', false).wait(1000)
  assert.deepEqual(rig.people, ['intruded 1 manual'])
})

test('a dropout within a pulse does not make two people of one', () => {
  const rig = new LaneRig()
  rig.wait(1000).pulse('out', 300).wait(7).pulse('out', 600).wait(2000)
  assert.deepEqual(rig.people, ['left 1000'])
})

test('two full pulses that only chatter joins are two people on the way in, and one and a doubt on the way out', () => {
  for (const [signal, people] of [
    ['in', ['intruded 1 manual', 'intruded 1 manual']],
    ['out', ['left 1000', 'left 0']],
  ] as const) {
    const rig = new LaneRig()
    rig.wait(1000).pulse(signal, 200)
    for (let k = 0; k < 60; k++) rig.wait(5).pulse(signal, 5)
    rig.wait(5).pulse(signal, 200).wait(2000)
    // the believed exit lost a little to the doubt about the other one
    assert.deepEqual(
      rig.people.map(line => line.replace(/left 9\d\d/, 'left 1000')),
      people,
    )
  }
})

test('a contact that chatters for a whole passage is a person in, and an exit that nobody believes', () => {
  for (const [signal, people] of [
    ['in', ['intruded 1 manual']],
    ['out', ['left 0']],
  ] as const) {
    const rig = new LaneRig()
    rig.wait(1000)
    for (let k = 0; k < 20; k++) rig.pulse(signal, 5).wait(3)
    rig.wait(1000)
    assert.deepEqual(rig.people, people)
  }
})

test('sparse spikes are noise, however long they go on', () => {
  const rig = new LaneRig()
  rig.wait(1000)
  for (let k = 0; k < 20; k++) rig.pulse('in', 1).wait(6)
  rig.wait(1000)
  assert.deepEqual(rig.people, [])
  assert.equal(rig.judge.figures.noises, 1)
})

test('a second pulse within 500 ms of the first is the same person; after that it is the next one', () => {
  const double = new LaneRig()
  double.wait(1000).pulse('in', 100).wait(399).pulse('in', 100).wait(1000)
  assert.deepEqual(double.people, ['intruded 1 manual'])
  assert.equal(double.judge.figures.doubles, 1)

  const next = new LaneRig()
  next.wait(1000).pulse('in', 100).wait(400).pulse('in', 100).wait(1000)
  assert.deepEqual(next.people, ['intruded 1 manual', 'intruded 1 manual'])
  assert.equal(next.judge.figures.doubles, 0)
})

test('doubles do not add up: of a pulse every 300 ms every second one counts', () => {
  const rig = new LaneRig()
  rig.wait(1000)
  for (let k = 0; k < 10; k++) rig.pulse('in', 100).wait(200)
  rig.wait(1000)
  assert.equal(rig.entries, 5)
})

test('a bounce right behind a long pulse is the same person', () => {
  const rig = new LaneRig()
  rig.wait(1000).pulse('out', 900).wait(30).pulse('out', 60).wait(30).pulse('out', 60).wait(2000)
  assert.equal(rig.exits, 1)
  assert.equal(rig.judge.figures.doubles, 2)
})

test('an exit soon after a long pulse is told and not believed, for it may be the bounce of that one', () => {
  const rig = new LaneRig()
  rig.wait(1000).pulse('out', 600).wait(300).pulse('out', 100).wait(1000)
  assert.deepEqual(rig.people, ['left 1000', 'left 0'])
})

test('in and out within one second are two people', () => {
  const rig = new LaneRig()
  rig.wait(1000).level('in', true).wait(100).level('out', true).wait(100).level('in', false)
  rig.wait(100).level('out', false).wait(1000)
  assert.deepEqual(rig.people.sort(), ['intruded 1 manual', 'left 1000'])
})

test('both contacts that open together and stay are the power, and nobody', () => {
  const rig = new LaneRig()
  rig.wait(1000).level('in', true).wait(40).level('out', true).wait(60_000)
  assert.deepEqual(rig.people, [])
  assert.deepEqual(rig.faults, ['POWER'])
  rig.level('out', false).wait(20).level('in', false).wait(10_000)
  assert.deepEqual(rig.people, [])
  assert.deepEqual(rig.faults, ['POWER', 'POWER over'])
  rig.pulse('in', 200).wait(1000)
  assert.deepEqual(rig.people, ['intruded 1 manual'])
})

test('power that comes back with contacts that bounce lets nobody in or out', () => {
  const rig = new LaneRig()
  rig.wait(1000).level('in', true).level('out', true).wait(30_000)
  rig.level('out', false).wait(300).edge('in', false, BOUNCE).wait(40).pulse('in', 60).pulse('out', 20)
  rig.wait(5000)
  assert.deepEqual(rig.people, [])
})

test('a blink of the power is nobody, and is told', () => {
  const rig = new LaneRig()
  rig.wait(1000).level('out', true).wait(3).level('in', true).wait(250)
  rig.level('in', false).wait(10).level('out', false).wait(1000)
  assert.deepEqual(rig.people, [])
  assert.deepEqual(rig.faults, ['POWER', 'POWER over'])
})

test('contacts that open together and close apart are of doubt: one in, and an exit that nobody believes', () => {
  const rig = new LaneRig()
  rig.wait(1000).level('out', true).wait(3).level('in', true).wait(250)
  rig.level('in', false).wait(300).level('out', false).wait(1000)
  assert.deepEqual(rig.people, ['intruded 1 manual', 'left 0'])
})

test('noise on the way out does not make power loss of somebody who walks in', () => {
  const rig = new LaneRig()
  rig.wait(1000).level('in', true)
  for (let k = 0; k < 6; k++) rig.pulse('out', 4).wait(4)
  rig.wait(200).level('in', false).wait(1000)
  assert.deepEqual(rig.people, ['intruded 1 manual'])
})

test('somebody who was on the way in when the power went is inside', () => {
  const rig = new LaneRig()
  rig.wait(1000).level('in', true).wait(200).level('out', true).wait(20_000)
  assert.deepEqual(rig.people, ['intruded 1 manual'])
  assert.ok(rig.hasFault('POWER'))
  rig.level('in', false).level('out', false).wait(1000)
  assert.deepEqual(rig.people, ['intruded 1 manual'])
  assert.deepEqual(rig.faults, ['POWER', 'POWER over'])
})

test('somebody who was on the way out when the power went is told and not believed', () => {
  const rig = new LaneRig()
  rig.wait(1000).level('out', true).wait(200).level('in', true).wait(20_000)
  assert.deepEqual(rig.people, ['left 0', 'intruded 1 manual'])
  assert.ok(rig.hasFault('POWER'))
})

test('one contact alone that stays is stuck: it counts once on the way in and is not believed on the way out', () => {
  for (const [signal, people] of [
    ['in', ['intruded 1 manual']],
    ['out', ['left 0']],
  ] as const) {
    const rig = new LaneRig()
    rig.wait(1000).level(signal, true).wait(600_000)
    assert.deepEqual(rig.people, people)
    assert.deepEqual(rig.faults, ['STUCK'])
    rig.level(signal, false).wait(1000)
    assert.deepEqual(rig.people, people)
    assert.deepEqual(rig.faults, ['STUCK', 'STUCK over'])
  }
})

test('the other way still counts while one contact is stuck', () => {
  const rig = new LaneRig()
  rig.wait(1000).level('out', true).wait(10_000).pulse('in', 200).wait(1000)
  assert.deepEqual(rig.people, ['left 0', 'intruded 1 manual'])
})

test('a lane with one contact takes a long pulse for the power', () => {
  const rig = new LaneRig({ signals: ['out'] })
  rig.wait(1000).level('out', true).wait(10_000).level('out', false).wait(1000)
  assert.deepEqual(rig.people, [])
  assert.deepEqual(rig.faults, ['POWER', 'POWER over'])
})

test('a passage under way when we start counts on the way in, however little of it we see', () => {
  const rig = new LaneRig({ signals: [] })
  const started = new LaneRig({ signals: ['in', 'out'] })
  assert.equal(rig.entries, 0)
  // the first thing ever read of both contacts
  started.judge.step({ kind: 'link', isUp: false }, 0)
  started.judge.step({ kind: 'link', isUp: true }, 0)
  started.level('in', true).wait(20).level('in', false).wait(1000)
  started.level('out', true).wait(200).level('out', false).wait(1000)
  assert.deepEqual(started.people, ['intruded 1 manual', 'left 0'])
})

test('contacts that are open when we start, and stay so, are nobody', () => {
  const rig = new LaneRig({ signals: ['in', 'out'] })
  rig.step({ kind: 'link', isUp: false })
  rig.step({ kind: 'link', isUp: true })
  rig.level('in', true).wait(60_000)
  assert.deepEqual(rig.people, [])
  assert.ok(rig.hasFault('STUCK'))
})

test('a link that breaks in the middle of a passage counts it on the way in', () => {
  for (const [signal, people] of [
    ['in', ['intruded 1 manual']],
    ['out', ['left 0']],
  ] as const) {
    const rig = new LaneRig()
    rig.wait(1000).level(signal, true).wait(100)
    rig.step({ kind: 'link', isUp: false })
    rig.wait(30_000)
    rig.step({ kind: 'link', isUp: true })
    rig.level(signal, false).wait(1000)
    assert.deepEqual(rig.people, people)
  }
})

test.run()
