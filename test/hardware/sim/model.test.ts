import assert from 'node:assert/strict'
import type { LaneConfig } from '../../../hardware/config.ts'
import type { IoEvents, Signal } from '../../../hardware/io.ts'
import { PASSAGE_RULES } from '../../../hardware/passage/rules.ts'
import type { Intent } from '../../../hardware/sim/person.ts'
import { SimIo } from '../../../hardware/sim/sim-io.ts'
import { suite } from '../../suite.ts'
import { ModelClock } from './model-clock.ts'

const test = suite('hardware/sim/model')

const WIRE = { on: 'sim', at: 0, normally: 'open' } as const

interface Seen {
  readonly signal: Signal
  readonly active: boolean
  readonly at: number
}

/** One lane, and all that its wires said. */
class Bench {
  readonly clock = new ModelClock()
  readonly io: SimIo
  readonly seen: Seen[] = []
  readonly readings: { readonly in: number; readonly out: number }[] = []
  readonly said: string[] = []

  constructor(a: { signals?: readonly Signal[]; counter?: string; seed?: number } = {}) {
    const { signals = ['ask', 'in', 'out'], counter, seed = 7 } = a
    const inputs = Object.fromEntries(signals.map(signal => [signal, WIRE]))
    const lane: LaneConfig = { name: 'n', rules: PASSAGE_RULES, inputs, ...(counter ? { counter } : {}) }
    const driver = { driver: 'sim', seed, turnsRoundPerMille: 0, tailgatePerMille: 0, walkMs: 700 } as const
    this.io = new SimIo({ clock: this.clock, driver, lanes: [lane] })
  }

  async start(): Promise<this> {
    const events: IoEvents = {
      input: (_lane, signal, active, at) => void this.seen.push({ signal, active, at }),
      contact: (contact, active) => void this.said.push(`${contact} ${active}`),
      counters: (_lane, reading) => void this.readings.push(reading),
      link: (lane, isUp) => void this.said.push(`link ${lane ?? 'interlock'} ${isUp}`),
      fault: () => undefined,
    }
    await this.io.start(events)
    this.said.length = 0
    this.seen.length = 0
    return this
  }

  get outputs() {
    return this.io.outputs.get('n') as NonNullable<ReturnType<SimIo['outputs']['get']>>
  }

  /** Held, as by a gate that is alive. */
  async hold(forMs = 60_000): Promise<void> {
    await this.clock.until(this.outputs.hold(forMs))
  }

  /** Somebody who is let in a moment after they asked. */
  async letIn(intent: Intent = {}) {
    const walking = this.io.person('in', intent)
    await this.clock.pass(300)
    await this.clock.until(this.outputs.open())
    return this.clock.until(walking)
  }

  /** Times at which this input was active for longer than a bounce. */
  pulses(signal: Signal): { readonly from: number; readonly ms: number }[] {
    const pulses: { from: number; ms: number }[] = []
    let from: number | undefined
    let gone: number | undefined
    for (const { signal: which, active, at } of this.seen) {
      if (which !== signal) continue
      if (active) {
        if (gone !== undefined && at - gone > 8 && from !== undefined) {
          pulses.push({ from, ms: gone - from })
          from = undefined
        }
        from ??= at
        gone = undefined
      } else gone ??= at
    }
    if (from !== undefined && gone !== undefined) pulses.push({ from, ms: gone - from })
    return pulses
  }
}

test('somebody who is let in moves the reader, then the PASS contact of their direction, once', async () => {
  const bench = await new Bench().start()
  await bench.hold()
  const outcome = await bench.letIn()
  assert.deepEqual(outcome, { lane: 'n', walked: true, why: 'walked', followers: 0 })
  await bench.clock.pass(50)
  assert.equal(bench.pulses('ask').length, 1)
  const [pulse, ...others] = bench.pulses('in')
  assert.ok(pulse !== undefined && pulse.ms >= 100 && pulse.ms < 600, JSON.stringify(pulse))
  assert.ok(others.every(({ from }) => from - pulse.from < 500))
  assert.deepEqual(bench.pulses('out'), [])
  assert.deepEqual(bench.io.truth, { in: 1, out: 0, unseenIn: 0, unseenOut: 0 })
})

