import assert from 'node:assert/strict'
import { suite } from '../../suite.ts'
import { LaneRig } from './lane-rig.ts'

const test = suite('hardware/passage/grants')

/** Longer than the passage window and the guard time. */
const OVER_MS = 7000

test('a grant opens the arm, and whoever walks in on it entered', () => {
  const rig = new LaneRig().wait(1000).grant('a').wait(1500).pulse('in', 300).wait(OVER_MS)
  assert.deepEqual(rig.said, ['open a', 'entered a'])
  assert.deepEqual(rig.judge.pending, [])
})

test('a grant lapses when the passage window and the guard time are over, and not a moment before', () => {
  const rig = new LaneRig().wait(1000).grant('a').wait(5)
  rig.wait(5999)
  assert.deepEqual(rig.people, [])
  assert.deepEqual(rig.judge.pending, ['a'])
  rig.wait(1)
  assert.deepEqual(rig.people, ['lapsed a'])
  assert.deepEqual(rig.judge.pending, [])
})

test('the window begins when the hardware says that the arm is open', () => {
  const rig = new LaneRig({ confirms: 'none' }).wait(1000).grant('a').wait(2000)
  rig.step({ kind: 'opened', id: 'a', isConfirmed: true })
  rig.wait(5999)
  assert.deepEqual(rig.people, [])
  assert.deepEqual(rig.wait(1).people, ['lapsed a'])
})

test('a pulse that the hardware did not confirm never lapses: its person is presumed inside', () => {
  for (const confirms of ['no', 'none'] as const) {
    const rig = new LaneRig({ confirms }).wait(1000).grant('a').wait(OVER_MS)
    assert.deepEqual(rig.people, ['entered a'], confirms)
  }
})

test('a late passage after a lapse is an intrusion', () => {
  const rig = new LaneRig().wait(1000).grant('a').wait(OVER_MS).pulse('in', 200).wait(1000)
  assert.deepEqual(rig.people, ['lapsed a', 'intruded 1 manual'])
})

test('a grant does not lapse while somebody is on the way in, however slowly', () => {
  const rig = new LaneRig().wait(1000).grant('a').wait(5800).pulse('in', 3500).wait(1000)
  assert.deepEqual(rig.people, ['entered a'])
})

test('whatever went wrong within the window, and however briefly, a grant does not lapse', () => {
  const wrongs: Record<string, (rig: LaneRig) => unknown> = {
    'the link was down': rig => {
      rig.step({ kind: 'link', isUp: false })
      rig.wait(50)
      rig.step({ kind: 'link', isUp: true })
    },
    'the power blinked': rig =>
      rig.level('in', true).level('out', true).wait(200).level('in', false).level('out', false),
    'the power went': rig => rig.level('in', true).level('out', true),
    'the arm was let go': rig => {
      rig.step({ kind: 'released', isReleased: true })
      rig.wait(50)
      rig.step({ kind: 'released', isReleased: false })
    },
    'the contact of the way in moved for less than a person': rig => rig.pulse('in', 20),
    'the contact of the way in chattered': rig => {
      for (let k = 0; k < 20; k++) rig.pulse('in', 1).wait(6)
    },
    'a contact sticks': rig => rig.level('out', true),
    'somebody walked out': rig => rig.pulse('out', 200),
    'contacts chatter more than a few times': rig => {
      for (let k = 0; k < 11; k++) rig.pulse('out', 3).wait(50)
    },
  }
  for (const [name, wrong] of Object.entries(wrongs)) {
    const rig = new LaneRig().wait(1000).grant('a').wait(500)
    wrong(rig)
    rig.wait(20_000)
    assert.ok(!rig.people.some(line => line.startsWith('lapsed')), name)
    assert.ok(rig.people.includes('entered a'), name)
  }
})

test('a spike shorter than a bounce does not keep a grant from lapsing', () => {
  const rig = new LaneRig().wait(1000).grant('a').wait(500).pulse('in', 3).wait(OVER_MS)
  assert.deepEqual(rig.people, ['lapsed a'])
})

