import assert from 'node:assert/strict'
import fc from 'fast-check'
import { type Counted, Tally, UNWATCHED_MS } from '../../../hardware/counting/tally.ts'
import { suite } from '../../suite.ts'

const test = suite('hardware/counting/tally')

const WRAP = 2 ** 32
const POLL_MS = 200

/** Reads one after the other, `POLL_MS` apart, and says what each was taken for. */
function told(readings: readonly (readonly [number, number])[], tally = new Tally({ perMinuteMax: 60 })): string[] {
  return readings.map(([entries, exits], k) => say(tally.read({ in: entries, out: exits }, k * POLL_MS)))
}

function say({ story, in: entries, out, confidence }: Counted): string {
  return entries + out === 0 ? story : `${story} +${entries} -${out}${out > 0 ? ` @${confidence}` : ''}`
}

test('the first reading ever is nobody, however large it is', () => {
  assert.deepEqual(told([[4711, 4000]]), ['first'])
})

test('what comes after is differences, in both directions at once', () => {
  const readings = [
    [10, 5],
    [10, 5],
    [11, 5],
    [12, 7],
  ] as const
  assert.deepEqual(told(readings), ['first', 'plain', 'plain +1 -0', 'plain +1 -2 @1000'])
})

test('a counter of 32 bits that begins again at zero has counted on', () => {
  const readings = [
    [WRAP - 2, WRAP - 1],
    [1, 0],
  ] as const
  assert.deepEqual(told(readings), ['first', 'plain +3 -1 @1000'])
})

test('a reading that went down once is nothing: the next one is compared with the one before it', () => {
  const readings = [
    [100, 50],
    [3, 50],
    [101, 50],
  ] as const
  assert.deepEqual(told(readings), ['first', 'odd', 'plain +1 -0'])
})

test('a device reset to 0 is believed at the second reading, and who came since then counts', () => {
  const readings = [
    [100, 50],
    [0, 0],
    [1, 2],
    [2, 2],
  ] as const
  assert.deepEqual(told(readings), ['first', 'odd', 'reset +1 -2 @0', 'plain +1 -0'])
})

test('after a reset that left the smaller counter behind nothing, all entries since count', () => {
  const readings = [
    [3, 500],
    [5, 0],
    [5, 0],
  ] as const
  assert.deepEqual(told(readings), ['first', 'odd', 'reset +5 -0'])
})

test('one counter set back by hand does not make the other one count everybody again', () => {
  const readings = [
    [9000, 500],
    [9001, 0],
    [9001, 0],
  ] as const
  assert.deepEqual(told(readings), ['first', 'odd', 'reset +1 -0'])
})

test('a device that forgot its last few passages at a power cut goes on from there, with nobody invented', () => {
  const readings = [
    [1000, 900],
    [992, 896],
    [992, 896],
    [993, 896],
  ] as const
  assert.deepEqual(told(readings), ['first', 'odd', 'reset', 'plain +1 -0'])
})

test('a jump that people cannot walk is nothing when it is read once', () => {
  const readings = [
    [100, 50],
    [65_636, 50],
    [100, 51],
  ] as const
  assert.deepEqual(told(readings), ['first', 'odd', 'plain +0 -1 @1000'])
})

test('two broken readings that tell different stories are nothing either', () => {
  const readings = [
    [100, 50],
    [3, 50],
    [70_000, 50],
    [101, 50],
  ] as const
  assert.deepEqual(told(readings), ['first', 'odd', 'odd', 'plain +1 -0'])
})

test('a jump that stays is a gap: entries count, up to three times what can have walked, and exits give no room', () => {
  const readings = [
    [100, 50],
    [120, 80],
    [120, 80],
  ] as const
  assert.deepEqual(told(readings), ['first', 'odd', 'gap +20 -30 @0'])
  const exchanged = [
    [100, 50],
    [123_456, 98_765],
    [123_456, 98_765],
  ] as const
  assert.deepEqual(told(exchanged), ['first', 'odd', 'gap +33 -33 @0'])
})

test('over a restart, whose length is a guess, all entries of a gap count', () => {
  const tally = new Tally({ perMinuteMax: 60, from: { in: 100, out: 50, at: 0 } })
  const readings = [
    [3100, 50],
    [3100, 50],
  ] as const
  assert.deepEqual(told(readings, tally), ['odd', 'gap +3000 -0'])
})

