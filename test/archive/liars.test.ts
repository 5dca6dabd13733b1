// Liars: what a collector makes of those who contradict what was signed, and of those who only pass it on.

import assert from 'node:assert/strict'
import { suite } from '../suite.ts'
import { altered, gives, isComplete, opened, PaperPeers } from './paper-peers.ts'

const test = suite('archive/liars')

for (const [what, is, lie] of [
  ['altered in the middle', 'chain', (lines: string[]) => lines.with(5, altered(lines[5] as string))],
  ['altered at the end', 'root', (lines: string[]) => lines.with(-1, altered(lines.at(-1) as string))],
  ['with a line left out', 'chain', (lines: string[]) => lines.toSpliced(5, 1)],
  ['spelled in another way', 'spelling', (lines: string[]) => lines.with(5, `${lines[5]} `)],
] as const) {
  test(`a ledger ${what} is kept as evidence, sounded, and collected no further; others are`, async () => {
    const peers = opened()
    peers.answers.set('east', (_, honest) => gives(lie(honest())))
    const { collector, archive } = await peers.collector()
    await peers.clock.pass(5000)
    await isComplete(peers, archive, ['west/1', 'north/1'])
    assert.equal(archive.head('east/1'), undefined)
    const [evidence, ...more] = await archive.evidence()
    assert.deepEqual(more, [])
    assert.deepEqual([evidence?.account, evidence?.what, evidence?.by], ['east/1', is, undefined])
    assert.deepEqual(evidence?.rows, [peers.rows.get('east/1')?.note])
    const handed = lie(peers.mall.linesOf('east/1'))
    assert.deepEqual(evidence?.lines, handed.slice(0, evidence?.lines.length))
    assert.ok((evidence?.lines.length ?? 0) > 5)
    assert.equal(peers.alarms.length, 1)
    assert.match(peers.alarms[0] as string, /^EVIDENCE .*east\/1.*not collected any more/)
    assert.deepEqual(collector.status().stopped, ['east/1'])
    await collector.stop()
    // honest now, but it is for people to decide what to make of it
    peers.restarted()
    peers.answers.clear()
    const again = await peers.collector()
    const { length } = peers.asked
    await peers.clock.pass(5000)
    assert.deepEqual(peers.asked.slice(length), [])
    assert.deepEqual(again.collector.status().stopped, ['east/1'])
    await again.collector.stop()
  })
}

test('a row that counts otherwise than its entries is evidence against its owner', async () => {
  const peers = opened()
  const { counters } = peers.mall.rowOf('east/1')
  peers.rows.set('east/1', peers.rowOf('east/1', { counters: { ...counters, exited: counters.exited + 1 } }))
  const { collector, archive } = await peers.collector()
  await peers.clock.pass(2000)
  const [evidence] = await archive.evidence()
  assert.equal(evidence?.what, 'counters')
  assert.equal(archive.head('east/1'), undefined)
  await collector.stop()
})

test('counters that are wrong over lines that are right are their owner’s lie, whoever handed over the lines', async () => {
  const peers = opened()
  const { counters } = peers.mall.rowOf('east/1')
  peers.rows.set('east/1', peers.rowOf('east/1', { counters: { ...counters, exited: counters.exited + 1 } }))
  peers.up.delete('east')
  peers.answers.set('north', (_, lines) => gives(lines()))
  const { collector, archive } = await peers.collector()
  await peers.clock.pass(10_000)
  const [evidence] = await archive.evidence()
  assert.deepEqual([evidence?.what, evidence?.by], ['counters', undefined])
  assert.deepEqual(collector.status().stopped, ['east/1'])
  await collector.stop()
})

