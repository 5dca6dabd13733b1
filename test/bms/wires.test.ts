import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { BacnetWires } from '../../anchor/bms/bacnet-wire.ts'
import type { ModbusWire } from '../../anchor/bms/config.ts'
import { isBacnetQuestion, isModbusQuestion } from '../../anchor/bms/fence.ts'
import { ModbusWires } from '../../anchor/bms/modbus-wire.ts'
import { parsePlace } from '../../mesh/lan/place.ts'
import { REAL_CLOCK } from '../../mesh/real-clock.ts'
import { suite } from '../suite.ts'
import { enumerated, type Mood, PlayedBacnet, PlayedModbus, real, unsigned, word } from './devices.ts'

const test = suite('bms/wires')
const TIMEOUT_MS = 150

async function withModbus(
  act: (device: PlayedModbus, wire: (over?: Partial<ModbusWire>) => () => Promise<number>) => Promise<void>,
) {
  const device = new PlayedModbus()
  const place = parsePlace(await device.open())
  const wires = new ModbusWires({ clock: REAL_CLOCK, timeoutMs: TIMEOUT_MS })
  const closing: (() => Promise<void>)[] = []
  const usual: ModbusWire = {
    kind: 'modbus',
    place,
    unit: 7,
    registers: 'input',
    at: 100,
    type: 'uint16',
    first: 'high',
  }
  try {
    await act(device, over => {
      const { ask, close } = wires.wire({ ...usual, ...over })
      closing.push(close)
      return ask
    })
  } finally {
    for (const close of closing) await close()
    await device.close()
  }
}

async function withBacnet(act: (device: PlayedBacnet, ask: () => Promise<number>) => Promise<void>) {
  const device = new PlayedBacnet()
  const place = parsePlace(await device.open())
  const wires = new BacnetWires({ port: 0, timeoutMs: TIMEOUT_MS })
  const { ask, close } = wires.wire({ kind: 'bacnet', place, object: { type: 0, instance: 3 } })
  try {
    await act(device, ask)
  } finally {
    await close()
    await device.close()
  }
}

test('registers of every type are read as the numbers they mean', async () => {
  await withModbus(async (device, wire) => {
    const at = (words: number[]) => {
      for (const [i, value] of words.entries()) device.registers.set(100 + i, value)
    }
    const cases: [words: number[], wire: Partial<ModbusWire>, value: number][] = [
      [[65_535], { type: 'uint16' }, 65_535],
      [[65_535], { type: 'int16' }, -1],
      [[1, 2], { type: 'uint32' }, 65_538],
      [[1, 2], { type: 'uint32', first: 'low' }, 131_073],
      [[0xffff, 0xfffe], { type: 'int32' }, -2],
      [[0x449a, 0x8000], { type: 'float32' }, 1236],
      [[0x8000, 0x449a], { type: 'float32', first: 'low', registers: 'holding' }, 1236],
    ]
    for (const [words, over, value] of cases) {
      at(words)
      assert.equal(await wire(over)(), value, JSON.stringify([words, over]))
    }
    assert.deepEqual(
      [...new Set(device.asked)].sort(),
      [3, 4],
      'holding and input registers are read, nothing else is done',
    )
    assert.deepEqual([...device.units], [7])
    assert.equal(device.connections, 1, 'one connection for all')
  })
})

/** What a technician is told, after where it was asked. */
const MODBUS_WORDS = {
  mute: /^Error: 127\.0\.0\.1:\d+ unit 7: .*no answer within 150 ms$/,
  garbage: /what came is no frame of Modbus TCP$/,
  'hangs-up': /the other side hung up$/,
  refuses: /illegal data address \(2\)$/,
  other: /no answer within 150 ms$/,
} as const
const BACNET_WORDS = {
  mute: /^Error: 127\.0\.0\.1:\d+: ERR_TIMEOUT$/,
  garbage: /INVALID_DECODING$/,
  refuses: /BacnetError - Class:2 - Code:32$/,
  other: /answered another question$/,
} as const

