import assert from 'node:assert/strict'
import { suite } from '../suite.ts'
import { type Deed, FAULTS } from './fault.ts'
import { flawOf, isAnchorless, scheduleOf, targetsOf } from './nemesis.ts'

const test = suite('chaos/nemesis')

const members = ['anchor', 'gate-01', 'gate-02', 'gate-03', 'gate-04', 'gate-05', 'gate-06']
const storm = (seed: number, minutes = 3) => scheduleOf({ seed, minutes, members, capacity: 100 })
const SHAPES = ['halves', 'ring', 'one-way', 'bridge', 'flapping']
const meet = (a: Deed, b: Deed) => a.at < b.at + b.forMs && b.at < a.at + a.forMs
const pairs = (deeds: readonly Deed[]) => deeds.flatMap((a, i) => deeds.slice(i + 1).map(b => [a, b] as const))

test('the same seed is the same storm, and another seed another', () => {
  assert.deepEqual(storm(7), storm(7))
  assert.notDeepEqual(storm(7), storm(8))
})

test('a schedule can be written to a file and read back', () => {
  assert.deepEqual(JSON.parse(JSON.stringify(storm(3))), storm(3))
  assert.equal(flawOf(storm(3), members), undefined)
  assert.match(flawOf(storm(3), members.slice(0, 3)) ?? '', /there is no gate-0/)
  const odd = [{ at: 0, forMs: 1, fault: { kind: 'earthquake' } }] as unknown as Deed[]
  assert.match(flawOf(odd, members) ?? '', /no fault is called "earthquake"/)
  assert.match(flawOf([{ at: -1, forMs: 1, fault: { kind: 'power' } }], members) ?? '', /deed 0/)
})

test('three minutes hold most kinds of faults, and twenty such runs every kind many times', () => {
  const counts = new Map<string, number>()
  for (let seed = 1; seed <= 20; seed++) {
    const kinds = new Set(storm(seed).map(({ fault }) => fault.kind))
    assert.ok(kinds.size >= 15, `seed ${seed}: only ${[...kinds]}`)
    for (const { fault } of storm(seed)) counts.set(fault.kind, (counts.get(fault.kind) ?? 0) + 1)
  }
  for (const kind of FAULTS) assert.ok((counts.get(kind) ?? 0) >= 10, `${kind}: ${counts.get(kind)}`)
})

test('everything is over before the end, and there are quiet spells', () => {
  for (let seed = 1; seed <= 60; seed++) {
    const deeds = storm(seed)
    for (const { at, forMs } of deeds) assert.ok(at >= 1000 && forMs > 0 && at + forMs <= 174_000)
    const rest = deeds.filter(({ fault }) => !(fault.kind === 'anchor-gone' && isAnchorless(seed)))
    let end = 0
    let quiet = 0
    for (const { at, forMs } of rest) {
      if (at - end >= 2500) quiet++
      end = Math.max(end, at + forMs)
    }
    assert.ok(quiet >= 2, `seed ${seed}: ${quiet} quiet spells`)
  }
})

test('faults overlap, yet the network has one shape, a member one trouble, and most members none', () => {
  let overlapping = 0
  for (let seed = 1; seed <= 60; seed++) {
    const deeds = storm(seed).filter(({ forMs }) => forMs < 100_000)
    for (const [a, b] of pairs(deeds).filter(([a, b]) => meet(a, b))) {
      overlapping++
      const what = `seed ${seed}: ${JSON.stringify(a)} ${JSON.stringify(b)}`
      assert.ok(!(SHAPES.includes(a.fault.kind) && SHAPES.includes(b.fault.kind)), what)
      for (const member of members) assert.ok(!(targetsOf(a.fault, member) && targetsOf(b.fault, member)), what)
      if (a.fault.kind === b.fault.kind)
        assert.ok(['kill', 'stop', 'disk-full', 'io-error', 'clock'].includes(a.fault.kind), what)
      if (a.fault.kind === 'power') assert.ok(!['capacity', 'mode'].includes(b.fault.kind), what)
    }
    for (const { at, fault } of deeds.filter(({ fault }) => fault.kind !== 'power')) {
      const struck = members.filter(member =>
        deeds.some(d => d.at <= at && d.at + d.forMs > at && d.fault.kind !== 'power' && targetsOf(d.fault, member)),
      )
      assert.ok(struck.length <= 3, `seed ${seed} at ${at}: ${fault.kind}, ${struck}`)
    }
  }
  assert.ok(overlapping > 1000, `${overlapping}`)
})

test('some seeds play without the anchor from beginning to end', () => {
  const away = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11].filter(seed =>
    storm(seed).some(({ fault, forMs }) => fault.kind === 'anchor-gone' && forMs > 150_000),
  )
  assert.deepEqual(away, [5, 11])
  for (const { fault } of storm(5)) assert.notEqual(fault.kind, 'capacity')
})

test.run()
