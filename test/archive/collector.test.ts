import assert from 'node:assert/strict'
import type { PaperMall } from '../ledger/paper-mall.ts'
import { gather } from '../store/lines.ts'
import { suite } from '../suite.ts'
import { breaksOff, gives, hangs, isComplete, opened, PaperPeers } from './paper-peers.ts'

const test = suite('archive/collector')
test('whatever rows show is there within a second, and what they do not show is not asked for', async () => {
  const peers = opened()
  const { collector, archive } = await peers.collector()
  await peers.clock.pass(1000)
  await isComplete(peers, archive)
  const { asked } = peers
  const count = asked.length
  await peers.clock.pass(20_000)
  assert.equal(asked.length, count)
  peers.fill('east/1', 5)
  peers.tell('east/1')
  peers.fill('east/1', 5)
  await peers.clock.pass(1000)
  await isComplete(peers, archive)
  assert.deepEqual(asked.slice(count), [`east east/1 22-${peers.rows.get('east/1')?.size}`])
  const { accounts, behind, lagMs, gaps, stopped } = collector.status()
  assert.deepEqual([accounts, behind, lagMs, gaps, stopped], [3, 0, 0, [], []])
  assert.deepEqual(peers.alarms, [])
  await collector.stop()
  assert.equal(peers.clock.waiting, 0)
})

test('only what is wanted is collected', async () => {
  const peers = opened()
  const { collector, archive } = await peers.collector({ wants: account => account === 'west/1' })
  await peers.clock.pass(3000)
  assert.deepEqual(archive.accounts(), ['west/1'])
  await collector.stop()
})

test('an answer that is cut short is kept as far as it came, and goes on there', async () => {
  const peers = opened()
  let cuts = 0
  peers.answers.set('east', ({ to }, honest) => (to && cuts++ < 3 ? breaksOff(honest().slice(0, 5)) : gives(honest())))
  const { collector, archive } = await peers.collector()
  await peers.clock.pass(10)
  assert.deepEqual([archive.head('east/1')?.size, archive.head('east/1')?.signed], [5, 0])
  await peers.clock.pass(60_000)
  await isComplete(peers, archive)
  assert.deepEqual(
    peers.asked.filter(what => what.startsWith('east east/1')),
    ['east east/1 0-22', 'east east/1 5-22', 'east east/1 10-22', 'east east/1 15-22'],
  )
  assert.deepEqual(peers.alarms, [])
  await collector.stop()
})

test('after an outage or a restart at any moment it goes on without a gap or a duplicate', async () => {
  const peers = opened()
  for (let round = 0; round < 12; round++) {
    peers.fill('east/1', 7)
    peers.tell('east/1')
    peers.answers.set('east', (_, honest) => (round % 3 === 0 ? breaksOff(honest().slice(0, 4)) : gives(honest())))
    if (round % 4 === 1) peers.cabinet.failNext({ happened: round % 8 === 1 })
    const { collector, archive } = await peers.collector()
    await peers.clock.pass(round * 150)
    await collector.stop()
    assert.ok((archive.head('east/1')?.size ?? 0) <= (peers.rows.get('east/1')?.size ?? 0))
    peers.restarted()
  }
  peers.answers.clear()
  const { collector, archive } = await peers.collector()
  await peers.clock.pass(2000)
  await isComplete(peers, archive)
  await collector.stop()
})

test('a write that failed, whether it had happened or not, is made good by itself', async () => {
  for (const happened of [false, true]) {
    const peers = opened()
    peers.cabinet.failNext({ happened })
    peers.cabinet.failNext({ happened })
    const { collector, archive } = await peers.collector()
    await peers.clock.pass(60_000)
    await isComplete(peers, archive)
    assert.ok(peers.alarms.every(alarm => alarm.startsWith('ARCHIVE ')))
    assert.ok(peers.alarms.length > 0)
    assert.equal(collector.status().lagMs, 0)
    await collector.stop()
  }
})

test('a long backlog is committed in portions, told as progress, and vouched for at its end', async () => {
  const peers = opened()
  peers.fill('east/1', 12_000)
  const row = peers.tell('east/1')
  const sizes: [number, number][] = []
  const { collector, archive } = await peers.collector()
  archive.onEvents(events => {
    if (events[0]?.account !== 'east/1') return
    sizes.push([events.length, archive.head('east/1')?.signed ?? -1])
  })
  await peers.clock.pass(2000)
  await isComplete(peers, archive)
  assert.deepEqual(sizes, [
    [5000, 0],
    [5000, 0],
    [row.size - 10_000, row.size],
  ])
  assert.deepEqual(peers.logged, [
    `collecting {"account":"east/1","have":0,"of":${row.size}}`,
    `collected {"account":"east/1","size":${row.size}}`,
  ])
  await collector.stop()
})

