import assert from 'node:assert/strict'
import fc from 'fast-check'
import { parseCount, parseSigned } from '../../ledger/decimal.ts'
import { suite } from '../suite.ts'

const test = suite('ledger/decimal')

const MAX = Number.MAX_SAFE_INTEGER

test('a number has one spelling', () => {
  for (const n of [0, 1, 9, 10, 4294967296, MAX]) {
    assert.equal(parseCount(String(n)), n)
    assert.equal(parseSigned(String(n)), n)
  }
  for (const n of [-1, -10, -MAX]) {
    assert.equal(parseCount(String(n)), undefined)
    assert.equal(parseSigned(String(n)), n)
  }
})

test('what Number() and BigInt() take beside it is refused', () => {
  const odd = [
    '',
    ' ',
    ' 7',
    '7 ',
    '7\n',
    '07',
    '00',
    '-0',
    '-07',
    '+7',
    '--7',
    '7.0',
    '7.',
    '.7',
    '1e3',
    '0x10',
    '0b1',
  ]
  const more = [
    '1_000',
    '1,000',
    '7n',
    'NaN',
    'Infinity',
    '٧',
    '７',
    '−7',
    '-',
    '\u00007',
    '9007199254740992',
    '1'.repeat(17),
  ]
  for (const text of [...odd, ...more, '9007199254740993', '-9007199254740992', '9999999999999999']) {
    assert.equal(parseCount(text), undefined, JSON.stringify(text))
    assert.equal(parseSigned(text), undefined, JSON.stringify(text))
  }
})

test('whatever is read is written the same', () => {
  const digits = fc.string({ unit: fc.constantFrom(...'00123456789-+. e'), maxLength: 18 })
  fc.assert(
    fc.property(digits, text => {
      for (const n of [parseCount(text), parseSigned(text)]) if (n !== undefined) assert.equal(String(n), text)
    }),
    { numRuns: 2000 },
  )
  fc.assert(fc.property(fc.maxSafeInteger(), n => assert.equal(parseSigned(String(n)), n)))
})

test.run()
