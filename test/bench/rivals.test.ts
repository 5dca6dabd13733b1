// quiet

import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { connect, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Contender, gatemesh, postgres, redis } from '../../tools/bench/rivals/contender.ts'
import { type Asked, judge, merged, playCrowd } from '../../tools/bench/rivals/crowd.ts'
import { watchDisk } from '../../tools/bench/rivals/disk-watch.ts'
import type { Gates } from '../../tools/bench/rivals/gates.ts'
import { Match } from '../../tools/bench/rivals/match.ts'
import { overRounds, spreadOf } from '../../tools/bench/rivals/spread.ts'
import { Wan } from '../../tools/bench/rivals/wan.ts'
import { needs } from '../debian.ts'
import { suite } from '../suite.ts'

const test = suite('bench/rivals')

const PLACES = 60

async function inFolder(act: (dir: string) => Promise<void>): Promise<void> {
  const dir = await mkdtemp(join(tmpdir(), 'gatemesh-rivals-'))
  try {
    await act(dir)
  } finally {
    await rm(dir, { recursive: true, force: true, maxRetries: 3 })
  }
}

/** People come until all places are taken, and then some more. */
async function crowded(contender: Contender, dir: string): Promise<void> {
  const plan = { dir, gates: 4, places: PLACES, deadlineMs: null, processes: 2, roundTripMs: 2 }
  const match = await Match.open(contender, plan)
  try {
    const before = await match.standing()
    let [asked, letIn] = [0, 0]
    for (let round = 0; round < 20 && letIn < PLACES; round++) {
      const { told, unanswered, ...report } = await match.open({ perSecond: 400, ms: 300, drainMs: 20_000 })
      assert.equal(unanswered, 0)
      assert.equal(told.in + told.full + told.none, report.asked)
      assert.equal(report.admitMs.length, told.in)
      asked += report.asked
      letIn += told.in
    }
    assert.equal(letIn, PLACES, 'all places are taken, and no more')
    const more = await match.closed({ gates: 4, perGate: 2, ms: 100 })
    assert.equal(more.told.in, 0)
    asked += more.asked
    const { inside, audited, alarms } = await match.standing()
    assert.equal(inside, PLACES)
    assert.ok(audited - before.audited >= asked, `${audited - before.audited} lines of ${asked} people`)
    assert.deepEqual(alarms, [])
  } finally {
    await match.end()
    await contender.stop()
  }
}

test('our gates fill the mall to the last place, and everyone is told', () => {
  return inFolder(dir => crowded(gatemesh(), dir))
})

const noRedis = await needs('redis-server', 'redis-server')
if (noRedis) test.skip('a counter in Redis fills the mall to the last place', noRedis)
else {
  for (const persistence of ['always', 'none'] as const) {
    test(`a counter in Redis (appendfsync ${persistence}) fills the mall to the last place`, () => {
      return inFolder(async dir => crowded(await redis(dir, persistence), dir))
    })
  }

  test('whoever asks a centre that is cut off is told that nobody knows', () => {
    return inFolder(async dir => {
      const contender = await redis(dir, 'none')
      const plan = { dir, gates: 2, places: PLACES, deadlineMs: 200, processes: 1, roundTripMs: 0, isCuttable: true }
      const match = await Match.open(contender, plan)
      try {
        match.isCut = true
        const { told } = await match.closed({ gates: 2, perGate: 1, ms: 100 })
        assert.deepEqual(told, { in: 0, full: 0, none: 2 })
      } finally {
        await match.end()
        await contender.stop()
      }
    })
  })
}

const noPostgres = await needs('/usr/lib/postgresql', 'postgresql')
if (noPostgres) test.skip('a counter in PostgreSQL fills the mall to the last place', noPostgres)
else {
  for (const statement of ['update', 'for-update'] as const) {
    test(`a counter in PostgreSQL (${statement}) fills the mall to the last place`, () => {
      return inFolder(async dir => {
        const [contender] = await postgres(dir, [statement])
        await crowded(contender as Contender, dir)
      })
    })
  }
}

