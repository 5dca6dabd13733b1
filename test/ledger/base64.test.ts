import assert from 'node:assert/strict'
import fc from 'fast-check'
import { fromBase64, isHash64, toBase64 } from '../../ledger/base64.ts'
import { suite } from '../suite.ts'

const test = suite('ledger/base64')

test('RFC 4648 examples are read and written', () => {
  for (const [plain, text] of [
    ['', ''],
    ['f', 'Zg=='],
    ['fo', 'Zm8='],
    ['foo', 'Zm9v'],
    ['foobar', 'Zm9vYmFy'],
  ] as const) {
    assert.equal(toBase64(Buffer.from(plain)), text)
    assert.deepEqual(fromBase64(text), Buffer.from(plain))
  }
})

test('what Node reads leniently is refused', () => {
  for (const text of [
    'Zg',
    'Zg=',
    'Zg===',
    'Zh==',
    'Zm9=',
    ' Zg==',
    'Zg==\n',
    'Z g==',
    'Z*g==',
    '_-8=',
    'Zm9v!',
    '=',
  ]) {
    assert.equal(fromBase64(text), undefined, JSON.stringify(text))
  }
})

test('a length is held to', () => {
  assert.equal(fromBase64('Zm9v', 4), undefined)
  assert.equal(fromBase64('Zm9v', 3)?.length, 3)
})

test('only 32 bytes are a hash', () => {
  for (const n of [0, 31, 32, 33]) assert.equal(isHash64(toBase64(Buffer.alloc(n, 7))), n === 32)
  assert.equal(isHash64(`${'A'.repeat(42)}B=`), false, 'stray bits in the last character')
})

test('bytes have one spelling: whatever is read is written the same', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 80 }), bytes => {
      assert.deepEqual(fromBase64(toBase64(bytes)), Buffer.from(bytes))
    }),
  )
  const letters = fc.constantFrom(...'AQgwZz09+/-_= \n')
  fc.assert(
    fc.property(fc.string({ unit: letters, maxLength: 12 }), text => {
      const bytes = fromBase64(text)
      if (bytes !== undefined) assert.equal(toBase64(bytes), text)
    }),
    { numRuns: 2000 },
  )
})

test.run()