test('one grant opens the arm at a time; the next one opens when the first has walked', () => {
  const rig = new LaneRig().wait(1000).grant('a').grant('b').wait(1000)
  assert.deepEqual(rig.said, ['open a'])
  assert.deepEqual(rig.judge.pending, ['a', 'b'])
  rig.pulse('in', 200).wait(1500).pulse('in', 200).wait(1000)
  assert.deepEqual(rig.said, ['open a', 'entered a', 'open b', 'entered b'])
})

test('a grant told twice is one grant', () => {
  const rig = new LaneRig().wait(1000).grant('a').grant('a').wait(1000).pulse('in', 200).wait(OVER_MS)
  assert.deepEqual(rig.said, ['open a', 'entered a'])
})

test('who follows within three seconds is a tailgater, later somebody by hand, in FIRE neither', () => {
  const rig = new LaneRig().wait(1000).grant('a').wait(500).pulse('in', 200).wait(2000).pulse('in', 200)
  rig.wait(4000).pulse('in', 200).wait(1000)
  rig.step({ kind: 'released', isReleased: true })
  rig.wait(1000).pulse('in', 200).wait(1000)
  rig.step({ kind: 'released', isReleased: false })
  rig.wait(1000).pulse('in', 200).wait(1000)
  assert.deepEqual(rig.people, [
    'entered a',
    'intruded 1 tailgate',
    'intruded 1 manual',
    'intruded 1 fire',
    'intruded 1 manual',
  ])
})

test('somebody who had begun to walk before the arm opened did not walk on that grant', () => {
  const rig = new LaneRig().wait(1000).level('in', true).wait(50).grant('a').wait(150).level('in', false)
  rig.wait(1000).pulse('in', 200).wait(OVER_MS)
  assert.deepEqual(rig.people, ['intruded 1 manual', 'entered a'])
})

test('a lane that saw nobody on three grants in a row is blind: the next ones do not lapse', () => {
  const rig = new LaneRig().wait(1000)
  for (const id of ['a', 'b', 'c', 'd', 'e']) rig.grant(id).wait(OVER_MS)
  assert.deepEqual(rig.people, ['lapsed a', 'lapsed b', 'lapsed c', 'entered d', 'entered e'])
  assert.deepEqual(rig.faults, ['SILENT'])
  rig.grant('f').wait(1000).pulse('in', 200).wait(1000)
  assert.deepEqual(rig.faults, ['SILENT', 'SILENT over'])
  rig.grant('g').wait(OVER_MS)
  assert.deepEqual(rig.people.slice(5), ['entered f', 'lapsed g'])
})

test('a sensor that misses every second person hands out six tokens and no more', () => {
  const rig = new LaneRig().wait(1000)
  for (let k = 0; k < 40; k++) {
    rig.grant(`g${k}`).wait(1000)
    if (k % 2 === 0) rig.pulse('in', 200)
    rig.wait(OVER_MS)
  }
  assert.equal(rig.people.filter(line => line.startsWith('lapsed')).length, 6)
  assert.ok(rig.hasFault('SILENT'))
})

test('some who turn round now and then lapse, all of them', () => {
  const rig = new LaneRig().wait(1000)
  for (let k = 0; k < 60; k++) {
    rig.grant(`g${k}`).wait(1000)
    if (k % 5 > 0) rig.pulse('in', 200)
    rig.wait(OVER_MS)
  }
  assert.equal(rig.people.filter(line => line.startsWith('lapsed')).length, 12)
  assert.deepEqual(rig.faults, [])
})

test('grants from before a restart are presumed inside, where nothing can tell otherwise', () => {
  const rig = new LaneRig({ pending: ['x', 'y'] }).wait(1000)
  assert.deepEqual(rig.said, ['entered x', 'entered y'])
})

test.run()
