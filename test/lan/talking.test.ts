import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Lane } from '../../mesh/lane.ts'
import { suite } from '../suite.ts'
import { MarchingClock } from './marching-clock.ts'
import { everyoneUp, gossipAround, type Neighbour, onStreet, until } from './street.ts'
import { Wire } from './wire.ts'

const test = suite('lan/talking')

const NAMES = ['anchor', 'east', 'west', 'north'] as const
const ODD = ['', ' ', 'plain', 'Zürich – 東京 – 🚪🏬', '\u0000\n\r\t"\\', '\u2028\u2029\ufeff', 'x'.repeat(200_000)]

// first in this file: before anything else has left sockets behind
test('stop ends everything: it may be repeated, nothing is heard after it, no socket or timer is left', async () => {
  const count = () => process.getActiveResourcesInfo().filter(what => /TCP|UDP|Timeout/.test(what)).length
  await sleep(100)
  const before = count()
  await onStreet(NAMES, async street => {
    const all = await Promise.all(NAMES.map(name => street.start(name, {}, { mdns: { interface: '127.0.0.1' } })))
    await everyoneUp(all)
    const since = performance.now()
    await Promise.all(all.map(one => one.lan.stop()))
    await all[0]?.lan.stop()
    assert.ok(performance.now() - since < 2500)
    const heard = all.map(one => one.heard.length)
    for (const one of all)
      for (const lane of ['steal', 'rows', 'gossip', 'alarm'] as const) one.lan.send('*', 'x', lane)
    await sleep(300)
    assert.deepEqual(
      all.map(one => one.heard.length),
      heard,
    )
    for (const one of all) assert.ok(one.lan.peers().every(({ isUp }) => !isUp))
  })
  await until(() => count() <= before, `${process.getActiveResourcesInfo()}`, 1500)
})

test('a message to one arrives there once, in order, unchanged, and nowhere else', async () => {
  await onStreet(NAMES, async street => {
    const all = await street.startAll(NAMES)
    const [anchor, east, west, north] = all as [Neighbour, Neighbour, Neighbour, Neighbour]
    for (const lane of ['steal', 'rows'] as const satisfies Lane[]) {
      for (const one of all) one.heard.length = 0
      for (const text of ODD) east.lan.send('west', text, lane)
      for (let k = 0; k < 500; k++) east.lan.send('west', `${lane} ${k}`, lane)
      for (let k = 0; k < 500; k++) west.lan.send('east', `${lane} back ${k}`, lane)
      await until(() => west.heard.length >= ODD.length + 500 && east.heard.length >= 500, `all on ${lane}`)
      await sleep(50)
      assert.deepEqual(west.texts(), [...ODD, ...Array.from({ length: 500 }, (_, k) => `${lane} ${k}`)])
      assert.deepEqual(west.texts('east').length, west.heard.length)
      assert.deepEqual(
        east.texts('west'),
        Array.from({ length: 500 }, (_, k) => `${lane} back ${k}`),
      )
      assert.deepEqual([anchor.heard, north.heard], [[], []])
    }
  })
})

/** On a busy machine what was said to warm up comes late. */
const since = (texts: readonly string[]) => texts.filter(text => !text.startsWith('warm up'))

test('gossip reaches everyone once, unchanged, whoever it is addressed to', async () => {
  await onStreet(NAMES, async street => {
    const all = await street.startAll(NAMES)
    await gossipAround(all, 'warm up')
    for (const one of all) one.heard.length = 0
    const [, east] = all as [Neighbour, Neighbour]
    const words = ODD.filter(text => text.length < 1000)
    for (const text of words) east.lan.send('*', text, 'gossip')
    await until(() => all.every(one => one === east || since(one.texts('east')).length >= words.length), 'heard by all')
    await sleep(300)
    for (const one of all) {
      assert.deepEqual(since(one.texts()).sort(), one === east ? [] : [...words].sort(), one.name)
    }
  })
})

