import assert from 'node:assert/strict'
import type { Cabinet } from '../../mesh/archive/cabinet.ts'
import { Copies, type CopiesOptions } from '../../mesh/archive/copies.ts'
import { MemoryCabinet } from '../../mesh/archive/memory-cabinet.ts'
import { Ledgers } from '../../mesh/ledgers.ts'
import { NO_LOG } from '../../mesh/log.ts'
import { gather } from '../store/lines.ts'
import { suite } from '../suite.ts'
import { gives, PaperPeers } from './paper-peers.ts'

const test = suite('archive/copies')

interface Rig {
  readonly peers: PaperPeers
  readonly copies: Copies
  readonly warnings: object[]
}

/** A gate's copies, in a mall where the anchor is up and answers. */
function rig(change: Partial<CopiesOptions> = {}): Rig {
  const peers = new PaperPeers()
  const warnings: object[] = []
  peers.up.add('anchor')
  peers.tell('anchor/1')
  peers.tell('east/1')
  const copies = new Copies({
    charterHash: peers.mall.charterHash,
    clock: peers.clock,
    log: { ...NO_LOG, warn: (event, fields) => warnings.push({ event, ...fields }) },
    rows: () => peers.rows.values(),
    banned: () => peers.banned,
    peers: () => peers.up,
    range: (peer, { account, from, to }) => {
      peers.asked.push(`${peer} ${account} ${from}-${to}`)
      return gives(peers.mall.linesOf(account).slice(from, to))
    },
    alarm: (code, detail) => peers.alarms.push(`${code} ${detail}`),
    openCabinet: async () => peers.cabinet,
    ...change,
  })
  return { peers, copies, warnings }
}

test('the anchor’s ledger is copied and nobody else’s, and asked for every ten seconds at most', async () => {
  const { peers, copies } = rig()
  copies.start()
  await peers.clock.pass(100)
  assert.deepEqual(await copies.accounts(), ['anchor/1'])
  const size = peers.mall.sizeOf('anchor/1')
  assert.equal(await copies.size('anchor/1'), size)
  assert.equal(await copies.size('east/1'), undefined)
  for (let n = 0; n < 60; n++) {
    peers.mall.write('anchor/1', { type: 'checkpoint', heads: [] })
    peers.tell('anchor/1')
    await peers.clock.pass(1000)
  }
  assert.ok(peers.asked.length <= 7, `${peers.asked.length} questions in a minute`)
  const lines = peers.mall.linesOf('anchor/1')
  const copied = (await copies.size('anchor/1')) ?? 0
  assert.ok(copied >= lines.length - 10)
  assert.deepEqual(await gather(copies.range('anchor/1', 3, 1000)), lines.slice(3, copied))
  await copies.stop()
  await copies.stop()
  assert.equal(peers.clock.waiting, 0)
})

test('what no row of the anchor vouches for yet is not given to others', async () => {
  const { peers, copies } = rig({ range: (_, { from }) => gives(peers.mall.linesOf('anchor/1').slice(from, 4)) })
  copies.start()
  await peers.clock.pass(100)
  assert.equal(await copies.size('anchor/1'), 0)
  assert.deepEqual(await gather(copies.range('anchor/1', 0, 4)), [])
  await copies.stop()
})

test('a shelf gives what its own store has, then copies', async () => {
  const { peers, copies } = rig()
  copies.start()
  await peers.clock.pass(100)
  const own = ['a line of mine']
  const store = {
    found: { kind: 'intact', account: 'east/1' },
    durable: { size: 1 },
    accounts: async () => ['east/1'],
    range: () => gives(own),
  }
  const shelf = new Ledgers(() => store as never, copies)
  assert.deepEqual(await shelf.accounts(), ['east/1', 'anchor/1'])
  assert.deepEqual([await shelf.size('east/1'), await shelf.size('anchor/1')], [1, peers.mall.sizeOf('anchor/1')])
  assert.equal(await shelf.size('west/1'), undefined)
  assert.deepEqual(await gather(shelf.range('east/1', 0, 1)), own)
  assert.deepEqual(await gather(shelf.range('anchor/1', 1, 3)), peers.mall.linesOf('anchor/1').slice(1, 3))
  await assert.rejects(gather(shelf.range('west/1', 0, 1)), { code: 'LEDGER' })
  await copies.stop()
  assert.equal(await shelf.size('anchor/1'), undefined)
})

test('the oldest entries of a long ledger are let go, and whoever asks for them is told', async () => {
  const { peers, copies } = rig({ entriesKept: 100 })
  for (let n = 0; n < 700; n++) peers.mall.write('anchor/1', { type: 'checkpoint', heads: [] })
  const { size } = peers.tell('anchor/1')
  copies.start()
  await peers.clock.pass(30_000)
  assert.equal(await copies.size('anchor/1'), size)
  assert.deepEqual(await gather(copies.range('anchor/1', size - 100, size)), peers.mall.linesOf('anchor/1').slice(-100))
  await assert.rejects(gather(copies.range('anchor/1', 0, 10)), {
    code: 'LEDGER',
    message: `anchor/1: the copy begins at entry ${size - 100}`,
  })
  await copies.stop()
})

test('a disk that cannot be opened is a line in the log, and tried again in a minute', async () => {
  let opens = 0
  const cabinet = new MemoryCabinet()
  const { peers, copies, warnings } = rig({
    openCabinet: async () => {
      if (opens++ < 2) throw new Error('the disk is full')
      return cabinet
    },
  })
  copies.start()
  await peers.clock.pass(59_000)
  assert.deepEqual(warnings, [{ event: 'copies', error: 'the disk is full', againMs: 60_000 }])
  assert.deepEqual(await copies.accounts(), [])
  await peers.clock.pass(70_000)
  assert.deepEqual(await copies.accounts(), ['anchor/1'])
  assert.deepEqual(peers.alarms, [])
  await copies.stop()
})

test('stopping ends quietly, before anything was opened, while it is, and with a disk that fails', async () => {
  const early = rig()
  await early.copies.stop()
  early.copies.start()
  await early.peers.clock.pass(1000)
  assert.deepEqual(early.peers.asked, [])

  const slow = Promise.withResolvers<Cabinet>()
  const late = rig({ openCabinet: () => slow.promise })
  late.copies.start()
  const stopped = late.copies.stop()
  const cabinet = new MemoryCabinet()
  slow.resolve(cabinet)
  await stopped
  await assert.rejects(cabinet.get('a'), { code: 'CABINET_CLOSED' })
  assert.equal(late.peers.clock.waiting, 0)

  const failing = rig()
  failing.peers.cabinet.close = () => Promise.reject(new Error('cannot be closed'))
  failing.copies.start()
  await failing.peers.clock.pass(100)
  await failing.copies.stop()
  assert.deepEqual(failing.warnings, [{ event: 'copies', error: 'cannot be closed' }])
})

test.run()
