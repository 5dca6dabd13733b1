import assert from 'node:assert/strict'
import type { Account } from '../../ledger/account.ts'
import { type CutOptions, settle } from '../../tools/audit/sources/cut.ts'
import { readRow } from '../../tools/audit/sources/source.ts'
import { MALL, PaperMall } from '../ledger/paper-mall.ts'
import { suite } from '../suite.ts'

const test = suite('audit/export-cut')

const shown = (note: string) => readRow({ note }, MALL, [])
const reach = (account: Account, size: number) => ({ account, first: 0, peaks: [], size })

/** What is seen each time, the last of it again and again. */
function options(
  mall: PaperMall,
  looks: readonly Awaited<ReturnType<CutOptions['look']>>[],
): CutOptions & { waited: number[] } {
  let [look, now] = [0, 0]
  const waited: number[] = []
  return {
    waited,
    look: async () => looks[Math.min(look++, looks.length - 1)] as (typeof looks)[number],
    lines: async function* (account, from, to) {
      yield* mall.linesOf(account).slice(from, to)
    },
    isClosed: true,
    wants: () => true,
    waitMsMax: 1000,
    now: () => now,
    sleep: async ms => {
      now += ms
    },
    onWait: missing => waited.push(missing),
  }
}

test('where a gate cites a later row of its donor than is in view, the donor is shown up to one that reaches it', async () => {
  const mall = PaperMall.opened()
  mall.send('east/1', 'west/1', 1)
  const early = mall.row('east/1')
  mall.admit('east/1')
  // west heard of it by this one
  mall.receive('west/1', 'east/1', 1)
  const cited = mall.sizeOf('east/1')
  const west = mall.row('west/1')
  mall.admit('east/1')
  const later = mall.row('east/1')
  mall.admit('east/1')
  const last = mall.row('east/1')
  const rest = ['anchor/1', 'north/1'].map(account => mall.row(account))
  const sizes = [...mall.ledgers.keys()].map(account => reach(account, mall.sizeOf(account)))
  const o = options(mall, [
    { rows: [early, west, ...rest].flatMap(shown), ledgers: sizes },
    { rows: [last, later, west, ...rest].flatMap(shown), ledgers: sizes },
  ])
  const { rows, short } = await settle(o)
  assert.deepEqual(short, [])
  const end = rows.get('east/1')?.row.size ?? 0
  assert.ok(end > cited)
  assert.equal(rows.get('east/1')?.note, later, 'and no further than it must')
})

test('entries on their way are waited for, and not for ever', async () => {
  const mall = PaperMall.opened()
  const notes = [...mall.ledgers.keys()].map(account => mall.row(account))
  const sizes = (less: number) => {
    return [...mall.ledgers.keys()].map(one => reach(one, mall.sizeOf(one) - (one === 'east/1' ? less : 0)))
  }
  const rows = notes.flatMap(shown)
  const soon = options(mall, [
    { rows, ledgers: sizes(1) },
    { rows, ledgers: sizes(0) },
  ])
  assert.deepEqual((await settle(soon)).short, [])
  assert.deepEqual(soon.waited, [1])
  const { short } = await settle(options(mall, [{ rows, ledgers: sizes(1) }]))
  assert.deepEqual(short, [{ account: 'east/1', have: 1, want: 2 }])
})

test.run()
