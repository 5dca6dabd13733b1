import assert from 'node:assert/strict'
import fc from 'fast-check'
import { suite } from '../suite.ts'
import { CollectedMall } from './collected-mall.ts'

const test = suite('alerts/cut')
/** Nobody is accused before the others' ledgers had time to come. */
async function overs(mall: CollectedMall): Promise<number> {
  for (let k = 0; k < 4; k++) {
    await mall.reconciler.count()
    mall.clock.pass(10_000)
  }
  return mall.reconciler.compliance().overAdmissions
}

const GATES = ['east/1', 'north/1', 'west/1'] as const
type Gate = (typeof GATES)[number]

/** A mall of which every gate keeps the rules, near its capacity all the time; says how many are inside. */
function honest(mall: CollectedMall, steps: readonly { readonly gate: number; readonly what: number }[]): number {
  const held = new Map<string, number>(GATES.map(gate => [gate, 0]))
  let inside = 0
  const give = (from: string, to: Gate, amount: number) => {
    mall.transfer(from, to, amount)
    held.set(from, (held.get(from) ?? 0) - amount)
    held.set(to, (held.get(to) ?? 0) + amount)
  }
  mall.budget(4)
  give('anchor/1', 'east/1', 4)
  for (const { gate: at, what } of steps) {
    const gate = GATES[at % 3] as Gate
    const other = GATES[(at + 1) % 3] as Gate
    const has = held.get(gate) ?? 0
    if (what === 0 && inside > 0) {
      mall.exit(gate)
      held.set(gate, has + 1)
      inside--
    } else if (has > 0 && what === 1) give(gate, other, has)
    else if (has > 0) {
      mall.admit(gate)
      held.set(gate, has - 1)
      inside++
    }
  }
  return inside
}

const STEPS = fc.array(fc.record({ gate: fc.nat(2), what: fc.nat(3) }), { minLength: 20, maxLength: 60 })
const ARRIVALS = fc.array(fc.record({ account: fc.nat(3), portion: fc.integer({ min: 1, max: 9 }) }), { maxLength: 60 })

test('in whatever order ledgers arrive, a mall that never held too many is never said to', async () => {
  await fc.assert(
    fc.asyncProperty(STEPS, ARRIVALS, async (steps, arrivals) => {
      const mall = await CollectedMall.open()
      const inside = honest(mall, steps)
      for (const { account, portion } of arrivals) {
        const name = [...GATES, 'anchor/1'][account] as string
        await mall.collect(name, Math.min(mall.size(name), mall.ledger(name).collected + portion))
        const { turnstile } = mall.reconciler.compliance()
        assert.ok(turnstile <= 4, `${turnstile} seen inside of 4`)
        const { drift } = mall.reconciler.leaseDrift()
        assert.equal(drift, 0)
      }
      await mall.collectAll()
      assert.equal(await overs(mall), 0)
      const { turnstile, missing } = mall.reconciler.compliance()
      assert.deepEqual({ turnstile, missing }, { turnstile: inside, missing: [] })
      assert.equal(mall.reconciler.leaseDrift().drift, 0)
    }),
    { numRuns: 150 },
  )
})

test('a gate that lets in more than the capacity is found by its events, however honest its row looks', async () => {
  const mall = await CollectedMall.open()
  mall.budget(10)
  mall.transfer('anchor/1', 'east/1', 10)
  mall.admit('east/1', 10)
  await mall.collectAll()
  assert.equal(await overs(mall), 0)
  mall.admit('east/1', 2)
  await mall.collectAll()
  assert.equal(await overs(mall), 2)
  const { over } = mall.reconciler.compliance()
  assert.deepEqual({ ...over, at: 0 }, { at: 0, account: 'east/1', count: 12, limit: 10, what: 'capacity' })
})

test('above the legal maximum nothing is excused', async () => {
  const mall = await CollectedMall.open(12)
  mall.budget(12)
  mall.transfer('anchor/1', 'east/1', 12)
  mall.admit('east/1', 12)
  mall.write('west/1', { type: 'forced', count: 1, why: 'tailgate' })
  mall.admit('east/1')
  await mall.collectAll()
  assert.equal(await overs(mall), 1)
  assert.equal(mall.reconciler.compliance().over?.what, 'legal-max')
})

test('whoever was let in after people had left is cleared when their exits are collected, and not before', async () => {
  for (const isCollected of [true, false]) {
    const mall = await CollectedMall.open()
    mall.budget(10)
    mall.transfer('anchor/1', 'east/1', 10)
    mall.admit('east/1', 9)
    // a tailgater, whom three exits elsewhere make up for; then there is room again
    mall.write('west/1', { type: 'forced', count: 2, why: 'tailgate' })
    mall.clock.pass(20_000)
    mall.exit('north/1', 3)
    mall.clock.pass(20_000)
    mall.admit('east/1')
    for (const account of ['anchor/1', 'west/1', 'east/1']) await mall.collect(account)
    assert.equal(await overs(mall), 0, 'what north did is not known yet')
    if (isCollected) await mall.collect('north/1')
    mall.clock.pass(300_000)
    assert.equal(await overs(mall), isCollected ? 0 : 1)
  }
})

