import assert from 'node:assert/strict'
import { HardwareFault } from '../../../hardware/turnstile.ts'
import { suite } from '../../suite.ts'
import { ARM, ModelBus, TRIPOD } from './model-bus.ts'

const test = suite('hardware/modbus/modbus-io')

const FLASH = 0x0200
const PERMIT = 0x40
const EXITS = 0x41

async function withBus(act: (bus: ModelBus) => Promise<void>, bus = new ModelBus()): Promise<void> {
  await bus.start()
  try {
    await act(bus)
  } finally {
    await bus.stop()
  }
}

test('at the start every lane is up, every input told, and nothing is active', () =>
  withBus(async bus => {
    await bus.clock.pass(100)
    assert.deepEqual(bus.told, ['arm up', 'contacts up', 'fire false', 'key false', 'tripod up'])
    const levels = bus.inputs.map(({ signal, active }) => `${signal} ${active}`)
    assert.deepEqual(levels.sort(), ['ask false', 'in false', 'out false'])
    assert.deepEqual(bus.counters, { in: 0, out: 0 })
  }))

test('registers that are not as they have to be are written, and those that are, are not', () =>
  withBus(async bus => {
    assert.deepEqual(bus.written(1, 16, 0x1000), [0])
    assert.deepEqual(bus.written(2, 16, 0x3011), [5])
    // unplugged for a moment, the boards still know
    bus.line.unplug()
    bus.line.isThere = true
    bus.told.length = 0
    await bus.clock.pass(2000)
    assert.ok(bus.told.includes('tripod up') && bus.told.includes('arm up'))
    assert.deepEqual(bus.written(1, 16, 0x1000), [0])
    assert.deepEqual(bus.written(2, 16, 0x3011), [5])
  }))

test('a contact is told by what it means, with the time of the look', () =>
  withBus(async bus => {
    await bus.clock.pass(200)
    bus.inputs.length = 0
    const opened = bus.clock.now()
    bus.relays.inputs[0] = 0
    bus.relays.inputs[2] = 1
    await bus.clock.pass(100)
    bus.relays.inputs[0] = 1
    await bus.clock.pass(100)
    const [first, second, third, ...rest] = bus.inputs
    assert.deepEqual(rest, [])
    assert.deepEqual([first?.signal, first?.active, second?.signal, second?.active], ['in', true, 'ask', true])
    assert.equal(first?.at, second?.at)
    assert.ok((first?.at ?? 0) > opened && (first?.at ?? 0) < opened + 60)
    assert.deepEqual([third?.signal, third?.active], ['in', false])
  }))

test('a fire loop that opens is told, though the config calls it normally open', () =>
  withBus(async bus => {
    await bus.clock.pass(100)
    bus.relays.inputs[7] = 0
    await bus.clock.pass(80)
    assert.equal(bus.told.at(-1), 'fire true')
  }))

test('one lost frame is nothing, three in a row are a board that is down, and one answer has it back', () =>
  withBus(async bus => {
    await bus.clock.pass(100)
    let lose = 1
    bus.isDeaf = ({ unit, fn }) => unit === 1 && fn === 2 && lose-- > 0
    await bus.clock.pass(500)
    assert.ok(!bus.told.includes('arm down'))
    bus.isDeaf = ({ unit }) => unit === 1
    await bus.clock.pass(1000)
    assert.ok(bus.told.includes('arm down') && bus.told.includes('contacts down'))
    assert.ok(!bus.told.includes('tripod down'))
    bus.inputs.length = 0
    bus.told.length = 0
    bus.isDeaf = () => false
    await bus.clock.pass(5000)
    assert.deepEqual(bus.told.slice(0, 4), ['arm up', 'contacts up', 'fire false', 'key false'])
    assert.equal(bus.inputs.length, 3)
  }))

test('a silent board does not keep the bus from the others', () =>
  withBus(async bus => {
    bus.isDeaf = ({ unit }) => unit === 2
    await bus.clock.pass(3000)
    const from = bus.line.asked.length
    const began = bus.clock.now()
    await bus.clock.pass(5000)
    const looks = bus.line.asked.slice(from).filter(({ unit, fn }) => unit === 1 && fn === 2)
    assert.ok(looks.length > 150, `${looks.length} looks in ${bus.clock.now() - began} ms`)
  }))

test('between two looks at the fire loop lies at most one question to somebody else', () =>
  withBus(
    async bus => {
      await bus.clock.pass(500)
      const from = bus.line.asked.length
      await bus.clock.pass(3000)
      const units = bus.line.asked.slice(from).map(({ unit }) => unit)
      assert.ok(units.includes(2))
      units.forEach((unit, k) => {
        if (unit === 2) assert.notEqual(units[k - 1], 2)
      })
    },
    new ModelBus({ pollMs: 1 }),
  ))

