import assert from 'node:assert/strict'
import fc from 'fast-check'
import { Apart } from '../../../hardware/optical/apart.ts'
import { Baseline, LEARNED_MAX, PROVED_MAX } from '../../../hardware/optical/baseline.ts'
import { Reconciler } from '../../../hardware/optical/reconciler.ts'
import { suite } from '../../suite.ts'

const test = suite('hardware/optical/reconciler')

const SETTLE = 10_000
const LOOK = { optical: 0, turnstile: 0, now: 0, settleMs: SETTLE, isHeard: true }

/** Somebody comes in: when the lens sees them and when the arm does; null: never. */
interface Person {
  readonly lens: number | null
  readonly arm: number | null
}

/** Looks every 500 ms at a lens that is asked all the time. */
function watch(people: readonly Person[], untilMs: number, settleMs = SETTLE) {
  const apart = new Apart()
  const found: { readonly at: number; readonly surplus: number }[] = []
  let missed = 0
  let told = 0
  for (let now = 0; now <= untilMs; now += 500) {
    const optical = people.filter(({ lens }) => lens !== null && lens <= now).length
    const turnstile = people.filter(({ arm }) => arm !== null && arm <= now).length + told
    const settled = apart.look({ optical, turnstile, now, settleMs, isHeard: true })
    missed += settled.missed
    if (settled.surplus === 0) continue
    found.push({ at: now, surplus: settled.surplus })
    told += settled.surplus
    apart.follow(settled.surplus)
  }
  return { found, told, missed }
}

const ordinary = (at: number, lag = 800): Person => ({ lens: at + lag, arm: at })
const follower = (at: number): Person => ({ lens: at, arm: null })
const unseen = (at: number): Person => ({ lens: null, arm: at })

test('whoever is between lens and arm follows nobody, whichever of them comes first', () => {
  const people = [...Array(40).keys()].map(k => ordinary(k * 1500, k % 2 === 0 ? 2500 : -2500))
  assert.deepEqual(watch(people, 120_000), { found: [], told: 0, missed: 0 })
})

test('one who follows is told once, as soon as the settling time is over', () => {
  const { found } = watch([ordinary(5000), follower(6000), ordinary(60_000)], 200_000)
  assert.deepEqual(found, [{ at: 16_000, surplus: 1 }])
})

test('what the lens missed this morning does not hide whoever follows in the evening', () => {
  const { told, missed } = watch([unseen(1000), unseen(2000), ordinary(40_000), follower(41_000)], 200_000)
  assert.deepEqual([told, missed], [1, 2])
})

test('an admission taken back late, which the lens had missed, makes nobody a follower', () => {
  const apart = new Apart()
  let surplus = 0
  for (let now = 0; now <= 120_000; now += 1000) {
    const turnstile = now >= 1000 && now < 60_000 ? 1 : 0
    surplus += apart.look({ optical: 0, turnstile, now, settleMs: SETTLE, isHeard: true }).surplus
  }
  assert.equal(surplus, 0)
})

test('a lens that was not heard for a while, and then tells all, accuses nobody', () => {
  const apart = new Apart()
  for (let now = 0; now <= 100_000; now += 1000) {
    const turnstile = Math.floor(now / 5000)
    const isHeard = now < 10_000 || now >= 80_000
    const optical = isHeard ? turnstile : 1
    const { surplus, missed } = apart.look({ optical, turnstile, now, settleMs: SETTLE, isHeard })
    assert.deepEqual([surplus, missed], [0, 0], `at ${now}`)
  }
})

test('of a difference that moves while it lasts the least is what differs', () => {
  const apart = new Apart()
  const between = [3, 2, 1, 2, 3, 3]
  const found = between.map((optical, k) => apart.look({ ...LOOK, optical, now: k * 2000 }).surplus)
  assert.deepEqual(found, [0, 0, 0, 0, 0, 1])
})

test('what the arm alone counted while the lens was not heard is not settled by the first word of the lens', () => {
  const apart = new Apart()
  for (let k = 0; k < 60; k++) apart.look({ ...LOOK, turnstile: k, now: k * 1000, isHeard: false })
  // the last of them is under the lens right now
  assert.equal(apart.look({ ...LOOK, optical: 58, turnstile: 59, now: 60_000 }).missed, 0)
  assert.equal(apart.look({ ...LOOK, optical: 59, turnstile: 59, now: 75_000 }).surplus, 0)
  assert.equal(apart.open, 0)
})

test('people told of by the lens who were never written down are told of once all the same', () => {
  const apart = new Apart()
  let surplus = 0
  for (let now = 0; now <= 100_000; now += 1000) {
    surplus += apart.look({ optical: 2, turnstile: 0, now, settleMs: SETTLE, isHeard: true }).surplus
  }
  assert.equal(surplus, 2)
})

