import assert from 'node:assert/strict'
import { account, nameOf } from '../../ledger/account.ts'
import { type Counters, noCounters } from '../../ledger/counters.ts'
import { Flows, type Holder } from '../../mesh/window/flows.ts'
import { Minutes } from '../../mesh/window/minutes.ts'
import { NO_RATES } from '../../mesh/window/report.ts'
import { type Mark, Today } from '../../mesh/window/today.ts'
import { Queue } from '../../node/queue.ts'
import { Sensors } from '../../node/sensors.ts'
import { Random } from '../sim/random.ts'
import { suite } from '../suite.ts'

const test = suite('window/looking')

const MIDNIGHT = Date.UTC(2030, 0, 2)
const HOUR = 3600_000

type Said = Partial<Pick<Counters, 'admitted' | 'forced' | 'exited' | 'lapsed'>>

function holder(name: string, said: Said = {}): Holder & { readonly counters: Counters } {
  return { account: name, counters: { ...noCounters(), ...said } }
}

function send(from: Holder & { readonly counters: Counters }, to: string, amount: number): void {
  from.counters.sent[to] = (from.counters.sent[to] ?? 0) + amount
  from.counters.sentTotal += amount
}

test('what flows add up to is what accounts sent while somebody looked, whoever sent whom how much', () => {
  for (let seed = 0; seed < 20; seed++) {
    const random = new Random(`flows ${seed}`)
    const flows = new Flows()
    const mall = Array.from({ length: 8 }, (_, i) => holder(account(`gate-${i}`, 1)))
    const pick = () => mall[random.int(mall.length)] as (typeof mall)[number]
    for (const one of mall) send(one, pick().account, 1 + random.int(50))
    const total = () => mall.reduce((sum, { counters }) => sum + counters.sentTotal, 0)
    const before = total()
    const seen = new Map<number, number>()
    for (let look = 0; look < 60; look++) {
      flows.look(mall, { now: look * 500, wall: MIDNIGHT + look * 500 })
      for (const { seq, amount } of flows.newest(MIDNIGHT + look * 500)) seen.set(seq, amount)
      if (look < 59) for (let k = random.int(4); k > 0; k--) send(pick(), pick().account, 1 + random.int(9))
    }
    const sum = [...seen.values()].reduce((a, b) => a + b, 0)
    assert.equal(sum, total() - before, `seed ${seed}`)
    assert.deepEqual(
      [...seen.keys()],
      [...seen.keys()].map((_, i) => i + 1),
      'each once, in order',
    )
  }
})

test('what nobody saw go by is no flow: before the first look, of an account never seen, during a gap', () => {
  const flows = new Flows()
  const a = holder('gate-01/1')
  const b = holder('gate-02/1')
  const look = (now: number, mall = [a, b]) => {
    flows.look(mall, { now, wall: now })
    return flows.newest(now).map(({ from, to, amount }) => `${from} ${to} ${amount}`)
  }
  send(a, 'gate-02/1', 5)
  assert.deepEqual(look(0), [])
  send(a, 'gate-02/1', 2)
  assert.deepEqual(look(500), ['gate-01 gate-02 2'])
  const c = holder('gate-03/7')
  send(c, 'gate-01/1', 9)
  assert.deepEqual(look(1000, [a, b, c]), ['gate-01 gate-02 2'])
  send(c, 'gate-01/1', 1)
  assert.deepEqual(look(1500, [a, b, c]), ['gate-01 gate-02 2', 'gate-03 gate-01 1'])
  send(a, 'gate-02/1', 40)
  assert.deepEqual(look(6600, [a, b, c]).at(-1), 'gate-03 gate-01 1', 'nobody looked for five seconds')
  send(b, 'gate-01/1', 3)
  assert.deepEqual(look(7000, [a, b, c]).at(-1), 'gate-02 gate-01 3')
  assert.deepEqual(look(12_000, [a, b, c]), ['gate-02 gate-01 3'], 'what is older was drawn long ago')
  // of two histories of a banned gate the shorter one takes nothing back
  assert.deepEqual(look(12_400, [a, holder('gate-02/1')]).length, 1)
  assert.deepEqual(look(12_800, [a, b, c]).length, 1)
})

