import assert from 'node:assert/strict'
import fc from 'fast-check'
import type { Heard } from '../../../hardware/modbus/link.ts'
import { MbapFraming, mbapFrame } from '../../../hardware/modbus/mbap.ts'
import { decode, encode, flawOf, type Question, refusal } from '../../../hardware/modbus/pdu.ts'
import { RtuFraming, rtuFrame } from '../../../hardware/modbus/rtu.ts'
import { suite } from '../../suite.ts'
import { bits, checksum, Ear, echoed, registers } from '../player/wire.ts'

const test = suite('hardware/modbus/rtu')

const hex = (text: string) => Buffer.from(text.replaceAll(' ', ''), 'hex')
const word = fc.nat({ max: 0xffff })

const question: fc.Arbitrary<Question> = fc.oneof(
  fc.record({ fn: fc.constantFrom(1 as const, 2 as const), at: fc.nat(1000), count: fc.integer({ min: 1, max: 40 }) }),
  fc.record({ fn: fc.constantFrom(3 as const, 4 as const), at: fc.nat(1000), count: fc.integer({ min: 1, max: 12 }) }),
  fc.record({ fn: fc.constantFrom(5 as const, 6 as const), at: word, value: word }),
  fc.record({ fn: fc.constant(16 as const), at: fc.nat(1000), values: fc.array(word, { minLength: 1, maxLength: 9 }) }),
  fc.record({
    fn: fc.constant(15 as const),
    at: fc.nat(1000),
    values: fc.array(fc.constantFrom(0, 1), { minLength: 1, maxLength: 30 }),
  }),
)
const unit = fc.integer({ min: 1, max: 247 })

/** What a board of its own making would answer, with values from the numbers at hand. */
function answerTo(unit: number, question: Question, numbers: readonly number[]): { frame: Buffer; values: number[] } {
  const [asked] = new Ear().hear(rtuFrame(unit, encode(question)))
  assert.ok(asked, 'the board understands the question')
  if (!('count' in question)) return { frame: echoed(asked), values: [] }
  const value = (k: number) => numbers[k % numbers.length] as number
  if (question.fn > 2) {
    const values = Array.from({ length: question.count }, (_, k) => value(k))
    return { frame: registers(asked, values), values }
  }
  const levels = Array.from({ length: question.count }, (_, k) => value(k) & 1)
  return { frame: bits(asked, levels), values: levels }
}

function hear(unit: number, question: Question, chunks: readonly Buffer[]): Heard {
  const framing = new RtuFraming()
  framing.ask(unit, question)
  let heard: Heard = { kind: 'nothing', hasBegun: false }
  for (const chunk of chunks) {
    heard = framing.hear(chunk)
    if (heard.kind === 'answer') return heard
  }
  return heard
}

function valuesOf(question: Question, heard: Heard): readonly number[] {
  assert.equal(heard.kind, 'answer')
  const answer = decode(question, (heard as { pdu: Buffer }).pdu)
  assert.equal(answer.kind, 'values')
  return (answer as { values: readonly number[] }).values
}

test('questions are the bytes that the manuals print', () => {
  const table: [Question, string][] = [
    [{ fn: 5, at: 0, value: 0xff00 }, '01 05 00 00 FF 00 8C 3A'],
    [{ fn: 5, at: 0x0200, value: 7 }, '01 05 02 00 00 07 8D B0'],
    [{ fn: 2, at: 0, count: 8 }, '01 02 00 00 00 08 79 CC'],
    [{ fn: 15, at: 0, values: Array(8).fill(1) }, '01 0F 00 00 00 08 01 FF BE D5'],
    [{ fn: 16, at: 0x41, values: [0xffff] }, '01 10 00 41 00 01 02 FF FF A8 F1'],
    [{ fn: 3, at: 0x44, count: 4 }, '01 03 00 44 00 04 04 1C'],
  ]
  for (const [question, bytes] of table) assert.deepEqual(rtuFrame(1, encode(question)), hex(bytes))
})

test('a refusal is known, with its reason in words', () => {
  const question = { fn: 3, at: 0, count: 1 } as const
  const heard = hear(1, question, [hex('01 83 02 C0 F1')])
  assert.equal(heard.kind, 'answer')
  assert.deepEqual(decode(question, (heard as { pdu: Buffer }).pdu), { kind: 'refused', exception: 2 })
  assert.equal(refusal(2), 'illegal data address (2)')
})

test('what a board of another make packs is what comes out', () => {
  fc.assert(
    fc.property(unit, question, fc.array(word, { minLength: 1, maxLength: 9 }), (unit, question, numbers) => {
      const { frame, values } = answerTo(unit, question, numbers)
      assert.deepEqual(valuesOf(question, hear(unit, question, [frame])), values)
    }),
  )
})

