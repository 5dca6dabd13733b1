import assert from 'node:assert/strict'
import fc from 'fast-check'
import type { OpticalReading } from '../../../hardware/optical/reading.ts'
import { Tally } from '../../../hardware/optical/tally.ts'
import { suite } from '../../suite.ts'

const test = suite('hardware/optical/tally')

const MINUTE = 60_000
const total = (people: number, out = 0, over: Partial<OpticalReading> = {}): OpticalReading => {
  return { device: 'd', counts: 'cumulative', in: people, out, ...over }
}
const interval = (minute: number, people: number, out = 0): OpticalReading => {
  const time = minute * MINUTE
  return { device: 'd', counts: 'interval', in: people, out, id: String(time), time, until: time + MINUTE }
}

/** Takes them one a minute, the first as the first message of the device. */
function takes(readings: readonly OpticalReading[], tally = new Tally()) {
  return readings.map((reading, k) => tally.take(reading, k === 0, k * MINUTE))
}
const sum = (taken: readonly { in: number; out: number }[]) => taken.reduce((people, t) => people + t.in, 0)

test('the first totals of a device are only where it stands; the next tell who passed', () => {
  assert.deepEqual(takes([total(500, 300), total(503, 301), total(503, 301)]), [
    { in: 0, out: 0, flaw: 'first' },
    { in: 3, out: 1 },
    { in: 0, out: 0 },
  ])
})

test('who is news in the first message of a device was not before it', () => {
  assert.deepEqual(takes([total(500, 0, { news: { in: 2, out: 0 } })]), [{ in: 2, out: 0, flaw: 'first' }])
})

test('totals that went down once are an old message, and twice a device that began anew', () => {
  const [, , once, back] = takes([total(500), total(510), total(505), total(512)])
  assert.deepEqual(
    [once, back],
    [
      { in: 0, out: 0, flaw: 'doubt' },
      { in: 2, out: 0 },
    ],
  )
  const [, , , again, after] = takes([total(500), total(510), total(0), total(3), total(4)])
  assert.deepEqual(
    [again, after],
    [
      { in: 3, out: 0, flaw: 'reset' },
      { in: 1, out: 0 },
    ],
  )
})

test('an old message that is repeated is no reset, where the device says when it was', () => {
  const at = (people: number, time: number) => total(people, 0, { time })
  const taken = takes([at(500, 1000), at(510, 5000), at(505, 3000), at(505, 3000), at(506, 4000), at(511, 6000)])
  assert.deepEqual(sum(taken), 11)
  assert.ok(taken.slice(1).every(({ flaw }) => flaw === undefined))
  // with a clock that was set, one message sent again and again is still one
  const set = takes([at(500, 9e9), at(5, 1000), at(5, 1000), at(5, 1000), at(6, 2000)])
  assert.deepEqual(
    set.map(({ flaw }) => flaw),
    ['first', 'doubt', 'doubt', 'doubt', 'reset'],
  )
})

test('totals that moved further than people can walk count nobody and are the new beginning', () => {
  assert.deepEqual(takes([total(500), total(5000), total(5002)]).slice(1), [
    { in: 0, out: 0, flaw: 'rate' },
    { in: 2, out: 0 },
  ])
})

test('a night without the gate is a night of people, by totals that were remembered', () => {
  const before = new Tally()
  takes([total(500, 100), total(520, 110)], before)
  const memory = JSON.parse(JSON.stringify(before.memory))
  assert.deepEqual(new Tally(memory).take(total(900, 700), false, 600 * MINUTE), { in: 380, out: 590 })
})

test('an interval told again, or revised, counts once and never less', () => {
  const taken = takes([
    interval(0, 9),
    interval(1, 3),
    interval(1, 3),
    interval(1, 5),
    interval(1, 2),
    interval(1, 5),
    interval(2, 1),
  ])
  assert.deepEqual(
    taken.map(t => t.in),
    [0, 3, 0, 2, 0, 0, 1],
  )
})

test('an interval that is missing is said, and counts when it comes late', () => {
  const taken = takes([interval(0, 9), interval(1, 3), interval(3, 4), interval(2, 5), interval(4, 1)])
  assert.deepEqual(
    taken.map(t => [t.in, t.flaw]),
    [
      [0, 'first'],
      [3, undefined],
      [4, 'gap'],
      [5, undefined],
      [1, undefined],
    ],
  )
})

test('an export of a whole day, told every minute, counts every minute once, also after a restart', () => {
  let tally = new Tally()
  let people = 0
  for (let now = 600; now < 1000; now++) {
    if (now === 700) tally = new Tally(JSON.parse(JSON.stringify(tally.memory)))
    for (let minute = 0; minute <= now; minute++) {
      people += tally.take(interval(minute, minute % 3), now === 600, now * MINUTE).in
    }
  }
  assert.equal(
    people,
    [...Array(399).keys()].reduce((all, k) => all + ((601 + k) % 3), 0),
  )
})

test('an interval with more people than can walk counts nobody', () => {
  assert.deepEqual(takes([interval(0, 1), interval(1, 5000)])[1], { in: 0, out: 0, flaw: 'rate' })
})

test('however totals are repeated and late, nobody is counted twice or lost', () => {
  const message = fc.record({ people: fc.integer({ min: 0, max: 9 }), late: fc.integer({ min: 0, max: 3 }) })
  fc.assert(
    fc.property(fc.array(message, { minLength: 1, maxLength: 60 }), steps => {
      const tally = new Tally()
      const sent: OpticalReading[] = [total(1000, 0, { time: 0 })]
      let counted = tally.take(sent[0] as OpticalReading, true, 0).in
      let truth = 1000
      steps.forEach(({ people, late }, k) => {
        truth += people
        sent.push(total(truth, 0, { time: (k + 1) * 1000 }))
        counted += tally.take(sent.at(-1) as OpticalReading, false, k * MINUTE).in
        const old = sent.at(-1 - late)
        if (old !== undefined) counted += tally.take(old, false, k * MINUTE).in
      })
      assert.equal(counted, truth - 1000)
    }),
    { numRuns: 200 },
  )
})

test.run()
