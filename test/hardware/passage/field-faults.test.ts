// The faults known from the field (the list at the end of HARDWARE.md), each played against the whole judgement of a lane.

import assert from 'node:assert/strict'
import { suite } from '../../suite.ts'
import { LaneRig } from './lane-rig.ts'

const test = suite('hardware/passage/field-faults')

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS

test('swapped in and out: no exit that was an entry gives a token back, and DIRECTION is told', () => {
  const rig = new LaneRig({ grants: true }).wait(1000)
  for (let k = 0; k < 50; k++) {
    rig.pulse('ask', 200).wait(800).pulse('out', 250).wait(9000)
    // and who really leaves shows as somebody coming in
    if (k % 3 === 0) rig.pulse('in', 250).wait(2000)
  }
  assert.ok(rig.hasFault('DIRECTION'))
  assert.ok(rig.inside() >= 50)
})

test('the first event of a day is an exit: told, and no token comes back for it', () => {
  const rig = new LaneRig().wait(1000)
  rig
    .pulse('in', 200)
    .wait(10 * HOUR_MS)
    .pulse('out', 200)
    .wait(1000)
  assert.deepEqual(rig.people, ['intruded 1 manual', 'left 0'])
})

test('two edges per person are one person', () => {
  for (const signal of ['in', 'out'] as const) {
    const rig = new LaneRig().wait(1000)
    for (let k = 0; k < 100; k++) rig.pulse(signal, 120).wait(200).pulse(signal, 120).wait(1500)
    assert.equal(signal === 'in' ? rig.entries : rig.exits, 100)
    assert.equal(rig.judge.figures.doubles, 100)
    assert.ok(rig.judge.figures.confidence >= 800, 'a sensor that does so all day is still believed')
  }
})

test('a bounce within 500 ms is one person', () => {
  for (let gap = 10; gap < 400; gap += 10) {
    const rig = new LaneRig().wait(1000).pulse('in', 100).wait(gap).pulse('in', 90).wait(2000)
    assert.equal(rig.entries, 1, `${gap} ms after`)
  }
})

test('a device that was reset to 0 takes nothing back: what counting tells of it are people as always', () => {
  const rig = new LaneRig({ signals: [], hasCounters: true }).wait(1000)
  rig.counted(5, ['a', 'b']).wait(1000)
  // the counter was found at 0: from there on it shows who passes
  rig.counted(0, []).wait(1000).counted(1, ['c']).wait(1000)
  assert.equal(rig.entries, 6)
  assert.equal(rig.exits, 3)
})

test('+400 in 4 h near the line: people who linger in the beams are nobody', () => {
  const rig = new LaneRig({ signals: ['beam-a', 'beam-b'] }).wait(1000)
  for (let k = 0; k < 400; k++) {
    const [near, far] = k % 2 === 0 ? (['beam-a', 'beam-b'] as const) : (['beam-b', 'beam-a'] as const)
    rig.level(near, true).wait(700)
    if (k % 3 === 0) rig.pulse(far, 300)
    rig.wait(400).level(near, false).wait(34_600)
  }
  assert.equal(rig.entries, 0)
  assert.equal(rig.exits, 0)
})

test('+400 near the line: phantom exits faster than people walk give back a minute of them and no more', () => {
  const rig = new LaneRig().wait(1000)
  for (let k = 0; k < 400; k++) rig.pulse('out', 100).wait(501)
  assert.equal(rig.exits, 400, 'they are told all the same')
  assert.ok(rig.hasFault('RATE'))
  assert.ok(-rig.inside() <= rig.rules.perMinuteMax, `${-rig.inside()} tokens`)
})

test('phantom entries faster than people walk all count: the safe side', () => {
  const rig = new LaneRig().wait(1000)
  for (let k = 0; k < 400; k++) rig.pulse('in', 100).wait(501)
  assert.equal(rig.entries, 400)
  assert.ok(rig.hasFault('RATE'))
  rig.wait(2 * MINUTE_MS)
  assert.deepEqual(rig.faults, ['RATE', 'RATE over'])
  rig.pulse('out', 200).wait(1000)
  assert.match(rig.people.at(-1) as string, /^left (?!0$)/)
})