for (const mood of ['mute', 'garbage', 'hangs-up', 'refuses', 'other'] as const satisfies Mood[]) {
  test(`a Modbus device that is ${mood} gives no value, and one again when it is well`, async () => {
    await withModbus(async (device, wire) => {
      const ask = wire()
      device.registers.set(100, 800)
      assert.equal(await ask(), 800)
      device.mood = mood
      await assert.rejects(ask, MODBUS_WORDS[mood])
      await assert.rejects(ask, MODBUS_WORDS[mood])
      device.mood = 'well'
      assert.equal(await ask(), 800)
      assert.deepEqual([...new Set(device.asked)], [4])
    })
  })

  if (mood === 'hangs-up') continue
  test(`a BACnet device that is ${mood} gives no value, and one again when it is well`, async () => {
    await withBacnet(async (device, ask) => {
      device.value = real(21.5)
      assert.equal(await ask(), 21.5)
      device.mood = mood
      await assert.rejects(ask, BACNET_WORDS[mood])
      device.mood = 'well'
      assert.equal(await ask(), 21.5)
      assert.deepEqual([...new Set(device.asked)], [12], 'properties are read, nothing else is done')
    })
  })
}

test('present values of every kind are numbers; a word is none', async () => {
  await withBacnet(async (device, ask) => {
    const cases: [Buffer, number][] = [
      [real(1236), 1236],
      [unsigned(17), 17],
      [enumerated(1), 1],
    ]
    for (const [value, expected] of cases) {
      device.value = value
      assert.equal(await ask(), expected)
    }
    device.value = word('hot')
    await assert.rejects(ask, /no number/)
  })
})

test('an object that calls itself faulty or out of service has no value; one without flags has', async () => {
  await withBacnet(async (device, ask) => {
    device.value = real(700)
    for (const [flags, says] of [
      [4, /faulty/],
      [1, /out of service/],
    ] as const) {
      device.flags = flags
      await assert.rejects(ask, says)
    }
    device.flags = 8 + 2
    assert.equal(await ask(), 700, 'in alarm, or set by hand: a value all the same')
    device.flags = undefined
    assert.equal(await ask(), 700)
  })
})

test('a device that is not there is told as such', async () => {
  const device = new PlayedModbus()
  const place = parsePlace(await device.open())
  await device.close()
  const wires = new ModbusWires({ clock: REAL_CLOCK, timeoutMs: TIMEOUT_MS })
  const { ask, close } = wires.wire({
    kind: 'modbus',
    place,
    unit: 1,
    registers: 'input',
    at: 0,
    type: 'uint16',
    first: 'high',
  })
  await assert.rejects(ask, /no connection/)
  await close()
})

const frame = (fn: number, ...rest: number[]) => Buffer.from([0, 1, 0, 0, 0, 2 + rest.length, 7, fn, ...rest])

test('the fence lets questions for values out, and no other frame', () => {
  for (let fn = 0; fn < 256; fn++) {
    assert.equal(isModbusQuestion(frame(fn, 0, 100, 0, 1)), fn >= 1 && fn <= 4, `function ${fn}`)
  }
  const write = frame(6, 0, 100, 0, 1)
  assert.equal(
    isModbusQuestion(Buffer.concat([frame(3, 0, 100, 0, 1), write])),
    false,
    'nothing hides behind a question',
  )
  assert.equal(isModbusQuestion(Buffer.alloc(0)), false)
  const bacnet = (service: number, kind = 0x02) =>
    Buffer.from([0x81, 0x0a, 0, 17, 1, 4, kind, 0x75, 1, service, 0x0c, 0, 0, 0, 3, 0x19, 85])
  for (let service = 0; service < 256; service++) {
    assert.equal(isBacnetQuestion(bacnet(service)), service === 12, `service ${service}`)
  }
  for (let kind = 16; kind < 256; kind++) assert.equal(isBacnetQuestion(bacnet(12, kind)), false, `kind ${kind}`)
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 40 }), bytes => {
      if (isModbusQuestion(bytes)) assert.ok((bytes[7] ?? 0) <= 4 && bytes.length === 12)
      if (isBacnetQuestion(bytes)) assert.equal(bytes[9], 12)
    }),
  )
})

test('nothing in the folder of building signals can name a write', () => {
  const dir = join(import.meta.dirname, '../../anchor/bms')
  for (const file of readdirSync(dir)) {
    const code = readFileSync(join(dir, file), 'utf8').replaceAll(/^ *(\/\/|\*|\/\*\*).*$/gm, '')
    assert.doesNotMatch(code, /writeCoil|writeRegister|writeProperty|writeFile|deviceCommunication|reinitialize/, file)
  }
})

test.run()
