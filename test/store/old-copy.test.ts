// An old copy of a store comes back: a disk image, a backup put in place, a card from the drawer.

import assert from 'node:assert/strict'
import { cp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { FILE_BYTES, formatSlot, readSlots } from '../../ledger/slot.ts'
import { STORE_LIMITS } from '../../ledger/store.ts'
import { suite } from '../suite.ts'
import { below, fill, isPutBack, openAt, ROUNDS, random, SEED, standsUp, withFolder } from './ordeal.ts'

const test = suite('store/old-copy')
const draw = random(SEED)

/** A store, a copy of it, and the store after some more entries. */
async function twoTimes(home: string, round: number, writes: 'many' | 'few') {
  const dir = join(home, `store-${round}`)
  const copy = join(home, `copy-${round}`)
  const before = await fill(dir, draw, 1 + below(draw, 120))
  await cp(dir, copy, { recursive: true })
  const more = writes === 'many' ? STORE_LIMITS.marks + 1 + below(draw, 60) : 1 + below(draw, STORE_LIMITS.marks)
  const after = await fill(dir, draw, before.size + more, 1)
  return { dir, copy, before, after, why: `seed ${SEED}, round ${round}: ${before.size} instead of ${after.size}` }
}

test(`${ROUNDS} old ledgers beside their mark are noticed`, () =>
  withFolder(async home => {
    for (let round = 0; round < ROUNDS; round++) {
      const { dir, copy, before, after, why } = await twoTimes(home, round, 'many')
      await rm(join(dir, '1'), { recursive: true })
      await cp(join(copy, '1'), join(dir, '1'), { recursive: true })
      const found = await standsUp(dir, after, why)
      assert.equal(found.kind === 'lost' ? found.reason : found.kind, 'behind-mark', why)
      assert.equal(found.kind === 'lost' && found.lastGood?.size, before.size, why)
    }
  }))

test(`${ROUNDS} ledgers that lack a few writes which the marks still hold are whole again`, () =>
  withFolder(async home => {
    for (let round = 0; round < ROUNDS; round++) {
      const { dir, copy, after, why } = await twoTimes(home, round, 'few')
      await rm(join(dir, '1'), { recursive: true })
      await cp(join(copy, '1'), join(dir, '1'), { recursive: true })
      const found = await standsUp(dir, after, why)
      assert.equal(found.kind === 'intact' && found.size, after.size, why)
      assert.equal(isPutBack(found), true, why)
    }
  }))

test('marks in 16 slots of 32 kB, as an older build left them, are read; the next write makes room as it is now', () =>
  withFolder(async home => {
    const [dir, copy] = ['store', 'copy'].map(name => join(home, name)) as [string, string]
    const before = await fill(dir, draw, 40)
    await cp(dir, copy, { recursive: true })
    const after = await fill(dir, draw, before.size + 12, 1)
    await rm(join(dir, '1'), { recursive: true })
    await cp(join(copy, '1'), join(dir, '1'), { recursive: true })
    const path = join(dir, 'mark')
    const slots = readSlots(await readFile(path))
    const old = Buffer.alloc(16 * 32 * 1024)
    for (const slot of slots.slice(0, 2 * 16).reverse()) formatSlot(slot).copy(old, (slot.serial % 16) * 32 * 1024)
    await writeFile(path, old)
    const found = await standsUp(dir, after, `seed ${SEED}`)
    assert.equal(found.kind === 'intact' && found.size, after.size)
    assert.equal(isPutBack(found), true)
    assert.equal((await stat(path)).size, FILE_BYTES)
  }))

test(`${ROUNDS} old marks beside a newer ledger do no harm`, () =>
  withFolder(async home => {
    for (let round = 0; round < ROUNDS; round++) {
      const { dir, copy, after, why } = await twoTimes(home, round, 'many')
      await cp(join(copy, 'mark'), join(dir, 'mark'))
      const found = await standsUp(dir, after, why)
      assert.equal(found.kind, 'intact', why)
    }
  }))

test(`${ROUNDS} old copies of ledger and mark together look intact: who saw later rows must tell`, () =>
  withFolder(async home => {
    for (let round = 0; round < ROUNDS; round++) {
      const { dir, copy, before, why } = await twoTimes(home, round, 'many')
      await rm(dir, { recursive: true })
      await cp(copy, dir, { recursive: true })
      const store = await openAt(dir)
      await store.close()
      assert.deepEqual(store.found.kind === 'intact' && store.found.size, before.size, why)
    }
  }))

test.run()
