import assert from 'node:assert/strict'
import type { OpticalConfig } from '../../../hardware/optical/config.ts'
import { readMessage } from '../../../hardware/optical/reader.ts'
import { HardwareFault } from '../../../hardware/turnstile.ts'
import { suite } from '../../suite.ts'

const test = suite('hardware/optical/reader')

const config = (over: Partial<OpticalConfig> = {}): OpticalConfig => ({
  name: 'north',
  format: 'axis',
  isSwapped: false,
  ...over,
})
const read = (value: unknown, over: Partial<OpticalConfig> = {}) => readMessage(JSON.stringify(value), config(over))
const refuses = (value: unknown, over: Partial<OpticalConfig>, what: RegExp) => {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  assert.throws(
    () => readMessage(text, config(over)),
    (error: unknown) => error instanceof HardwareFault && error.code === 'NOISE' && what.test(error.message),
  )
}

const LIVE_SUM = { serial: '00408CAC512B', name: 'Exit south', timestamp: '20170503112756', in: 12, out: 318 }

test('live sums of AXIS are totals of the device that has this serial number', () => {
  assert.deepEqual(read(LIVE_SUM), {
    readings: [{ device: '00408CAC512B', counts: 'cumulative', in: 12, out: 318 }],
  })
})

test('a counter mounted the other way round is turned, news included', () => {
  const [reading] = read(LIVE_SUM, { isSwapped: true }).readings
  assert.deepEqual([reading?.in, reading?.out], [318, 12])
  const turned = read(xovis(5, [[1, 9]]), { format: 'xovis', counterIds: { in: [1], out: [2] }, isSwapped: true })
  assert.deepEqual(turned.readings[0]?.news, { in: 0, out: 1 })
})

test('an export of AXIS 3D is one interval a row, named by its beginning, oldest first', () => {
  const data = [
    { start: '2020-09-23 00:01:00', end: '2020-09-23 00:02:00', in: 3, out: 1 },
    { start: '2020-09-23 00:00:00', end: '2020-09-23 00:01:00', in: 2, out: 0 },
  ]
  const { readings } = read({ data }, { format: 'axis-3d' })
  assert.deepEqual(
    readings.map(r => [r.counts, r.in, r.out, (r.until ?? 0) - (r.time ?? 0)]),
    [
      ['interval', 2, 0, 60_000],
      ['interval', 3, 1, 60_000],
    ],
  )
  assert.notEqual(readings[0]?.id, readings[1]?.id)
})

function xovis(id: number, counts: readonly (readonly [number, number])[], time = '2026-11-16T09:30:00.250+01:00') {
  const events = counts.map(([counter_id, counter_value]) => ({
    category: 'COUNT',
    type: 'COUNT_INCREMENT',
    attributes: { counter_id, counter_value },
  }))
  const frames = [{ framenumber: 1, time, events: [{ category: 'SCENE', type: 'TRACK_CREATE' }, ...events] }]
  const sensor_info = { serial_number: '80:1F:12:AA:BB:CC', type: 'SINGLE_SENSOR' }
  return { live_data: { package_info: { version: '5.0', id }, sensor_info, frames } }
}

test('a package of Xovis brings the last total of every counter that it names, and how many of those are news', () => {
  const ids = { in: [1], out: [2] }
  const message = read(
    xovis(7, [
      [1, 40],
      [2, 9],
      [1, 41],
      [77, 5],
    ]),
    { format: 'xovis', counterIds: ids },
  )
  assert.deepEqual(message.package, { device: '80:1F:12:AA:BB:CC', number: 7 })
  assert.deepEqual(
    message.readings.map(r => [r.device, r.in, r.out, r.news]),
    [
      ['80:1F:12:AA:BB:CC#1', 41, 0, { in: 2, out: 0 }],
      ['80:1F:12:AA:BB:CC#2', 0, 9, { in: 0, out: 1 }],
    ],
  )
})

test('a package of Xovis without frames is a sign of life', () => {
  const empty = { live_data: { package_info: { id: 3 } } }
  assert.deepEqual(read(empty, { format: 'xovis' }), { readings: [], package: { device: 'xovis', number: 3 } })
})