test('an alarm goes to everyone by gossip and by the direct line', async () => {
  await onStreet(NAMES, async street => {
    const all = await street.startAll(NAMES)
    await gossipAround(all, 'warm up')
    const [, east] = all as [Neighbour, Neighbour]
    const others = all.filter(one => one !== east)
    for (const one of all) one.heard.length = 0
    east.lan.send('*', 'fire', 'alarm')
    await until(() => others.every(one => since(one.texts('east')).length === 2), 'heard twice by all')
    await sleep(200)
    for (const one of others) assert.deepEqual(since(one.texts()), ['fire', 'fire'])
    assert.deepEqual(since(east.texts()), [])
  })
})

test('steal and rows to all reach all, and a name that nobody has is nobody', async () => {
  await onStreet(NAMES, async street => {
    const all = await street.startAll(NAMES)
    const [anchor] = all as [Neighbour]
    anchor.lan.send('*', 'fork', 'steal')
    anchor.lan.send('*', 'view', 'rows')
    anchor.lan.send('south', 'lost', 'steal')
    await until(() => all.every(one => one === anchor || one.heard.length === 2), 'heard by all')
    for (const one of all) if (one !== anchor) assert.deepEqual(one.texts().sort(), ['fork', 'view'])
  })
})

test('idle members stay up on beats alone, and an idle second costs a handful of frames', async () => {
  await onStreet(['east', 'west'], async street => {
    const [east, west] = (await street.startAll(['east', 'west'])) as [Neighbour, Neighbour]
    const before = east.lan.traffic()
    await sleep(4000)
    assert.deepEqual([east.isUp('west'), west.isUp('east')], [true, true])
    assert.deepEqual([...east.logged('peer-down'), ...west.logged('peer-silent')], [])
    const frames = east.lan.traffic().framesIn - before.framesIn
    assert.ok(frames >= 2 && frames <= 8, `${frames} frames in 4 s`)
    for (const { silentMs } of east.lan.peers().filter(({ isUp }) => isUp)) assert.ok(silentMs < 2300)
  })
})

test('both calling at the same moment end with one link that carries gossip both ways, every time', async () => {
  const rounds = 8
  await onStreet(NAMES, async street => {
    const march = new MarchingClock()
    let isBanned = false
    let apart = 0
    const clock = march.clock(() => Math.floor(Math.random() * apart))
    const all = await street.startAll(NAMES, { clock, isBanned: () => isBanned })
    const dials = () => all.reduce((sum, one) => sum + one.lan.traffic().dials, 0)
    const before = dials()
    for (let round = 0; round < rounds; round++) {
      apart = round * 4
      const ups = all.map(one => one.logged('peer-up').length)
      // a ban ends every link that is older than three seconds, at both ends
      isBanned = true
      march.jump(3100)
      await until(() => all.every(one => one.lan.peers().every(({ isUp }) => !isUp)), 'all links are gone')
      // the higher ids have waited long enough as well: now all call all
      isBanned = false
      march.jump(3200)
      await gossipAround(all, `round ${round}`, 10_000)
      await everyoneUp(all, 10_000)
      all.forEach((one, k) => {
        const went = one.logged('peer-up').length - (ups[k] ?? 0)
        assert.ok(went <= 9, `${one.name} went up ${went} times in round ${round}`)
      })
    }
    const perRound = (dials() - before) / rounds
    assert.ok(perRound > 8, `six pairs, of which both call: only ${perRound} calls a round`)
  })
})

test('a connection whose packets are silently dropped is noticed in about two seconds, and another one made', async () => {
  await onStreet(['east', 'west'], async street => {
    const west = await street.start('west')
    const wire = await Wire.to(west.place)
    try {
      const east = await street.start('east', { west: [wire.place] })
      await everyoneUp([east, west])
      await gossipAround([east, west], 'before')
      wire.cut()
      const since = performance.now()
      for (const one of [east, west]) {
        await until(() => one.logged('peer-silent').length === 1, `${one.name} notices`, 6000)
      }
      const took = performance.now() - since
      assert.ok(took > 1000 && took < 4000, `${took} ms`)
      await everyoneUp([east, west])
      await gossipAround([east, west], 'after')
    } finally {
      wire.end()
    }
  })
})

test.run()
