import assert from 'node:assert/strict'
import fc from 'fast-check'
import { type Body, FIELDS } from '../../ledger/entry.ts'
import { BrokenLaw, Fault } from '../../ledger/fault.ts'
import {
  asText,
  encodeEntry,
  HEADS_MAX,
  isText,
  LINE_BYTES_MAX,
  parseLine,
  TEXT_CHARACTERS_MAX,
} from '../../ledger/line.ts'
import { suite } from '../suite.ts'
import { flips, place } from './flips.ts'
import { goldenText } from './golden.ts'
import { HASH, ONE_OF_EACH } from './one-of-each.ts'
import { START, uuid7 } from './paper-mall.ts'

const test = suite('ledger/line')
const ID = uuid7(START, 1)
const ADMIT: Body = { id: ID, at: START, type: 'admit', source: 'local', confidence: 1000 }
const LINE = encodeEntry(ADMIT, 5, HASH)
const text = (detail: string): Body => ({ id: ID, at: START, type: 'fault', code: 'X', detail, count: 0 })

test('every type of entry comes back as it went in', () => {
  assert.deepEqual(new Set(ONE_OF_EACH.map(body => body.type)), new Set(Object.keys(FIELDS)))
  for (const [seq, body] of ONE_OF_EACH.entries()) {
    assert.deepEqual(parseLine(encodeEntry(body, seq, HASH)), { ...body, seq, prev: HASH })
  }
})

test('fields stand in one order, without spaces, the place in the chain first', () => {
  assert.equal(
    LINE,
    `{"seq":5,"prev":"${HASH}","id":"${ID}","at":${START},"type":"admit","source":"local","confidence":1000}`,
  )
})

test('whatever the order of the fields in memory, the line is the same', () => {
  const { id, at, type, ...rest } = ADMIT
  assert.equal(encodeEntry({ ...rest, type, at, id } as Body, 5, HASH), LINE)
})

const wrong: Readonly<Record<string, readonly [from: string | RegExp, to: string, says: RegExp]>> = {
  'a space': [',"at"', ', "at"', /one spelling/],
  'a newline at the end': [/$/, '\n', /one spelling/],
  'a carriage return at the end': [/$/, '\r', /one spelling/],
  'fields in another order': [
    '"source":"local","confidence":1000',
    '"confidence":1000,"source":"local"',
    /one spelling/,
  ],
  'a field twice': ['"source"', '"source":"stolen","source"', /one spelling/],
  'a field too many': [',"source"', ',"colour":"red","source"', /colour/],
  'a field called __proto__': [',"source"', ',"__proto__":{},"source"', /admit/],
  'a field too few': [',"confidence":1000', '', /admit\.confidence/],
  'a field of null': ['"confidence":1000', '"confidence":null', /admit\.confidence/],
  'a number as text': ['"confidence":1000', '"confidence":"1000"', /admit\.confidence/],
  'a fraction': ['"confidence":1000', '"confidence":10.5', /admit\.confidence/],
  'a number as a fraction': ['"confidence":1000', '"confidence":1000.0', /one spelling/],
  'a number with an exponent': ['"confidence":1000', '"confidence":1e3', /one spelling/],
  'minus zero': ['"confidence":1000', '"confidence":-0', /one spelling/],
  'a confidence above certainty': ['"confidence":1000', '"confidence":1001', /admit\.confidence/],
  'an escape that is not needed': ['"local"', '"\\u006cocal"', /one spelling/],
  'a source nobody knows': ['"local"', '"magic"', /admit\.source/],
  'a type nobody knows': ['"admit"', '"admin"', /type/],
  'a type from the prototype': ['"admit"', '"constructor"', /type/],
  'a seq below zero': ['"seq":5', '"seq":-5', /seq/],
  'a seq beyond what is exact': ['"seq":5', '"seq":9007199254740992', /seq/],
  'a prev with stray bits': ['=","id"', '~', /JSON|prev/],
  'a prev of 31 bytes': [HASH, 'A'.repeat(40).concat('AA=='), /prev/],
  'an id in capitals': [ID, ID.toUpperCase().replace('0000', 'ABCD'), /id/],
  'an id of another version': ['-7000-', '-4000-', /id/],
  'an id of another variant': ['-8000-', '-c000-', /id/],
  'a time before 1970': [`"at":${START}`, '"at":-1', /at/],
}
for (const [name, [from, to, says]] of Object.entries(wrong)) {
  test(`${name} is refused`, () => {
    const line = LINE.replace(from, to)
    assert.notEqual(line, LINE)
    assert.throws(() => parseLine(line), { code: 'ENTRY', message: says })
  })
}

