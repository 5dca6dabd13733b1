import assert from 'node:assert/strict'
import { differs, readTelemetry } from '../../mesh/board/telemetry.ts'
import { suite } from '../suite.ts'
import { Hall } from './hall.ts'

const test = suite('board/telemetry')

test('a gate is heard by those it met, and gone at once when the line is', async () => {
  const hall = new Hall()
  const a = hall.seat('gate-01')
  const b = hall.seat('gate-02')
  a.tell({ state: 'NORMAL', balance: 12 })
  hall.connectAll()
  hall.run(2)
  b.tell({ state: 'JOINING' })
  hall.run(2)
  assert.deepEqual(Object.fromEntries(b.telemetry()), {
    'gate-01': { state: 'NORMAL', balance: 12 },
    'gate-02': { state: 'JOINING' },
  })
  assert.deepEqual([...a.telemetry().keys()], ['gate-01', 'gate-02'])
  hall.cut('gate-01', 'gate-02')
  assert.deepEqual([...b.telemetry().keys()], ['gate-02'])
  hall.connectAll()
  hall.run(2)
  assert.deepEqual([...b.telemetry().keys()].sort(), ['gate-01', 'gate-02'])
  await hall.close()
})

test('a gate that restarted, and one that leaves politely, are shown as they are', async () => {
  const hall = new Hall()
  const b = hall.seat('gate-02')
  hall.seat('gate-01')
  hall.connectAll()
  for (let k = 0; k < 50; k++) {
    hall.board('gate-01').tell({ state: 'NORMAL', balance: k })
    hall.run(1000)
  }
  assert.equal(b.telemetry().get('gate-01')?.balance, 49)
  hall.seat('gate-01', { shelf: hall.stop('gate-01') }).tell({ state: 'JOINING' })
  hall.connectAll()
  hall.run(2)
  assert.deepEqual(b.telemetry().get('gate-01'), { state: 'JOINING' })
  hall.board('gate-01').close()
  hall.run(2)
  assert.deepEqual([...b.telemetry().keys()], [])
  await hall.close()
})

test('told every second, it is sent when it changed and every ten seconds otherwise', async () => {
  const hall = new Hall()
  const a = hall.seat('gate-01')
  hall.seat('gate-02')
  hall.connectAll()
  hall.run(10)
  let sent = 0
  hall.tap = () => sent++
  const tell = (seconds: number, balance: (k: number) => number) => {
    sent = 0
    for (let k = 0; k < seconds; k++) {
      a.tell({ state: 'NORMAL', balance: balance(k), uptimeS: k, anchorAgeMs: k * 7 })
      hall.run(1000)
    }
    return sent
  }
  assert.equal(
    tell(60, () => 5),
    6,
  )
  assert.equal(
    tell(60, k => k),
    60,
  )
  for (let k = 0; k < 100; k++) a.tell({ state: 'NORMAL', balance: k })
  assert.equal(sent, 61, 'a hundred times in one moment is too often')
  hall.run(1000)
  a.tell({ state: 'NORMAL', balance: 99 })
  hall.run(2)
  assert.equal(hall.board('gate-02').telemetry().get('gate-01')?.balance, 99)
  await hall.close()
})

test('who is not told of any more is forgotten after thirty seconds', async () => {
  const hall = new Hall()
  hall.seat('gate-01').tell({ state: 'NORMAL' })
  const b = hall.seat('gate-02')
  hall.connectAll()
  hall.run(29_000)
  assert.equal(b.telemetry().size, 1)
  hall.run(3000)
  assert.equal(b.telemetry().size, 0)
  await hall.close()
})

test('what is read has known fields of the right type within their range', () => {
  const said = {
    state: 'NORMAL\u0000<b>'.repeat(9),
    balance: 1e300,
    peers: -4,
    waiting: '12',
    localPerMinute: Number.NaN,
    demandPerSecond: 1.23456,
    fault: 7,
    detail: 'é'.repeat(500),
    admin: true,
  }
  const read = readTelemetry(said)
  assert.deepEqual(read, {
    state: 'NORMAL <b>NORMAL',
    balance: 1e9,
    peers: 0,
    demandPerSecond: 1.23,
    detail: 'é'.repeat(120),
  })
  for (const none of [null, undefined, 3, 'NORMAL', [], {}, { state: 1 }]) assert.equal(readTelemetry(none), undefined)
})

test('what drifts is no difference, what people should see at once is', () => {
  const a = { state: 'NORMAL', balance: 1, uptimeS: 1, rssMb: 50 }
  assert.equal(differs(a, { ...a, uptimeS: 2, rssMb: 51 }), false)
  assert.equal(differs(a, { ...a, balance: 2 }), true)
  assert.equal(differs(a, { ...a, fault: 'expired' }), true)
  assert.equal(differs(a, { ...a, state: 'FIRE' }), true)
})

test.run()
