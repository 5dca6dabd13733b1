import assert from 'node:assert/strict'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { SignerKey } from '../../ledger/key.ts'
import { originOf } from '../../ledger/origin.ts'
import { PROTOCOL } from '../../mesh/lan/line.ts'
import { suite } from '../suite.ts'
import { atOnce } from './at-once.ts'
import { call, everyoneUp, gossipAround, type Neighbour, onStreet, placeOfNode, Street, until } from './street.ts'

const test = suite('lan/strangers')
const claim = atOnce(test)

/** The slowest of so many words from one to the other, in ms. */
async function slowestWord(from: Neighbour, to: Neighbour, count: number): Promise<number> {
  let slowest = 0
  for (let k = 0; k < count; k++) {
    const word = `word ${k} ${performance.now()}`
    from.lan.send(to.name, word, 'steal')
    slowest = Math.max(slowest, await until(() => to.texts(from.name).includes(word), 'a word'))
    await sleep(20)
  }
  return slowest
}

claim('strangers with ever new keys do not fill the log', async () => {
  await onStreet(['east'], async street => {
    const east = await street.start('east')
    for (let k = 0; k < 40; k++) {
      const node = await street.node(SignerKey.generate(originOf(street.mall, `s${k}`)), { addresses: { listen: [] } })
      await call(node, east.place).then(
        connection => connection.close().catch(() => undefined),
        () => undefined,
      )
    }
    await sleep(200)
    const lines = east.logged('stranger').length
    assert.ok(lines >= 1 && lines <= 20, `${lines} lines`)
  })
})

claim('a member of another mall under the same name is a stranger here, both ways', async () => {
  const other = new Street(['east', 'west'])
  try {
    await onStreet(['east', 'west'], async street => {
      const east = await street.start('east')
      const west = await other.start('west', { east: [east.place] })
      await until(
        () => east.logged('stranger').length + west.logged('stranger').length >= 1 || west.lan.traffic().dials > 2,
        'it tried',
      )
      await sleep(1000)
      assert.deepEqual([east.isUp('west'), west.isUp('east')], [false, false])
      assert.deepEqual([...east.met, ...west.met], [])
      assert.ok(east.logged('stranger').length <= 1)
    })
  } finally {
    await other.end()
  }
})

claim('whoever is taken off the roster is dropped within a second, stays out, and may come back with it', async () => {
  await onStreet(['anchor', 'east', 'west'], async street => {
    // the one it is about goes by a roster of its own, which still has it: it goes on trying
    const full = street.roster
    const anchor = await street.start('anchor')
    const east = await street.start('east', { anchor: [anchor.place] })
    const knows = { anchor: [anchor.place], east: [east.place] }
    const west = await street.start('west', knows, { roster: () => full })
    await everyoneUp([anchor, east, west])
    street.roster = full.filter(({ name }) => name !== 'west')
    const took = await until(() => !west.isUp('anchor') && !west.isUp('east'), 'it is dropped')
    assert.ok(took < 1000, `${took} ms`)
    const met = [anchor, east].map(one => one.met.length)
    await sleep(4000)
    assert.deepEqual(
      [anchor, east].map(one => one.met.length),
      met,
    )
    assert.deepEqual(
      anchor.lan.peers().map(({ name }) => name),
      ['east'],
    )
    for (const one of [anchor, east]) assert.ok(one.logged('stranger').length <= 1)
    west.lan.send('anchor', 'still here', 'steal')
    await gossipAround([anchor, east], 'without it')
    assert.deepEqual(
      anchor.texts('west').filter(text => text === 'still here'),
      [],
    )
    street.roster = [...full]
    await everyoneUp([anchor, east, west])
  })
})

claim('a banned member is told why now and then, and nobody spends its time on calling it', async () => {
  await onStreet(['low', 'banned', 'high'], async street => {
    const bans = { isBanned: (name: string) => name === 'banned' }
    const high = await street.start('high', {}, bans)
    const banned = await street.start('banned', { high: [high.place] })
    const low = await street.start('low', { high: [high.place], banned: [banned.place] }, bans)
    await until(() => high.isUp('banned') && low.isUp('high'), 'it is let in')
    await until(() => !high.isUp('banned'), 'it is put out')
    const before = [low, high].map(one => one.lan.traffic().dials)
    await sleep(3000)
    assert.equal(high.isUp('banned'), false)
    assert.deepEqual(
      [low, high].map(one => one.lan.traffic().dials),
      before,
    )
  })
})

claim('twenty silent clients do not keep a new member out for long', async () => {
  await onStreet(['east', 'west'], async street => {
    const east = await street.start('east')
    const silent: Socket[] = []
    try {
      for (let k = 0; k < 20; k++) {
        const socket = connect(east.place.port, east.place.host)
        socket.on('error', () => undefined)
        silent.push(socket)
      }
      await sleep(100)
      const west = await street.start('west', { east: [east.place] })
      const took = await until(() => west.isUp('east') && east.isUp('west'), 'the new one is in')
      assert.ok(took < 9000, `${took} ms`)
      await until(
        () => silent.every(socket => socket.destroyed || socket.readyState !== 'open'),
        'they are thrown out',
        12_000,
      )
    } finally {
      for (const socket of silent) socket.destroy()
    }
  })
})

claim(
  'a member of a later version is kept without fuss: each line refused is logged once, and nobody calls again',
  async () => {
    const watch = ['calls', 'is called'] as const
    const kept = watch.map(way =>
      onStreet(['low', 'high'], async street => {
        const [me, newer] = way === 'is called' ? ['low', 'high'] : ['high', 'low']
        const node = await street.node(street.key(newer as string))
        await node.handle('/gatemesh/steal/2', stream => void stream.close().catch(() => undefined))
        let opened = 0
        node.addEventListener('connection:open', () => void opened++)
        const old = await street.start(me as string, { [newer as string]: [placeOfNode(node)] })
        if (way === 'calls') await call(node, old.place)
        await until(() => opened > 0, 'connected')
        await sleep(12_000)
        assert.equal(opened, 1, `${way}: ${opened} connections`)
        const refused = old.logged('protocol-refused').map(({ fields }) => fields.protocol)
        assert.deepEqual(refused.sort(), Object.values(PROTOCOL).sort(), way)
        assert.equal(old.logs.length, refused.length, JSON.stringify(old.logs))
        assert.equal(old.isUp(newer as string), false)
      }),
    )
    await Promise.all(kept)
  },
)

test('a stranger is refused before any protocol runs, logged once in 100 attempts, and the mesh is unharmed', async () => {
  await onStreet(['east', 'west'], async street => {
    const [east, west] = (await street.startAll(['east', 'west'])) as [Neighbour, Neighbour]
    const stranger = await street.node(SignerKey.generate(originOf(street.mall, 'east')))
    let ran = 0
    const attempts = (async () => {
      for (let k = 0; k < 100; k++) {
        try {
          const connection = await call(stranger, east.place)
          await connection.newStream([PROTOCOL.steal], { signal: AbortSignal.timeout(1000) })
          ran++
        } catch {
          // refused: as it should be
        }
      }
    })()
    const slowest = await slowestWord(west, east, 30)
    await attempts
    assert.equal(ran, 0)
    assert.equal(east.logged('stranger').length, 1)
    assert.equal(east.logged('stranger')[0]?.fields.peer, stranger.peerId.toString())
    assert.ok(slowest < 1000, `a word took ${slowest} ms`)
    assert.deepEqual([east.isUp('west'), east.logged('peer-down').length], [true, 0])
  })
})

test.run()