test('a burst is kept to its newest sixty', () => {
  const flows = new Flows()
  const mall = Array.from({ length: 30 }, (_, i) => holder(account(`gate-${i}`, 1)))
  flows.look(mall, { now: 0, wall: 0 })
  for (const from of mall) for (const to of mall.slice(0, 5)) send(from, to.account, 1)
  flows.look(mall, { now: 500, wall: 500 })
  const newest = flows.newest(500)
  assert.deepEqual([newest.length, newest[0]?.seq, newest.at(-1)?.seq], [60, 91, 150])
})

const shown = (today: Today, name = 'gate-01') => {
  const { in: entered, out, isPart } = today.gates.get(name) ?? { in: -1, out: -1, isPart: false }
  return `${entered} in ${out} out${isPart ? ' part' : ''}`
}

test('a day that was watched from its beginning is whole, and one that was not says so', () => {
  const today = new Today()
  const late = MIDNIGHT - HOUR
  today.look([holder('gate-01/1', { admitted: 100, forced: 3, lapsed: 1, exited: 60 })], late)
  assert.equal(shown(today), '0 in 0 out part')
  today.look([holder('gate-01/1', { admitted: 110, forced: 3, lapsed: 1, exited: 61 })], MIDNIGHT - 1000)
  assert.equal(shown(today), '10 in 1 out part')
  today.look([holder('gate-01/1', { admitted: 110, forced: 3, lapsed: 1, exited: 61 })], MIDNIGHT + 1000)
  assert.equal(shown(today), '0 in 0 out')
  today.look([holder('gate-01/1', { admitted: 114, forced: 4, lapsed: 2, exited: 70 })], MIDNIGHT + HOUR)
  assert.equal(shown(today), '4 in 9 out')
  // nobody looked at the next midnight
  today.look([holder('gate-01/1', { admitted: 200, forced: 4, lapsed: 2, exited: 100 })], MIDNIGHT + 30 * HOUR)
  assert.equal(shown(today), '0 in 0 out part')
  // whoever has counted nobody when first heard of was seen from the beginning
  today.look([holder('gate-02/1')], MIDNIGHT + 31 * HOUR)
  today.look([holder('gate-02/1', { admitted: 5, exited: 2 })], MIDNIGHT + 32 * HOUR)
  assert.equal(shown(today, 'gate-02'), '5 in 2 out')
})

test('a gate that gets a new account goes on with its day', () => {
  const today = new Today()
  const old = holder('gate-01/1', { admitted: 50, exited: 20 })
  today.look([old], MIDNIGHT - 500)
  today.look([old], MIDNIGHT + 500)
  old.counters.admitted += 7
  today.look([old], MIDNIGHT + HOUR)
  const fresh = holder('gate-01/2', { admitted: 3, exited: 1 })
  today.look([old, fresh], MIDNIGHT + HOUR + 500)
  assert.equal(shown(today), '10 in 1 out')
  // which is not so of a gate that nobody has heard of
  today.look([old, fresh, holder('gate-09/2', { admitted: 30 })], MIDNIGHT + HOUR + 1000)
  assert.equal(shown(today, 'gate-09'), '0 in 0 out part')
})

test('a restart goes on with the day, and marks of yesterday are of no use', () => {
  const marks: Mark[] = []
  const before = new Today()
  const gate = holder('gate-01/1', { admitted: 50, exited: 20 })
  marks.push(...before.look([gate, holder('gate-02/1', { admitted: 4 })], MIDNIGHT - 500))
  marks.push(...before.look([gate], MIDNIGHT + 500))
  assert.equal(marks.length, 3)
  gate.counters.admitted += 9
  const after = new Today()
  after.recall(marks)
  after.look([gate], MIDNIGHT + HOUR)
  assert.equal(shown(after), '9 in 0 out')
  assert.deepEqual(after.marks, before.marks)
  const tomorrow = new Today()
  tomorrow.recall(marks)
  tomorrow.look([gate], MIDNIGHT + 25 * HOUR)
  assert.equal(shown(tomorrow), '0 in 0 out part')
  assert.deepEqual(
    tomorrow.marks.map(({ account: of }) => nameOf(of)),
    ['gate-01'],
  )
})