for (const line of ['', 'null', '[]', '"admit"', '7', '{}', '{"type":"admit"}', `${LINE}${LINE}`, `\ufeff${LINE}`]) {
  test(`${JSON.stringify(line.slice(0, 30))} is no entry`, () => {
    assert.throws(() => parseLine(line), { code: 'ENTRY' })
  })
}

test('a line longer than any entry is refused before it is parsed', () => {
  assert.throws(() => parseLine(' '.repeat(LINE_BYTES_MAX + 1)), { code: 'ENTRY', message: /longer/ })
})

test('the largest checkpoint fits into a line', () => {
  const heads = Array.from(
    { length: HEADS_MAX },
    (_, i) => [`${'a'.repeat(31)}/${100_000_000 + i}`, 2 ** 53 - 1, HASH] as const,
  )
  const line = encodeEntry({ id: ID, at: START, type: 'checkpoint', heads }, 2 ** 53 - 1, HASH)
  assert.ok(Buffer.byteLength(line) <= LINE_BYTES_MAX, `${line.length}`)
  parseLine(line)
})

const heads = (...accounts: string[]) => ({
  id: ID,
  at: START,
  type: 'checkpoint' as const,
  heads: accounts.map(account => [account, 1, HASH] as const),
})
for (const [name, body] of [
  ['heads out of order', heads('b/1', 'a/1')],
  ['an account with two heads', heads('a/1', 'a/1')],
  ['a head of nobody', heads('A/1')],
  ['a control character', text('a\u0007b')],
  ['a line separator', text('a\u2028b')],
  ['half a surrogate pair', text('\ud83d')],
  ['a long text', text('x'.repeat(TEXT_CHARACTERS_MAX + 1))],
  ['no amount', { id: ID, at: START, type: 'send', to: 'a/1', amount: 0, why: 'ask' }],
  ['a negative amount', { id: ID, at: START, type: 'send', to: 'a/1', amount: -1, why: 'ask' }],
  ['half an amount', { id: ID, at: START, type: 'send', to: 'a/1', amount: 0.5, why: 'ask' }],
  ['an amount that is not a number', { id: ID, at: START, type: 'send', to: 'a/1', amount: Number.NaN, why: 'ask' }],
  ['more than a billion', { id: ID, at: START, type: 'forced', count: 1_000_000_001, why: 'fire' }],
  ['epoch 0', { id: ID, at: START, type: 'enrol', account: 'a/0' }],
] as const satisfies readonly (readonly [string, Body])[]) {
  test(`${name} is neither written nor read`, () => {
    assert.throws(() => encodeEntry(body, 0, HASH), BrokenLaw)
    const line = JSON.stringify({ seq: 0, prev: HASH, ...body })
    assert.throws(() => parseLine(line), Fault)
  })
}

test('400 characters are 400 characters in any script', () => {
  const detail = '🔥'.repeat(TEXT_CHARACTERS_MAX)
  assert.equal((parseLine(encodeEntry(text(detail), 0, HASH)) as { detail?: string }).detail, detail)
  assert.equal(isText(`${detail}x`), false)
})

test('any text can be made fit, and fit text stays as it is', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 900 }), s => {
      assert.ok(isText(asText(s)))
      if (isText(s)) assert.equal(asText(s), s)
    }),
  )
})

test('any fit text comes back as it went in', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 300 }).map(asText), detail => {
      const body = text(detail)
      assert.deepEqual(parseLine(encodeEntry(body, 1, HASH)), { ...body, seq: 1, prev: HASH })
    }),
  )
})

test('every bit of an entry turned over is refused, or is another entry with another hash', () => {
  for (const [seq, body] of ONE_OF_EACH.entries()) {
    const bytes = Buffer.from(encodeEntry(body, seq, HASH), 'utf8')
    for (const flipped of flips(bytes)) {
      const line = flipped.toString('utf8')
      try {
        const { seq: place, prev, ...other } = parseLine(line)
        assert.equal(encodeEntry(other as Body, place, prev), line)
        assert.notDeepEqual({ ...other, place, prev }, { ...body, place: seq, prev: HASH })
      } catch (error) {
        assert.ok(error instanceof Fault, place(bytes, flipped))
        assert.equal(error.code, 'ENTRY')
      }
    }
  }
})

test('the golden lines that must be refused are', () => {
  for (const line of goldenText('entries-refused.txt').trimEnd().split('\n')) {
    assert.throws(() => parseLine(line), { code: 'ENTRY' }, line)
  }
})

test.run()
