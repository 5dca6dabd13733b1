// What a gate's file may say of the hardware at its door, and what is said to those who got it wrong.

import assert from 'node:assert/strict'
import { Form } from '../../mesh/form.ts'
import { readTurnstile } from '../../node/turnstile-config.ts'
import { suite } from '../suite.ts'

const test = suite('process/turnstile-config')

const WIRES = { ask: { on: 'relays', at: 0 }, in: { on: 'relays', at: 1 }, out: { on: 'relays', at: 2 } }
const LANE = { inputs: WIRES, grant: { on: 'relays', at: 0, pulseMs: 300 }, hold: { on: 'relays', at: 1 } }
const MODBUS = {
  driver: 'modbus',
  path: '/dev/ttyUSB0',
  boards: { relays: { unit: 1, map: 'waveshare' }, lot: { unit: 2, map: 'lot' } },
  lanes: { north: LANE },
  fire: { on: 'relays', at: 6 },
  key: { on: 'relays', at: 7 },
}

function read(fields: object) {
  const form = Form.read(JSON.stringify(fields), { file: 'gate.json', dir: '/etc' })
  const config = readTurnstile(form, '/var/gate')
  form.close()
  form.check()
  return config
}

test('a board with its lanes is read, and what is left out suits a tripod', () => {
  const { driver, lanes, fire, key, holdMs, memory } = read({ turnstile: MODBUS })
  assert.ok(driver.driver === 'modbus')
  assert.deepEqual([driver.baud, driver.parity, driver.boards.map(b => b.unit)], [9600, 'none', [1, 2]])
  assert.deepEqual(fire, { on: 'relays', at: 6, normally: 'closed' })
  assert.deepEqual(key, { on: 'relays', at: 7, normally: 'open' })
  assert.deepEqual([holdMs, memory], [2000, '/var/gate.counters'])
  const [north] = lanes
  assert.deepEqual(north?.inputs.in, { on: 'relays', at: 1, normally: 'closed' }, 'PASS contacts idle closed')
  assert.deepEqual(north?.inputs.ask, { on: 'relays', at: 0, normally: 'open' })
  assert.equal(north?.rules.doubleMs, 500)
})

test('registers of any board can be written out, but none that an exit could be locked by', () => {
  const map = {
    kind: 'counter',
    permit: { at: 1, free: 255 },
    exits: { at: 2, free: 255 },
    counters: { at: 16 },
    setup: [{ at: 9, value: 1 }],
  }
  const lanes = { north: { counter: 'own' } }
  const { driver } = read({ turnstile: { driver: 'modbus', path: '/dev/x', boards: { own: { unit: 9, map } }, lanes } })
  assert.ok(driver.driver === 'modbus')
  assert.deepEqual(driver.boards[0]?.map, map)
})

test('optical counters of every make are read', () => {
  const { optical } = read({
    optical: {
      one: { format: 'axis', pull: { url: 'http://u:p@10.0.0.31/x' } },
      two: { format: 'xovis', counterIds: { in: '1,3', out: '2' }, swapped: true },
      three: { format: 'json', map: { in: 'data.0.in', out: 'data.0.out', id: 'no', counts: 'interval' } },
    },
  })
  assert.deepEqual(optical[0]?.pull, { url: 'http://u:p@10.0.0.31/x', everyMs: 5000, timeoutMs: 3000 })
  assert.deepEqual([optical[1]?.counterIds, optical[1]?.isSwapped], [{ in: [1, 3], out: [2] }, true])
  assert.deepEqual(optical[2]?.map?.in, ['data', 0, 'in'])
})

const turnstile = (fields: object) => ({ turnstile: { ...MODBUS, ...fields } })
const lane = (fields: object) => turnstile({ lanes: { north: { ...LANE, ...fields } } })

const WRONG: [config: object, says: string][] = [
  [turnstile({ baud: 96 }), 'turnstile.baud: a whole number from 1200 to 921600, not 96'],
  [turnstile({ lanes: {} }), 'turnstile.lanes: is missing: one or more, by name, each with its wires'],
  [
    turnstile({ fire: { on: 'relays', at: 6, normally: 'open' } }),
    'turnstile.fire.normally: "closed": a loop whose wire breaks must be an alarm, so wire it that way',
  ],
  [
    turnstile({ key: { on: 'relais', at: 7 } }),
    'turnstile.key.on: there is no board relais with inputs; there are relays, lot',
  ],
  [turnstile({ key: { on: 'relays', at: 8 } }), 'turnstile.key.at: board relays has inputs 0 to 7'],
  [
    turnstile({ key: { on: 'lot', at: 0 } }),
    'turnstile.key.on: there is no board lot with inputs; there are relays, lot',
  ],
  [lane({ counter: 'relays' }), 'turnstile.lanes.north.counter: there is no board relays whose map is a counter'],
  [
    lane({ inputs: { ask: WIRES.ask } }),
    'turnstile.lanes.north.inputs: nothing here tells of a passage: wires "in" and "out", "beam-a" and "beam-b", or a "counter"',
  ],
  [lane({ inputs: { ask: WIRES.ask, in: WIRES.in } }), 'turnstile.lanes.north.inputs: in and out belong together'],
  [
    lane({ rules: { bounceMs: 40 } }),
    'turnstile.lanes.north.rules: bounceMs: at most half of pulseMsMin, or pulses are taken for bounces',
  ],
  [
    lane({ rules: { passageMs: 40_000, guardMs: 20_000 } }),
    'turnstile.lanes.north.rules: passageMs and guardMs: together at most 50000',
  ],
  [
    lane({ lock: 1 }),
    'turnstile.lanes.north.lock: there is no such field; there are rules, inputs, grant, red, hold, counter',
  ],
  [
    { optical: { cam: { format: 'axis' } } },
    'optical.cam.pull: is missing: axis counters are asked, as in {"url": "…"}',
  ],
  [
    { optical: { cam: { format: 'json', map: { in: 'a', out: 'b', counts: 'interval' } } } },
    'optical.cam.map.id: is missing: without it the same interval told twice would count twice',
  ],
  // an address may carry a password
  [
    { optical: { cam: { format: 'axis', pull: { url: 'ftp://u:secret@x' } } } },
    'optical.cam.pull.url: an address, as in http://10.0.0.31/local/tvpc/.api?live-sum.json',
  ],
]

for (const [config, says] of WRONG) {
  test(`refused: ${says.slice(0, 80)}`, () => {
    assert.throws(() => read(config), { message: `gate.json: ${says}` })
  })
}

test.run()
