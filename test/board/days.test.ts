import assert from 'node:assert/strict'
import * as Y from 'yjs'
import { dayOf, formatDay, mayFollow, settledDay } from '../../mesh/board/day.ts'
import { formatFrame } from '../../mesh/board/frame.ts'
import { suite } from '../suite.ts'
import { DAY_MS, Hall, NOON, shown } from './hall.ts'

const test = suite('board/days')

const NAMES = Array.from({ length: 30 }, (_, k) => `gate-${String(k + 1).padStart(2, '0')}`)
const MINUTE = 60_000
const TO_MIDNIGHT = DAY_MS / 2
const frameDay = (frame: Uint8Array) => new DataView(frame.buffer, frame.byteOffset).getUint32(1)

test('what is of use is carried into the new day, once, and everyone shows it', async () => {
  const hall = new Hall()
  for (const name of NAMES) hall.seat(name)
  hall.connectAll()
  const board = hall.board('gate-07')
  for (const name of NAMES) {
    board.label(name, `Door ${name}`)
    board.place(name, 1, 2)
    board.place(name, 3, 4)
  }
  const open = board.raise({ gate: 'gate-07', code: 'open', text: 'nobody looked' })
  const seen = board.raise({ gate: 'gate-07', code: 'seen', text: 'looked after' })
  board.acknowledge(seen, 'Ada')
  board.note('Ada', 'lift is out')
  hall.run(TO_MIDNIGHT - MINUTE)
  const before = board.bytes().length
  const writers = new Set<string>()
  hall.tap = (from, _to, frame) => {
    // an update, not a question or an answer
    if (frameDay(frame) === dayOf(hall.wall + MINUTE) && frame[5] === 0 && frame[6] === 2) writers.add(from)
  }
  const expected = {
    labels: [...board.labels()],
    positions: [...board.positions()],
    notes: board.notes(),
    alerts: board.alerts().filter(alert => alert.id === open),
  }
  // what is shown does not flicker while it is being carried over
  for (let k = 0; k < 200; k++) {
    hall.run(1000)
    const now = shown(hall.board('gate-30')) as { alerts: { id: string }[] }
    assert.deepEqual({ ...now, day: 0, alerts: now.alerts.filter(({ id }) => id !== seen) }, { day: 0, ...expected })
  }
  for (const name of NAMES) {
    assert.deepEqual(shown(hall.board(name)), { day: dayOf(NOON) + 1, ...expected })
    assert.equal(hall.board(name).bytes().length, board.bytes().length)
  }
  // everyone passes it on once, so all send; but it was written by one
  const clients = new Set(clientsOf(board.bytes()))
  assert.equal(clients.size, 1)
  assert.ok(board.bytes().length < before, `${board.bytes().length} of ${before}`)
  await hall.close()
})

test('clocks that differ by a minute do not split the mall at midnight', async () => {
  const hall = new Hall()
  const names = NAMES.slice(0, 4)
  names.forEach((name, k) => {
    hall.skew(name, (k - 2) * 30_000)
    hall.seat(name)
  })
  hall.connectAll()
  hall.run(TO_MIDNIGHT - 2 * MINUTE)
  for (let k = 0; k < 240; k++) {
    const days = new Set(names.map(name => hall.board(name).day))
    assert.equal(days.size, 1, `second ${k}`)
    if (k % 10 === 0) hall.board(names[k % 4] as string).note('Ada', `note ${k}`)
    // half a second past the second, so that the change of day has gone round
    hall.run(1000)
  }
  for (const name of names) {
    assert.equal(hall.board(name).notes().length, 24)
    assert.deepEqual(hall.get(name).alarms, [])
  }
  await hall.close()
})

test('nobody is pushed into another day by a liar, early by five minutes at most', async () => {
  const hall = new Hall()
  const board = hall.seat('gate-01')
  const today = dayOf(NOON)
  board.meet('liar', () => undefined)
  const push = (day: number) => {
    board.hear('liar', formatFrame({ day, kind: 'document', body: new Uint8Array([0, 1, 0]) }))
    return board.day
  }
  for (const day of [today + 1, today + 2, 376_000, 0xffff_ffff, today - 1, 0]) assert.equal(push(day), today)
  assert.equal(hall.get('gate-01').alarms.length, 1)
  assert.match(hall.get('gate-01').alarms[0] as string, /^BOARD_DAY liar: its board is of 2026-11-17, by our clock/)
  hall.run(TO_MIDNIGHT - 6 * MINUTE)
  assert.equal(push(today + 1), today)
  hall.run(2 * MINUTE)
  assert.equal(push(today + 1), today + 1)
  assert.equal(push(today + 2), today + 1)
  assert.equal(push(today), today + 1)
  hall.run(10 * MINUTE)
  assert.equal(board.day, today + 1)
  await hall.close()
})

