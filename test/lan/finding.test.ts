import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { suite } from '../suite.ts'
import { atOnce } from './at-once.ts'
import { everyoneUp, gossipAround, HERE, onStreet, until } from './street.ts'

const test = suite('lan/finding')
const claim = atOnce(test)

const mdns = { interface: HERE }

claim('members find each other by multicast alone', async () => {
  await onStreet(['anchor', 'east', 'west', 'north'], async street => {
    const all = await Promise.all(['anchor', 'east', 'west', 'north'].map(name => street.start(name, {}, { mdns })))
    await everyoneUp(all)
    assert.deepEqual(
      all.map(one => one.lan.findsByMulticast),
      [true, true, true, true],
    )
    await gossipAround(all, 'hello')
  })
})

claim('members of two malls on one network do not hear of each other', async () => {
  await onStreet(['east', 'west'], async street => {
    const east = await street.start('east', {}, { mdns })
    const west = await street.start('west', {}, { mdns, charterHash: 'another mall' })
    await sleep(2500)
    assert.deepEqual(
      [east, west].map(one => one.lan.findsByMulticast),
      [false, false],
    )
    assert.deepEqual([...east.logs, ...west.logs], [])
  })
})

claim('members find each other by static addresses alone, whichever of two knows the other', async () => {
  const orders = [
    ['low', 'high'],
    ['high', 'low'],
  ] as const
  const met = orders.map(([first, second]) =>
    onStreet(['low', 'high'], async street => {
      const a = await street.start(first)
      const b = await street.start(second, { [first]: [a.place] })
      await everyoneUp([a, b])
      assert.deepEqual(a.met, [second])
      assert.deepEqual(b.met, [first])
      assert.equal(a.lan.findsByMulticast, false)
    }),
  )
  await Promise.all(met)
})

claim(
  'gates that know only the anchor meet each other there, whether its id is the lowest or the highest',
  async () => {
    const orders = [
      ['anchor', 'g1', 'g2', 'g3', 'g4'],
      ['g1', 'g2', 'g3', 'g4', 'anchor'],
    ]
    const met = orders.map(names =>
      onStreet(names, async street => {
        const anchor = await street.start('anchor')
        const knows = { anchor: [anchor.place] }
        const gates = await Promise.all(['g1', 'g2', 'g3', 'g4'].map(name => street.start(name, knows)))
        await everyoneUp([anchor, ...gates])
        await gossipAround([anchor, ...gates], 'hello')
      }),
    )
    await Promise.all(met)
  },
)

claim('a member restarted on another port is found again by multicast, and where it was is forgotten', async () => {
  const orders = [
    ['east', 'west'],
    ['west', 'east'],
  ]
  const found = orders.map(order =>
    onStreet(order, async street => {
      const [east, west] = await Promise.all(['east', 'west'].map(name => street.start(name, {}, { mdns })))
      assert.ok(east && west)
      await everyoneUp([east, west])
      const before = east.place
      await street.stop(east)
      await until(() => !west.isUp('east'), 'the loss is noticed')
      const again = await street.start('east', {}, { mdns })
      assert.notEqual(again.place.port, before.port)
      await everyoneUp([again, west])
      const [known] = west.lan.peers().filter(({ name }) => name === 'east')
      assert.deepEqual(known?.places, [again.place])
      await gossipAround([again, west], 'again')
    }),
  )
  await Promise.all(found)
})

claim('a member restarted on another port is found again by way of a third', async () => {
  const orders = [
    ['anchor', 'east', 'west'],
    ['west', 'east', 'anchor'],
    ['east', 'anchor', 'west'],
  ]
  const found = orders.map(order =>
    onStreet(order, async street => {
      const anchor = await street.start('anchor')
      const knows = { anchor: [anchor.place] }
      const [east, west] = await Promise.all(['east', 'west'].map(name => street.start(name, knows)))
      assert.ok(east && west)
      await everyoneUp([anchor, east, west])
      await street.stop(east)
      const again = await street.start('east', knows)
      await everyoneUp([anchor, again, west])
      await gossipAround([anchor, again, west], 'again')
    }),
  )
  await Promise.all(found)
})

claim('a member that comes back before its death was noticed takes the place of its old connection', async () => {
  await onStreet(['anchor', 'east'], async street => {
    const [anchor, east] = await street.startAll(['anchor', 'east'])
    assert.ok(anchor && east)
    await sleep(1100)
    const twin = await street.start('east', { anchor: [anchor.place] })
    await until(() => twin.isUp('anchor'), 'the newer one is let in', 8000)
  })
})

claim('two machines with one key neither crash nor storm', async () => {
  await onStreet(['low', 'clone', 'high'], async street => {
    const low = await street.start('low')
    const high = await street.start('high', { low: [low.place] })
    const knows = { low: [low.place], high: [high.place] }
    const clones = await Promise.all([street.start('clone', knows, { mdns }), street.start('clone', knows, { mdns })])
    await until(() => clones.some(one => one.isUp('low')), 'one of them is in')
    const ups = () =>
      [low, high].map(one => one.logged('peer-up').filter(({ fields }) => fields.peer === 'clone').length)
    const dials = () => [low, high, ...clones].map(one => one.lan.traffic().dials)
    const before = { ups: ups(), dials: dials() }
    const seconds = 5
    await sleep(seconds * 1000)
    const perSecond = (now: number[], then: number[]) => now.map((count, k) => (count - (then[k] ?? 0)) / seconds)
    for (const rate of perSecond(ups(), before.ups)) assert.ok(rate <= 3, `${rate} connections of it a second`)
    for (const rate of perSecond(dials(), before.dials)) assert.ok(rate <= 10, `${rate} calls a second`)
    await gossipAround([low, high], 'unharmed')
    for (const one of clones) assert.ok(one.logged('stranger').length <= 1)
  })
})

claim('a port that is taken is a Fault that names it, and leaves nothing open', async () => {
  await onStreet(['east', 'west'], async street => {
    const east = await street.start('east')
    const { host, port } = east.place
    await assert.rejects(street.start('west', {}, { listen: [east.place], mdns }), {
      code: 'LAN',
      message: new RegExp(`cannot listen on ${host}:${port}`),
    })
  })
})

test.run()
