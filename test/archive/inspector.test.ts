import assert from 'node:assert/strict'
import fc from 'fast-check'
import type { Row } from '../../ledger/row.ts'
import type { CollectedHead } from '../../mesh/archive/archive.ts'
import { type Flaw, Inspector } from '../../mesh/archive/inspector.ts'
import { PaperMall } from '../ledger/paper-mall.ts'
import { suite } from '../suite.ts'

const test = suite('archive/inspector')

function mallWith(count: number): PaperMall {
  const mall = PaperMall.opened()
  for (let n = 0; n < count; n++) n % 3 === 0 ? mall.exit('east/1') : mall.admit('east/1')
  mall.give('east/1', 'west/1', 2)
  return mall
}

const rowOf = (mall: PaperMall, change: Partial<Row> = {}): Row => ({
  ...mall.rowOf('east/1'),
  note: 'a note',
  ...change,
})

/** What becomes of lines and a row: the head, or the first flaw. */
function inspect(mall: PaperMall, lines: readonly string[], row: Row, head?: CollectedHead): CollectedHead | Flaw {
  const inspector = new Inspector('east/1', mall.charterHash, head)
  for (const line of lines) {
    const { flaw } = inspector.take(line)
    if (flaw !== undefined) return flaw
  }
  return (inspector.size === row.size ? inspector.meet(row) : undefined) ?? inspector.head()
}

test('an honest ledger is the next head, vouched for by its row', () => {
  const mall = mallWith(10)
  const lines = mall.linesOf('east/1')
  const head = inspect(mall, lines, rowOf(mall)) as CollectedHead
  assert.equal(head.size, lines.length)
  assert.equal(head.signed, lines.length)
  assert.equal(head.row, 'a note')
  assert.deepEqual(head.counters, mall.rowOf('east/1').counters)
})

test('in how many portions it comes makes no difference', () => {
  const mall = mallWith(30)
  const lines = mall.linesOf('east/1')
  const row = rowOf(mall)
  const whole = inspect(mall, lines, row)
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: lines.length }), { maxLength: 6 }), cuts => {
      const places = [0, ...cuts.sort((a, b) => a - b), lines.length]
      let head: CollectedHead | undefined
      for (let n = 1; n < places.length; n++) {
        const next = inspect(mall, lines.slice(places[n - 1], places[n]), row, head)
        assert.ok('peaks' in next)
        // as it is read from a disk
        head = JSON.parse(JSON.stringify(next))
      }
      assert.deepEqual(head, whole)
    }),
  )
})

test('a head that no row was met at is not vouched for', () => {
  const mall = mallWith(10)
  const head = inspect(mall, mall.linesOf('east/1').slice(0, 4), rowOf(mall)) as CollectedHead
  assert.deepEqual([head.size, head.signed, head.row], [4, 0, undefined])
})

const spelling = 'spelling'
for (const [what, is, act] of [
  ['a line that is not JSON', spelling, lines => lines.with(3, 'nonsense')],
  ['a line with a space in it', spelling, lines => lines.with(3, (lines[3] as string).replace(',', ', '))],
  ['an empty line', spelling, lines => lines.with(3, '')],
  ['a line that is missing', 'chain', lines => lines.toSpliced(3, 1)],
  ['a line that comes twice', 'chain', lines => lines.toSpliced(3, 0, lines[3] as string)],
  ['two lines in the wrong order', 'chain', lines => lines.with(3, lines[4] as string).with(4, lines[3] as string)],
  ['a line altered in the middle', 'chain', lines => lines.with(3, altered(lines[3] as string))],
  ['the last line altered', 'root', lines => lines.with(-1, altered(lines.at(-1) as string))],
  ['a ledger of another account', 'chain', (_, mall) => mall.linesOf('west/1')],
  ['a ledger that does not begin with its opening', 'chain', lines => lines.slice(1)],
] as [string, Flaw['what'], (lines: string[], mall: PaperMall) => string[]][]) {
  test(`${what} is told as ${is}`, () => {
    const mall = mallWith(10)
    const handed = act(mall.linesOf('east/1'), mall)
    const flaw = inspect(mall, handed, rowOf(mall)) as Flaw
    assert.equal(flaw.what, is)
    assert.match(flaw.detail, /east\/1/)
  })
}

test('a ledger of another mall does not begin at this charter', () => {
  const mall = mallWith(3)
  const other = new PaperMall({ legalMax: 41 })
  other.open('east/1')
  const flaw = inspect(mall, other.linesOf('east/1'), rowOf(mall)) as Flaw
  assert.equal(flaw.what, 'chain')
  assert.match(flaw.detail, /charter/)
})

test('a row whose counters are not the fold of its entries is told, each counter', () => {
  const mall = mallWith(10)
  const { counters } = mall.rowOf('east/1')
  for (const change of [
    { admitted: counters.admitted + 1 },
    { exited: counters.exited - 1 },
    { forced: 1 },
    { lapsed: 1 },
    { sent: { 'west/1': 3 } },
    { sent: {} },
    { received: { ...counters.received, 'west/1': 1 } },
  ]) {
    const row = rowOf(mall, { counters: { ...counters, ...change } })
    const flaw = inspect(mall, mall.linesOf('east/1'), row) as Flaw
    assert.equal(flaw.what, 'counters', JSON.stringify(change))
    assert.match(flaw.detail, new RegExp(`says ${Object.keys(change)[0]}`))
  }
})

test('another root at a size that was vouched for is a fork, and so is a line that follows something else', () => {
  const mall = mallWith(10)
  const head = inspect(mall, mall.linesOf('east/1'), rowOf(mall)) as CollectedHead
  const other = mallWith(8)
  other.admit('east/1')
  other.admit('east/1')
  assert.equal(other.sizeOf('east/1'), head.size)
  assert.equal((inspect(mall, [], rowOf(other), head) as Flaw).what, 'fork')
  other.exit('east/1')
  const flaw = inspect(mall, other.linesOf('east/1').slice(-1), rowOf(other), head) as Flaw
  assert.equal(flaw.what, 'fork')
  assert.equal(flaw.line, other.linesOf('east/1').at(-1))
})

test('a line that was refused changes nothing', () => {
  const mall = mallWith(10)
  const lines = mall.linesOf('east/1')
  const inspector = new Inspector('east/1', mall.charterHash)
  for (const line of lines) {
    for (const wrong of ['', 'x', altered(line).replace('"seq":', '"seq":1'), lines.at(-1) as string]) {
      if (wrong !== line) assert.ok(inspector.take(wrong).flaw)
    }
    assert.equal(inspector.take(line).flaw, undefined)
  }
  assert.equal(inspector.meet(rowOf(mall)), undefined)
})

function altered(line: string): string {
  return line.replace(/"at":(\d+)/, (_, at) => `"at":${Number(at) + 1}`)
}

test.run()
