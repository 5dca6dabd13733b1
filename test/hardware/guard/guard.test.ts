import assert from 'node:assert/strict'
import { Guard } from '../../../hardware/guard.ts'
import { type Happening, HardwareFault } from '../../../hardware/turnstile.ts'
import { suite } from '../../suite.ts'
import { HandIo, HandRig, laneOf } from './hand-io.ts'

const test = suite('hardware/guard')

const TWO = [laneOf('north'), laneOf('south')]

async function rigged(lanes = TWO): Promise<HandRig> {
  const rig = new HandRig(lanes)
  await rig.start()
  return rig
}

const entryOf = (rig: HandRig, lane = 0) => (rig.guard.lanes[lane] as Guard['lanes'][number]).entry

test('an open fire loop frees every entry within the same turn, before anybody is told', async () => {
  const rig = await rigged()
  const ordersWhenHeard: string[][] = []
  rig.onHear = () => ordersWhenHeard.push([...rig.io.orders])
  rig.contact('fire', true)
  assert.deepEqual(rig.io.orders, ['north free', 'south free'])
  assert.deepEqual(ordersWhenHeard[0], ['north free', 'south free'])
  assert.deepEqual(rig.said(), ['fire raised'])
})

test('a listener that throws is heard of, and no entry stays locked for it', async () => {
  const rig = await rigged()
  rig.onHear = () => {
    throw new Error('a bug of the gate')
  }
  rig.contact('fire', true)
  assert.deepEqual(rig.io.orders, ['north free', 'south free'])
  await assert.rejects(rig.clock.pass(1), /a bug of the gate/)
})

test('a driver that throws at one lane still frees the next', async () => {
  const rig = await rigged()
  rig.io.answer = 'throws'
  rig.contact('fire', true)
  assert.deepEqual(rig.io.orders, ['north free', 'south free'])
  await rig.clock.pass(0)
  assert.deepEqual(rig.said(), ['fire raised', 'north OUTPUT', 'south OUTPUT'])
})

test('an entry that did not confirm that it is free is told again until it does', async () => {
  const rig = await rigged([laneOf('north')])
  rig.io.answer = false
  rig.contact('fire', true)
  await rig.clock.pass(1000)
  assert.ok(rig.io.orders.filter(order => order === 'north free').length >= 4)
  rig.io.answer = true
  await rig.clock.pass(300)
  const { length } = rig.io.orders
  await rig.clock.pass(5000)
  assert.equal(rig.io.orders.length, length)
  assert.deepEqual(rig.said(), ['fire raised', 'north OUTPUT', 'north OUTPUT over'])
})

test('who is let in right behind somebody gets a pulse of their own, after the first is surely over', async () => {
  const grant = { coil: { on: 'hand', at: 0 }, pulseMs: 300 }
  const rig = await rigged([laneOf('north', { grant })])
  const opened = () => rig.io.orders.filter(order => order === 'north open').length
  const since = rig.clock.now()
  entryOf(rig).grant('g1')
  entryOf(rig).grant('g2')
  await rig.clock.pass(20)
  rig.io.events.input('north', 'in', true, rig.clock.now())
  await rig.clock.pass(110)
  rig.io.events.input('north', 'in', false, rig.clock.now())
  await rig.clock.pass(470 - (rig.clock.now() - since))
  assert.deepEqual([rig.said(), opened()], [['north entered g1'], 1], 'the contact was closed for the first')
  await rig.clock.pass(60)
  assert.equal(opened(), 2)
})

test('an arm that is let go before such a second pulse gets none, and nothing lapses', async () => {
  const grant = { coil: { on: 'hand', at: 0 }, pulseMs: 300 }
  const rig = await rigged([laneOf('north', { grant })])
  entryOf(rig).grant('g1')
  entryOf(rig).grant('g2')
  await rig.clock.pass(20)
  rig.io.events.input('north', 'in', true, rig.clock.now())
  await rig.clock.pass(110)
  rig.io.events.input('north', 'in', false, rig.clock.now())
  await rig.clock.pass(20)
  rig.contact('fire', true)
  await rig.clock.pass(20_000)
  assert.equal(rig.io.orders.filter(order => order === 'north open').length, 1)
  assert.ok(!rig.said().some(said => said.includes('lapsed')))
})

