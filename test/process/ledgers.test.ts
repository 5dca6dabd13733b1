import assert from 'node:assert/strict'
import { openLevelStore } from '../../ledger/level-store.ts'
import { Ledgers } from '../../mesh/ledgers.ts'
import { CHARTER, gather, Lines, NAME } from '../store/lines.ts'
import { suite } from '../suite.ts'
import { inFolder } from './members.ts'

const test = suite('process/ledgers')

test('the open ledger and closed ones are read in order, each as far as it goes', async () => {
  await inFolder(async dir => {
    const store = await openLevelStore({ name: NAME, dir })
    try {
      const ledgers = new Ledgers(() => store)
      assert.deepEqual(await ledgers.accounts(), [])
      await store.begin(`${NAME}/1`, CHARTER)
      const first = new Lines().take(7)
      await Promise.all(first.map(line => store.append(line)))
      assert.equal(await ledgers.size(`${NAME}/1`), 7)
      assert.deepEqual(await gather(ledgers.range(`${NAME}/1`, 2, 5)), first.slice(2, 5))
      await store.begin(`${NAME}/2`, CHARTER)
      await store.append(new Lines().next())
      assert.deepEqual(await ledgers.accounts(), [`${NAME}/1`, `${NAME}/2`])
      assert.deepEqual([await ledgers.size(`${NAME}/1`), await ledgers.size(`${NAME}/2`)], [7, 1])
      assert.deepEqual(await gather(ledgers.range(`${NAME}/1`, 0, 7)), first)
      assert.deepEqual(await gather(ledgers.range(`${NAME}/1`, 5, 100)), first.slice(5))
      assert.equal((await gather(ledgers.range(`${NAME}/2`, 0, 10))).length, 1)
      assert.equal(await ledgers.size(`${NAME}/3`), undefined)
    } finally {
      await store.close()
    }
  })
})

test('where an entry of a closed ledger is missing the answer breaks off and says which', async () => {
  const lines = new Lines().take(5)
  const kept = lines.map((line, seq) => ({ seq, line })).filter(({ seq }) => seq !== 2)
  const store = {
    found: { kind: 'blank' },
    accounts: async () => [`${NAME}/1`],
    async *salvage() {
      yield* kept
    },
  }
  const ledgers = new Ledgers(() => store as never)
  assert.equal(await ledgers.size(`${NAME}/1`), 2)
  await assert.rejects(gather(ledgers.range(`${NAME}/1`, 0, 5)), /gate-07\/1: entry 2 cannot be read any more/)
  assert.deepEqual(await gather(ledgers.range(`${NAME}/1`, 3, 5)), lines.slice(3))
})

test.run()
