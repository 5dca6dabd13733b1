import assert from 'node:assert/strict'
import fc from 'fast-check'
import { noCounters } from '../../ledger/counters.ts'
import { BrokenLaw, Fault } from '../../ledger/fault.ts'
import { cosign, signNote } from '../../ledger/note.ts'
import type { Row } from '../../ledger/row.ts'
import { formatRow, openRow, parseRow, ROW_BYTES_MAX, signRow } from '../../ledger/row-note.ts'
import { suite } from '../suite.ts'
import { flips, place } from './flips.ts'
import { goldenBytes, goldenText } from './golden.ts'
import { HASH } from './one-of-each.ts'
import { MALL, signerOf } from './paper-mall.ts'

const test = suite('ledger/row-note')
const east = signerOf('east')
const keyOf = (name: string) => (name === 'south' ? undefined : signerOf(name).verifier)

const ROW: Row = {
  account: 'east/1',
  size: 18423,
  root: HASH,
  at: 1763251200123,
  counters: {
    ...noCounters(),
    admitted: 9211,
    exited: 9140,
    sent: { 'west/10': 1, 'west/1': 120 },
    sentTotal: 121,
    received: { 'anchor/1': 400 },
    receivedTotal: 400,
  },
}
const TEXT = `gatemesh/paper/east/1
18423
${HASH}
admitted 9211
at 1763251200123
exited 9140
received anchor/1 400
sent west/1 120
sent west/10 1
`
const BUDGET = { capacity: 500, correction: -3, reclaimed: 7, carried: 9 }
const ANCHOR_ROW: Row = {
  account: 'anchor/1',
  size: 7,
  root: HASH,
  at: 5,
  counters: noCounters(),
  budget: BUDGET,
  policy: { version: 3, hash: HASH },
}

test('a row is a checkpoint with its counters below, sorted, zeros left out', () => {
  assert.equal(formatRow(ROW, MALL), TEXT)
  assert.deepEqual(parseRow(TEXT, MALL), ROW)
})

test('the row of the anchor says what is in force', () => {
  const text = formatRow(ANCHOR_ROW, MALL)
  assert.equal(
    text,
    `gatemesh/paper/anchor/1\n7\n${HASH}\nat 5\ncapacity 500\ncarried 9\ncorrection -3\npolicy 3 ${HASH}\nreclaimed 7\n`,
  )
  assert.deepEqual(parseRow(text, MALL), ANCHOR_ROW)
})

test('a budget of nothing is still a budget', () => {
  const row = { ...ANCHOR_ROW, budget: { capacity: 0, correction: 0, reclaimed: 0, carried: 0 } }
  assert.deepEqual(parseRow(formatRow(row, MALL), MALL), row)
})

test('a row opens with the key of its gate, and keeps its note', () => {
  const note = signRow(ROW, MALL, east)
  assert.deepEqual(openRow(note, MALL, keyOf), { ...ROW, note })
  assert.deepEqual(openRow(note, MALL, keyOf, { twice: true }), { ...ROW, note })
})

const tally = fc.dictionary(
  fc.stringMatching(/^[a-z][a-z0-9-]{0,5}\/[1-9][0-9]?$/).filter(account => account !== 'east/1'),
  fc.integer({ min: 1, max: 10_000 }),
  { noNullPrototype: true },
)
const sum = (t: Record<string, number>) => Object.values(t).reduce((a, b) => a + b, 0)

test('any row comes back as it went in', () => {
  const count = fc.nat(100_000)
  const property = fc.property(
    count,
    count,
    count,
    count,
    tally,
    tally,
    count,
    (admitted, forced, exited, lapsed, sent, received, at) => {
      const totals = { sentTotal: sum(sent), receivedTotal: sum(received) }
      const row = { ...ROW, at, counters: { admitted, forced, exited, lapsed, sent, received, ...totals } }
      const text = formatRow(row, MALL)
      const lines = text.trimEnd().split('\n').slice(3)
      assert.deepEqual(
        lines,
        lines.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b))),
      )
      assert.deepEqual(parseRow(text, MALL), row)
    },
  )
  fc.assert(property)
})

