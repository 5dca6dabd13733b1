import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { Admissions } from '../../ledger/audit/admissions.ts'
import { FileHeads, MemoryHeads } from '../../ledger/audit/head-store.ts'
import { type Line, readText } from '../../ledger/audit/ledger.ts'
import { LineFile } from '../../ledger/audit/line-file.ts'
import type { Mark, MarkQueue } from '../../ledger/audit/marks.ts'
import { quickEntry } from '../../ledger/audit/quick.ts'
import { StepReader, StepWriter } from '../../ledger/audit/steps.ts'
import { Timelines } from '../../ledger/audit/timeline.ts'
import { Turns } from '../../ledger/audit/turns.ts'
import { toBase64 } from '../../ledger/base64.ts'
import type { Entry } from '../../ledger/entry.ts'
import { Fault } from '../../ledger/fault.ts'
import { encodeEntry, parseLine } from '../../ledger/line.ts'
import { leafHash } from '../../ledger/tree.ts'
import { flips } from '../ledger/flips.ts'
import { HASH, ONE_OF_EACH } from '../ledger/one-of-each.ts'
import { suite } from '../suite.ts'

const test = suite('audit/parts')

const LINES = ONE_OF_EACH.map((body, seq) => encodeEntry(body, seq, HASH))

function carefully(line: string): Entry | undefined {
  try {
    return parseLine(line)
  } catch (error) {
    if (error instanceof Fault) return undefined
    throw error
  }
}

function inFolder<T>(act: (dir: string) => T): T {
  const dir = mkdtempSync(join(tmpdir(), 'parts-'))
  const done = () => rmSync(dir, { recursive: true, force: true })
  const result = act(dir)
  if (result instanceof Promise) return result.finally(done) as T
  done()
  return result
}

test('what is read quickly is what is read carefully, and most entries are read quickly', () => {
  const quick = LINES.filter(line => quickEntry(line) !== undefined)
  for (const line of quick) assert.deepEqual(quickEntry(line), parseLine(line))
  const types = new Set(quick.map(line => parseLine(line).type))
  for (const type of ['admit', 'exit', 'reject', 'send', 'receive'] as const) assert.ok(types.has(type), type)
})

test('nothing is read quickly that would be refused with care: every bit turned over', () => {
  let [turned, taken] = [0, 0]
  for (const line of LINES.filter(one => quickEntry(one) !== undefined)) {
    for (const flipped of flips(Buffer.from(line))) {
      const text = flipped.toString('latin1')
      const quick = quickEntry(text)
      turned++
      if (quick === undefined) continue
      taken++
      assert.deepEqual(quick, carefully(text), text)
    }
  }
  assert.ok(turned > 10_000 && taken > 500, `${turned} ${taken}`)
})

test('numbers at the edges are taken as they are with care', () => {
  const numbers = [
    '0',
    '00',
    '1',
    '999',
    '1000',
    '1001',
    '1000000000',
    '1000000001',
    '9007199254740991',
    '9007199254740992',
  ]
  for (const line of LINES.filter(one => quickEntry(one) !== undefined)) {
    for (const field of ['seq', 'at', 'confidence', 'amount', 'size']) {
      for (const number of [...numbers, '-1', '1e3', '1.5', '']) {
        const odd = line.replace(new RegExp(`"${field}":\\d+`), `"${field}":${number}`)
        const quick = quickEntry(odd)
        if (quick !== undefined) assert.deepEqual(quick, carefully(odd), odd)
      }
    }
  }
})

test('steps come out as they went in, over many portions', () => {
  const writer = new StepWriter()
  const written: Entry[] = []
  for (let seq = 0; seq < 9000; seq++) {
    const entry = { ...(ONE_OF_EACH[seq % ONE_OF_EACH.length] as Entry), seq, prev: HASH }
    writer.add(entry)
    if (['admit', 'forced', 'lapse', 'exit', 'send', 'receive', 'budget'].includes(entry.type)) written.push(entry)
  }
  const portions = writer.take(true)
  assert.ok(portions.length > 1)
  const reader = new StepReader()
  for (const entry of written) {
    if (!reader.isAtStep) reader.load(portions.shift() as never)
    assert.deepEqual([reader.move, reader.seq, reader.at], [entry.type, entry.seq, entry.at])
    if (entry.type === 'send') assert.deepEqual([reader.other, reader.amount], [entry.to, entry.amount])
    if (entry.type === 'receive') assert.deepEqual([reader.other, reader.size], [entry.from, entry.size])
    if (entry.type === 'budget') assert.equal(reader.budget.capacity, entry.capacity)
    if (entry.type === 'exit') assert.equal(reader.amount, entry.credited ? 1 : 0)
    reader.advance()
  }
  assert.equal(portions.length, 0)
})

