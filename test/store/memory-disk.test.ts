// The faults that the disk in memory can be told to have, each seen by a store.

import assert from 'node:assert/strict'
import { MemoryDisk, openMemoryStore } from '../../ledger/memory-store.ts'
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
  disk.failWrites(2)
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

test('a cut tail, a dropped batch and a flipped bit are each noticed', async () => {
  for (const harm of [
    (disk: MemoryDisk) => disk.cutTail(1, 1),
    (disk: MemoryDisk) => disk.dropBatch(1, 3),
    (disk: MemoryDisk) => disk.dropBatch(1, disk.batches(1) - 1),
    (disk: MemoryDisk) => disk.flipBit(1, { batch: 4, change: 0, character: 200 }),
    (disk: MemoryDisk) => disk.flipBit(1, { batch: 8, change: 0, character: 5 }),
  ]) {
    const { disk, store } = await filled(8)
    await store.close()
    harm(disk)
    assert.equal((await foundOn(disk)).kind, 'lost', String(harm))
  }
})

test.run()