test('a clock that was set is followed, and what is on the board stays', async () => {
  const hall = new Hall()
  const today = dayOf(NOON)
  hall.skew('gate-01', 3650 * DAY_MS)
  const board = hall.seat('gate-01')
  hall.seat('gate-02').label('gate-02', 'South')
  hall.connectAll()
  board.label('gate-01', 'North')
  hall.run(10 * MINUTE)
  assert.equal(board.day, today + 3650)
  assert.equal(board.labels().has('gate-02'), false)
  assert.match(hall.get('gate-02').alarms[0] as string, /^BOARD_DAY gate-01: its board is of 2036-/)
  hall.skew('gate-01', 0)
  hall.run(2 * MINUTE)
  assert.equal(board.day, today)
  for (const name of ['gate-01', 'gate-02']) {
    assert.deepEqual([...hall.board(name).labels().keys()].sort(), ['gate-01', 'gate-02'])
  }
  await hall.close()
})

test('a day that we come back to is written under another id: peers may hold what the first one wrote', async () => {
  const hall = new Hall()
  for (const name of ['gate-01', 'gate-02']) {
    hall.skew(name, DAY_MS)
    hall.seat(name)
  }
  hall.connectAll()
  const board = hall.board('gate-01')
  board.label('gate-01', 'North')
  board.label('gate-01', 'Main')
  board.note('Ada', 'first')
  hall.run(1000)
  hall.cut('gate-01', 'gate-02')
  hall.skew('gate-01', 0)
  hall.run(2 * MINUTE)
  assert.equal(board.day, dayOf(NOON))
  hall.skew('gate-01', DAY_MS)
  hall.run(2 * MINUTE)
  assert.equal(board.day, dayOf(NOON) + 1)
  board.note('Ada', 'second')
  hall.connectAll()
  hall.run(MINUTE)
  for (const name of ['gate-01', 'gate-02']) assert.equal(hall.board(name).notes().length, 2, name)
  await hall.close()
})

test('halves that were apart at midnight agree on the newest label and on what was acknowledged', async () => {
  for (const [one, two] of [
    ['gate-01', 'gate-02'],
    ['gate-02', 'gate-01'],
  ] as const) {
    const hall = new Hall()
    hall.seat(one)
    hall.seat(two)
    hall.connectAll()
    hall.board(one).label('gate-05', 'old')
    hall.board(one).place('gate-05', 1, 1)
    const id = hall.board(one).raise({ gate: one, code: 'door', text: 'held open' })
    hall.run(1000)
    hall.cut(one, two)
    hall.board(two).label('gate-05', 'new')
    hall.board(two).place('gate-05', 2, 2)
    hall.board(two).acknowledge(id, 'Ada')
    hall.run(TO_MIDNIGHT + 3600_000)
    assert.equal(hall.board(one).alerts().length, 1)
    assert.equal(hall.board(two).alerts().length, 0)
    hall.connectAll()
    hall.run(MINUTE)
    for (const name of [one, two]) {
      const board = hall.board(name)
      assert.equal(board.labels().get('gate-05')?.text, 'new')
      assert.equal(board.positions().get('gate-05')?.x, 2)
      assert.equal(board.alerts()[0]?.acknowledged?.by, 'Ada')
    }
    assert.deepEqual(shown(hall.board(one)), shown(hall.board(two)))
    await hall.close()
  }
})