test('contacts bounce for some ms, each flip shorter than a debounce', async () => {
  const bench = await new Bench().start()
  for (let i = 0; i < 20; i++) await bench.clock.until(bench.io.person('out'))
  await bench.clock.pass(50)
  const flips = bench.seen.filter(({ signal }) => signal === 'out')
  assert.ok(flips.length > 3 * 20, `${flips.length} flips for 20 people`)
  assert.equal(flips.length % 2, 0)
  const short = flips.filter(({ at }, i) => i > 0 && at - (flips[i - 1] as Seen).at < 20)
  assert.ok(short.every(({ at }) => bench.seen.some(other => Math.abs(other.at - at) <= 5)))
  assert.ok(short.length > 20)
})

test('whoever leaves needs nobody: held, without power, with every wire broken', async () => {
  const bench = await new Bench().start()
  const { io, clock } = bench
  await bench.hold()
  assert.equal((await clock.until(io.person('out'), 3000)).walked, true)
  io.power(false)
  assert.equal((await clock.until(io.person('out'), 3000)).walked, true)
  io.power(true)
  io.wire(false)
  assert.equal((await clock.until(io.person('out'), 3000)).walked, true)
  assert.deepEqual(io.truth, { in: 0, out: 3, unseenIn: 0, unseenOut: 2 })
})

test('a hold ends by itself, and the arm is free for whoever is bold', async () => {
  const bench = await new Bench().start()
  const { io, clock } = bench
  await bench.hold(2000)
  const bold = io.person('in', { isBold: true })
  await clock.pass(1500)
  assert.equal(io.truth.in, 0)
  assert.equal((await clock.until(bold, 3000)).walked, true)
})

test('a hold that is still on its way when the arm is let go does not lock it again', async () => {
  const bench = await new Bench().start()
  const holding = bench.outputs.hold(60_000)
  assert.equal(await bench.outputs.free(), true)
  assert.equal(await bench.clock.until(holding), false)
  assert.equal(bench.io.lane('n').arm.isHeld(bench.clock.now()), false)
})

test('power loss opens both PASS contacts at once and frees the arm; who walks then is seen by nobody', async () => {
  const bench = await new Bench().start()
  const { io, clock } = bench
  await bench.hold()
  io.power(false)
  await clock.pass(10)
  const opened = bench.seen.filter(({ active }) => active).map(({ signal }) => signal)
  assert.deepEqual(new Set(opened), new Set(['in', 'out']))
  assert.equal(io.lane('n').arm.isHeld(clock.now()), false)
  assert.equal((await clock.until(io.person('in', { isBold: true }))).walked, true)
  io.power(true)
  await clock.pass(50)
  assert.deepEqual([io.lane('n').shown('in'), io.lane('n').shown('out')], [false, false])
  assert.deepEqual(io.truth, { in: 1, out: 0, unseenIn: 1, unseenOut: 0 })
})

test('somebody who turns round moves no PASS contact, and the arm is still open for the next', async () => {
  const bench = await new Bench().start()
  await bench.hold()
  const outcome = await bench.letIn({ turnsRound: true })
  assert.deepEqual([outcome.why, bench.pulses('in').length, bench.io.truth.in], ['turned-round', 0, 0])
  assert.equal((await bench.clock.until(bench.io.person('in'), 3000)).walked, true)
})

test('a tailgater is a second pulse soon after the first, on one grant', async () => {
  const bench = await new Bench().start()
  await bench.hold()
  const outcome = await bench.letIn({ isFollowed: true })
  assert.equal(outcome.followers, 1)
  await bench.clock.pass(3000)
  const [one, two] = bench.pulses('in').filter(({ ms }) => ms >= 100)
  const apart = (two?.from ?? 0) - ((one?.from ?? 0) + (one?.ms ?? 0))
  assert.ok(apart > PASSAGE_RULES.doubleMs && apart < PASSAGE_RULES.tailgateMs, `${apart} ms`)
  assert.equal(bench.io.truth.in, 2)
})

test('nobody stands before an arm for ever, and whoever was told no goes', async () => {
  const bench = await new Bench().start()
  await bench.hold()
  assert.equal((await bench.clock.until(bench.io.person('in', { patienceMs: 1000 }))).why, 'gave-up')
  const refused = bench.io.person('in')
  await bench.clock.pass(300)
  assert.equal(bench.io.lane('n').shown('ask'), true)
  bench.io.lane('n').sendAway()
  assert.equal((await bench.clock.until(refused)).why, 'sent-away')
  await bench.clock.pass(50)
  assert.equal(bench.io.lane('n').shown('ask'), false)
  assert.equal(bench.io.truth.in, 0)
})

