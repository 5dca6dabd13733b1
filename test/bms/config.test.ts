import assert from 'node:assert/strict'
import { type BmsConfig, NO_BMS, readBms } from '../../anchor/bms/config.ts'
import { Fault } from '../../ledger/fault.ts'
import { Form } from '../../mesh/form.ts'
import { suite } from '../suite.ts'

const test = suite('bms/config')

const CO2 = { modbus: '10.0.0.5:502', at: 100, in: 'ppm', min: 0, max: 10_000 }
const PARKING = { bacnet: '10.0.0.6:47808', object: 'analog-value:7' }
const AIR = { source: 'co2-hall', above: 1200, clear: 1000, perCent: 60, enact: true }
const GOOD = { sources: { 'co2-hall': CO2, parking: PARKING }, rules: { air: AIR } }

function read(bms: unknown): BmsConfig {
  const form = Form.read(JSON.stringify(bms === undefined ? {} : { bms }), { file: 'anchor.json', dir: '/etc' })
  const config = readBms(form)
  form.close()
  form.check()
  return config
}

test('a mall without building signals has none, and one with them is read as it is meant', () => {
  assert.deepEqual(read(undefined), NO_BMS)
  const { sources, rules, everyMs, silentMs } = read(GOOD)
  assert.deepEqual([everyMs, silentMs], [10_000, 60_000])
  const [co2, parking] = sources
  assert.deepEqual(co2?.wire, {
    kind: 'modbus',
    place: { host: '10.0.0.5', port: 502 },
    unit: 1,
    registers: 'input',
    at: 100,
    type: 'uint16',
    first: 'high',
  })
  assert.deepEqual(parking?.wire, {
    kind: 'bacnet',
    place: { host: '10.0.0.6', port: 47_808 },
    object: { type: 2, instance: 7 },
  })
  const [air] = rules
  assert.deepEqual([air?.side, air?.level, air?.forMs, air?.clearMs], ['above', 1200, 300_000, 600_000])
  assert.deepEqual([air?.limit, air?.enact], [{ perCent: 60 }, true])
})

test('what is wrong is named, with its place', () => {
  const wrong: [bms: object, says: RegExp][] = [
    [
      { ...GOOD, rules: { air: { ...AIR, source: 'heat' } } },
      /bms\.rules\.air\.source: one of the sources, co2-hall, parking/,
    ],
    [
      { ...GOOD, rules: { air: { ...AIR, clear: 1300 } } },
      /bms\.rules\.air\.clear: the level at which it is over, not above 1200/,
    ],
    [{ ...GOOD, rules: { air: { ...AIR, below: 5 } } }, /bms\.rules\.air\.below: above or below, not both/],
    [{ ...GOOD, rules: { air: { ...AIR, capacity: 5 } } }, /bms\.rules\.air\.perCent: capacity or perCent, not both/],
    [{ ...GOOD, rules: { air: { ...AIR, perCent: 101 } } }, /bms\.rules\.air\.perCent: a whole number from 0 to 100/],
    [{ ...GOOD, rules: { air: { source: 'parking', above: 3, clear: 2 } } }, /bms\.rules\.air\.capacity: is missing/],
    [{ ...GOOD, rules: { air: 5 } }, /bms\.rules\.air: an object in braces, not 5/],
    [
      { sources: { x: { modbus: 'device.example:502', at: 1 } } },
      /bms\.sources\.x\.modbus: an IPv4 address with a port/,
    ],
    [{ sources: { x: { modbus: '10.0.0.5:0', at: 1 } } }, /bms\.sources\.x\.modbus: an IPv4 address with a port/],
    [{ sources: { x: { ...CO2, ...PARKING } } }, /bms\.sources\.x\.bacnet: modbus or bacnet, not both/],
    [{ sources: { x: { ...PARKING, object: 'device:7' } } }, /bms\.sources\.x\.object: an object and its number/],
    [{ sources: { x: { ...PARKING, object: 'analog-value:4194303' } } }, /bms\.sources\.x\.object: an object/],
    [{ sources: { x: { ...CO2, write: 1 } } }, /bms\.sources\.x\.write: there is no such field/],
    [{ sources: { x: { ...CO2, min: 9, max: 9 } } }, /bms\.sources\.x\.min: below max/],
    [{ sources: { x: { ...CO2, type: 'double' } } }, /bms\.sources\.x\.type: one of uint16/],
    [{ ...GOOD, everySeconds: 60 }, /bms\.silentSeconds: longer than everySeconds/],
    [{ ...GOOD, sorces: {} }, /bms\.sorces: there is no such field; did you mean sources\?/],
  ]
  for (const [bms, says] of wrong) {
    assert.throws(
      () => read(bms),
      (error: unknown) => error instanceof Fault && error.code === 'CONFIG' && says.test(error.message),
      JSON.stringify(bms),
    )
  }
})

test.run()
