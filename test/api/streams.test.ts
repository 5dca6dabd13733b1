import assert from 'node:assert/strict'
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { Gone, StreamReader } from '../../anchor/api/reader.ts'
import { SEATS_PER_MALL } from '../../anchor/api/streams.ts'
import { REAL_CLOCK } from '../../mesh/real-clock.ts'
import { suite } from '../suite.ts'
import { inRig, type Rig } from './rig.ts'

const test = suite('api/streams')

/** One who listens, and writes down the ids and the data of what comes. */
class Listener {
  readonly orders: number[] = []
  readonly data: Record<string, unknown>[] = []
  lastId: string | undefined
  isOver = false
  readonly response: IncomingMessage
  #rest = ''

  constructor(response: IncomingMessage) {
    this.response = response
    response.setEncoding('utf8')
    response.on('data', text => this.#read(text))
    response.on('error', () => undefined)
    response.on('close', () => {
      this.isOver = true
    })
  }

  static async to(rig: Rig, path: string, token: string, headers: Record<string, string> = {}): Promise<Listener> {
    const all = { authorization: `Bearer ${token}`, ...headers }
    const response = await rig.begin('GET', rig.at(path), all, asked => asked.end())
    assert.equal(response.statusCode, 200)
    assert.equal(response.headers['content-type'], 'text/event-stream')
    return new Listener(response)
  }

  async until(what: string, holds: () => boolean): Promise<void> {
    for (let i = 0; i < 1000 && !holds(); i++) await sleep(5)
    assert.ok(holds(), `${what}: ${this.orders.length} came`)
  }

  stop(): void {
    this.response.destroy()
  }

  #read(text: string): void {
    const blocks = (this.#rest + text).split('\n\n')
    this.#rest = blocks.pop() ?? ''
    for (const block of blocks) {
      const fields = new Map(block.split('\n').map(line => line.split(/: ?(.*)/s, 2) as [string, string]))
      this.lastId = fields.get('id') ?? this.lastId
      const data = fields.get('data')
      if (data === undefined) continue
      this.data.push(JSON.parse(data))
      this.orders.push(Number(fields.get('id')))
    }
  }
}

test('a stream that is cut anywhere and resumed brings every event once, in order', async () => {
  await inRig(async rig => {
    const token = await rig.login('aud')
    await rig.collect('east/1', rig.admits(20))
    const heard: number[] = []
    let lastId: string | undefined = '0'
    for (let round = 0; round < 6; round++) {
      const listener = await Listener.to(rig, '/events/stream', token, { 'last-event-id': lastId ?? '0' })
      const adding = rig.collect('east/1', rig.admits(137))
      const wanted = heard.length + 40 + round * 29
      await listener.until(
        'some came',
        () => heard.length + listener.orders.length >= Math.min(wanted, 20 + 137 * (round + 1)),
      )
      listener.stop()
      heard.push(...listener.orders)
      lastId = listener.lastId
      await adding
    }
    const rest = await Listener.to(rig, '/events/stream', token, { 'last-event-id': lastId ?? '0' })
    const total = 20 + 6 * 137
    await rest.until('all came', () => heard.length + rest.orders.length >= total)
    rest.stop()
    heard.push(...rest.orders)
    const all = Array.from({ length: total }, (_, i) => i + 1)
    assert.deepEqual(heard, all)
    const late = await Listener.to(rig, '/events/stream?after=0', token)
    await late.until('all came', () => late.orders.length >= total)
    late.stop()
    assert.deepEqual(late.orders, all, 'who comes late hears all of it')
  })
})

test('without an id a stream begins now, with `after` where it is told to, and each event is whole', async () => {
  await inRig(async rig => {
    const token = await rig.login('aud')
    await rig.collect('east/1', rig.admits(3))
    const now = await Listener.to(rig, '/events/stream', token)
    const after = await Listener.to(rig, '/events/stream?after=1', token)
    await after.until('two came', () => after.orders.length === 2)
    await rig.collect('west/1', rig.admits(1))
    await now.until('one came', () => now.orders.length === 1)
    assert.deepEqual([now.orders, now.data[0]?.account], [[4], 'west/1'])
    const { line, entry } = now.data[0] as { line: string; entry: object }
    assert.deepEqual(JSON.parse(line), entry)
    now.stop()
    after.stop()
  })
})

test('a stream of one gate leaves the others out, and does not go over them again when it is resumed', async () => {
  await inRig(async rig => {
    rig.speed = 100
    const token = await rig.login('aud')
    const west = await Listener.to(rig, '/events/stream?gate=west', token)
    await rig.collect('east/1', rig.admits(5))
    await rig.collect('west/1', rig.admits(1))
    await rig.collect('east/1', rig.admits(5))
    await west.until('the heartbeat moved on', () => west.lastId === '11')
    assert.deepEqual(west.orders, [6])
    const exits = await Listener.to(rig, '/events/stream?type=exit&after=0', token)
    await exits.until('the heartbeat moved on', () => exits.lastId === '11')
    assert.deepEqual(exits.orders, [])
    west.stop()
    exits.stop()
  })
})

test('an id that we never gave is refused before anything is streamed', async () => {
  await inRig(async rig => {
    const token = await rig.login('aud')
    for (const id of ['-1', 'x', '1e3', '99999999999999999', '01']) {
      const reply = await rig.ask('GET', rig.at('/events/stream'), { token, headers: { 'last-event-id': id } })
      assert.deepEqual([reply.status, reply.json.error.where], [400, 'header/last-event-id'], id)
    }
    assert.equal((await rig.ask('HEAD', rig.at('/occupancy/stream'), { token })).status, 404)
  })
})

test('the occupancy is told at once and then again and again', async () => {
  await inRig(async rig => {
    const listener = await Listener.to(rig, '/occupancy/stream', await rig.login('vic'))
    await listener.until('two came', () => listener.data.length >= 2)
    assert.equal(listener.data[0]?.mall, 'north')
    listener.stop()
  })
})

test('a token that is revoked, or whose time is over, ends the streams that were opened with it', async () => {
  await inRig(async rig => {
    rig.speed = 50
    const ann = await rig.login('ann')
    const made = await rig.post('/tokens', { name: 'wall', role: 'auditor' }, ann)
    const streams = await Promise.all(
      ['/events/stream', '/occupancy/stream'].map(path => Listener.to(rig, path, made.json.token)),
    )
    const own = await Listener.to(rig, '/occupancy/stream', ann)
    await sleep(100)
    assert.deepEqual(
      [...streams, own].map(({ isOver }) => isOver),
      [false, false, false],
    )
    await rig.delete(`/tokens/${made.json.id}`, ann)
    for (const one of streams) await one.until('it ended', () => one.isOver)
    assert.equal(own.isOver, false)
    rig.skip(13 * 3_600_000)
    await own.until('it ended', () => own.isOver)
  })
})

test('there are only so many seats, and one that becomes free is given away again', async () => {
  await inRig(async rig => {
    const token = await rig.login('aud')
    const all: Listener[] = []
    for (let i = 0; i < SEATS_PER_MALL; i++) {
      all.push(await Listener.to(rig, i % 2 === 0 ? '/events/stream' : '/occupancy/stream', token))
    }
    for (const path of ['/events/stream', '/occupancy/stream']) {
      const reply = await rig.get(path, token)
      assert.deepEqual([reply.status, reply.json.error.code], [503, 'full'])
    }
    all[0]?.stop()
    await sleep(50)
    all.push(await Listener.to(rig, '/events/stream', token))
    const begun = performance.now()
    await rig.stop()
    assert.ok(performance.now() - begun < 2000, 'a stop does not wait for those who listen')
    for (const one of all) await one.until('it ended', () => one.isOver)
    await rig.start()
    assert.deepEqual(rig.faults, [])
  })
})

test('a fault of the archive ends the stream and is in the log, and the reader may come back', async () => {
  await inRig(async rig => {
    const token = await rig.login('aud')
    const since = rig.archive.since.bind(rig.archive)
    rig.archive.since = () => Promise.reject(new Error('the disk is gone'))
    const listener = await Listener.to(rig, '/events/stream?after=0', token)
    await listener.until('it ended', () => listener.isOver)
    assert.match(String(rig.faults[0]?.fields.error), /the disk is gone/)
    rig.archive.since = since
    await rig.collect('east/1', rig.admits(1))
    const again = await Listener.to(rig, '/events/stream', token, { 'last-event-id': listener.lastId ?? '' })
    await again.until('it came', () => again.orders.length === 1)
    again.stop()
  })
})

test('whoever does not read is let go, and costs no more than a portion of memory until then', async () => {
  let response: ServerResponse | undefined
  let failed: unknown
  let written = 0
  const server = createServer(async (_asked, answer) => {
    response = answer
    const begin = () => answer.writeHead(200)
    const reader = new StreamReader({ response: answer, clock: REAL_CLOCK, begin, unreadMsMax: 150 })
    try {
      for (; written < 10_000; written++) await reader.write('x'.repeat(64 * 1024))
    } catch (error) {
      failed = error
    }
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const asked = request({ port, host: '127.0.0.1' }, answer => answer.pause())
  asked.on('error', () => undefined)
  asked.end()
  for (let i = 0; i < 600 && failed === undefined; i++) await sleep(10)
  assert.ok(failed instanceof Gone)
  assert.ok(written < 1000, 'nothing more was written once the line was full')
  assert.equal(response?.destroyed, true)
  asked.destroy()
  server.close()
})

test.run()
