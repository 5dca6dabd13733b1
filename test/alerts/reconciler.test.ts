import assert from 'node:assert/strict'
import { type Drift, HOUR_MS } from '../../anchor/reconcile/hour.ts'
import { RejectRate } from '../../anchor/reconcile/reject-rate.ts'
import { suite } from '../suite.ts'
import { CollectedMall } from './collected-mall.ts'
import { START } from './hand-clock.ts'

const test = suite('alerts/reconciler')
const MINUTE = 60_000

/** One gate with both kinds of sensors, at work since the hour began. */
async function watched(): Promise<CollectedMall> {
  const mall = await CollectedMall.open(1000)
  mall.budget(1000)
  mall.transfer('anchor/1', 'east/1', 1000)
  mall.write('east/1', { type: 'optical', in: 0, out: 0 })
  return mall
}

async function driftAfter(mall: CollectedMall): Promise<Drift | undefined> {
  await mall.collectAll()
  mall.clock.pass(HOUR_MS + 3 * MINUTE - (mall.clock.wall() % HOUR_MS))
  return mall.reconciler.drifts().find(({ gate }) => gate === 'east')
}

for (const [seen, isTooMuch] of [
  [{ in: 400, out: 100 }, false],
  [{ in: 398, out: 100 }, false], // 2 people, 0.5 %
  [{ in: 397, out: 100 }, true], // 0.75 %
  [{ in: 400, out: 99 }, false], // 1 %, but one person
  [{ in: 400, out: 102 }, true],
] as const) {
  test(`400 in and 100 out, seen as ${seen.in} and ${seen.out}: ${isTooMuch ? 'calibrate' : 'fine'}`, async () => {
    const mall = await watched()
    mall.clock.pass(MINUTE)
    mall.admit('east/1', 397)
    mall.write('east/1', { type: 'forced', count: 4, why: 'tailgate' })
    mall.write('east/1', { type: 'lapse', admit: '0190a000-0000-7000-8000-000000000001' })
    mall.exit('east/1', 99)
    mall.write('east/1', { type: 'exit', credited: false, confidence: 10 })
    mall.write('east/1', { type: 'optical', ...seen })
    const drift = await driftAfter(mall)
    assert.deepEqual(drift?.turnstile, { in: 400, out: 100 })
    assert.deepEqual(drift?.optical, seen)
    assert.equal(drift?.isTooMuch, isTooMuch)
  })
}

test('an hour is not judged before it is over and its last entries had time to come', async () => {
  const mall = await watched()
  mall.admit('east/1', 10)
  mall.write('east/1', { type: 'optical', in: 20, out: 0 })
  await mall.collectAll()
  mall.clock.pass(HOUR_MS + MINUTE)
  assert.deepEqual(mall.reconciler.drifts(), [])
  mall.clock.pass(MINUTE)
  assert.equal(mall.reconciler.drifts()[0]?.isTooMuch, true)
})

test('a look of the counter that spans two hours is compared with the passages that it saw', async () => {
  const mall = await watched()
  mall.clock.pass(HOUR_MS - 30_000)
  mall.admit('east/1', 50)
  mall.clock.pass(MINUTE)
  mall.admit('east/1', 50)
  mall.write('east/1', { type: 'optical', in: 100, out: 0 })
  const drift = await driftAfter(mall)
  assert.deepEqual({ hour: drift?.hour, people: drift?.people }, { hour: START + HOUR_MS, people: 0 })
  const { hours } = await mall.reconciler.hours({ limit: 10 })
  assert.deepEqual(
    hours.map(hour => hour.in),
    [50, 50],
    'people are shown in the hour in which they came',
  )
})

test('a counter that went blind is found, and its gate counted by the turnstile again', async () => {
  const mall = await watched()
  mall.admit('east/1', 5)
  mall.write('east/1', { type: 'optical', in: 5, out: 0 })
  // nobody comes for an hour: no reason to think it blind
  mall.clock.pass(HOUR_MS)
  mall.admit('east/1', 5)
  await mall.collectAll()
  assert.equal(mall.reconciler.compliance().optical, 5)
  mall.clock.pass(16 * MINUTE)
  mall.admit('east/1', 5)
  await mall.collectAll()
  assert.equal(mall.reconciler.compliance().optical, undefined)
  assert.equal(mall.reconciler.compliance().figure, 15)
  assert.equal((await driftAfter(mall))?.isTooMuch, true)
})

test('the higher of the two counts is the figure, and a recount sets both right', async () => {
  const mall = await watched()
  mall.write('west/1', { type: 'forced', count: 7, why: 'manual' })
  mall.admit('east/1', 10)
  mall.write('east/1', { type: 'optical', in: 13, out: 0 })
  await mall.collectAll()
  const before = mall.reconciler.compliance()
  assert.deepEqual([before.turnstile, before.optical, before.figure], [17, 20, 20])
  mall.write('anchor/1', {
    type: 'recount',
    actual: 18,
    counted: 17,
    residual: 1,
    by: 'ann,bob',
    reason: 'night',
    policy: 2,
  })
  mall.budget(1000, { correction: 1 })
  mall.admit('east/1', 1)
  mall.write('east/1', { type: 'optical', in: 1, out: 0 })
  await mall.collectAll()
  const { turnstile, optical } = mall.reconciler.compliance()
  assert.deepEqual([turnstile, optical], [19, 19])
})