test('a grant is one pulse that the board ends', () =>
  withBus(async bus => {
    assert.equal(await bus.clock.until(bus.outputs('arm').open()), true)
    await bus.clock.pass(1000)
    assert.deepEqual(bus.written(1, 5, FLASH), [5])
    const relay = bus.journal.filter(line => line.what === 'relay')
    assert.deepEqual(
      relay.map(({ isOn, by }) => `${isOn} ${by}`),
      ['true flash', 'false end'],
    )
  }))

test('a pulse that nobody confirmed is not sent again, and is not said to be', () =>
  withBus(async bus => {
    bus.isDeaf = ({ fn }) => fn === 5
    assert.equal(await bus.clock.until(bus.outputs('arm').open()), false)
    await bus.clock.pass(1000)
    assert.deepEqual(bus.written(1, 5, FLASH), [5])
  }))

test('a hold is a lease: renewed at half time and not before, gone by itself', () =>
  withBus(async bus => {
    const arm = bus.outputs('arm')
    for (let k = 0; k < 8; k++) {
      assert.equal(await bus.clock.until(arm.hold(3000)), true)
      await bus.clock.pass(500)
    }
    assert.deepEqual(bus.written(1, 5, FLASH + 1), [30, 30, 30])
    const changes = () => bus.journal.filter(line => line.what === 'relay').map(({ isOn, by }) => `${isOn} ${by}`)
    assert.deepEqual(changes(), ['true flash'])
    await bus.clock.pass(3000)
    assert.deepEqual(changes(), ['true flash', 'false end'])
  }))

test('a lease is never longer than asked for', () =>
  withBus(async bus => {
    await bus.clock.until(bus.outputs('arm').hold(2990))
    assert.deepEqual(bus.written(1, 5, FLASH + 1), [29])
  }))

test('going free takes back the hold and the pulse that wait, and goes ahead of all', () =>
  withBus(async bus => {
    const arm = bus.outputs('arm')
    await bus.clock.until(arm.hold(3000))
    await bus.clock.pass(2000)
    // until something is on the wire, so that the rest has to wait
    const from = bus.line.asked.length
    while (bus.line.asked.length === from) await bus.clock.pass(1)
    const hold = arm.hold(3000)
    const open = arm.open()
    const free = arm.free()
    assert.deepEqual(await bus.clock.until(Promise.all([hold, open, free])), [false, false, true])
    await bus.clock.pass(100)
    const writes = bus.line.asked.filter(({ fn }) => fn === 5)
    assert.deepEqual(
      writes.map(({ at, word }) => [at, word]),
      [
        [FLASH + 1, 30],
        [1, 0],
      ],
    )
  }))

test('going free is repeated until the board confirms it, even after it was away', () =>
  withBus(async bus => {
    const arm = bus.outputs('arm')
    await bus.clock.until(arm.hold(60_000))
    bus.isDeaf = ({ unit }) => unit === 1
    assert.equal(await bus.clock.until(arm.free()), false)
    await bus.clock.pass(3000)
    assert.equal(bus.journal.filter(line => line.what === 'relay' && !line.isOn).length, 0)
    bus.isDeaf = () => false
    await bus.clock.pass(4000)
    assert.equal(bus.journal.filter(line => line.what === 'relay' && !line.isOn).length, 1)
  }))

test('a hold asked for later ends going free', () =>
  withBus(async bus => {
    const arm = bus.outputs('arm')
    bus.isDeaf = ({ fn, at }) => fn === 5 && at < FLASH
    assert.equal(await bus.clock.until(arm.free()), false)
    bus.isDeaf = () => false
    assert.equal(await bus.clock.until(arm.hold(2000)), true)
    const offs = bus.written(1, 5, 1).length
    await bus.clock.pass(1000)
    assert.equal(bus.written(1, 5, 1).length, offs)
  }))

test('an arm with nothing but a grant goes free by a long pulse, and a hold takes that back', async () => {
  const { hold: _, ...bare } = ARM
  await withBus(
    async bus => {
      const arm = bus.outputs('arm')
      assert.equal(await bus.clock.until(arm.hold(2000)), true)
      assert.equal(await bus.clock.until(arm.free()), true)
      assert.deepEqual(bus.written(1, 5, FLASH), [0x7fff])
      assert.equal(await bus.clock.until(arm.hold(2000)), true)
      assert.deepEqual(bus.written(1, 5, 0), [0])
    },
    new ModelBus({ lanes: [bare, TRIPOD] }),
  )
})

test('a refusal shows red for its time', () =>
  withBus(async bus => {
    assert.equal(await bus.clock.until(bus.outputs('arm').refuse?.() ?? Promise.resolve(false)), true)
    assert.deepEqual(bus.written(1, 5, FLASH + 2), [10])
  }))