const MILESIGHT = {
  device_info: { device_name: 'People Counter', device_sn: '6384E16179950009', device_mac: '24:E1:24:FA:0C:6C' },
  time_info: { start_time: '2024-05-30T20:20:49+08:00', end_time: '2024-05-30T20:21:49+08:00' },
  line_periodic_data: [{ line: 1, line_uuid: '9a', total: { in: 4, out: 2 }, group: { in: 1, out: 0 } }],
}

test('a report of Milesight is an interval a line, in the spelling of older firmware too', () => {
  const [reading] = read(MILESIGHT, { format: 'milesight' }).readings
  const time = Date.UTC(2024, 4, 30, 12, 20, 49)
  assert.deepEqual(reading, {
    ...{ device: '6384E16179950009#1', in: 4, out: 2, counts: 'interval', id: String(time) },
    ...{ time, until: time + 60_000 },
  })
  const old = {
    device_info: { device_mac: '00:16:28:FA:8E:68' },
    time_info: { start_time: '2022/12/20 18:15:52', end_time: '2022/12/20 18:16:52' },
    line_periodic_data: [{ in: 1, out: 0 }],
  }
  assert.equal(read(old, { format: 'milesight' }).readings[0]?.device, '00:16:28:FA:8E:68#1')
})

test('of a report of Milesight with totals only the totals count', () => {
  const line_total_data = [{ line: 1, total: { in_counted: 120, out_counted: 80, capacity_counted: 40 } }]
  const { readings } = read({ ...MILESIGHT, line_total_data }, { format: 'milesight' })
  assert.deepEqual(readings, [{ device: '6384E16179950009#1', counts: 'cumulative', in: 120, out: 80 }])
})

test('a picture in a message is dropped unread, also one that is broken', () => {
  const picture = `/9j/${'4AAQSkZJRgABAQ'.repeat(20_000)}`
  const { readings } = read({ ...MILESIGHT, snapshot: picture }, { format: 'milesight' })
  assert.ok(!JSON.stringify(readings).includes('4AAQ'))
  const broken = JSON.stringify({ ...MILESIGHT, snapshot: 'PICTURE' }).replace('PICTURE', '/9j/\\x\u0001')
  assert.equal(readMessage(broken, config({ format: 'milesight' })).readings.length, 1)
})

test('somebody else’s JSON is read where the map says', () => {
  const map = { in: ['data', 0, 'enter'], out: ['data', 0, 'leave'], device: ['sn'], id: ['n'], counts: 'interval' }
  const value = { sn: 'cam-7', n: 12, data: [{ enter: '5', leave: 2 }] }
  assert.deepEqual(read(value, { format: 'json', map: map as OpticalConfig['map'] & object }).readings, [
    { device: 'cam-7', counts: 'interval', in: 5, out: 2, id: '12' },
  ])
})

test('what cannot be read is refused with the place where it stands', () => {
  refuses('<html>', {}, /^not JSON: /)
  refuses('[]', {}, /^serial: a text of 1 to 80 characters, not nothing$/)
  refuses({ ...LIVE_SUM, in: -1 }, {}, /^in: a whole number from 0 to 1000000000, not -1$/)
  refuses({ ...LIVE_SUM, out: 1.5 }, {}, /^out: /)
  refuses({ ...LIVE_SUM, out: null }, {}, /^out: /)
  refuses({ data: {} }, { format: 'axis-3d' }, /^data: a list of up to 5000, not \{\}$/)
  refuses({ data: [{ start: 'noon', end: 'x', in: 1, out: 1 }] }, { format: 'axis-3d' }, /^data\.0\.start: a time/)
  refuses({ live_data: {} }, { format: 'xovis' }, /^live_data\.package_info\.id: /)
  refuses(xovis(1, [[1, -5]]), { format: 'xovis' }, /^live_data\.frames\.0\.events\.1\.attributes\.counter_value: /)
  refuses({ device_info: {} }, { format: 'milesight' }, /^device_info\.device_mac: /)
  refuses({ ...MILESIGHT, time_info: {} }, { format: 'milesight' }, /^time_info\.start_time: /)
  refuses({}, { format: 'json', map: { in: ['a', 0], out: ['b'], counts: 'cumulative' } }, /^a\.0: .* not nothing$/)
  refuses({}, { format: 'json' }, /no map/)
})

test.run()