test('a mall that was off for a week has its labels back; a gate that alone was off brings nothing old back', async () => {
  const hall = new Hall()
  for (const name of ['gate-01', 'gate-02']) hall.seat(name)
  hall.connectAll()
  hall.board('gate-01').label('gate-01', 'North')
  const id = hall.board('gate-01').raise({ gate: 'gate-01', code: 'door', text: 'held open' })
  hall.run(1000)
  const shelves = ['gate-01', 'gate-02'].map(name => hall.stop(name))
  hall.run(6 * DAY_MS)
  ;['gate-01', 'gate-02'].forEach((name, k) => {
    hall.seat(name, { shelf: shelves[k] as (typeof shelves)[0] })
  })
  hall.connectAll()
  assert.equal(hall.board('gate-02').labels().get('gate-01')?.text, 'North')
  hall.run(MINUTE)
  assert.equal(hall.board('gate-02').labels().get('gate-01')?.text, 'North')
  assert.equal(hall.board('gate-02').alerts()[0]?.id, id)
  const off = hall.stop('gate-02')
  hall.board('gate-01').acknowledge(id, 'Ada')
  hall.board('gate-01').label('gate-01', 'Main')
  hall.run(3 * DAY_MS)
  hall.seat('gate-02', { shelf: off })
  hall.connectAll()
  hall.run(MINUTE)
  for (const name of ['gate-01', 'gate-02']) {
    assert.equal(hall.board(name).labels().get('gate-01')?.text, 'Main')
    assert.deepEqual(hall.board(name).alerts(), [])
  }
  await hall.close()
})

test('a crash while the day is carried over loses nothing', async () => {
  for (const afterMs of [1, 1000, 10_000, 31_000, 40_000]) {
    const hall = new Hall()
    hall.seat('gate-01').label('gate-01', 'North')
    hall.run(TO_MIDNIGHT + afterMs)
    hall.board('gate-01').labels()
    hall.run(1)
    hall.seat('gate-01', { shelf: hall.crash('gate-01') })
    hall.run(MINUTE)
    assert.equal(hall.board('gate-01').labels().get('gate-01')?.text, 'North', `${afterMs} ms after midnight`)
    await hall.close()
  }
})

test('an alert can be acknowledged while it is being carried over', async () => {
  const hall = new Hall()
  const id = hall.seat('gate-01').raise({ gate: 'gate-01', code: 'door', text: 'held open' })
  hall.run(TO_MIDNIGHT + 10)
  const board = hall.board('gate-01')
  assert.equal(board.day, dayOf(NOON) + 1)
  board.acknowledge(id, 'Ada')
  hall.run(MINUTE)
  assert.deepEqual(
    board.alerts().map(alert => [alert.id, alert.acknowledged?.by]),
    [[id, 'Ada']],
  )
  await hall.close()
})

test('old notes and old alerts are left behind', async () => {
  const hall = new Hall()
  const board = hall.seat('gate-01')
  board.note('Ada', 'lift is out')
  board.raise({ gate: 'gate-01', code: 'door', text: 'held open' })
  hall.run(DAY_MS)
  assert.equal(board.notes().length, 1)
  hall.run(DAY_MS)
  assert.equal(board.notes().length, 0)
  hall.run(4 * DAY_MS)
  assert.equal(board.alerts().length, 1)
  hall.run(3 * DAY_MS)
  assert.equal(board.alerts().length, 0)
  await hall.close()
})

test('days are counted as said', () => {
  const midnight = 20_408 * DAY_MS
  const earlyMs = 5 * MINUTE
  assert.equal(dayOf(midnight), 20_408)
  assert.equal(dayOf(midnight - 1), 20_407)
  assert.equal(dayOf(-5), 0)
  assert.equal(mayFollow({ day: 20_408, wall: midnight - earlyMs, earlyMs }), true)
  assert.equal(mayFollow({ day: 20_408, wall: midnight - earlyMs - 1, earlyMs }), false)
  assert.equal(settledDay({ day: 20_408, wall: midnight - 1000, earlyMs }), 20_408)
  assert.equal(settledDay({ day: 20_407, wall: midnight - 1000, earlyMs }), 20_407)
  assert.equal(settledDay({ day: 20_407, wall: midnight, earlyMs }), 20_408)
  assert.equal(settledDay({ day: 99_999, wall: midnight, earlyMs }), 20_408)
  assert.equal(formatDay(20_408), '2025-11-16')
  assert.equal(formatDay(0xffff_ffff), 'day 4294967295')
})

/** The client ids that wrote into a document. */
function clientsOf(bytes: Uint8Array): number[] {
  return [...Y.parseUpdateMeta(bytes).from.keys()]
}

test.run()
