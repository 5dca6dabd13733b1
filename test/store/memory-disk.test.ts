// The faults that the disk in memory can be told to have, each seen by a store.

import assert from 'node:assert/strict'
import { MemoryDisk, openMemoryStore } from '../../ledger/memory-store.ts'
import { type Mark, STORE_LIMITS, type Store } from '../../ledger/store.ts'
import { suite } from '../suite.ts'
import { CHARTER, Lines, NAME } from './lines.ts'

const test = suite('store/memory-disk')

interface Filled<D> {
  readonly disk: D
  readonly store: Store
  readonly lines: Lines
}

async function filled(size: number): Promise<Filled<MemoryDisk>>
async function filled<D extends MemoryDisk>(size: number, disk: D): Promise<Filled<D>>
async function filled(size: number, disk = new MemoryDisk()) {
  const store = await openMemoryStore(disk, { name: NAME })
  await store.begin(`${NAME}/1`, CHARTER)
  const lines = new Lines()
  for (const line of lines.take(size)) await store.append(line)
  return { disk, store, lines }
}

async function foundOn(disk: MemoryDisk) {
  const store = await openMemoryStore(disk, { name: NAME })
  await store.close()
  return store.found
}

test('a shelf that failed once takes later writes and forgets them, as LevelDB does', async () => {
  const disk = new MemoryDisk()
  const shelf = await disk.open(1, 'create')
  await shelf.write([['a', '1']])
  disk.failWrites(1)
  await assert.rejects(shelf.write([['b', '2']]), { code: 'STORE_IO' })
  await shelf.write([['c', '3']])
  assert.equal(await shelf.get('c'), '3')
  await shelf.close()
  const again = await disk.open(1, 'existing')
  assert.deepEqual(await Promise.all(['a', 'b', 'c'].map(key => again.get(key))), ['1', undefined, undefined])
})

test('a store is not fooled by that: it opens again, and pauses until time goes on', async () => {
  const { disk, store, lines } = await filled(3)
  await store.sync()
  disk.failMarks(2)
  const appended = store.append(lines.next())
  while (store.state !== 'mending') await undefined
  for (let k = 0; k < 100; k++) await undefined
  assert.equal(store.durable.size, 3)
  disk.elapse()
  assert.equal(await appended, 4)
  await store.close()
  const found = await foundOn(disk)
  assert.equal(found.kind === 'intact' && found.size, 4)
})

test('a crash takes what was in flight, and nothing that was acknowledged', async () => {
  const { disk, store, lines } = await filled(3)
  disk.hold()
  void store.append(lines.next())
  for (let k = 0; k < 10; k++) await undefined
  disk.crash()
  const found = await foundOn(disk)
  assert.equal(found.kind === 'intact' && found.size, 3)
})

test('a crash before the ledger had what was acknowledged: the marks have it', async () => {
  const { disk, store, lines } = await filled(3)
  await store.sync()
  const batches = disk.batches(1)
  await Promise.all(lines.take(3).map(line => store.append(line)))
  disk.crash()
  assert.equal(disk.batches(1), batches)
  const found = await foundOn(disk)
  assert.deepEqual(found.kind === 'intact' && [found.size, found.root], [6, lines.root()])
})

/** What another process would find if this one ended now, which may go on writing to the first. */
function asItIs(disk: MemoryDisk): MemoryDisk {
  const other = new MemoryDisk()
  other.restore(disk.image(), 'both')
  return other
}

/** What was kept, and the line that it belongs to, in all the ways in which a core asks for them. */
const BREATHS: readonly ((store: Store, line: string, note: string) => void)[] = [
  (store, line, note) => {
    store.keepNote('policy-2', note)
    void store.append(line)
  },
  (store, line, note) => {
    void store.append(line)
    store.keepNote('policy-2', note)
  },
  (store, line, note) => {
    void store.append(line, 'soon')
    store.keepNote('policy-2', note)
    void store.sync()
  },
]
/** One that fits into a mark, and one that does not. */
const POLICIES = { short: 'the policy', long: 'the policy '.repeat(STORE_LIMITS.tailBytesMax / 10) }

test('a note is on the disk with the line that it came with, or neither is, whenever the power goes', async () => {
  for (const [way, breath] of BREATHS.entries()) {
    for (const [isIdle, length] of [
      [true, 'short'],
      [true, 'long'],
      [false, 'short'],
      [false, 'long'],
    ] as const) {
      const note = POLICIES[length]
      const found = new Set<string>()
      for (let turns = 0; turns < 80; turns++) {
        const { disk, store, lines } = await filled(3)
        // otherwise the ledger is still being written
        if (isIdle) await store.sync()
        breath(store, lines.next(), note)
        for (let k = 0; k < turns; k++) await undefined
        const again = await openMemoryStore(asItIs(disk), { name: NAME })
        const size = again.found.kind === 'intact' ? again.found.size : again.found.kind
        found.add(`${size} ${again.notes().get('policy-2') ?? 'without'}`)
        await again.close()
      }
      assert.deepEqual([...found], ['3 without', `4 ${note}`], `way ${way}, ${isIdle ? 'idle' : 'busy'}, ${length}`)
    }
  }
})

