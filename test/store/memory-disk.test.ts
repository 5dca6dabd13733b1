// The faults that the disk in memory can be told to have, each seen by a store.

import assert from 'node:assert/strict'
import { MemoryDisk, openMemoryStore } from '../../ledger/memory-store.ts'
import type { Mark } from '../../ledger/store.ts'
import { suite } from '../suite.ts'
import { CHARTER, Lines, NAME } from './lines.ts'

const test = suite('store/memory-disk')

async function filled(size: number) {
  const disk = new MemoryDisk()
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