test('a device that nobody looked at for long may have been changed: its exits give no room back', () => {
  const tally = new Tally({ perMinuteMax: 60 })
  const readings = [
    [0, 10, 10],
    [UNWATCHED_MS, 12, 15],
    [2 * UNWATCHED_MS + 1, 14, 20],
  ] as const
  const said = readings.map(([at, entries, out]) => say(tally.read({ in: entries, out }, at)))
  assert.deepEqual(said, ['first', 'plain +2 -5 @1000', 'gap +2 -5 @0'])
})

test('+400 phantom counts in 4 hours are no more than people walk: rates are for the lane to judge', () => {
  const tally = new Tally({ perMinuteMax: 60 })
  tally.read({ in: 0, out: 0 }, 0)
  let total = 0
  for (let k = 1; k <= 400; k++) total += tally.read({ in: k, out: 0 }, k * 36_000).in
  assert.equal(total, 400)
})

const step = fc.record({
  ms: fc.integer({ min: 1, max: 5000 }),
  in: fc.integer({ min: 0, max: 3 }),
  out: fc.integer({ min: 0, max: 3 }),
  glitch: fc.option(fc.record({ in: fc.nat(WRAP - 1), out: fc.nat(WRAP - 1) }), { freq: 6 }),
})

function isNear(from: { in: number; out: number }, to: { in: number; out: number }): boolean {
  const apart = (a: number, b: number) => (b - a + WRAP) % WRAP
  return apart(from.in, to.in) < 1000 && apart(from.out, to.out) < 1000
}

function aFewBefore({ in: entries, out }: { in: number; out: number }): { in: number; out: number } {
  const before = (count: number) => (count - 10 + WRAP) % WRAP
  return { in: before(entries), out: before(out) }
}

test('people are neither lost nor invented, from any start and over the wrap, with single readings broken at will', () => {
  fc.assert(
    fc.property(fc.nat(WRAP - 1), fc.nat(WRAP - 1), fc.array(step, { maxLength: 60 }), (in0, out0, steps) => {
      const tally = new Tally({ perMinuteMax: 60 })
      tally.read({ in: in0, out: out0 }, 0)
      const truth = { in: 0, out: 0 }
      const seen = { in: 0, out: 0 }
      let at = 0
      let wasBroken = false
      const look = (reading: { in: number; out: number }) => {
        const counted = tally.read(reading, ++at)
        seen.in += counted.in
        seen.out += counted.out
      }
      for (const { ms, in: entries, out, glitch } of steps) {
        at += ms
        truth.in += entries
        truth.out += out
        const now = { in: (in0 + truth.in) % WRAP, out: (out0 + truth.out) % WRAP }
        // one from which people could have walked here is a reset, and there is a test for that; one to which they could
        // have walked from the last that was believed looks like them, as 0 does a few people before the wrap
        const isOdd = glitch !== null && !isNear(glitch, now) && !isNear(aFewBefore(now), glitch)
        const isBroken: boolean = isOdd && !wasBroken
        look(isBroken && glitch !== null ? glitch : now)
        wasBroken = isBroken
      }
      at += 5000
      for (let k = 0; k < 2; k++) look({ in: (in0 + truth.in) % WRAP, out: (out0 + truth.out) % WRAP })
      assert.deepEqual(seen, truth)
    }),
    { numRuns: 300 },
  )
})

test('after any resets, with a look at least every few people, no entry since the last look is missing', () => {
  const life = fc.array(
    fc.oneof(
      { weight: 8, arbitrary: fc.record({ ms: fc.constant(2000), in: fc.integer({ min: 0, max: 2 }) }) },
      { weight: 1, arbitrary: fc.constant('reset' as const) },
    ),
    { maxLength: 60 },
  )
  fc.assert(
    fc.property(fc.nat(100_000), fc.integer({ min: 50, max: 100_000 }), life, (in0, out0, steps) => {
      const tally = new Tally({ perMinuteMax: 60 })
      let [entries, exits, at, truth, seen] = [in0, out0, 0, 0, 0]
      tally.read({ in: entries, out: exits }, at)
      const look = () => {
        seen += tally.read({ in: entries, out: exits }, ++at).in
      }
      for (const one of steps) {
        if (one === 'reset') {
          // seen while it stands still, as a device is that starts again
          look()
          look()
          entries = 0
          exits = 0
        } else {
          at += one.ms
          entries += one.in
          truth += one.in
        }
        look()
      }
      look()
      assert.ok(seen >= truth, `${seen} seen of ${truth}`)
    }),
    { numRuns: 300 },
  )
})

test.run()
