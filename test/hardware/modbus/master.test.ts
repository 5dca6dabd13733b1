import assert from 'node:assert/strict'
import fc from 'fast-check'
import { Master } from '../../../hardware/modbus/master.ts'
import { HardwareFault } from '../../../hardware/turnstile.ts'
import { suite } from '../../suite.ts'
import { type Asked, bits, echoed, refused, registers } from '../player/wire.ts'
import { LineClock } from './line-clock.ts'
import { type FarEnd, ModelLine } from './model-line.ts'

const test = suite('hardware/modbus/master')

const TIMEOUT_MS = 60
const SEVEN: FarEnd = asked => ({ bytes: yes(asked, 7), afterMs: 2 })

function yes(asked: Asked, value: number): Buffer {
  if (asked.fn > 4) return echoed(asked)
  return asked.fn > 2 ? registers(asked, Array(asked.word).fill(value)) : bits(asked, Array(asked.word).fill(value & 1))
}

async function bus(farEnd: FarEnd) {
  const clock = new LineClock()
  const line = new ModelLine(clock, farEnd)
  const closed: string[] = []
  const master = new Master({ link: line, clock, timeoutMs: TIMEOUT_MS, closed: why => closed.push(why) })
  await master.open()
  const code = (promise: Promise<unknown>) =>
    clock.until(
      promise.then(
        () => 'fine',
        (error: unknown) => (error instanceof HardwareFault ? error.code : String(error)),
      ),
    )
  return { clock, line, master, closed, code }
}

test('values come back as they were read', async () => {
  const { clock, master } = await bus(SEVEN)
  assert.deepEqual(await clock.until(master.read(1, 3, 0x44, 4)), [7, 7, 7, 7])
  assert.deepEqual(await clock.until(master.read(1, 2, 0, 3)), [1, 1, 1])
  await clock.until(master.writeCoil(1, 0x0200, 7))
  await clock.until(master.writeRegisters(1, 0x41, [0xffff]))
})

test('what is urgent goes first, then what is written, then what is read', async () => {
  const { clock, line, master } = await bus(SEVEN)
  const all = [
    master.read(1, 3, 0, 1),
    master.read(1, 3, 1, 1),
    master.writeCoil(1, 2, 0),
    master.read(1, 3, 3, 1),
    master.writeCoil(1, 4, 0, { urgent: true }),
    master.writeCoil(1, 5, 0),
    master.writeCoil(1, 6, 0, { urgent: true }),
  ]
  await clock.until(Promise.all(all))
  // all were there before the first could be sent
  assert.deepEqual(
    line.asked.map(({ at }) => at),
    [4, 6, 2, 5, 0, 1, 3],
  )
})

test('what comes up urgently waits for nothing but the question that is on the wire', async () => {
  const { clock, line, master } = await bus(SEVEN)
  const reads = [0, 1, 2, 3].map(at => master.read(1, 3, at, 1))
  await clock.pass(30)
  const urgent = master.writeCoil(1, 9, 0, { urgent: true })
  await clock.until(Promise.all([...reads, urgent]))
  assert.deepEqual(
    line.asked.map(({ at }) => at),
    [0, 1, 9, 2, 3],
  )
})

test('what is not wanted any more when its turn comes is not sent', async () => {
  const { clock, line, master, code } = await bus(SEVEN)
  let isWanted = true
  const first = master.read(1, 3, 0, 1)
  const hold = code(master.writeCoil(1, 5, 1, { still: () => isWanted }))
  await clock.pass(2)
  isWanted = false
  await clock.until(first)
  assert.equal(await hold, 'OUTPUT')
  assert.deepEqual(
    line.asked.map(({ at }) => at).filter(at => at === 5),
    [],
  )
})

test('no answer is TIME_OUT, a broken one NOISE, a refused read LINK and a refused write OUTPUT', async () => {
  const { line, master, code } = await bus(() => undefined)
  assert.equal(await code(master.read(1, 3, 0, 1)), 'TIME_OUT')
  line.farEnd = asked => ({ bytes: yes(asked, 7).fill(0, 3), afterMs: 2 })
  assert.equal(await code(master.read(2, 3, 0, 1)), 'NOISE')
  line.farEnd = asked => ({ bytes: refused(asked, 2), afterMs: 2 })
  assert.equal(await code(master.read(3, 3, 0, 1)), 'LINK')
  assert.equal(await code(master.writeCoil(3, 0, 0)), 'OUTPUT')
  assert.equal(await code(master.read(3, 3, 0, 0)), 'LINK')
})

test('a write that nobody confirmed is not sent again by itself', async () => {
  const { line, master, code } = await bus(() => undefined)
  assert.equal(await code(master.writeCoil(1, 0x0200, 5)), 'TIME_OUT')
  assert.equal(line.asked.length, 1)
})

