import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import type { GossipSub } from '@libp2p/gossipsub'
import { identify } from '@libp2p/identify'
import type { Connection, Libp2p, Stream } from '@libp2p/interface'
import { BEAT, frame } from '../../mesh/lan/frame.ts'
import { gossipService, topicsOf } from '../../mesh/lan/gossip.ts'
import { PROTOCOL } from '../../mesh/lan/line.ts'
import { messageParcel } from '../../mesh/lan/parcel.ts'
import { REAL_CLOCK } from '../../mesh/real-clock.ts'
import { suite } from '../suite.ts'
import { call, gossipAround, type Neighbour, onStreet, type Street, until } from './street.ts'

const test = suite('lan/abuse')

const NAMES = ['rogue', 'east', 'west'] as const

/** What is held after everything that nobody holds is gone. */
function heldMb(): number {
  setFlagsFromString('--expose-gc')
  runInNewContext('gc')()
  const { heapUsed, arrayBuffers, external } = process.memoryUsage()
  return (heapUsed + Math.max(arrayBuffers, external)) / 1e6
}

/** A member with the right key and software of its own. */
class Rogue {
  readonly node: Libp2p
  readonly pubsub: GossipSub
  readonly #topic: string
  readonly #streams = new Map<string, Stream>()
  #connection: Connection | undefined

  private constructor(node: Libp2p<{ pubsub: GossipSub }>, topic: string) {
    this.node = node
    this.pubsub = node.services.pubsub
    this.#topic = topic
  }

  static async in(street: Street): Promise<Rogue> {
    const pubsub = gossipService({ mall: street.mall, score: () => 0 })
    const node = await street.node(street.key('rogue'), { services: { identify: identify(), pubsub } })
    return new Rogue(node as unknown as Libp2p<{ pubsub: GossipSub }>, topicsOf(street.mall).rows)
  }

