import assert from 'node:assert/strict'
import { suite } from '../../suite.ts'
import { LaneRig } from './lane-rig.ts'

const test = suite('hardware/passage/direction')

const NIGHT_MS = 8 * 3_600_000

/** Somebody is let in and walks: with wires that are swapped the contact of the way out moves. */
const letIn = (rig: LaneRig, id: string, contact: 'in' | 'out') =>
  rig.grant(id).wait(1000).pulse(contact, 200).wait(10_000)

test('swapped contacts are found by the third person who was let in and walked out instead', () => {
  const rig = new LaneRig().wait(1000)
  for (const id of ['a', 'b', 'c']) letIn(rig, id, 'out')
  assert.deepEqual(rig.faults, ['DIRECTION'])
})

test('swapped contacts never hand out a token: no exit of theirs is believed and no grant lapses', () => {
  const rig = new LaneRig().wait(1000)
  for (let k = 0; k < 20; k++) letIn(rig, `g${k}`, 'out')
  assert.equal(rig.inside(), 20)
  assert.ok(rig.people.every(line => line === 'left 0' || line.startsWith('entered g')))
})

test('wires swapped in the middle of a day cost one exit, and are told', () => {
  const rig = new LaneRig().wait(1000)
  for (let k = 0; k < 5; k++) letIn(rig, `a${k}`, 'in')
  for (let k = 0; k < 10; k++) letIn(rig, `b${k}`, 'out')
  assert.ok(rig.hasFault('DIRECTION'))
  assert.equal(rig.inside(), 14)
})

test('wires that were put right are believed again after three people who walked in', () => {
  const rig = new LaneRig().wait(1000)
  for (let k = 0; k < 4; k++) letIn(rig, `a${k}`, 'out')
  for (let k = 0; k < 3; k++) letIn(rig, `b${k}`, 'in')
  assert.deepEqual(rig.faults, ['DIRECTION', 'DIRECTION over'])
  rig.pulse('out', 200).wait(1000)
  assert.equal(rig.people.at(-1), 'left 1000')
})

test('somebody who leaves while another is let in is believed on a lane that knows in from out', () => {
  const rig = new LaneRig().wait(1000)
  letIn(rig, 'a', 'in')
  rig.grant('b').wait(500).pulse('out', 200).wait(1000).pulse('in', 200).wait(10_000)
  assert.deepEqual(rig.people, ['entered a', 'left 1000', 'entered b'])
  assert.deepEqual(rig.faults, [])
})

test('the first event of a day is an entry: exits before it are told and not believed', () => {
  const rig = new LaneRig().wait(1000)
  letIn(rig, 'a', 'in').wait(NIGHT_MS)
  rig.pulse('out', 200).wait(5000)
  letIn(rig, 'b', 'in')
  rig.pulse('out', 200).wait(5000)
  assert.deepEqual(rig.people, ['entered a', 'left 0', 'entered b', 'left 1000'])
})

test('many exits and no entry at the start of a day, on a lane that lets people in, are swapped contacts', () => {
  const rig = new LaneRig().wait(1000)
  letIn(rig, 'a', 'in').wait(NIGHT_MS)
  for (let k = 0; k < 3; k++) letIn(rig, `b${k}`, 'out')
  assert.ok(rig.hasFault('DIRECTION'))
  assert.equal(rig.inside(), 4)
})

test('a lane that lets nobody in is a way out after the first three of a day', () => {
  const rig = new LaneRig().wait(1000)
  rig.pulse('out', 200).wait(NIGHT_MS)
  for (let k = 0; k < 5; k++) rig.pulse('out', 200).wait(5000)
  assert.deepEqual(rig.people, ['left 1000', 'left 0', 'left 0', 'left 0', 'left 1000', 'left 1000'])
  assert.deepEqual(rig.faults, [])
})

test('a lane with a way out only leaves nobody in doubt in the morning', () => {
  const rig = new LaneRig({ signals: ['out'] }).wait(1000)
  rig.pulse('out', 200).wait(NIGHT_MS).pulse('out', 200).wait(5000)
  assert.deepEqual(rig.people, ['left 1000', 'left 1000'])
})

test('a gate that starts in the middle of a day believes the first who leaves', () => {
  const rig = new LaneRig().wait(1000).pulse('out', 200).wait(5000)
  assert.deepEqual(rig.people, ['left 1000'])
})

test.run()
