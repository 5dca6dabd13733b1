import assert from 'node:assert/strict'
import { suite } from '../suite.ts'
import { gives, opened } from './paper-peers.ts'

const test = suite('archive/second-hand')

/** The owner is gone for good; what one of the others copied of its ledger ends before its newest row. */
async function orphaned(a: { readonly vouch: boolean; readonly spoil?: (lines: string[]) => string[] }) {
  const peers = opened()
  peers.up.delete('east')
  const older = peers.tell('east/1')
  peers.fill('east/1', 10)
  const newest = peers.tell('east/1')
  const { spoil = lines => lines } = a
  peers.answers.set('north', ({ account, from, to }, honest) =>
    gives(account === 'east/1' ? spoil(honest().slice(0, Math.min(to, older.size) - from)) : honest()),
  )
  const vouched = async (peer: string) => (a.vouch && peer === 'north' ? older : undefined)
  const { collector, archive } = await peers.collector({ vouched })
  await peers.clock.pass(5000)
  return { peers, collector, archive, older, newest }
}

test('a copy that ends before the newest row is taken as far as an older row vouches for it; the rest is a gap', async () => {
  const { peers, collector, archive, older, newest } = await orphaned({ vouch: true })
  const head = archive.head('east/1')
  assert.deepEqual([head?.size, head?.signed], [older.size, older.size])
  await peers.clock.pass(70_000)
  assert.equal(archive.head('east/1')?.size, older.size, 'and no more of it')
  const [gap] = collector.gaps()
  assert.deepEqual([gap?.account, gap?.from, gap?.to], ['east/1', older.size, newest.size])
  await collector.stop()
})

test('a copy that nothing vouches for is not taken', async () => {
  const { collector, archive } = await orphaned({ vouch: false })
  assert.equal(archive.head('east/1'), undefined)
  await collector.stop()
})

test('a copy that is not what the older row signed is not taken', async () => {
  const spoil = (lines: string[]) => lines.map(line => line.replace('"local"', '"stolen"'))
  const { collector, archive } = await orphaned({ vouch: true, spoil })
  assert.equal(archive.head('east/1'), undefined)
  await collector.stop()
})

test.run()