test('two histories are found by a row of the same size, and by lines that follow another one', async () => {
  for (const longer of [false, true]) {
    const peers = opened()
    const { collector, archive } = await peers.collector()
    await peers.clock.pass(1000)
    const before = peers.rows.get('east/1')
    const other = new PaperPeers()
    other.fill('east/1', 18)
    other.mall.admit('east/1')
    other.mall.admit('east/1')
    if (longer) other.mall.admit('east/1')
    const forked = other.rowOf('east/1')
    assert.equal(forked.size, (before?.size ?? 0) + (longer ? 1 : 0))
    peers.rows.set('east/1', forked)
    peers.answers.set('east', ({ from, to }) => gives(other.mall.linesOf('east/1').slice(from, to)))
    if (!longer) peers.up.delete('east')
    await peers.clock.pass(5000)
    const [evidence, ...more] = await archive.evidence()
    assert.deepEqual(more, [])
    assert.equal(evidence?.what, 'fork')
    assert.deepEqual(evidence?.rows, [before?.note, forked.note])
    assert.equal(evidence?.lines.length, longer ? 1 : 0)
    assert.match(peers.alarms.join(), /^FORK /)
    // what was vouched for before stays as it was
    assert.equal(archive.head('east/1')?.signed, before?.size)
    await collector.stop()
  }
})

test('whoever was banned for two histories is collected no further, and the proof is kept', async () => {
  const peers = opened()
  const rows = [peers.rowOf('east/1'), peers.rowOf('east/1', { at: 1 })]
  peers.banned.set('east', rows)
  const { collector, archive } = await peers.collector()
  await peers.clock.pass(3000)
  assert.deepEqual(archive.accounts(), ['north/1', 'west/1'])
  const [evidence] = await archive.evidence()
  assert.deepEqual([evidence?.what, evidence?.rows], ['fork', rows.map(({ note }) => note)])
  await collector.stop()
})

test('where the owner is away others who have a copy are asked, and a copy counts once its root is signed', async () => {
  const peers = opened()
  peers.up.delete('east')
  const honest = (_: unknown, lines: () => string[]) => gives(lines())
  peers.answers.set('west', ({ account, from }, lines) => {
    return gives(account === 'east/1' ? lines().slice(0, Math.max(0, 7 - from)) : lines())
  })
  const { collector, archive } = await peers.collector()
  await peers.clock.pass(5000)
  // a part of it proves nothing when it is not the owner who says so
  assert.equal(archive.head('east/1'), undefined)
  peers.answers.set('north', honest)
  await peers.clock.pass(60_000)
  await isComplete(peers, archive)
  assert.deepEqual(peers.alarms, [])
  await collector.stop()
})

test('a copy may come in several answers, each with so many lines at most', async () => {
  const peers = opened()
  peers.fill('east/1', 9000)
  peers.tell('east/1')
  peers.up.delete('east')
  peers.answers.set('north', (_, lines) => gives(lines().slice(0, 4000)))
  const { collector, archive } = await peers.collector()
  await peers.clock.pass(60_000)
  await isComplete(peers, archive)
  await collector.stop()
})

test('who lies about another is not asked about it again, and the other is not to blame', async () => {
  const peers = opened()
  peers.up.delete('east')
  peers.answers.set('west', ({ account }, lines) => {
    return gives(account === 'east/1' ? lines().with(-1, altered(lines().at(-1) as string)) : lines())
  })
  const { collector, archive } = await peers.collector({ portionLines: 5 })
  await peers.clock.pass(120_000)
  assert.equal(archive.head('east/1'), undefined)
  const liesAsked = () => peers.asked.filter(what => what.startsWith('west east/1')).length
  assert.equal(liesAsked(), 1)
  const [evidence] = await archive.evidence()
  assert.deepEqual([evidence?.what, evidence?.by, evidence?.account], ['root', 'west', 'east/1'])
  assert.deepEqual(collector.status().stopped, [])
  peers.up.add('east')
  await peers.clock.pass(1000)
  await isComplete(peers, archive)
  await collector.stop()
})

test('lines of a third party that follow another history do not close the account', async () => {
  const peers = opened()
  const { collector, archive } = await peers.collector()
  await peers.clock.pass(1000)
  const other = new PaperPeers()
  other.fill('east/1', 40)
  peers.fill('east/1', 5)
  peers.tell('east/1')
  peers.up.delete('east')
  peers.answers.set('west', ({ from, to }) => gives(other.mall.linesOf('east/1').slice(from, to).map(altered)))
  await peers.clock.pass(5000)
  assert.equal((await archive.evidence())[0]?.by, 'west')
  peers.up.add('east')
  await peers.clock.pass(2000)
  await isComplete(peers, archive)
  await collector.stop()
})

test.run()