test('while the loop is open, and until somebody re-arms, nothing is held', async () => {
  const rig = await rigged()
  entryOf(rig).hold(2000)
  await rig.clock.pass(0)
  assert.equal(rig.guard.state().lanes[0]?.isHeld, true)
  rig.contact('fire', true)
  await rig.clock.pass(0)
  rig.io.orders.splice(0)
  entryOf(rig).hold(2000)
  rig.guard.rearm()
  entryOf(rig).hold(2000)
  rig.contact('fire', false)
  entryOf(rig).hold(2000)
  await rig.clock.pass(100)
  assert.deepEqual(rig.io.orders, [])
  const { isLatched, fire, lanes } = rig.guard.state()
  assert.deepEqual([isLatched, fire, lanes[0]?.isHeld, lanes[0]?.isReleased], [true, false, false, true])
  rig.guard.rearm()
  entryOf(rig).hold(2000)
  await rig.clock.pass(0)
  assert.deepEqual(rig.io.orders, ['north hold 2000'])
  assert.deepEqual([rig.guard.state().isLatched, rig.guard.state().lanes[0]?.isReleased], [false, false])
})

test('a hold that was on its way when the loop opened does not have the last word', async () => {
  const rig = await rigged([laneOf('north')])
  rig.io.answer = undefined
  entryOf(rig).hold(2000)
  rig.contact('fire', true)
  assert.deepEqual(rig.io.orders, ['north hold 2000', 'north free'])
  rig.io.answer = true
  rig.io.answerAll(true)
  await rig.clock.pass(0)
  assert.deepEqual(rig.io.orders, ['north hold 2000', 'north free', 'north free'])
  assert.equal(rig.guard.state().lanes[0]?.isHeld, false)
})

test('a pulse that was on its way does not have it either, and a free arm gets none', async () => {
  const rig = await rigged([laneOf('north')])
  rig.io.answer = undefined
  entryOf(rig).grant('g1')
  entryOf(rig).release()
  rig.io.answer = true
  rig.io.answerAll(true)
  await rig.clock.pass(0)
  assert.deepEqual(rig.io.orders, ['north open', 'north free', 'north free'])
  entryOf(rig).grant('g2')
  await rig.clock.pass(10_000)
  assert.deepEqual(rig.io.orders.filter(order => order === 'north open').length, 1)
})

test('holds are not piled up before a board that is slow', async () => {
  const rig = await rigged([laneOf('north')])
  rig.io.answer = undefined
  for (let k = 0; k < 10; k++) entryOf(rig).hold(2000)
  assert.deepEqual(rig.io.orders, ['north hold 2000'])
})

test('a hold lasts as long as it was asked for, and not longer', async () => {
  const rig = await rigged([laneOf('north')])
  entryOf(rig).hold(2000)
  await rig.clock.pass(1999)
  assert.equal(rig.guard.state().lanes[0]?.isHeld, true)
  await rig.clock.pass(1)
  assert.equal(rig.guard.state().lanes[0]?.isHeld, false)
})

test('a hold that the board did not confirm is a fault and holds nobody', async () => {
  const rig = await rigged([laneOf('north')])
  rig.io.answer = false
  entryOf(rig).hold(2000)
  await rig.clock.pass(0)
  assert.deepEqual(rig.said(), ['north OUTPUT'])
  assert.equal(rig.guard.state().lanes[0]?.isHeld, false)
  assert.deepEqual(rig.guard.state().lanes[0]?.faults, ['OUTPUT'])
  rig.io.answer = true
  entryOf(rig).hold(2000)
  await rig.clock.pass(0)
  assert.deepEqual(rig.said(), ['north OUTPUT over'])
})