test('a line that never falls silent is given up in time', async () => {
  const { clock, line, master, code } = await bus(() => undefined)
  const began = clock.now()
  const noise = () => {
    line.babble(Buffer.from([1, 3, 9]))
    clock.in(5, noise)
  }
  noise()
  assert.equal(await code(master.read(1, 3, 0, 1)), 'NOISE')
  assert.ok(clock.now() - began < 3 * TIMEOUT_MS)
})

test('between two frames the line is quiet for as long as it has to be', async () => {
  const { clock, line, master } = await bus(SEVEN)
  await clock.until(Promise.all(Array.from({ length: 20 }, (_, at) => master.read(1, 3, at, 1))))
  // question of 8 bytes, 2 ms, answer of 7
  const takesMs = line.wireMs(8) + 2 + line.wireMs(7)
  line.asked.slice(1).forEach(({ sentAt }, k) => {
    const silentMs = sentAt - (line.asked[k]?.sentAt ?? 0) - takesMs
    assert.ok(silentMs >= line.gapMs - 1e-6, `${silentMs} ms`)
  })
})

test('a late answer is never taken for another question’s', async () => {
  // A board answers in order, and each answer tells which question it is for.
  const delay = fc.oneof(
    { weight: 3, arbitrary: fc.constant(2) },
    { weight: 2, arbitrary: fc.integer({ min: 0, max: 700 }) },
  )
  const plan = fc.array(
    fc.record({
      delay,
      isLost: fc.boolean(),
      unit: fc.constantFrom(1, 2),
      fn: fc.constantFrom(2 as const, 3 as const),
    }),
    { minLength: 4, maxLength: 24 },
  )
  await fc.assert(
    fc.asyncProperty(plan, async plan => {
      let seen = 0
      const readyAt = new Map<number, number>()
      const { clock, line, master } = await bus(() => undefined)
      line.farEnd = asked => {
        const step = plan[seen % plan.length] as (typeof plan)[number]
        const tag = seen++ & 0xff
        if (step.isLost) return undefined
        const at = Math.max(clock.now() + step.delay, readyAt.get(asked.unit) ?? 0)
        const levels = Array.from({ length: asked.word }, (_, k) => (tag >> k) & 1)
        const bytes = asked.fn < 3 ? bits(asked, levels) : registers(asked, Array(asked.word).fill(tag))
        readyAt.set(asked.unit, at + line.wireMs(bytes.length))
        return { bytes, afterMs: at - clock.now() }
      }
      for (const { unit, fn } of plan) {
        const values = await clock.until(master.read(unit, fn, 0, fn === 2 ? 8 : 4).catch(() => undefined))
        const tag = (line.asked.length - 1) & 0xff
        const expected = fn === 2 ? Array.from({ length: 8 }, (_, k) => (tag >> k) & 1) : Array(4).fill(tag)
        if (values) assert.deepEqual(values, expected)
      }
    }),
    { numRuns: 100 },
  )
})

test('after a lost frame, one question more finds out where the answers stand', async () => {
  const { clock, line, master, code } = await bus(() => undefined)
  assert.equal(await code(master.read(1, 2, 0, 8)), 'TIME_OUT')
  line.farEnd = SEVEN
  assert.deepEqual(await clock.until(master.read(1, 2, 0, 8)), Array(8).fill(1))
  assert.deepEqual(
    line.asked.map(({ fn }) => fn),
    [2, 1, 2],
  )
  assert.equal(master.figures.markers, 1)
})

test('what is urgent is sent at once, whatever is still owed', async () => {
  const { clock, line, master, code } = await bus(() => undefined)
  assert.equal(await code(master.writeCoil(1, 5, 0, { urgent: true })), 'TIME_OUT')
  line.farEnd = SEVEN
  await clock.until(master.writeCoil(1, 5, 0, { urgent: true }))
  assert.deepEqual(
    line.asked.map(({ fn }) => fn),
    [5, 5],
  )
})

test('a port that goes away fails what waits, says so once, and can be opened again', async () => {
  const { clock, line, master, closed, code } = await bus(SEVEN)
  const waiting = [code(master.read(1, 3, 0, 1)), code(master.writeCoil(1, 1, 0))]
  await clock.pass(3)
  line.unplug()
  assert.deepEqual(await Promise.all(waiting), ['LINK', 'LINK'])
  assert.deepEqual(closed, ['line: unplugged'])
  assert.equal(await code(master.read(1, 3, 0, 1)), 'LINK')
  assert.equal(await code(master.open()), 'LINK')
  line.isThere = true
  await master.open()
  assert.deepEqual(await clock.until(master.read(1, 3, 0, 1)), [7])
})

test.run()
