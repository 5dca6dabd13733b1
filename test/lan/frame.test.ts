import assert from 'node:assert/strict'
import fc from 'fast-check'
import { BEAT, FrameReader, frame } from '../../mesh/lan/frame.ts'
import { suite } from '../suite.ts'

const test = suite('lan/frame')

const LIMIT = 300
const payloads = fc.array(fc.uint8Array({ maxLength: LIMIT }), { maxLength: 8 })
const hex = (all: readonly Uint8Array[]) => all.map(bytes => Buffer.from(bytes).toString('hex'))

function headOf(length: number): Buffer {
  const head = Buffer.alloc(4)
  head.writeUInt32BE(length)
  return head
}

/** The bytes cut where the cuts say, empty pieces included. */
function pieces(bytes: Uint8Array, cuts: readonly number[]): Uint8Array[] {
  const at = [0, ...cuts.map(cut => cut % (bytes.length + 1)).sort((a, b) => a - b), bytes.length]
  return at.slice(1).map((end, k) => bytes.subarray(at[k], end))
}

test('the bytes of a frame are these', () => {
  assert.equal(Buffer.from(frame(Buffer.from('hé'))).toString('hex'), '0000000368c3a9')
  assert.equal(Buffer.from(BEAT).toString('hex'), '00000000')
  assert.equal(
    Buffer.from(frame(new Uint8Array(258)))
      .toString('hex')
      .slice(0, 8),
    '00000102',
  )
})

test('a frame split anywhere is the same frame', () => {
  fc.assert(
    fc.property(payloads, fc.array(fc.nat(3000), { maxLength: 30 }), (sent, cuts) => {
      const reader = new FrameReader(LIMIT)
      const got = pieces(Buffer.concat(sent.map(frame)), cuts).flatMap(piece => reader.push(piece))
      assert.deepEqual(hex(got), hex(sent))
    }),
  )
})

test('byte by byte each frame comes with its last byte and no sooner', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 40 }), payload => {
      const reader = new FrameReader(LIMIT)
      const bytes = frame(payload)
      bytes.forEach((byte, k) => {
        const got = reader.push(Uint8Array.of(byte))
        assert.equal(got.length, k === bytes.length - 1 ? 1 : 0)
        if (got[0]) assert.deepEqual(hex(got), hex([payload]))
      })
    }),
  )
})

test('a length above the limit is refused with its fourth byte, before any of it is there', () => {
  fc.assert(
    fc.property(payloads, fc.integer({ min: LIMIT + 1, max: 0xffffffff }), fc.nat(3), (before, length, cut) => {
      const reader = new FrameReader(LIMIT)
      for (const payload of before) reader.push(frame(payload))
      assert.deepEqual(reader.push(headOf(length).subarray(0, cut)), [])
      assert.throws(() => reader.push(headOf(length).subarray(cut)), {
        code: 'FRAME',
        message: new RegExp(`${length}`),
      })
    }),
  )
})

test('a frame of exactly the limit passes', () => {
  const reader = new FrameReader(LIMIT)
  assert.equal(reader.push(frame(new Uint8Array(LIMIT)))[0]?.length, LIMIT)
})

test('two megabytes in crumbs are put together in linear time', () => {
  const bytes = frame(new Uint8Array(2 << 20))
  const reader = new FrameReader(2 << 20)
  const since = performance.now()
  let got = 0
  for (let at = 0; at < bytes.length; at += 100) got += reader.push(bytes.subarray(at, at + 100)).length
  assert.equal(got, 1)
  assert.ok(performance.now() - since < 2000, `${performance.now() - since} ms`)
})

test.run()
