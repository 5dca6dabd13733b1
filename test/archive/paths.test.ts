import assert from 'node:assert/strict'
import fc from 'fast-check'
import { checkInclusion, makeInclusion } from '../../ledger/proof.ts'
import { Frontier, type Hash, leafHash } from '../../ledger/tree.ts'
import { suite } from '../suite.ts'
import { Rig } from './archive-rig.ts'

const test = suite('archive/paths')

async function filled(count: number): Promise<{ rig: Rig; leaves: Hash[]; size: number }> {
  const rig = await Rig.open()
  rig.fill('east/1', count - rig.mall.linesOf('east/1').length)
  await rig.collect('east/1')
  const leaves = rig.mall.linesOf('east/1').map(leafHash)
  return { rig, leaves, size: leaves.length }
}

const leafAt = (leaves: readonly Hash[]) => (index: number) => leaves[index] as Hash

function rootAt(leaves: readonly Hash[], size: number): Hash {
  const tree = new Frontier()
  for (const leaf of leaves.slice(0, size)) tree.append(leaf)
  return tree.root()
}

test('a path is the one that all leaves give, for every entry and every size up to 40', async () => {
  const { rig, leaves, size } = await filled(40)
  for (let to = 1; to <= size; to++) {
    for (let index = 0; index < to; index++) {
      assert.deepEqual(await rig.archive.path('east/1', index, to), makeInclusion(leafAt(leaves), index, to))
    }
  }
})

test('however much was pruned, what is kept is proved in the whole ledger, also after a restart', async () => {
  const { rig, leaves, size } = await filled(70)
  for (let kept = 1; kept < 37; kept += 3) {
    await rig.archive.prune('east/1', kept)
    if (kept % 2 === 0) await rig.reopen()
    for (const to of [37, 64, 65, size]) {
      for (let index = kept; index < to; index += 2) {
        assert.deepEqual(await rig.archive.path('east/1', index, to), makeInclusion(leafAt(leaves), index, to))
      }
    }
  }
  await assert.rejects(rig.archive.path('east/1', 33, size), { code: 'PRUNED', message: /archive files/ })
  rig.fill('east/1', 9)
  await rig.collect('east/1')
  assert.equal((await rig.archive.path('east/1', 70, 79)).length > 0, true, 'and what comes after it')
})

test('paths through many blocks hold, whichever was asked for first and wherever it was pruned', async () => {
  const { rig, leaves, size } = await filled(1400)
  const place = fc.record({ index: fc.nat(size - 1), more: fc.nat(size), prune: fc.option(fc.nat(120)) })
  let kept = 0
  await fc.assert(
    fc.asyncProperty(place, async ({ index, more, prune }) => {
      kept = Math.min(kept + (prune ?? 0), size - 100)
      await rig.archive.prune('east/1', kept)
      const at = Math.max(index, kept)
      const to = Math.min(size, at + 1 + more)
      const path = await rig.archive.path('east/1', at, to)
      const one = { leaf: leaves[at] as Hash, index: at, size: to, root: rootAt(leaves, to) }
      assert.ok(checkInclusion({ ...one, path }))
      assert.ok(!checkInclusion({ ...one, leaf: leaves[(at + 1) % size] as Hash, path }), 'and is of no other entry')
    }),
    { numRuns: 60 },
  )
})

test('what was not collected is not proved, and an archive that lost a line says which', async () => {
  const { rig, size } = await filled(30)
  for (const [index, to] of [
    [0, size + 1],
    [size, size],
    [5, 5],
  ] as const) {
    await assert.rejects(rig.archive.path('east/1', index, to), { code: 'ARCHIVE' })
  }
  await assert.rejects(rig.archive.path('nobody/1', 0, 1), { code: 'ARCHIVE' })
  await rig.cabinet.write([[`a/line/east/1/${'7'.padStart(16, '0')}`, undefined]])
  await assert.rejects(rig.archive.path('east/1', 20, size), { code: 'ARCHIVE_DAMAGED', message: /entry 7 of east/ })
})

test('an entry is found by its id and its account, where others were asked with the same id', async () => {
  const { rig } = await filled(5)
  const [event] = (await rig.all()).filter(({ entry }) => entry.type === 'admit')
  assert.deepEqual(await rig.archive.byId(event?.entry.id ?? '', 'east/1'), event)
  assert.equal(await rig.archive.byId(event?.entry.id ?? '', 'west/1'), undefined)
})

test.run()