test('a hold or a pulse that a release overtook is no fault of the board', async () => {
  for (const order of ['hold', 'pulse']) {
    const rig = await rigged([laneOf('north')])
    rig.io.answer = undefined
    if (order === 'hold') entryOf(rig).hold(2000)
    else entryOf(rig).grant('g1')
    await rig.clock.pass(1)
    rig.io.answer = true
    entryOf(rig).release()
    rig.io.answerAll(false)
    await rig.clock.pass(300)
    assert.ok(!rig.said().includes('north OUTPUT'), order)
    assert.equal(rig.guard.state().lanes[0]?.isHeld, false)
  }
})

test('a fire loop that cannot be read is no fire; leases are not renewed while it is so', async () => {
  const rig = await rigged([laneOf('north')])
  rig.io.events.link(undefined, false, 'no answer', rig.clock.now())
  entryOf(rig).hold(2000)
  await rig.clock.pass(0)
  assert.deepEqual(rig.io.orders, [])
  assert.deepEqual(rig.said(), ['INTERLOCK_BLIND'])
  assert.deepEqual([rig.guard.state().fire, rig.guard.state().isLatched], ['unknown', false])
  rig.io.events.link(undefined, true, 'it answers', rig.clock.now())
  entryOf(rig).hold(2000)
  assert.deepEqual(rig.io.orders, ['north hold 2000'])
  assert.deepEqual(rig.said(), ['INTERLOCK_BLIND over'])
})

test('a loop that opened while it could not be read frees as soon as it can be', async () => {
  const rig = await rigged([laneOf('north')])
  rig.io.events.link(undefined, false, 'no answer', rig.clock.now())
  rig.io.events.link(undefined, true, 'it answers', rig.clock.now())
  rig.contact('fire', true)
  assert.deepEqual(rig.io.orders, ['north free'])
})

test('the key switch is told and moves no arm', async () => {
  const rig = await rigged()
  rig.contact('key', true)
  rig.contact('key', false)
  assert.deepEqual(rig.io.orders, [])
  assert.deepEqual(rig.said(), ['key raised', 'key over'])
})

test('whoever asks is let in by one pulse, and told of once they walked', async () => {
  const rig = await rigged([laneOf('north')])
  rig.onHear = happening => {
    if (happening.kind === 'asked') entryOf(rig).grant('g1')
  }
  rig.io.events.input('north', 'ask', true, rig.clock.now())
  await rig.clock.pass(100)
  rig.io.events.input('north', 'ask', false, rig.clock.now())
  await rig.clock.pass(400)
  await rig.walks('north', 'in')
  await rig.clock.pass(20_000)
  assert.deepEqual(rig.io.orders, ['north open'])
  assert.deepEqual(rig.said(), ['north asked', 'north entered g1'])
})

test('whoever is refused sees it, and the arm stays as it is', async () => {
  const rig = await rigged([laneOf('north')])
  entryOf(rig).refuse('g1')
  assert.deepEqual(rig.io.orders, ['north refuse'])
})

test('a grant that nobody walked through lapses, unless its pulse was not confirmed', async () => {
  const rig = await rigged([laneOf('north')])
  entryOf(rig).grant('g1')
  await rig.clock.pass(7000)
  assert.deepEqual(rig.said(), ['north lapsed g1'])
  rig.io.answer = false
  entryOf(rig).grant('g2')
  await rig.clock.pass(60_000)
  assert.ok(!rig.said().includes('north lapsed g2'))
})

test('people who walk while an entry is free are counted, each way', async () => {
  const rig = await rigged([laneOf('north')])
  rig.contact('fire', true)
  await rig.walks('north', 'in')
  await rig.walks('north', 'out')
  assert.deepEqual(rig.said(), ['fire raised', 'north intruded 1 fire', 'north left sure'])
})

test('a lane that does not answer is a fault and unknown; once it does, it is told again what is free', async () => {
  const rig = await rigged([laneOf('north')])
  entryOf(rig).release()
  rig.io.orders.splice(0)
  rig.io.events.link('north', false, 'board 1 does not answer', rig.clock.now())
  assert.deepEqual(rig.guard.state().lanes[0]?.inputs, { ask: 'unknown', in: 'unknown', out: 'unknown' })
  assert.equal(rig.guard.state().lanes[0]?.isUp, false)
  rig.io.events.link('north', true, 'it answers', rig.clock.now())
  assert.deepEqual(rig.io.orders, ['north freeExit', 'north free'])
  assert.deepEqual(rig.said(), ['north LINK', 'north LINK over'])
})