/** Its marks are written, and its ledger takes for ever. */
class HalfStuck extends MemoryDisk {
  isStuck = false

  override async open(epoch: number, how: 'existing' | 'create') {
    const shelf = await super.open(epoch, how)
    const write = shelf.write.bind(shelf)
    shelf.write = changes => (this.isStuck ? new Promise(() => undefined) : write(changes))
    return shelf
  }
}

test('a line that comes while a note is being written waits for it, or has it in its mark', async () => {
  for (let at = 0; at < 20; at++) {
    const before = Math.floor(at / 2)
    const { disk, store, lines } = await filled(3, new HalfStuck())
    await store.sync()
    // either somebody asks for it, or it goes with a line that the ledger has not got yet
    if (at % 2 === 1) await store.append(lines.next())
    const { size } = store.durable
    store.keepRow('gate-01/1', 'a row')
    disk.isStuck = true
    if (at % 2 === 0) void store.sync()
    for (let k = 0; k < before; k++) await undefined
    void store.append(lines.next())
    for (let k = 0; k < 50; k++) await undefined
    const found = await openMemoryStore(asItIs(disk), { name: NAME })
    if (at % 2 === 0) assert.equal(store.durable.size, size, `${before} turns before`)
    assert.equal(found.durable.size, store.durable.size)
    if (found.durable.size > size) assert.equal(found.rows().get('gate-01/1'), 'a row', `${before} turns before`)
  }
})

test('a note from a mark whose line the ledger has does not come back over a newer one', async () => {
  const { disk, store, lines } = await filled(3)
  store.keepNote('modes', 'old')
  await store.append(lines.next())
  store.keepNote('modes', 'new')
  await store.sync()
  await store.append(lines.next())
  const found = await openMemoryStore(asItIs(disk), { name: NAME })
  assert.deepEqual([found.durable.size, found.notes().get('modes')], [5, 'new'])
})

test('notes of several marks are put back, the newest of each', async () => {
  const { disk, store, lines } = await filled(3, new HalfStuck())
  await store.sync()
  disk.isStuck = true
  for (const [name, note] of [
    ['modes', 'first'],
    ['policy', 'only'],
    ['modes', 'second'],
  ] as const) {
    store.keepNote(name, note)
    await store.append(lines.next())
  }
  const after = asItIs(disk)
  for (const start of ['from the marks', 'from the ledger']) {
    const found = await openMemoryStore(after, { name: NAME })
    const seen = [found.durable.size, found.notes().get('modes'), found.notes().get('policy')]
    assert.deepEqual(seen, [6, 'second', 'only'], start)
    await found.close()
    after.restore({ ...after.image(), marks: (after.image().marks as Mark[]).slice(0, 1) }, 'mark')
  }
})

test('lines of a mark that do not lead to its root are no help', async () => {
  for (const spoil of [
    (line: string) => line.replace('"confidence":990', '"confidence":980'),
    (line: string) => line.replace('{"seq":', '{"seq":1'),
  ]) {
    const { disk, store, lines } = await filled(3)
    await store.sync()
    const before = disk.image()
    for (const line of lines.take(2)) await store.append(line)
    await store.close()
    const { marks } = disk.image()
    assert.equal(Array.isArray(marks), true)
    const spoilt = (marks as Mark[]).map(mark => ({ ...mark, tail: mark.tail?.map(spoil) ?? [] }))
    disk.restore({ ...before, marks: spoilt }, 'both')
    const found = await foundOn(disk)
    assert.equal(found.kind === 'lost' && found.reason, 'behind-mark')
  }
})

test('a cut tail, a dropped batch and a flipped bit are each noticed', async () => {
  for (const harm of [
    (disk: MemoryDisk) => disk.cutTail(1, 1),
    (disk: MemoryDisk) => disk.dropBatch(1, 3),
    (disk: MemoryDisk) => disk.dropBatch(1, disk.batches(1) - 1),
    (disk: MemoryDisk) => disk.flipBit(1, { batch: 4, change: 0, character: 200 }),
    (disk: MemoryDisk) => disk.flipBit(1, { batch: 8, change: 0, character: 5 }),
  ]) {
    const { disk, store } = await filled(0)
    for (const line of new Lines().take(8)) {
      await store.append(line)
      await store.sync()
    }
    await store.close()
    const { marks } = disk.image()
    harm(disk)
    // the marks without their lines, which would put most of it back
    disk.restore(
      { ledgers: new Map(), marks: (marks as Mark[]).slice(0, 1).map(mark => ({ ...mark, tail: [] })) },
      'mark',
    )
    assert.equal((await foundOn(disk)).kind, 'lost', String(harm))
  }
})

test.run()