test('a frame split anywhere is the same frame', () => {
  fc.assert(
    fc.property(unit, question, fc.array(fc.nat(40), { maxLength: 4 }), (unit, question, cuts) => {
      const { frame, values } = answerTo(unit, question, [0xa55a, 1, 2])
      const ends = [...new Set(cuts.map(cut => cut % frame.length))].sort((a, b) => a - b)
      const chunks = [0, ...ends].map((start, k) => frame.subarray(start, ends[k] ?? frame.length))
      assert.deepEqual(valuesOf(question, hear(unit, question, chunks)), values)
    }),
  )
})

test('noise before an answer is skipped, whatever it looks like', () => {
  const noise = fc.uint8Array({ maxLength: 12 })
  fc.assert(
    fc.property(unit, question, noise, fc.boolean(), (unit, question, noise, isLike) => {
      const { frame, values } = answerTo(unit, question, [3, 0x100])
      // the beginning of an answer that breaks off is the worst kind
      const before = isLike ? Buffer.concat([noise, frame.subarray(0, 3)]) : Buffer.from(noise)
      assert.deepEqual(valuesOf(question, hear(unit, question, [before, frame])), values)
    }),
  )
})

test('an answer with one or two wrong bits is no answer', () => {
  fc.assert(
    fc.property(unit, question, fc.nat(), fc.nat(), (unit, question, first, second) => {
      const { frame } = answerTo(unit, question, [0x1234])
      for (const bit of new Set([first % (8 * frame.length), second % (8 * frame.length)]))
        frame[bit >> 3] = (frame[bit >> 3] as number) ^ (1 << (bit & 7))
      assert.equal(hear(unit, question, [frame]).kind, 'nothing')
    }),
  )
})

test('an answer to another unit, function, length, address or value is somebody else’s', () => {
  fc.assert(
    fc.property(unit, question, unit, question, (unit, question, otherUnit, other) => {
      const { frame } = answerTo(otherUnit, other, [7])
      const heard = hear(unit, question, [frame])
      if (heard.kind === 'nothing') return
      assert.equal(otherUnit, unit)
      assert.equal(other.fn, question.fn)
      assert.equal(frame.length, answerTo(unit, question, [7]).frame.length)
      if (question.fn > 4) assert.deepEqual(frame, answerTo(unit, question, [7]).frame)
    }),
    { numRuns: 500 },
  )
})

test('the checksum is the one of the standard', () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 1, maxLength: 60 }), bytes => {
      const frame = rtuFrame(bytes[0] as number, Buffer.from(bytes.subarray(1)))
      assert.equal(frame.readUInt16LE(frame.length - 2), checksum(bytes))
    }),
  )
})

test('what cannot be asked is said in words', () => {
  const table: [Question, RegExp | undefined][] = [
    [{ fn: 3, at: 0, count: 125 }, undefined],
    [{ fn: 3, at: 0, count: 126 }, /126 at once is not from 1 to 125/],
    [{ fn: 2, at: 0, count: 0 }, /0 at once/],
    [{ fn: 4, at: 65_535, count: 2 }, /beyond address 65535/],
    [{ fn: 5, at: -1, value: 0 }, /address -1/],
    [{ fn: 6, at: 0, value: 65_536 }, /value 65536/],
    [{ fn: 15, at: 0, values: [2] }, /value 2 is not from 0 to 1/],
    [{ fn: 16, at: 0, values: [1.5] }, /value 1.5/],
    [{ fn: 16, at: 0, values: [] }, /0 at once/],
  ]
  for (const [question, flaw] of table) {
    if (flaw) assert.match(flawOf(question) ?? '', flaw)
    else assert.equal(flawOf(question), undefined)
  }
})

test('over TCP, frames split anywhere and in one piece are the same, and a late one is known by its number', () => {
  const question = { fn: 3, at: 0, count: 1 } as const
  const pdu = (value: number) => Buffer.from([3, 2, value >> 8, value & 0xff])
  for (let cut = 0; cut <= 22; cut++) {
    const framing = new MbapFraming()
    framing.ask(9, question)
    framing.ask(9, question)
    const both = Buffer.concat([mbapFrame(1, 9, pdu(1)), mbapFrame(2, 9, pdu(2))])
    const heards = [framing.hear(both.subarray(0, cut)), framing.hear(both.subarray(cut))]
    const answers = heards.filter(heard => heard.kind === 'answer')
    assert.deepEqual(
      answers.map(({ pdu }) => pdu.readUInt16BE(2)),
      [2],
      `cut at ${cut}`,
    )
    assert.equal(framing.strayBytes, 11)
  }
})

test('over TCP, bytes that are no frame end the connection', () => {
  const framing = new MbapFraming()
  framing.ask(1, { fn: 3, at: 0, count: 1 })
  assert.equal(framing.hear(Buffer.from('HTTP/1.1 400')).kind, 'lost')
})

test.run()