test('a portion that ends at the very size of a row is vouched for after a restart', async () => {
  const peers = opened()
  const whole = peers.mall.linesOf('east/1')
  peers.answers.set('east', () => breaksOff(whole.slice(0, 22)))
  // all that was told so far came, but the row was not the one that it ends at
  peers.fill('east/1', 4)
  const first = peers.rows.get('east/1')
  peers.tell('east/1')
  const { collector, archive } = await peers.collector()
  await peers.clock.pass(10)
  assert.deepEqual([archive.head('east/1')?.size, archive.head('east/1')?.signed], [22, 0])
  await collector.stop()
  peers.restarted()
  assert.ok(first)
  peers.rows.set('east/1', first)
  peers.up.delete('east')
  const again = await peers.collector()
  await peers.clock.pass(10)
  assert.equal(again.archive.head('east/1')?.signed, 22)
  await again.collector.stop()
})

test('a peer that hangs or is slow holds up nobody else, and is given up after a while', async () => {
  const peers = new PaperPeers()
  const slow = ['a', 'b', 'c', 'd', 'e', 'f']
  const quick = ['p', 'q', 'r', 's', 't', 'u', 'v', 'w']
  for (const gate of [...slow, ...quick]) {
    peers.mall.open(`${gate}/1`)
    peers.fill(`${gate}/1`, 10)
    peers.up.add(gate)
    peers.rows.set(`${gate}/1`, { ...peers.mall.rowOf(`${gate}/1`), note: 'x' })
  }
  for (const gate of slow) peers.answers.set(gate, (_, honest) => hangs(honest().slice(0, 3)))
  const { collector, archive } = await peers.collector()
  await peers.clock.pass(25_000)
  for (const gate of quick) assert.equal(archive.head(`${gate}/1`)?.signed, 11, gate)
  for (const gate of slow) assert.ok([3, 6].includes(archive.head(`${gate}/1`)?.size ?? 0), gate)
  for (const gate of slow) peers.answers.delete(gate)
  await peers.clock.pass(60_000)
  for (const gate of slow) assert.equal(archive.head(`${gate}/1`)?.signed, 11, gate)
  await collector.stop()
})

test('one who drips a line now and then is cut off after a minute, and what came is kept', async () => {
  const peers = opened()
  const { clock } = peers
  peers.answers.set('east', async function* (_, honest) {
    for (const line of honest()) {
      await new Promise<void>(resolve => clock.in(9000, resolve))
      yield line
    }
  })
  const { collector, archive } = await peers.collector()
  await clock.pass(50_000)
  assert.equal(archive.head('east/1'), undefined)
  await clock.pass(20_000)
  assert.equal(archive.head('east/1')?.size, 6)
  await collector.stop()
})

test('at most four ranges at once, and one of each account', async () => {
  const peers = new PaperPeers()
  const gates = Array.from({ length: 12 }, (_, n) => `g${n}`)
  for (const gate of gates) {
    peers.mall.open(`${gate}/1`)
    peers.up.add(gate)
    peers.rows.set(`${gate}/1`, { ...peers.mall.rowOf(`${gate}/1`), note: 'x' })
    peers.answers.set(gate, (_, honest) => hangs(honest().slice(0, 0)))
  }
  const { collector } = await peers.collector()
  await peers.clock.pass(9000)
  assert.equal(peers.most, 4)
  assert.equal(new Set(peers.asked).size, peers.asked.length)
  await collector.stop()
})

test('what cannot be fetched for a minute is a gap with its reason; how far behind it is shows before', async () => {
  const peers = opened()
  peers.up.delete('east')
  const { collector, archive } = await peers.collector()
  await peers.clock.pass(30_000)
  const size = peers.rows.get('east/1')?.size
  assert.deepEqual(collector.gaps(), [])
  assert.equal(collector.status().behind, size)
  assert.equal(collector.status().lagMs, 30_000)
  await peers.clock.pass(31_000)
  const [gap, ...more] = collector.gaps()
  assert.deepEqual(more, [])
  assert.deepEqual([gap?.account, gap?.from, gap?.to, gap?.sinceMs], ['east/1', 0, size, 61_000])
  assert.match(gap?.why ?? '', /broke off/)
  // nobody is asked without end at full speed
  assert.ok(peers.asked.length < 40, `${peers.asked.length} questions`)
  peers.up.add('east')
  await peers.clock.pass(1000)
  assert.deepEqual([collector.gaps(), collector.status().lagMs], [[], 0])
  await isComplete(peers, archive)
  await collector.stop()
})