const moment = (at: number, count: number, more: object = {}) => {
  return {
    at,
    occupancy: { count, atMost: count + 2, capacity: 100, ageMs: 0 },
    mode: 'NORMAL' as const,
    rates: NO_RATES,
    ...more,
  }
}

test('of a minute the most people and the worst mode are kept, and it is told once it is over', () => {
  const minutes = new Minutes()
  assert.equal(minutes.see(moment(MIDNIGHT + 1000, 10)), undefined)
  minutes.see(moment(MIDNIGHT + 20_000, 80, { mode: 'FIRE' }))
  const rates = { ...NO_RATES, local: 5, stolen: 2, exits: 3, atCapacity: 1, noHeadroom: 1, emergency: 4, fault: 1 }
  assert.equal(minutes.see(moment(MIDNIGHT + 59_000, 12, { rates })), undefined)
  const over = minutes.see(moment(MIDNIGHT + 60_500, 13))
  assert.deepEqual(over, {
    at: MIDNIGHT,
    count: 80,
    atMost: 82,
    capacity: 100,
    mode: 'FIRE',
    entries: 7,
    exits: 3,
    rejects: 7,
  })
  // a minute that nobody watched is left out
  minutes.see(moment(MIDNIGHT + 300_000, 14))
  const trend = minutes.trend(MIDNIGHT + 300_500)
  assert.deepEqual(
    trend.at.map(at => (at - MIDNIGHT) / 60_000),
    [0, 1, 5],
  )
  assert.deepEqual(
    [trend.count, trend.mode],
    [
      [80, 13, 14],
      ['FIRE', 'NORMAL', 'NORMAL'],
    ],
  )
})

test('the last 24 hours are kept, also over midnight; a clock set back takes the future with it', () => {
  const minutes = new Minutes()
  for (let k = 0; k < 3000; k++) minutes.see(moment(MIDNIGHT + k * 60_000, k))
  const now = MIDNIGHT + 2999 * 60_000
  const { at, count } = minutes.trend(now)
  assert.deepEqual([at.length, count[0], count.at(-1)], [1440, 1560, 2999])
  minutes.see(moment(now - 10 * 60_000 - 5, 7))
  const back = minutes.trend(now - 10 * 60_000)
  assert.equal(back.at.at(-1), now - 11 * 60_000)
  assert.deepEqual(
    [...back.at].sort((a, b) => a - b),
    back.at,
  )
  assert.equal(new Set(back.at).size, back.at.length)
})

test('a queue is those turned away for lack of places within twenty seconds, and at least those at the arm', () => {
  const queue = new Queue()
  const at = (now: number, turnedAway: number, waiting = 0) => queue.estimate({ turnedAway, waiting, now })
  assert.equal(at(0, 100), 0, 'of those before, nobody knows')
  assert.equal(at(500, 104), 4)
  assert.equal(at(10_000, 110, 2), 10)
  assert.equal(at(20_400, 112), 8, 'whoever asked 20 s ago has asked again or gone')
  assert.equal(at(29_900, 112), 2)
  assert.equal(at(60_000, 112, 3), 3)
  assert.equal(at(60_500, 112), 0)
})

test('sensors are as sure as their newest readings; one odd reading is no news', () => {
  const sensors = new Sensors()
  assert.equal(sensors.health(700), undefined)
  for (let k = 0; k < 50; k++) sensors.saw(1000)
  sensors.saw(200)
  assert.equal(sensors.health(700), 'ok')
  for (let k = 0; k < 5; k++) sensors.saw(300)
  assert.equal(sensors.health(700), 'doubtful')
  for (let k = 0; k < 20; k++) sensors.saw(0)
  assert.equal(sensors.health(700), 'poor')
  for (let k = 0; k < 50; k++) sensors.saw(900)
  assert.equal(sensors.health(700), 'ok')
})

test.run()