const lag = fc.integer({ min: -3000, max: 3000 })
const at = fc.integer({ min: 0, max: 6000 })
const someone = fc.record({ at, lag, kind: fc.constantFrom('ordinary', 'ordinary', 'ordinary', 'follower', 'unseen') })
const BUNCH_MS = 40_000
type Someone = { at: number; lag: number; kind: string }
const personOf = ({ at: when, lag: late, kind }: Someone, start: number): Person => {
  const arm = 5000 + start + when
  return { lens: kind === 'unseen' ? null : arm + late, arm: kind === 'follower' ? null : arm }
}

test('in bunches of people with lulls between them every follower is found, and nobody is invented', () => {
  fc.assert(
    fc.property(fc.array(fc.array(someone, { maxLength: 8 }), { maxLength: 6 }), bunches => {
      const people = bunches.flatMap((bunch, k) => bunch.map(one => personOf(one, k * BUNCH_MS)))
      const { told, missed } = watch(people, (bunches.length + 1) * BUNCH_MS)
      const beyond = (bunch: readonly Someone[]) =>
        bunch.filter(({ kind }) => kind === 'follower').length - bunch.filter(({ kind }) => kind === 'unseen').length
      assert.equal(
        told,
        bunches.map(beyond).reduce((sum, n) => sum + Math.max(0, n), 0),
      )
      assert.equal(
        missed,
        bunches.map(beyond).reduce((sum, n) => sum + Math.max(0, -n), 0),
      )
    }),
    { numRuns: 60 },
  )
})

test('in a crowd without a lull nobody who follows is missed by a lens that sees everybody', () => {
  const crowd = fc.array(
    fc.record({ at: fc.integer({ min: 0, max: 120_000 }), lag, kind: fc.constantFrom('ordinary', 'follower') }),
    { maxLength: 150 },
  )
  fc.assert(
    fc.property(crowd, all => {
      const { told, missed } = watch(
        all.map(one => personOf(one, 0)),
        200_000,
      ) // both sides are whole in the end
      assert.equal(told - missed, all.filter(({ kind }) => kind === 'follower').length)
    }),
    { numRuns: 40 },
  )
})

test('a baseline is learned slowly, from quiet times only, and never beyond a few per mille', () => {
  const baseline = new Baseline()
  for (let k = 0; k < 20; k++) {
    baseline.passed(200, false)
    assert.equal(baseline.excuse(20, false), 0)
  }
  assert.equal(baseline.perMille, 0)
  const learned: number[] = []
  let excused = 0
  for (let k = 0; k < 30; k++) {
    // a tenth of all who come in quiet hours follow somebody: that is no error of a lens
    excused += baseline.excuse(20, true)
    baseline.passed(200, true)
    learned.push(baseline.perMille)
  }
  assert.deepEqual(learned.slice(0, 4), [1, 2, 3, 3])
  assert.equal(Math.max(...learned), LEARNED_MAX)
  assert.ok(excused <= (30 * 200 * LEARNED_MAX) / 1000, `${excused} of 600 were excused`)
})

test('a baseline that was learned is unlearned when the lens is calibrated', () => {
  const baseline = new Baseline({ perMille: 3, people: 0, surplus: 0, excusesMilli: 0 })
  for (let k = 0; k < 5; k++) baseline.passed(200, true)
  assert.equal(baseline.perMille, 0)
})

test('people counted by hand prove what is the lens’s own error, up to a per cent', () => {
  const baseline = new Baseline()
  assert.equal(baseline.proved({ truth: 20, seen: 22 }), false)
  assert.equal(baseline.perMille, 0)
  assert.equal(baseline.proved({ truth: 500, seen: 503 }), true)
  assert.equal(baseline.perMille, 6)
  baseline.proved({ truth: 500, seen: 700 })
  assert.equal(baseline.perMille, PROVED_MAX)
  baseline.proved({ truth: 500, seen: 480 })
  assert.equal(baseline.perMille, 0)
})

/** A reconciler at work: `people(second)` come in, so many more are seen by the lens. */
function day(a: { seconds: number; arm: (s: number) => number; lens: (s: number) => number; reconciler?: Reconciler }) {
  const reconciler = a.reconciler ?? new Reconciler()
  let [optical, turnstile, intruders] = [0, 0, 0]
  reconciler.begin({ in: 0, out: 0 }, { in: 0, out: 0 }, 0)
  for (let s = 0; s < a.seconds; s++) {
    turnstile += a.arm(s)
    optical += a.lens(s)
    const verdict = reconciler.look({
      ...{ optical: { in: optical, out: 0 }, turnstile: { in: turnstile, out: 0 }, now: s * 1000 },
      ...{ settleMs: SETTLE, isHeard: true, isSound: true },
    })
    intruders += verdict.intruders
    turnstile += verdict.intruders
    reconciler.follow(verdict.intruders)
  }
  return { reconciler, intruders }
}
const every =
  (period: number, phase = 0) =>
  (s: number) =>
    s % period === phase ? 1 : 0