test('+400 spikes in 4 h are nobody, cost confidence, and are told when they are many at once', () => {
  const slow = new LaneRig().wait(1000)
  for (let k = 0; k < 400; k++) slow.pulse('out', 30).wait(36_000)
  assert.equal(slow.exits, 0)
  assert.equal(slow.judge.figures.noises, 400)
  const fast = new LaneRig().wait(1000)
  for (let k = 0; k < 40; k++) fast.pulse('out', 30).wait(1000)
  assert.deepEqual(fast.faults, ['NOISE'])
  assert.ok(fast.judge.figures.confidence < 700)
  fast.wait(2 * MINUTE_MS)
  assert.deepEqual(fast.faults, ['NOISE', 'NOISE over'])
  fast.wait(20 * MINUTE_MS).step({ kind: 'ticked' })
  assert.equal(fast.judge.figures.confidence, 1000, 'and comes back in time')
})

test('groups when busy: people close together are never fewer on the way in, and never more on the way out', () => {
  for (const headwayMs of [0, 60, 120, 200, 400]) {
    const rig = new LaneRig({ signals: ['beam-a', 'beam-b'], rules: { perMinuteMax: 120 } }).wait(1000)
    // each person breaks a beam for 300 ms, the second one 150 ms after the first
    const edges: { at: number; signal: 'beam-a' | 'beam-b'; active: boolean }[] = []
    for (let k = 0; k < 5; k++) {
      const from = 2000 + k * (310 + headwayMs)
      edges.push({ at: from, signal: 'beam-a', active: true }, { at: from + 300, signal: 'beam-a', active: false })
      edges.push(
        { at: from + 150, signal: 'beam-b', active: true },
        { at: from + 450, signal: 'beam-b', active: false },
      )
    }
    edges.sort((a, b) => a.at - b.at)
    for (const { at, signal, active } of edges) rig.until(at).level(signal, active)
    rig.wait(2000)
    assert.ok(rig.entries >= 5, `${rig.entries} of 5 at ${headwayMs} ms`)
    assert.ok(-rig.inside() <= 0)
  }
})

test('more exits than entries go below zero as they are: nothing is clamped here', () => {
  const rig = new LaneRig().wait(1000)
  for (let k = 0; k < 10; k++) rig.pulse('out', 200).wait(3000)
  assert.equal(rig.inside(), -10)
  assert.deepEqual({ in: rig.judge.figures.in, out: rig.judge.figures.out }, { in: 0, out: 10 })
})

test('a silent device is unknown and not zero: it is told, and no grant lapses', () => {
  const rig = new LaneRig({ rules: { silentMs: HOUR_MS } }).wait(HOUR_MS + 1000)
  assert.deepEqual(rig.faults, ['SILENT'])
  rig.grant('a').wait(20_000)
  assert.deepEqual(rig.people, ['entered a'])
  rig.pulse('out', 200).wait(1000)
  assert.deepEqual(rig.faults, ['SILENT', 'SILENT over'])
})

test('a contact that was cut off sees nobody: three tokens come back and then none', () => {
  const rig = new LaneRig({ grants: true }).wait(1000)
  for (let k = 0; k < 100; k++) rig.pulse('ask', 200).wait(8000)
  assert.ok(rig.inside() >= 97)
  assert.deepEqual(rig.faults, ['SILENT'])
})

test('a storm of time-outs loses nobody who was let in', () => {
  const rig = new LaneRig({ grants: true }).wait(1000)
  for (let k = 0; k < 50; k++) {
    rig.pulse('ask', 200).wait(200)
    rig.step({ kind: 'link', isUp: false })
    rig.wait(3000)
    rig.step({ kind: 'link', isUp: true })
    rig.wait(6000)
  }
  assert.equal(rig.inside(), 50)
  assert.ok(!rig.people.some(line => line.startsWith('lapsed')))
})

test('a power cut is not two people, and for minutes after it exits are believed less', () => {
  const rig = new LaneRig().wait(1000).level('in', true).level('out', true).wait(HOUR_MS)
  rig.level('in', false).level('out', false).wait(5000)
  assert.deepEqual(rig.people, [])
  rig.pulse('out', 200).wait(1000)
  assert.match(String(rig.people.at(-1)), /^left 5\d\d$/)
  rig
    .wait(20 * MINUTE_MS)
    .pulse('out', 200)
    .wait(1000)
  assert.equal(rig.people.at(-1), 'left 1000')
})

test.run()