test('an answer is right if it was so at any moment between question and answer', () => {
  const person = (dueAt: number, toldAt: number, told: Asked['told']) => ({ dueAt, toldAt, told })
  const asked = [
    person(0, 10, 'in'),
    person(5, 6, 'full'), // the one place may have been taken by the first, who was told later
    person(20, 21, 'full'),
    person(20, 30, 'in'), // one left at 25
    person(50, 51, 'in'), // nobody left: one too many
    person(70, 71, 'full'),
    person(90, 91, 'full'), // two left at 80: for nothing
    person(95, 99, 'none'),
  ]
  const judged = judge({ asked, left: [25, 80, 80] }, 1, 0, 100)
  const { right, forNothing, unanswered, tooMany } = judged
  assert.deepEqual({ right, forNothing, unanswered, tooMany }, { right: 5, forNothing: 2, unanswered: 1, tooMany: 1 })
  assert.equal(judged.asked, asked.length)
  assert.equal(judge({ asked, left: [] }, 1, 0, 5).asked, 1)
})

test('what happened in several processes is put in order by the clock of the machine', () => {
  const one = { startedAt: 1000, asked: [{ dueAt: 5, toldAt: 7, told: 'in' as const }], left: [9], stoodStillMs: 2 }
  const two = { startedAt: 1003, asked: [{ dueAt: 1, toldAt: 1.5, told: 'full' as const }], left: [], stoodStillMs: 5 }
  assert.deepEqual(merged([two, one]), {
    startedAt: 1000,
    asked: [
      { dueAt: 4, toldAt: 4.5, told: 'full' },
      { dueAt: 5, toldAt: 7, told: 'in' },
    ],
    left: [9],
    stoodStillMs: 5,
  })
  // turned away before the first had asked
  assert.equal(judge(merged([two, one]), 1, 0, 10).forNothing, 1)
})

test('a crowd tells for how long its process stood still', async () => {
  const busyMs = 120
  const gates: Gates = {
    enter: async () => 'full',
    leave: () => undefined,
    standing: async () => ({ inside: 0, audited: 0, alarms: [] }),
    close: async () => undefined,
  }
  setTimeout(() => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, busyMs), 100)
  const rates = { busyPerSecond: 20, calmPerSecond: 20, turnMs: 1000, stayMs: 1000, ms: 400 }
  const { stoodStillMs } = await playCrowd(gates, { gates: [0], places: 1, seed: 'still', ...rates })
  assert.ok(stoodStillMs >= busyMs * 0.9, `${stoodStillMs} ms`)
})

test('a line keeps bytes in order, under way for half a round trip, and loses none to a cut', async () => {
  const heard: string[] = []
  const sockets: Socket[] = []
  const server = createServer(socket => {
    sockets.push(socket)
    socket.setEncoding('utf8').on('data', (text: string) => heard.push(text))
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const wan = new Wan((server.address() as { port: number }).port, 40)
  const near = connect(await wan.open(), '127.0.0.1')
  try {
    const since = performance.now()
    near.write('a')
    while (heard.length === 0) await sleep(1)
    assert.ok(performance.now() - since >= 20)
    wan.isCut = true
    near.write('b')
    await sleep(60)
    near.write('c')
    assert.deepEqual(heard, ['a'])
    wan.isCut = false
    while (heard.join('').length < 3) await sleep(1)
    assert.equal(heard.join(''), 'abc')
  } finally {
    near.destroy()
    for (const socket of sockets) socket.destroy()
    wan.close()
    server.close()
  }
})

test('the disk is watched for as long as there is something to watch it for', () =>
  inFolder(async dir => {
    const { result, tookMs } = await watchDisk(
      dir,
      sleep(150).then(() => 'done'),
    )
    assert.equal(result, 'done')
    assert.ok(tookMs.length > 0 && tookMs.every(ms => ms > 0))
    await assert.rejects(watchDisk(dir, Promise.reject(new Error('no match'))), /no match/)
  }))

test('a spread is of the figures that were measured', () => {
  const { count, p50Ms, p99Ms, maxMs } = spreadOf(Float64Array.from({ length: 100 }, (_, i) => 100 - i))
  assert.deepEqual([count, p50Ms, p99Ms, maxMs], [100, 51, 100, 100])
  assert.equal(spreadOf(new Float64Array()).p99Ms, 0)
})

test('of several rounds the one in the middle speaks, by each figure, and the longest is of all', () => {
  const rounds = [
    [1, 9],
    [2, 5],
    [3, 80],
  ].map(some => Float64Array.from(some))
  // the last of two is the one in the middle
  assert.deepEqual(overRounds(rounds), { count: 6, p50Ms: 9, p99Ms: 9, maxMs: 80 })
})

test.run()
