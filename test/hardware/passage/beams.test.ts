import assert from 'node:assert/strict'
import type { Signal } from '../../../hardware/io.ts'
import { suite } from '../../suite.ts'
import { LaneRig } from './lane-rig.ts'

const test = suite('hardware/passage/beams')

const BEAMS: readonly Signal[] = ['beam-a', 'beam-b']
const beams = () => new LaneRig({ signals: BEAMS }).wait(1000)

/** Each letter is 100 ms of: a the outer beam alone, b the inner alone, c both, a dot none. */
function walk(rig: LaneRig, path: string, ms = 100): LaneRig {
  let [a, b] = [false, false]
  for (const letter of path) {
    const [nextA, nextB] = [letter === 'a' || letter === 'c', letter === 'b' || letter === 'c']
    if (nextA !== a) rig.level('beam-a', nextA)
    if (nextB !== b) rig.level('beam-b', nextB)
    ;[a, b] = [nextA, nextB]
    rig.wait(ms)
  }
  return rig
}

const IN = 'acb.'
const OUT = 'bca.'

test('the order of the beams is the direction', () => {
  assert.deepEqual(walk(beams(), IN).wait(1000).people, ['intruded 1 manual'])
  assert.deepEqual(walk(beams(), OUT).wait(1000).people, ['left 1000'])
})

test('beams that flicker on every edge tell the same', () => {
  const rig = beams()
  const flicker = [2, 1, 3, 1]
  rig.edge('beam-a', true, flicker).wait(100).edge('beam-b', true, flicker).wait(100)
  rig.edge('beam-a', false, flicker).wait(100).edge('beam-b', false, flicker).wait(100)
  assert.deepEqual(rig.people, ['intruded 1 manual'])
})

test('whoever turns round half way is nobody, from either side', () => {
  for (const path of ['a.', 'b.', 'aca.', 'bcb.', 'acaca.', 'bcbcb.']) {
    assert.deepEqual(walk(beams(), path).wait(1000).people, [], path)
  }
})

test('two people close together are two, both ways', () => {
  assert.equal(walk(beams(), 'acb.acb.', 60).wait(1000).entries, 2)
  assert.equal(walk(beams(), 'bca.bca.', 60).wait(1000).exits, 2)
})

test('a follower who breaks the outer beam before the inner one is free is a second person', () => {
  const rig = walk(beams(), 'acbcacb.').wait(1000)
  assert.deepEqual(rig.people, ['intruded 1 manual', 'intruded 1 manual'])
})

test('of two who may be one who wavers, on the way out one is believed', () => {
  const rig = walk(beams(), 'bcacbca.').wait(1000)
  assert.deepEqual(rig.people, ['left 1000', 'left 0'])
})

test('whoever is through and comes back, or is met by another, is one in and an exit that nobody believes', () => {
  for (const path of ['acbca.', 'bcacb.']) {
    const rig = walk(beams(), path).wait(1000)
    assert.deepEqual(rig.people, ['intruded 1 manual', 'left 0'], path)
  }
})

test('both beams read in one look have no order: the way in counts, the way out is of doubt', () => {
  assert.deepEqual(walk(beams(), 'cb.').wait(1000).people, ['intruded 1 manual'])
  assert.deepEqual(walk(beams(), 'ca.').wait(1000).people, ['left 0'])
  assert.deepEqual(walk(beams(), 'ac.').wait(1000).people, ['intruded 1 manual'])
  assert.deepEqual(walk(beams(), 'bc.').wait(1000).people, ['left 0'])
  assert.deepEqual(walk(beams(), 'ab.').wait(1000).people, ['intruded 1 manual'])
})

test('beams further apart than a body is wide still tell somebody who walks in', () => {
  assert.deepEqual(walk(beams(), 'a..b.').wait(1000).people, ['intruded 1 manual'])
  assert.deepEqual(walk(beams(), 'b..a.').wait(1000).people, ['left 0'])
  assert.deepEqual(walk(beams(), 'a.......b.').wait(1000).people, [], 'two who looked in, one from each side')
})

test('somebody who runs is not taken for a power cut', () => {
  const rig = walk(beams(), IN, 25).wait(1000)
  assert.deepEqual(rig.people, ['intruded 1 manual'])
})

test('both beams that go and come back as one are their power, and nobody', () => {
  const rig = walk(beams(), 'ccc.').wait(1000)
  assert.deepEqual(rig.people, [])
  assert.deepEqual(rig.faults, ['POWER', 'POWER over'])
})

test('beams that stay dark together are stuck and let nobody in or out', () => {
  const rig = beams()
  rig.level('beam-a', true).level('beam-b', true).wait(600_000)
  assert.deepEqual(rig.people, [])
  assert.deepEqual(rig.faults, ['STUCK'])
  rig.level('beam-a', false).level('beam-b', false).wait(1000)
  assert.deepEqual(rig.faults, ['STUCK', 'STUCK over'])
  assert.deepEqual(walk(rig, IN).wait(1000).people, ['intruded 1 manual'])
})

test('a beam that stays broken leaves one that sees people and not which way: each is in, and perhaps out', () => {
  const rig = beams()
  rig.level('beam-a', true).wait(61_000)
  assert.deepEqual(rig.faults, ['STUCK'])
  rig.pulse('beam-b', 300).wait(5000)
  assert.deepEqual(rig.people, ['intruded 1 manual', 'left 0'])
  rig.grant('g').wait(1000).pulse('beam-b', 300).wait(5000)
  assert.deepEqual(rig.people.slice(2), ['entered g'])
  rig.level('beam-a', false).wait(1000)
  assert.deepEqual(rig.faults, ['STUCK', 'STUCK over'])
  assert.match(walk(rig, OUT).wait(1000).people.slice(3).join(), /^left 7\d\d$/)
})

test('people who went by before a stuck beam was noticed are told once it is', () => {
  const rig = beams()
  rig.level('beam-a', true).wait(1000).pulse('beam-b', 300).wait(20_000).pulse('beam-b', 300).wait(60_000)
  assert.equal(rig.entries, 2)
})

test('a beam that never sees anybody is told, and no grant lapses meanwhile', () => {
  const rig = beams()
  for (let k = 0; k < 8; k++) walk(rig, 'a.').wait(20_000)
  assert.ok(rig.hasFault('SILENT'))
  rig.grant('g').wait(500)
  walk(rig, 'a.').wait(20_000)
  assert.deepEqual(rig.people, ['entered g'])
  walk(rig, IN).wait(1000)
  assert.ok(!rig.hasFault('SILENT'))
})

test('one beam alone sees people and not which way', () => {
  const rig = new LaneRig({ signals: ['beam-a'] })
  rig.wait(1000).pulse('beam-a', 300).wait(1000)
  assert.deepEqual(rig.people, ['intruded 1 manual', 'left 0'])
  assert.deepEqual(rig.faults, [])
})

test('a link that breaks while somebody is in both beams counts the way in', () => {
  const inward = walk(beams(), 'ac')
  inward.step({ kind: 'link', isUp: false })
  assert.deepEqual(inward.people, ['intruded 1 manual'])
  const outward = walk(beams(), 'bc')
  outward.step({ kind: 'link', isUp: false })
  assert.deepEqual(outward.people, ['left 0'])
})

test('a grant does not lapse while somebody stands in the beams', () => {
  const rig = beams().grant('g').wait(3000)
  rig.level('beam-a', true).wait(20_000)
  assert.deepEqual(rig.people, [])
  walk(rig.level('beam-a', false).wait(1), IN).wait(1000)
  assert.deepEqual(rig.people, ['entered g'])
})

test.run()