test('one that is always a little behind is never late', async () => {
  const peers = opened()
  const { collector } = await peers.collector()
  for (let n = 0; n < 90; n++) {
    peers.fill('east/1', 2)
    peers.tell('east/1')
    await peers.clock.pass(1000)
    assert.ok(collector.status().lagMs <= 2000)
  }
  assert.deepEqual(collector.gaps(), [])
  await collector.stop()
})

test('entries that come late, or by a clock that is off, are flagged', async () => {
  const peers = opened()
  const skews = new Map([['west/1', -2001]])
  await peers.clock.pass(290_000)
  const { collector, archive } = await peers.collector({ skewMs: account => skews.get(account) ?? 2000 })
  await peers.clock.pass(1000)
  const flags = async () => (await archive.find({ gate: 'north', limit: 1 })).events[0]?.flags
  assert.deepEqual(await flags(), [])
  assert.deepEqual((await archive.find({ gate: 'west', limit: 1 })).events[0]?.flags, ['skew'])
  await peers.clock.pass(60_000)
  peers.fill('east/1', 1)
  peers.tell('east/1')
  await peers.clock.pass(1000)
  const late = (await archive.since(0, 1000)).at(-1)
  assert.deepEqual(late?.flags, ['late'])
  assert.equal(late?.arrivedAt, peers.clock.wall())
  await collector.stop()
})

test('our own ledger is put in too, as far as our own row vouches for it', async () => {
  const peers = opened()
  const mall: PaperMall = peers.mall
  let row = peers.rowOf('anchor/1')
  const own = {
    account: 'anchor/1',
    size: () => mall.sizeOf('anchor/1'),
    range: (from: number, to: number) => gives(mall.linesOf('anchor/1').slice(from, to)),
    row: () => row,
  }
  const { collector, archive } = await peers.collector({ own, wants: account => account !== 'anchor/1' })
  await peers.clock.pass(1000)
  assert.equal(archive.head('anchor/1')?.signed, row.size)
  mall.write('anchor/1', { type: 'checkpoint', heads: [] })
  await peers.clock.pass(1000)
  assert.equal(archive.head('anchor/1')?.size, row.size)
  const signed = peers.rowOf('anchor/1')
  row = { ...signed, size: signed.size + 1 }
  await peers.clock.pass(1000)
  assert.equal(archive.head('anchor/1')?.size, signed.size - 1, 'a row of what is not on disk yet shows nothing')
  row = signed
  await peers.clock.pass(1000)
  assert.equal(archive.head('anchor/1')?.signed, row.size)
  assert.equal((await archive.find({ type: 'checkpoint', limit: 5 })).events.length, 1)
  assert.ok(peers.asked.every(what => !what.includes('anchor/1')))
  await collector.stop()
})

test('of a copy only so many entries are kept', async () => {
  const peers = opened()
  peers.fill('east/1', 2000)
  const { size } = peers.tell('east/1')
  const { collector, archive } = await peers.collector({ entriesKept: 500, wants: account => account === 'east/1' })
  await peers.clock.pass(2000)
  assert.equal(archive.head('east/1')?.kept, size - 500)
  assert.deepEqual(await gather(archive.range('east/1', 0, size)), peers.mall.linesOf('east/1').slice(-500))
  await collector.stop()
})

test('its measures say what its status says', async () => {
  const peers = opened()
  peers.up.delete('east')
  const { collector } = await peers.collector()
  await peers.clock.pass(70_000)
  const value = (name: string) => collector.families().find(family => family.name === name)?.samples[0]?.value
  const { accounts, entries, behind } = collector.status()
  assert.deepEqual([accounts, entries], [2, 44])
  assert.equal(value('gatemesh_collected_accounts'), accounts)
  assert.equal(value('gatemesh_collected_entries'), entries)
  assert.equal(value('gatemesh_collected_behind_entries'), behind)
  assert.equal(value('gatemesh_collected_gaps'), 1)
  assert.equal(value('gatemesh_collected_lag_seconds'), 70)
  await collector.stop()
})

test('stopped in the middle of a range it ends at once, keeps what came, and nothing goes on', async () => {
  const peers = opened()
  peers.answers.set('east', (_, honest) => hangs(honest().slice(0, 3)))
  const { collector, archive } = await peers.collector()
  await peers.clock.pass(100)
  await collector.stop()
  await collector.stop()
  assert.equal(archive.head('east/1')?.size, 3)
  const { length } = peers.asked
  await peers.clock.pass(60_000)
  assert.equal(peers.asked.length, length)
  assert.equal(peers.clock.waiting, 0)
})

test.run()