test('whatever is lost in a crash is counted again, and nothing twice', async () => {
  const mall = await watched()
  const whole = await watched()
  const day = (m: CollectedMall, k: number) => {
    m.clock.pass(20 * MINUTE)
    m.admit('east/1', 3 + k)
    m.exit('east/1', k)
    m.transfer('east/1', 'west/1', 2)
    m.admit('west/1', 1)
    m.write('east/1', { type: 'optical', in: 3 + k, out: k })
  }
  for (let k = 0; k < 12; k++) {
    day(mall, k)
    day(whole, k)
    await mall.collectAll()
    if (k % 3 === 1) mall.cabinet.failNext({ happened: k % 2 === 0 })
    await mall.reconciler.save().catch(() => undefined)
    if (k % 2 === 0) await mall.restart()
  }
  await whole.collectAll()
  await mall.restart()
  assert.deepEqual(mall.reconciler.compliance(), whole.reconciler.compliance())
  assert.deepEqual(mall.reconciler.leaseDrift(), whole.reconciler.leaseDrift())
  const query = { limit: 100 }
  assert.deepEqual(await mall.reconciler.hours(query), await whole.reconciler.hours(query))
})

test('a crash after any save in the midst of counting leaves a state that can be gone on from', async () => {
  for (let saves = 1; saves <= 20; saves++) {
    const mall = await watched()
    for (let k = 0; k < 40; k++) {
      mall.clock.pass(10 * MINUTE)
      mall.admit('east/1', 2)
    }
    const counting = mall.collectAll().catch(() => undefined)
    while (mall.archive.newest < 80) await Promise.resolve()
    for (let k = 0; k < saves; k++) await mall.reconciler.save()
    await mall.restart()
    await counting
    await mall.collectAll()
    const { hours } = await mall.reconciler.hours({ limit: 100 })
    const came = hours.reduce((sum, hour) => sum + hour.in, 0)
    assert.deepEqual([came, mall.reconciler.compliance().turnstile], [80, 80], `after ${saves} saves`)
  }
})

test('hours are paged without one missing or twice, by gate and by time', async () => {
  const mall = await watched()
  for (let k = 0; k < 7; k++) {
    mall.admit('east/1', k + 1)
    mall.write('west/1', { type: 'reject', code: 'REJECT_AT_CAPACITY', reason: '', confidence: 1 })
    mall.clock.pass(HOUR_MS)
  }
  await mall.collectAll()
  const seen: string[] = []
  let cursor: string | undefined
  do {
    const page = await mall.reconciler.hours({ limit: 4, ...(cursor === undefined ? {} : { cursor }) })
    seen.push(...page.hours.map(({ gate, hour, in: came, rejected }) => `${gate} ${hour} ${came} ${rejected}`))
    cursor = page.cursor
    assert.match(cursor ?? 'reconcile/hour/x', /^reconcile\/hour\/[a-z0-9/-]{1,100}$/, 'as the API lets it pass')
  } while (cursor !== undefined)
  assert.equal(seen.length, 14)
  assert.equal(new Set(seen).size, 14)
  const some = await mall.reconciler.hours({ gate: 'west', from: START + HOUR_MS, to: START + 3 * HOUR_MS, limit: 9 })
  assert.deepEqual(
    some.hours.map(({ gate, hour }) => [gate, (hour - START) / HOUR_MS]),
    [
      ['west', 1],
      ['west', 2],
    ],
  )
  await assert.rejects(mall.reconciler.hours({ cursor: 'token/1', limit: 1 }), { code: 'CURSOR' })
})

test('five minutes far above the usual are a spike; four are not, and a busy evening that came slowly is not', () => {
  const rate = new RejectRate()
  let wall = START
  const minutes = (n: number, perMinute: number) => {
    for (let k = 0; k < n; k++) {
      for (let i = 0; i < perMinute; i++) rate.add(wall + i)
      wall += MINUTE
      rate.look(wall + 15_000)
    }
    return rate.look(wall + 15_000).isSpike
  }
  assert.equal(minutes(30, 1), false)
  assert.equal(minutes(4, 30), false)
  assert.equal(minutes(1, 30), true)
  assert.equal(minutes(1, 1), false)
  for (let perMinute = 2; perMinute < 60; perMinute++) assert.equal(minutes(20, perMinute), false, `at ${perMinute}`)
  assert.equal(minutes(5, 500), true)
})

test('rejects of an hour ago that are collected now make no spike', () => {
  const rate = new RejectRate()
  rate.look(START)
  for (let k = 0; k < 600; k++) rate.add(START - 3_600_000 + k * 1000)
  assert.equal(rate.look(START + 15_000).isSpike, false)
})

test.run()
