import assert from 'node:assert/strict'
import fc from 'fast-check'
import { accuracyOf, wayWords } from '../../tools/doctor/accuracy.ts'
import { suite } from '../suite.ts'

const test = suite('doctor/accuracy')
const people = fc.nat({ max: 5000 })
const flow = fc.record({ in: people, out: people })

test('an entry missed and an exit invented are unsafe, the other two are not', () => {
  const truth = { in: 100, out: 100 }
  assert.equal(accuracyOf(truth, { in: 99, out: 100 }).in.side, 'unsafe')
  assert.equal(accuracyOf(truth, { in: 101, out: 100 }).in.side, 'safe')
  assert.equal(accuracyOf(truth, { in: 100, out: 101 }).out.side, 'unsafe')
  assert.equal(accuracyOf(truth, { in: 100, out: 99 }).out.side, 'safe')
})

test('who is missing inside is what the errors of both ways come to, and only unsafe errors make it more', () => {
  fc.assert(
    fc.property(flow, flow, (truth, seen) => {
      const { in: came, out, missing } = accuracyOf(truth, seen)
      assert.equal(missing, truth.in - seen.in + (seen.out - truth.out))
      if (missing > 0) assert.ok(came.side === 'unsafe' || out.side === 'unsafe')
      if (came.side !== 'unsafe' && out.side !== 'unsafe') assert.ok(missing <= 0)
    }),
  )
})

test('an error is never rounded to nothing, and exact is the only thing without one', () => {
  fc.assert(
    fc.property(flow, flow, (truth, seen) => {
      for (const way of ['in', 'out'] as const) {
        const { perMille, side } = accuracyOf(truth, seen)[way]
        assert.equal(side === 'exact', truth[way] === seen[way])
        if (truth[way] > 0) assert.equal(perMille === 0, side === 'exact')
        else assert.equal(perMille, null)
      }
    }),
  )
  assert.equal(accuracyOf({ in: 5000, out: 0 }, { in: 4999, out: 0 }).in.perMille, -1)
})

test('one of a walk of ten who was missed is too many, one of a hundred who were counted in business is not', () => {
  assert.equal(accuracyOf({ in: 10, out: 10 }, { in: 9, out: 10 }).ok, false)
  assert.equal(accuracyOf({ in: 10, out: 10 }, { in: 10, out: 9 }).ok, false)
  assert.equal(accuracyOf({ in: 100, out: 100 }, { in: 99, out: 101 }).ok, true)
})

test('the safe side may err more than the unsafe one', () => {
  const truth = { in: 100, out: 100 }
  assert.equal(accuracyOf(truth, { in: 104, out: 96 }).ok, true)
  assert.equal(accuracyOf(truth, { in: 96, out: 100 }).ok, false)
  assert.equal(accuracyOf(truth, { in: 100, out: 104 }).ok, false)
})

test('people seen where nobody passed are wrong, however few', () => {
  const ghost = accuracyOf({ in: 0, out: 0 }, { in: 0, out: 1 })
  assert.deepEqual([ghost.ok, ghost.out.side, ghost.out.perMille], [false, 'unsafe', null])
  assert.equal(accuracyOf({ in: 0, out: 0 }, { in: 0, out: 0 }).ok, true)
})

test('words say how many, of how many, how far off, and which side', () => {
  const { in: came, out } = accuracyOf({ in: 10, out: 10 }, { in: 8, out: 10 })
  assert.equal(wayWords('in', came), 'in: 8 seen of 10, −200 ‰, UNSAFE: people came in whom nothing counted')
  assert.equal(wayWords('out', out), 'out: 10 seen of 10, exact')
  assert.match(wayWords('out', accuracyOf({ in: 0, out: 10 }, { in: 0, out: 11 }).out), /\+100 ‰, UNSAFE: exits/)
  assert.match(wayWords('out', accuracyOf({ in: 0, out: 100 }, { in: 0, out: 99 }).out), /−10 ‰, within .*safe side/)
})

test.run()