test('what happened before a head count is not added to it when it is collected late', async () => {
  const mall = await CollectedMall.open()
  mall.budget(50)
  mall.write('east/1', { type: 'optical', in: 0, out: 0 })
  await mall.collectAll()
  mall.clock.pass(60_000)
  mall.write('east/1', { type: 'optical', in: 30, out: 0 })
  mall.clock.pass(60_000)
  const people = { actual: 31, counted: 0, residual: 31, by: 'ann,bob', reason: 'night', policy: 2 }
  mall.write('anchor/1', { type: 'recount', ...people })
  await mall.collect('anchor/1')
  await mall.collect('east/1')
  assert.equal(mall.reconciler.compliance().optical, 31)
  mall.clock.pass(60_000)
  mall.write('east/1', { type: 'optical', in: 1, out: 0 })
  await mall.collectAll()
  assert.equal(mall.reconciler.compliance().optical, 32)
})

test('a cut of the capacity excuses who could not have heard of it, and nobody later', async () => {
  const mall = await CollectedMall.open()
  mall.budget(50)
  mall.transfer('anchor/1', 'east/1', 50)
  mall.admit('east/1', 30)
  await mall.collectAll()
  mall.clock.pass(60_000)
  const before = mall.clock.wall() - 20_000
  mall.budget(10)
  mall.clock.pass(1000)
  mall.admit('east/1', 3)
  await mall.collectAll()
  assert.equal(await overs(mall), 0)
  mall.clock.pass(10_000)
  mall.admit('east/1')
  await mall.collectAll()
  assert.equal(await overs(mall), 1)
  // an admission of before the cut that comes late is none
  mall.transfer('anchor/1', 'west/1', 1)
  mall.admit('west/1', 1, before)
  await mall.collectAll()
  assert.equal(await overs(mall), 1)
})

test('after a raise a gate whose clock lags is not accused', async () => {
  const mall = await CollectedMall.open()
  mall.budget(10)
  mall.transfer('anchor/1', 'east/1', 10)
  mall.admit('east/1', 10)
  mall.clock.pass(60_000)
  mall.budget(20)
  mall.transfer('anchor/1', 'east/1', 10)
  mall.admit('east/1', 10, mall.clock.wall() - 30_000)
  await mall.collectAll()
  assert.equal(await overs(mall), 0)
})

test('tokens from nowhere are a drift, by exactly as many', async () => {
  const mall = await CollectedMall.open()
  mall.budget(10)
  mall.transfer('anchor/1', 'east/1', 5, false)
  await mall.collectAll()
  assert.deepEqual(mall.reconciler.leaseDrift(), { drift: 0, sent: 5, received: 0, inFlight: 5, wrong: [] })
  mall.write('east/1', { type: 'receive', from: 'anchor/1', amount: 8, size: mall.size('anchor/1') })
  await mall.collectAll()
  const { drift, inFlight, wrong } = mall.reconciler.leaseDrift()
  assert.deepEqual({ drift, inFlight }, { drift: -3, inFlight: 0 })
  assert.deepEqual(wrong, ['east/1 took 3 more from anchor/1 than that sent'])
})

test('a ledger that nobody has any more holds up the count for a minute; then its newest row stands in', async () => {
  const mall = await CollectedMall.open()
  mall.budget(5)
  mall.transfer('anchor/1', 'east/1', 5)
  mall.admit('east/1', 5)
  await mall.collectAll()
  // east lets four out and hands the tokens on, then burns down
  mall.exit('east/1', 4)
  mall.transfer('east/1', 'west/1', 4)
  mall.admit('west/1', 4)
  await mall.collect('west/1')
  assert.equal(mall.reconciler.compliance().turnstile, 5, 'west waits for east')
  mall.clock.pass(61_000)
  await mall.reconciler.count()
  const overAdmissions = await overs(mall)
  const { turnstile, missing } = mall.reconciler.compliance()
  assert.deepEqual({ turnstile, overAdmissions, missing }, { turnstile: 5, overAdmissions: 0, missing: ['east/1'] })
  assert.equal(mall.reconciler.leaseDrift().drift, 0)
  await mall.collect('east/1')
  assert.deepEqual(mall.reconciler.compliance().missing, [])
  assert.equal(mall.reconciler.compliance().turnstile, 5)
})

test('a fault entry of an exit that did not open is counted and kept', async () => {
  const mall = await CollectedMall.open()
  mall.write('east/1', { type: 'fault', code: 'DISK', detail: 'mended', count: 2 })
  mall.write('east/1', { type: 'fault', code: 'EXIT_BLOCKED', detail: 'arm 2 is stuck', count: 0 })
  await mall.collectAll()
  const { total, last } = mall.reconciler.exitsRefused()
  assert.deepEqual({ total, detail: last?.detail }, { total: 1, detail: 'arm 2 is stuck' })
})

test.run()
