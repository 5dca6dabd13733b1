import assert from 'node:assert/strict'
import { formatNote, headRecord, linesOf, pages, parseHead, parseNote } from '../../ledger/record.ts'
import { Scan } from '../../ledger/scan.ts'
import { Frontier, leafHash } from '../../ledger/tree.ts'
import { suite } from '../suite.ts'
import { CHARTER, Lines } from './lines.ts'

const test = suite('store/scan')

const SIZE = 9
const ALL = new Lines().take(SIZE)
const frontier = new Frontier()
for (const line of ALL) frontier.append(leafHash(line))
const HEAD = headRecord('gate-07/1', CHARTER, leafHash(ALL[SIZE - 1] as string).toString('base64'), frontier)

function scan(lines: readonly string[], head = HEAD): Scan {
  const scan = new Scan(CHARTER, [0, 4, SIZE])
  lines.every((line, seq) => scan.line(seq, line))
  scan.end(head)
  return scan
}

test('a whole ledger has no damage, and its roots are those of the tree', () => {
  const whole = scan(ALL)
  assert.equal(whole.damage, undefined)
  assert.equal(whole.size, SIZE)
  for (const size of [0, 4, SIZE]) {
    const lines = new Lines()
    lines.take(size)
    assert.equal(whole.rootAt(size), lines.root())
  }
})

test('any byte of any line changed is named, and nothing from it on counts', () => {
  ALL.forEach((line, seq) => {
    for (let at = 0; at < line.length; at++) {
      const changed = [...ALL]
      changed[seq] = line.slice(0, at) + String.fromCharCode(line.charCodeAt(at) ^ 1) + line.slice(at + 1)
      const seen = scan(changed)
      assert.equal(seen.damage !== undefined && seen.damage.seq <= seq, true, `byte ${at} of entry ${seq}`)
      assert.equal(seen.size <= seq, true, `byte ${at} of entry ${seq}`)
    }
  })
})

test('a line missing at the start, in the middle or at the end is named', () => {
  for (let gone = 0; gone < SIZE; gone++) {
    const seen = new Scan(CHARTER, [])
    ALL.forEach((line, seq) => {
      if (seq !== gone) seen.line(seq, line)
    })
    seen.end(HEAD)
    assert.deepEqual(seen.damage, { seq: gone, what: `entry ${gone} is missing` })
  }
})

test('a line beyond the head, and a head of other lines, are damage', () => {
  const lines = new Lines()
  assert.match(scan(lines.take(SIZE + 1)).damage?.what ?? '', /lies beyond the head/)
  assert.match(scan(ALL, { ...HEAD, last: CHARTER }).damage?.what ?? '', /entry 8 is not/)
  assert.match(scan(ALL, { ...HEAD, peaks: [CHARTER, CHARTER] }).damage?.what ?? '', /not the hash of the entries/)
})

test('a ledger of another charter does not begin', () => {
  const other = new Scan(leafHash('another charter').toString('base64'), [])
  assert.equal(other.line(0, ALL[0] as string), false)
  assert.deepEqual(other.damage, { seq: 0, what: 'entry 0 does not follow the charter' })
})

test('lines that piled up become several pages and come back as they were', () => {
  const many = new Lines().take(2500)
  const written = pages(40, many)
  assert.deepEqual(
    written.map(([key]) => key),
    ['line/000000000040', 'line/000000001040', 'line/000000002040'],
  )
  assert.deepEqual(
    written.flatMap(linesOf),
    many.map((line, k) => ({ seq: 40 + k, line })),
  )
})

test('a note with any bit changed, or under another key, is not the note', () => {
  const value = formatNote('note/charter', 'the charter')
  assert.equal(parseNote('note/charter', value), 'the charter')
  assert.equal(parseNote('note/policy', value), undefined)
  for (let at = 0; at < value.length; at++) {
    const changed = value.slice(0, at) + String.fromCharCode(value.charCodeAt(at) ^ 1) + value.slice(at + 1)
    assert.equal(parseNote('note/charter', changed), undefined)
  }
})

test('a head record is one or it is nothing', () => {
  assert.deepEqual(parseHead(JSON.stringify(HEAD)), HEAD)
  const odd = [
    '',
    'x',
    '{}',
    'null',
    '[]',
    JSON.stringify({ ...HEAD, size: -1 }),
    JSON.stringify({ ...HEAD, peaks: 7 }),
  ]
  for (const text of odd) assert.equal(parseHead(text), undefined, text)
})

test.run()
