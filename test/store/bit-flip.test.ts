// A bit the other way round, anywhere in the files of a store.

import assert from 'node:assert/strict'
import { cp, open, writeFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import type { Found } from '../../ledger/store.ts'
import { suite } from '../suite.ts'
import { gather, Lines, NAME } from './lines.ts'
import { below, filesOf, fill, openAt, ROUNDS, random, SEED, standsUp, tally, withFolder } from './ordeal.ts'

const test = suite('store/bit-flip')

test(`${ROUNDS} flipped bits: nothing acknowledged is lost unnoticed`, () =>
  withFolder(async home => {
    const draw = random(SEED)
    const whole = join(home, 'whole')
    const acknowledged = await fill(whole, draw, 700)
    const files = await filesOf(whole)
    const found: Found[] = []
    for (let round = 0; round < ROUNDS; round++) {
      const copy = join(home, `copy-${round}`)
      await cp(whole, copy, { recursive: true })
      // Each file as often as any other: the small ones hold the place of everything else.
      const { path, bytes } = files[below(draw, files.length)] as { path: string; bytes: number }
      const name = relative(whole, path)
      const at = below(draw, bytes)
      const bit = below(draw, 8)
      await flip(join(copy, name), at, bit)
      found.push(
        await standsUp(copy, acknowledged, `seed ${SEED}, round ${round}: bit ${bit} of byte ${at} of ${name}`),
      )
    }
    assert.equal(
      found.some(one => one.kind === 'lost'),
      true,
      `seed ${SEED}: no flip did any harm: ${JSON.stringify(tally(found))}`,
    )
  }))

test('a spoilt table: the ledger is lost, and all that lies outside it is exported, cited and carried over', () =>
  withFolder(async dir => {
    const { size } = await fill(dir, random(SEED), 700)
    const tables = (await filesOf(dir)).filter(file => file.path.endsWith('.ldb'))
    const spoilt = tables.at(-1) as { path: string; bytes: number }
    // In the index, where LevelDB itself would end the process.
    await flip(spoilt.path, spoilt.bytes - 134, 3)
    const store = await openAt(dir)
    assert.equal(store.found.kind === 'lost' && store.found.reason, 'damaged')
    assert.match(store.found.kind === 'lost' ? store.found.what : '', /^gate-07\/1: the ledger cannot be opened/)
    const good = (store.found.kind === 'lost' && store.found.lastGood?.size) || 0
    const all = new Lines().take(size)
    const kept = await gather(store.salvage(`${NAME}/1`))
    assert.equal(good > 0 && kept.length >= good, true, `${good} good, ${kept.length} kept`)
    for (const { seq, line } of kept) assert.equal(line, all[seq])
    assert.equal(store.rows().size > 0, true)
    await store.close()
  }))

test('a spoilt lock is no loss', () =>
  withFolder(async dir => {
    const acknowledged = await fill(dir, random(SEED), 50)
    await writeFile(join(dir, 'lock', 'CURRENT'), 'MANIFEST-nothing\n')
    assert.equal((await standsUp(dir, acknowledged, 'the lock')).kind, 'intact')
  }))

async function flip(path: string, at: number, bit: number): Promise<void> {
  const file = await open(path, 'r+')
  try {
    const byte = Buffer.alloc(1)
    await file.read(byte, 0, 1, at)
    byte[0] = (byte[0] as number) ^ (1 << bit)
    await file.write(byte, 0, 1, at)
  } finally {
    await file.close()
  }
}

test.run()