test('an arm is told by id who asks and who left, once each', async () => {
  const bench = await new Bench().start()
  const lane = bench.io.lane('n')
  await bench.hold()
  const first = bench.io.person('in', { id: 'a' })
  void bench.io.person('in', { id: 'b' })
  await bench.clock.pass(300)
  assert.deepEqual([lane.takeAsker(), lane.takeAsker()], ['a', undefined])
  lane.sendAway()
  await bench.clock.until(first)
  await bench.clock.pass(300)
  assert.equal(lane.takeAsker(), 'b')
  await bench.clock.until(bench.io.person('out', { id: 'c' }))
  assert.deepEqual([lane.takeLeaver(), lane.takeLeaver()], ['c', undefined])
})

test('light barriers break in the order of the direction; whoever turns round breaks both and counts for nobody', async () => {
  const bench = await new Bench({ signals: ['ask', 'beam-a', 'beam-b'] }).start()
  const order = () => {
    const starts = (['beam-a', 'beam-b'] as const).flatMap(signal => bench.pulses(signal).map(p => ({ signal, ...p })))
    bench.seen.length = 0
    return starts.sort((a, b) => a.from - b.from).map(({ signal }) => signal)
  }
  await bench.hold()
  await bench.letIn()
  await bench.clock.pass(50)
  assert.deepEqual(order(), ['beam-a', 'beam-b'])
  await bench.clock.until(bench.io.person('out'))
  await bench.clock.pass(50)
  assert.deepEqual(order(), ['beam-b', 'beam-a'])
  await bench.letIn({ turnsRound: true })
  await bench.clock.pass(50)
  assert.deepEqual(order(), ['beam-a', 'beam-b'])
  assert.deepEqual(bench.io.truth, { in: 1, out: 1, unseenIn: 0, unseenOut: 0 })
})

test('a device that counts goes on counting while nobody can read it, and after a reset begins at nothing', async () => {
  const bench = await new Bench({ counter: 'board' }).start()
  const { io, clock } = bench
  await clock.until(io.person('out'))
  await clock.pass(300)
  assert.deepEqual(bench.readings.at(-1), { in: 0, out: 1 })
  io.wire(false)
  const { length } = bench.readings
  await clock.until(io.person('out'))
  await clock.pass(1000)
  assert.equal(bench.readings.length, length)
  io.wire(true)
  await clock.pass(300)
  assert.deepEqual(bench.readings.at(-1), { in: 0, out: 2 })
  assert.deepEqual(bench.said, ['link n false', 'link n true'])
  await clock.until(io.person('out'))
  io.lane('n').resetCounters()
  await clock.pass(300)
  assert.deepEqual(bench.readings.at(-1), { in: 0, out: 0 })
  assert.equal(io.truth.unseenOut, 1, 'whom nobody had read of, nobody ever will')
})

test('fire loop and key are told when they change, and a stuck contact stays where it is', async () => {
  const bench = await new Bench().start()
  const { io, clock } = bench
  io.contact('fire', true)
  io.contact('fire', true)
  io.contact('fire', false)
  io.contact('key', true)
  assert.deepEqual(bench.said, ['fire true', 'fire false', 'key true'])
  io.stick('n', 'out', true)
  await clock.until(io.person('out'))
  assert.deepEqual(
    bench.seen.filter(({ signal }) => signal === 'out').map(({ active }) => active),
    [true],
  )
  io.stick('n', 'out', undefined)
  assert.equal(io.lane('n').shown('out'), false)
  assert.equal(io.truth.unseenOut, 1)
})

test('the same seed plays the same day to the ms; another one does not', async () => {
  const day = async (seed: number) => {
    const bench = await new Bench({ seed }).start()
    for (let i = 0; i < 5; i++) await bench.letIn()
    return JSON.stringify(bench.seen)
  }
  assert.equal(await day(3), await day(3))
  assert.notEqual(await day(3), await day(4))
})

test('stopped, it lets go of every arm, answers everybody and leaves nothing to be done', async () => {
  const bench = await new Bench().start()
  await bench.hold()
  const waiting = [bench.io.person('in'), bench.io.person('in'), bench.io.person('out')]
  const opening = bench.outputs.open()
  await bench.io.stop()
  await bench.io.stop()
  assert.deepEqual(
    (await Promise.all(waiting)).map(({ why }) => why),
    ['stopped', 'stopped', 'stopped'],
  )
  assert.equal(await opening, false)
  assert.equal((await bench.io.person('out')).why, 'stopped')
  assert.equal(bench.io.lane('n').arm.isHeld(bench.clock.now()), false)
  assert.equal(bench.clock.timers, 0)
})

test.run()