test('a counting turnstile lets one in per grant, and holding does not take a grant back', () =>
  withBus(async bus => {
    const tripod = bus.outputs('tripod')
    assert.equal(await bus.clock.until(tripod.hold(2000)), true)
    assert.equal(bus.tripod.walk('in', false), false)
    assert.equal(await bus.clock.until(tripod.open()), true)
    assert.equal(await bus.clock.until(tripod.hold(2000)), true)
    assert.equal(bus.tripod.walk('in', false), true)
    assert.equal(bus.tripod.walk('in', false), false)
    assert.deepEqual(bus.written(2, 16, PERMIT), [0, 1])
    await bus.clock.pass(300)
    assert.deepEqual(bus.counters, { in: 1, out: 0 })
  }))

test('a counting turnstile goes free and is shut again by a hold', () =>
  withBus(async bus => {
    const tripod = bus.outputs('tripod')
    await bus.clock.until(tripod.free())
    assert.equal(bus.tripod.walk('in', false), true)
    await bus.clock.until(tripod.hold(2000))
    assert.equal(bus.tripod.walk('in', false), false)
    assert.deepEqual(bus.written(2, 16, PERMIT), [0xffff, 0])
  }))

test('a counting turnstile that lost power while it was free is free again when it is back', () =>
  withBus(async bus => {
    await bus.clock.until(bus.outputs('tripod').free())
    bus.isDeaf = ({ unit }) => unit === 2
    bus.tripod.power(false, false)
    await bus.clock.pass(2000)
    bus.isDeaf = () => false
    await bus.clock.pass(5000)
    assert.equal(bus.tripod.walk('in', false), true)
  }))

test('an exit is only ever told that it is free, and whoever shut it is overruled', () =>
  withBus(async bus => {
    bus.tripod.register(EXITS, 0)
    await bus.clock.pass(6000)
    assert.ok(bus.told.some(line => line.startsWith('OUTPUT: board tripod: its exit was not free but 0')))
    await bus.clock.until(bus.outputs('tripod').freeExit())
    await bus.clock.until(bus.outputs('arm').freeExit())
    await bus.clock.pass(6000)
    assert.ok(bus.told.some(line => line.startsWith('OUTPUT over')))
    const written = bus.written(2, 16, EXITS)
    assert.ok(written.length >= 3)
    assert.deepEqual(new Set(written), new Set([0xffff]))
    assert.deepEqual(bus.written(2, 16, 0x3000), [])
  }))

test('an error that the device tells of is told, and told when it is over', () =>
  withBus(async bus => {
    bus.tripod.register(0x48, 3)
    await bus.clock.pass(4000)
    bus.tripod.register(0x48, 0)
    await bus.clock.pass(4000)
    const faults = bus.told.filter(line => line.startsWith('OUTPUT'))
    assert.deepEqual(faults, ['OUTPUT: board tripod: it says error 3', 'OUTPUT over: board tripod error: well again'])
  }))

test('time-outs that are more than a few are a fault once, and over once', () =>
  withBus(async bus => {
    await bus.clock.pass(500)
    bus.isDeaf = ({ unit }) => unit === 2
    await bus.clock.pass(15_000)
    bus.isDeaf = () => false
    await bus.clock.pass(60_000)
    const faults = bus.told.filter(line => line.startsWith('TIME_OUT'))
    assert.equal(faults.length, 2)
    assert.match(faults[0] ?? '', /5 answers that did not come within 10 s/)
    assert.match(faults[1] ?? '', /^TIME_OUT over/)
  }))

test('a port that goes away takes every lane down at once, and is tried again until it is back', () =>
  withBus(async bus => {
    await bus.clock.pass(100)
    bus.told.length = 0
    bus.line.unplug()
    assert.deepEqual(bus.told.sort(), ['arm down', 'contacts down', 'tripod down'])
    assert.equal(await bus.clock.until(bus.outputs('arm').open()), false)
    await bus.clock.pass(10_000)
    bus.line.isThere = true
    bus.told.length = 0
    await bus.clock.pass(3000)
    assert.ok(['arm up', 'contacts up', 'tripod up'].every(line => bus.told.includes(line)))
    assert.equal(bus.io.figures.reopened, 1)
  }))

test('a port on which nobody answers any more is opened anew', () =>
  withBus(async bus => {
    bus.isDeaf = () => true
    await bus.clock.pass(12_000)
    assert.ok((bus.io.figures.reopened ?? 0) >= 1)
    bus.told.length = 0
    bus.isDeaf = () => false
    await bus.clock.pass(5000)
    assert.ok(bus.told.includes('tripod up') && bus.told.includes('arm up'))
  }))

test('a port that is not there at the start is said so', async () => {
  const bus = new ModelBus()
  bus.line.isThere = false
  await assert.rejects(bus.start(), (error: unknown) => error instanceof HardwareFault && error.code === 'LINK')
  await bus.stop()
})

test.run()
