import assert from 'node:assert/strict'
import { suite } from '../../suite.ts'
import { LaneRig, type RigOptions } from './lane-rig.ts'

const test = suite('hardware/passage/counters')

const counted = (options: RigOptions = {}) => new LaneRig({ signals: [], hasCounters: true, ...options }).wait(1000)

/** A counter that is read every half second and shows nothing new. */
function read(rig: LaneRig, ms: number): LaneRig {
  for (let at = 0; at < ms; at += 500) rig.wait(500).counted(0)
  return rig
}

test('what a counter shows are people: on a grant, and beyond it', () => {
  const rig = counted().grant('a').wait(1000).counted(3).wait(10_000).counted(2)
  assert.deepEqual(rig.people, ['entered a', 'intruded 2 tailgate', 'intruded 2 manual'])
})

test('exits of a counter keep their ids and the confidence they came with', () => {
  const rig = counted().counted(0, ['x', 'y']).counted(0, ['z'], 0).counted(0, ['w'], 700)
  assert.deepEqual(rig.people, ['left 1000 x', 'left 1000 y', 'left 0 z', 'left 700 w'])
  assert.equal(rig.judge.figures.out, 4)
})

test('a grant lapses only after a look at the counters that came after the window', () => {
  assert.deepEqual(read(counted().grant('a'), 6500).people, ['lapsed a'])
  const blind = counted().grant('a').wait(2000).counted(0).wait(60_000)
  assert.deepEqual(blind.people, [])
  assert.deepEqual(blind.judge.pending, ['a'])
  assert.deepEqual(blind.counted(0).wait(10).people, ['entered a'])
})

test('a passage that a counter shows late is that of the grant that waited for it', () => {
  const rig = counted().grant('a').wait(1000)
  rig.step({ kind: 'link', isUp: false })
  rig.wait(600_000)
  assert.deepEqual(rig.people, [])
  rig.step({ kind: 'link', isUp: true })
  rig.counted(1).wait(10_000)
  assert.deepEqual(rig.people, ['entered a'])
})

test('a grant that waits for its counter does not keep the next one from opening', () => {
  const rig = counted().grant('a').grant('b').wait(12_000)
  assert.deepEqual(rig.said, ['open a', 'open b'])
  rig.counted(2).wait(1000)
  assert.deepEqual(rig.people, ['entered a', 'entered b'])
})

test('grants from before a restart get the entries that the counter shows first', () => {
  const rig = counted({ pending: ['x', 'y'] })
  assert.deepEqual(rig.judge.pending, ['x', 'y'])
  assert.deepEqual(rig.said, [])
  rig.counted(1).wait(10)
  assert.deepEqual(rig.people, ['entered x', 'entered y'])
  assert.deepEqual(rig.counted(1).people.slice(2), ['intruded 1 tailgate'])
})

test('pulses beside a counter are compared and never added', () => {
  const rig = counted({ signals: ['in', 'out'] })
  for (let k = 0; k < 5; k++) rig.pulse('in', 200).wait(300).counted(1).wait(8000)
  for (let k = 0; k < 5; k++)
    rig
      .pulse('out', 200)
      .wait(300)
      .counted(0, [`x${k}`])
      .wait(8000)
  assert.equal(rig.entries, 5)
  assert.equal(rig.exits, 5)
  assert.deepEqual(rig.faults, [])
})

test('pulses and counters that tell different stories are told as that, and are believed less', () => {
  const rig = counted({ signals: ['in', 'out'] })
  rig.pulse('out', 200).wait(300).counted(0, ['a']).wait(8000)
  rig.counted(0, ['b', 'c']).wait(8000)
  assert.deepEqual(rig.faults, ['DISAGREE'])
  rig.pulse('out', 200).wait(300).counted(0, ['d']).wait(8000)
  const last = rig.people.at(-1) as string
  assert.match(last, /^left 7\d\d d$/)
  for (let k = 0; k < 4; k++) rig.pulse('in', 200).wait(300).counted(1).wait(8000)
  assert.deepEqual(rig.faults, ['DISAGREE', 'DISAGREE over'])
})

test('in a rush that never rests, sensors that part are found out all the same', () => {
  const rig = counted({ signals: ['in', 'out'], rules: { perMinuteMax: 100 } })
  for (let k = 0; k < 30; k++) {
    rig.pulse('in', 200).wait(800)
    if (k % 4 > 0) rig.counted(1)
  }
  assert.ok(rig.hasFault('DISAGREE'))
})

test('a reading that comes in one piece after a long gap does not disagree with pulses nobody saw', () => {
  const rig = counted({ signals: ['in', 'out'] })
  rig.pulse('in', 200).wait(100)
  rig.step({ kind: 'link', isUp: false })
  rig.wait(60_000)
  rig.step({ kind: 'link', isUp: true })
  rig.wait(100)
  assert.deepEqual(rig.faults, [])
})

test('a pulse on the way in keeps a grant from lapsing although the counter says nothing', () => {
  const rig = counted({ signals: ['in', 'out'] })
    .grant('a')
    .wait(1000)
    .pulse('in', 200)
  assert.deepEqual(read(rig, 8000).people, ['entered a'])
})

test('beams beside PASS contacts only compare', () => {
  const rig = new LaneRig({ signals: ['in', 'out', 'beam-a', 'beam-b'] }).wait(1000)
  const walk = () => {
    rig.level('beam-a', true).wait(100).level('beam-b', true).level('in', true).wait(100)
    rig.level('beam-a', false).wait(100).level('in', false).level('beam-b', false).wait(8000)
  }
  walk()
  walk()
  assert.deepEqual(rig.people, ['intruded 1 manual', 'intruded 1 manual'])
  assert.deepEqual(rig.faults, [])
  rig.pulse('in', 200).wait(8000)
  assert.deepEqual(rig.faults, ['DISAGREE'])
})

test.run()