test('faults of the bus are told when they begin and when they end', async () => {
  const rig = await rigged([laneOf('north')])
  const say = (isOver: boolean, detail = 'more than a few') => rig.io.events.fault('NOISE', detail, isOver, 0)
  say(true)
  say(false)
  say(false)
  say(true)
  assert.deepEqual(rig.said(), ['NOISE', 'NOISE over'])
})

test('who stops lets every entry go, waits a second at most, and may repeat it', async () => {
  const rig = await rigged()
  rig.io.answer = undefined
  const stopped = rig.guard.stop()
  assert.deepEqual(rig.io.orders, ['north free', 'south free'])
  await rig.clock.pass(999)
  assert.equal(rig.io.stops, 0)
  await rig.clock.pass(1)
  await Promise.all([stopped, rig.guard.stop()])
  assert.equal(rig.io.stops, 1)
  entryOf(rig).hold(2000)
  assert.deepEqual(rig.io.orders, ['north free', 'south free'])
})

test('a driver without the lane that is configured is refused by name', () => {
  const rig = new HandRig(TWO)
  const { config, clock } = rig
  const memory = { load: async () => undefined, save: async () => undefined }
  const make = () =>
    new Guard({
      config,
      clock,
      memory,
      io: new HandIo(['north']),
      settled: async () => undefined,
      isSameLife: async () => true,
    })
  assert.throws(make, (error: unknown) => error instanceof HardwareFault && /lane south/.test(error.message))
})

test('no exit has anything that could lock it', async () => {
  const rig = await rigged()
  for (const { exit } of rig.guard.lanes) assert.deepEqual(Object.keys(exit), ['free'])
})

const COUNTED = laneOf('north', { counter: 'lot', inputs: {} })

test('a restart knows from the counter whose grant was walked on, and who left meanwhile', async () => {
  const rig = await rigged([COUNTED])
  rig.io.events.counters('north', { in: 10, out: 10 }, rig.clock.now())
  await rig.clock.pass(10)
  entryOf(rig).grant('g1')
  await rig.clock.pass(10)
  const again = new HandRig([COUNTED])
  for (const [lane, memory] of rig.memory) again.memory.set(lane, memory)
  await again.start()
  again.io.events.counters('north', { in: 11, out: 12 }, again.clock.now())
  await again.clock.pass(10)
  assert.deepEqual(again.io.orders, [], 'and gives no second pulse')
  assert.deepEqual(again.said(), ['north entered g1', 'north left sure', 'north left sure'])
  assert.deepEqual([again.memory.get('north')?.in, again.memory.get('north')?.grants], [11, []])
})

test('after a crash before the ledger had it, the same passage is of the same grant again', async () => {
  const rig = await rigged([COUNTED])
  rig.settled = () => Promise.reject(new Error('no ledger'))
  rig.io.events.counters('north', { in: 10, out: 10 }, rig.clock.now())
  entryOf(rig).grant('g1')
  await rig.clock.pass(10)
  rig.io.events.counters('north', { in: 11, out: 11 }, rig.clock.now())
  await rig.clock.pass(10)
  const idOf = (heard: readonly Happening[]) => heard.flatMap(one => (one.kind === 'left' ? [one.id] : []))
  const ids = idOf(rig.heard)
  assert.deepEqual(rig.said(), ['north entered g1', 'north left sure'])
  const again = new HandRig([COUNTED])
  for (const [lane, memory] of rig.memory) again.memory.set(lane, memory)
  await again.start()
  again.io.events.counters('north', { in: 11, out: 11 }, again.clock.now())
  await again.clock.pass(10)
  assert.deepEqual(idOf(again.heard), ids)
  assert.deepEqual(again.said(), ['north entered g1', 'north left sure'])
})

test.run()