test('a steady stream of followers is never learned away', () => {
  // one of a hundred follows, all day, in a quiet mall
  const followers = (s: number) => every(60)(s) + every(6000, 30)(s)
  const { reconciler, intruders } = day({ seconds: 400_000, arm: every(60), lens: followers })
  const truth = Math.ceil((400_000 - 30) / 6000)
  assert.ok(reconciler.baseline.perMille <= LEARNED_MAX)
  assert.equal(intruders + reconciler.excused, truth)
  assert.ok(reconciler.excused * 1000 <= LEARNED_MAX * (400_000 / 60), `${reconciler.excused} of ${truth} excused`)
})

test('people whom the lens accused teach it nothing as people who passed', () => {
  const lens = (s: number) => every(100)(s) + every(100, 50)(s)
  const { reconciler, intruders } = day({ seconds: 10_000, arm: every(100), lens })
  assert.ok(intruders >= 99)
  // of two hundred who pass in quiet times it would have moved
  assert.deepEqual([reconciler.baseline.perMille, reconciler.baseline.memory.people], [0, 100])
})

test('in busy times the baseline excuses nobody', () => {
  const memory = { perMille: 3, people: 0, surplus: 0, excusesMilli: 2000 }
  const lens = (s: number) => every(4)(s) + (s === 500 ? 1 : 0)
  const { intruders, reconciler } = day({
    ...{ seconds: 600, arm: every(4), lens, reconciler: new Reconciler(memory) },
  })
  assert.deepEqual([intruders, reconciler.excused], [1, 0])
})

test('a lens the wrong way round accuses almost nobody when everybody leaves, and says so', () => {
  const reconciler = new Reconciler()
  reconciler.begin({ in: 0, out: 0 }, { in: 0, out: 0 }, 0)
  let intruders = 0
  for (let s = 0; s < 3600; s++) {
    const left = Math.floor(s / 3)
    const verdict = reconciler.look({
      ...{ optical: { in: left, out: 2 }, turnstile: { in: 2 + intruders, out: left }, now: s * 1000 },
      ...{ settleMs: SETTLE, isHeard: true, isSound: true },
    })
    intruders += verdict.intruders
    reconciler.follow(verdict.intruders)
  }
  assert.ok(reconciler.drift.looksSwapped)
  assert.ok(intruders <= 10, `${intruders} of 1200`)
})

test('drift is told early, once, with the side it is on, and is over when both agree again', () => {
  const reconciler = new Reconciler()
  reconciler.begin({ in: 0, out: 0 }, { in: 0, out: 0 }, 0)
  const said: string[] = []
  for (let s = 0; s < 4 * 3600; s++) {
    const passed = Math.floor(s / 10)
    // for the first half hour one exit of ten is one that nobody made
    const ghosts = Math.floor(Math.min(passed, 180) / 10)
    const { parted, mended } = reconciler.look({
      ...{ optical: { in: 0, out: passed - ghosts }, turnstile: { in: 0, out: passed }, now: s * 1000 },
      ...{ settleMs: SETTLE, isHeard: true, isSound: true },
    })
    for (const { way, optical, turnstile } of parted) {
      said.push(`${s} ${way} ${optical} ${turnstile}`)
      assert.ok(reconciler.drift.exitsConfirmed < 950)
    }
    for (const way of mended) said.push(`${s} ${way} well`)
  }
  assert.equal(said.length, 2, said.join('; '))
  assert.match(said[0] as string, /^400 out 36 40$/)
  assert.match(said[1] as string, /^\d{4} out well$/)
  assert.equal(reconciler.drift.exitsConfirmed, 1000)
})

test('while a counter is not sound nothing is compared, and what was before is not either', () => {
  const reconciler = new Reconciler()
  reconciler.begin({ in: 0, out: 0 }, { in: 0, out: 0 }, 0)
  for (let s = 0; s < 7200; s++) {
    const { parted } = reconciler.look({
      ...{ optical: { in: 0, out: 0 }, turnstile: { in: 0, out: s }, now: s * 1000 },
      ...{ settleMs: SETTLE, isHeard: false, isSound: s % 30 < 20 },
    })
    assert.deepEqual(parted, [])
  }
  assert.equal(reconciler.drift.exitsConfirmed, 1000)
})

test.run()