for (const [name, from, to] of [
  ['lines out of order', 'admitted 9211\nat 1763251200123', 'at 1763251200123\nadmitted 9211'],
  ['a zero', 'exited 9140', 'exited 9140\nforced 0'],
  ['a leading zero', 'exited 9140', 'exited 09140'],
  ['a plus', 'exited 9140', 'exited +9140'],
  ['a word twice', 'exited 9140', 'exited 9140\nexited 9140'],
  ['a word nobody knows', 'exited 9140', 'escaped 9140'],
  ['a word without a value', 'exited 9140', 'exited'],
  ['two spaces', 'exited 9140', 'exited  9140'],
  ['a space at the end', 'exited 9140', 'exited 9140 '],
  ['a number below zero', 'exited 9140', 'exited -9140'],
  ['a number beyond what is exact', 'exited 9140', 'exited 9007199254740993'],
  ['an account without an epoch', 'sent west/1 120', 'sent west 120'],
  ['an account named twice', 'sent west/1 120', 'sent west/1 120\nsent west/1 121'],
  ['tokens to itself', 'sent west/1 120', 'sent east/1 120'],
  ['tokens from itself', 'received anchor/1', 'received east/1'],
  ['a budget at a gate', 'at 1763251200123', 'at 1763251200123\ncapacity 500'],
  ['a policy at a gate', 'received anchor', `policy 1 ${HASH}\nreceived anchor`],
  ['size 0', '\n18423\n', '\n0\n'],
  ['another mall', 'gatemesh/paper/', 'gatemesh/plastic/'],
  ['no account', '/east/1\n', '/east\n'],
  ['an empty line', 'exited 9140', 'exited 9140\n'],
  ['no newline at the end', /\n$/, ''],
] as const) {
  test(`${name} is refused`, () => {
    const text = TEXT.replace(from, to)
    assert.notEqual(text, TEXT)
    assert.throws(() => parseRow(text, MALL), Fault)
  })
}

test('people at the anchor are refused', () => {
  const row = { ...ANCHOR_ROW, counters: { ...noCounters(), admitted: 1 } }
  assert.throws(() => parseRow(formatRow(row, MALL), MALL), { code: 'ROW' })
})

test('a row of nobody on the roster is refused', () => {
  const note = signRow({ ...ROW, account: 'south/1' }, MALL, signerOf('south'))
  assert.throws(() => openRow(note, MALL, keyOf), { code: 'ROSTER' })
})

test("one gate cannot sign another's row", () => {
  assert.throws(() => signRow(ROW, MALL, signerOf('west')), BrokenLaw)
  assert.throws(() => openRow(signNote(TEXT, [signerOf('west')]), MALL, keyOf), { code: 'NOTE_SIGNATURE' })
  assert.throws(() => openRow(signNote(TEXT, [signerOf('east', ' old')]), MALL, keyOf), { code: 'NOTE_SIGNATURE' })
})

test('a roster that hands out the key of another name is refused', () => {
  assert.throws(() => openRow(signRow(ROW, MALL, east), MALL, () => signerOf('west').verifier), { code: 'ROSTER' })
})

test('a row has one signature: a second would be a second spelling', () => {
  assert.throws(() => openRow(cosign(signRow(ROW, MALL, east), signerOf('west')), MALL, keyOf), { code: 'ROW' })
})

test('a row longer than others take is neither signed nor opened', () => {
  const sent: Record<string, number> = {}
  for (let i = 1; i < 3000; i++) sent[`a-gate-with-a-long-name/${i}`] = 1
  const row = { ...ROW, counters: { ...ROW.counters, sent, sentTotal: 2999 } }
  assert.throws(() => signRow(row, MALL, east), { code: 'ROW' })
  const note = signNote(formatRow(row, MALL), [east])
  assert.ok(note.length > ROW_BYTES_MAX)
  assert.throws(() => openRow(note, MALL, keyOf), { code: 'ROW' })
})

test('every bit of a row turned over is refused', () => {
  for (const name of ['mall/rows/anchor/1.note', 'mall/rows/east/1.note']) {
    const bytes = goldenBytes(name)
    assert.equal(openRow(goldenText(name), MALL, keyOf).note, goldenText(name))
    for (const flipped of flips(bytes)) {
      assert.throws(() => openRow(flipped.toString('utf8'), MALL, keyOf), Fault, place(bytes, flipped))
    }
  }
})

test.run()
