import assert from 'node:assert/strict'
import { MemoryCabinet } from '../../mesh/archive/memory-cabinet.ts'
import { all, contract } from './cabinet-contract.ts'

const test = contract('archive/memory-cabinet', async () => ({
  open: async () => new MemoryCabinet(),
  again: async cabinet => (cabinet as MemoryCabinet).reopened(),
  destroy: async () => undefined,
}))

test('a write that fails may have happened, or not', async () => {
  const cabinet = new MemoryCabinet()
  cabinet.failNext()
  cabinet.failNext({ happened: true })
  await assert.rejects(cabinet.write([['a', '1']]), { code: 'CABINET_IO' })
  assert.deepEqual(await all(cabinet), [])
  await assert.rejects(cabinet.write([['b', '1']]), { code: 'CABINET_IO' })
  await cabinet.write([['c', '1']])
  assert.deepEqual(
    (await all(cabinet)).map(([key]) => key),
    ['b', 'c'],
  )
})

test.run()