  async meet(one: Neighbour): Promise<void> {
    this.#connection = await call(this.node, one.place)
    for (const protocol of Object.values(PROTOCOL)) {
      this.#streams.set(protocol, await this.#connection.newStream([protocol], { signal: AbortSignal.timeout(5000) }))
    }
    this.pubsub.subscribe(this.#topic)
    await until(() => one.isUp('rogue'), 'the rogue is up')
    await until(() => this.pubsub.getSubscribers(this.#topic).length > 0, 'gossip runs')
  }

  get isIn(): boolean {
    return this.#connection?.status === 'open'
  }

  /** Bytes as they are; false when the line is gone. */
  write(line: keyof typeof PROTOCOL, bytes: Uint8Array): boolean {
    try {
      this.#streams.get(PROTOCOL[line])?.send(bytes)
      return this.isIn
    } catch {
      return false
    }
  }

  async gossip(data: Uint8Array): Promise<void> {
    await this.pubsub.publish(this.#topic, data).catch(() => undefined)
  }

  async isLetIn(one: Neighbour): Promise<boolean> {
    try {
      const connection = await call(this.node, one.place)
      await connection.newStream([PROTOCOL.steal], { signal: AbortSignal.timeout(2000) })
      return true
    } catch {
      return false
    }
  }
}

async function withRogue(act: (a: { rogue: Rogue; east: Neighbour; west: Neighbour }) => Promise<void>): Promise<void> {
  await onStreet(NAMES, async street => {
    const [east, west] = (await street.startAll(['east', 'west'])) as [Neighbour, Neighbour]
    const rogue = await Rogue.in(street)
    await rogue.meet(east)
    await gossipAround([east, west], 'before')
    await act({ rogue, east, west })
    assert.deepEqual(
      [east.logged('peer-down'), west.logged('peer-down')].flat().filter(({ fields }) => fields.peer !== 'rogue'),
      [],
    )
    await gossipAround([east, west], 'after')
  })
}

async function isCutOff(rogue: Rogue, east: Neighbour): Promise<void> {
  await until(() => !rogue.isIn && !east.isUp('rogue'), 'it is cut off')
  assert.equal(await rogue.isLetIn(east), false)
  assert.equal(east.logged('cut-off').length, 1)
}

test('a frame above the limit breaks the line before it is there, costs its sender, and nobody else notices', async () => {
  await withRogue(async ({ rogue, east, west }) => {
    rogue.write('steal', Buffer.from('7fffffff', 'hex'))
    await until(() => east.logged('frame').length === 1, 'the frame is logged')
    assert.match(String(east.logged('frame')[0]?.fields.why), /2147483647 bytes, at most 262144/)
    assert.equal(rogue.isIn, true)
    rogue.write('rows', frame(new Uint8Array((2 << 20) + 1)))
    rogue.write('board', Buffer.from('00200001', 'hex'))
    await isCutOff(rogue, east)
    assert.equal(east.logged('frame').length, 1)
    west.lan.send('east', 'well?', 'steal')
    await until(() => east.texts('west').includes('well?'), 'the others talk')
    assert.deepEqual(east.texts('rogue'), [])
  })
})

test('garbage in frames is blamed, and after enough of it its sender is cut off', async () => {
  await withRogue(async ({ rogue, east }) => {
    const garbage = [
      Buffer.of(0),
      Buffer.of(7, 1, 2),
      Buffer.of(2, 255, 254),
      Buffer.from('\x02{"Bad Name":[]}', 'latin1'),
    ]
    for (const bytes of garbage) rogue.write('steal', frame(bytes))
    await until(() => east.logged('parcel').length === 1, 'garbage is logged')
    await sleep(100)
    assert.equal(rogue.isIn, true)
    for (let k = 0; k < 8; k++) rogue.write('rows', frame(garbage[k % 4] as Uint8Array))
    await isCutOff(rogue, east)
    assert.equal(east.logged('parcel').length, 1)
  })
})

test('texts that the core rejects are counted as garbage; those it ignores are not', async () => {
  await withRogue(async ({ rogue, east }) => {
    east.verdict = (_, text) => (text.startsWith('lie') ? 'reject' : text.startsWith('old') ? 'ignore' : 'accept')
    for (let k = 0; k < 200; k++) rogue.write('steal', frame(messageParcel(`old ${k}`)))
    for (let k = 0; k < 9; k++) rogue.write('steal', frame(messageParcel(`lie ${k}`)))
    await until(() => east.texts('rogue').length === 209, 'all of it is heard')
    assert.equal(rogue.isIn, true)
    for (let k = 0; k < 3; k++) rogue.write('steal', frame(messageParcel(`lie again ${k}`)))
    await isCutOff(rogue, east)
  })
})

test('garbage by gossip, nothing at all included, is blamed and not told on', async () => {
  await withRogue(async ({ rogue, east, west }) => {
    await rogue.gossip(new Uint8Array(0))
    for (let k = 0; k < 12; k++) {
      await rogue.gossip(Buffer.of(9, k))
      await sleep(10)
    }
    await isCutOff(rogue, east)
    assert.equal(east.logged('parcel').length, 1)
    assert.deepEqual(west.texts('rogue'), [])
    assert.deepEqual(west.logged('parcel'), [])
  })
})

test('a flood as fast as it can: the flooder is cut off and logged once, others are heard meanwhile, memory stays', async () => {
  await withRogue(async ({ rogue, east, west }) => {
    const before = process.memoryUsage().rss
    const word = frame(messageParcel('x'.repeat(500)))
    let slowest = 0
    let isOver = false
    const others = (async () => {
      for (let k = 0; !isOver || k < 10; k++) {
        west.lan.send('east', `between ${k}`, 'steal')
        slowest = Math.max(slowest, await until(() => east.texts('west').includes(`between ${k}`), 'heard meanwhile'))
        await sleep(10)
      }
    })()
    const since = performance.now()
    let sent = 0
    for (let k = 0; k < 20_000; k++) {
      if (rogue.write('steal', word)) sent++
      if (k % 200 === 0) await sleep(0)
    }
    await isCutOff(rogue, east)
    const seconds = (performance.now() - since) / 1000
    isOver = true
    await others
    assert.ok(sent > 6000, `only ${sent} were sent before it was cut off`)
    const heard = east.texts('rogue').length
    assert.ok(heard <= 3000 * (seconds + 2), `${heard} were listened to in ${seconds} s`)
    assert.ok(slowest < 2000, `a word of another took ${slowest} ms`)
    const grown = (process.memoryUsage().rss - before) / 1e6
    assert.ok(grown < 150, `memory grew by ${grown} MB`)
    assert.ok(east.lan.traffic().drops >= 100)
  })
})

test('a flood of beats, which say nothing, is a flood', async () => {
  await withRogue(async ({ rogue, east }) => {
    const beats = Buffer.concat(Array.from({ length: 1000 }, () => BEAT))
    for (let k = 0; k < 20 && rogue.isIn; k++) {
      rogue.write('board', beats)
      await sleep(1)
    }
    await isCutOff(rogue, east)
  })
})

test('a peer that does not read costs a bounded heap: what does not fit is dropped', async () => {
  await onStreet(NAMES, async street => {
    const [east, west] = (await street.startAll(['east', 'west'])) as [Neighbour, Neighbour]
    const rogue = await Rogue.in(street)
    await rogue.meet(east)
    for (const connection of rogue.node.getConnections()) for (const stream of connection.streams) stream.pause()
    const before = heldMb()
    const word = 'y'.repeat(100_000)
    for (let k = 0; k < 600; k++) {
      rogue.write('steal', BEAT)
      east.lan.send('rogue', word, 'rows')
      if (k % 20 === 0) await sleep(5)
    }
    assert.ok(east.lan.traffic().drops > 400, `${east.lan.traffic().drops} dropped`)
    // buffers are given back some time after they are let go
    await until(() => heldMb() - before < 30, 'what is held is less than 30 MB more than before', 5000)
    await gossipAround([east, west], 'unharmed')
  })
})

test('whoever was cut off is let in again when its time is over', async () => {
  await onStreet(NAMES, async street => {
    let ahead = 0
    const clock = { ...REAL_CLOCK, now: () => performance.now() + ahead }
    const [east] = (await street.startAll(['east'], { clock })) as [Neighbour]
    const rogue = await Rogue.in(street)
    await rogue.meet(east)
    for (let k = 0; k < 12; k++) rogue.write('rows', frame(Buffer.of(9, k)))
    await isCutOff(rogue, east)
    ahead = 14_000
    assert.equal(await rogue.isLetIn(east), false)
    ahead = 16_000
    await until(() => east.lan.peers().length > 0, 'a tick')
    await rogue.meet(east)
    assert.equal(east.isUp('rogue'), true)
  })
})

test.run()