test('admissions are taken back once, while they may be, as by a plain map', () => {
  const max = 300
  fc.assert(
    fc.property(fc.array(fc.nat({ max: 700 }), { minLength: 900, maxLength: 1500 }), picks => {
      const admissions = new Admissions(max)
      const known = new Map<string, number>()
      picks.forEach((pick, seq) => {
        const id = (n: number) => `00000000-0000-7000-8000-${String(n).padStart(12, '0')}`
        if (seq % 5 < 3) {
          admissions.add(id(seq), seq)
          known.set(id(seq), seq)
          return
        }
        const wanted = id(seq - pick)
        const expected = seq - (known.get(wanted) ?? Number.NEGATIVE_INFINITY) <= max
        known.delete(wanted)
        assert.equal(admissions.take(wanted, seq), expected)
      })
    }),
    { numRuns: 20 },
  )
})

test('turns come by time, and among equals by place', () => {
  const turn = fc.record({ at: fc.integer({ min: 0, max: 5 }), index: fc.nat() }, { noNullPrototype: true })
  fc.assert(
    fc.property(fc.array(turn), list => {
      const turns = new Turns<{ at: number; index: number }>()
      for (const one of list) turns.push(one)
      const out = list.map(() => turns.pop())
      assert.deepEqual(
        out,
        [...list].sort((a, b) => a.at - b.at || a.index - b.index),
      )
      assert.equal(turns.pop(), undefined)
    }),
  )
})

test('a file cut into lines anywhere gives the same lines, with the hashes of their bytes', () =>
  inFolder(async dir => {
    // longer than what is read at once, with lines of every length and characters of several bytes
    const texts = Array.from(
      { length: 4000 },
      (_, i) => LINES[i % LINES.length]?.replace('}', `${'ü'.repeat(i % 97)}}`) ?? '',
    )
    const path = join(dir, 'ledger')
    writeFileSync(path, texts.map(text => `${text}\n`).join(''))
    const read: Line[] = []
    const file = new LineFile(path)
    while (await file.read(line => read.push(line)));
    assert.deepEqual(
      read.map(({ leaf }) => leaf),
      texts.map(text => toBase64(leafHash(text))),
    )
    assert.deepEqual(
      read.map(({ entry, flaw }) => entry ?? flaw),
      texts.map(text => readText(text)).map(l => l.entry ?? l.flaw),
    )
  }))

for (const [what, text, flaw] of [
  ['does not end in a newline', LINES[2] as string, /does not end in a newline/],
  ['is endless', 'x'.repeat(1 << 20), /longer than 131072 bytes/],
  ['is not UTF-8', Buffer.concat([Buffer.from(LINES[2] as string), Buffer.from([0xff, 10])]), /not valid UTF-8/],
  ['is empty', '\n', /not JSON/],
] as const) {
  test(`a line that ${what} is told as such`, () =>
    inFolder(async dir => {
      writeFileSync(join(dir, 'ledger'), text)
      const read: Line[] = []
      const file = new LineFile(join(dir, 'ledger'))
      while (await file.read(line => read.push(line)));
      assert.equal(read.length, 1)
      assert.match(read[0]?.flaw ?? '', flaw)
    }))
}

test('heads kept in files come as those kept in memory, also where an anchor went back', () =>
  inFolder(dir => {
    const heads = Array.from({ length: 5000 }, (_, i) => ({
      account: `g${i % 3}/1`,
      size: 1 + (i % 1700 === 1699 ? 5 : Math.floor(i / 4)),
      root: toBase64(leafHash(`${Math.floor(i / 8)}`)),
      by: { account: `anchor/${i < 2500 ? 1 : 2}`, seq: i },
    }))
    const stores = [new MemoryHeads(), new FileHeads(dir)]
    const told = stores.map(store => {
      for (const anchor of ['anchor/1', 'anchor/2']) {
        const sink = store.sink()
        for (const { account, size, root, by } of heads) if (by.account === anchor) sink.take([account, size, root], by)
        sink.close()
      }
      return ['g0/1', 'g1/1', 'g2/1', 'g3/1'].map(account => drained(store.queue(account, ['anchor/1', 'anchor/2'])))
    })
    assert.deepEqual(told[1], told[0])
    assert.ok((told[0]?.[0]?.length ?? 0) > 500)
  }))

/** What a ledger is held against: each head once, in order. */
function drained(queue: MarkQueue): string[] {
  const marks: Mark[] = []
  for (let mark = queue.peek(); mark !== undefined; mark = queue.peek()) {
    marks.push(mark)
    queue.pop()
  }
  assert.deepEqual(
    marks.map(m => m.size),
    marks.map(m => m.size).sort((a, b) => a - b),
  )
  return [...new Set(marks.map(({ size, root }) => `${size} ${root}`))].sort()
}

test('what was sent is known at every size until a later one was asked for', () => {
  const lines = new Timelines()
  for (let i = 1; i <= 5000; i++) lines.sent('a/1', 'b/1', i * 3, i)
  for (let i = 1; i <= 5000; i += 7) {
    assert.equal(lines.at('a/1', 'b/1', i * 3, true), i)
    assert.equal(lines.at('a/1', 'b/1', i * 3 + 1, true), i)
    lines.forget('a/1', 'b/1', i * 3)
  }
  assert.equal(lines.last('a/1', 'b/1'), 5000)
  assert.equal(lines.at('a/1', 'c/1', 9, true), 0)
})

test.run()
