import assert from 'node:assert/strict'
import fc from 'fast-check'
import { createEncoder, toUint8Array, writeVarString, writeVarUint, writeVarUint8Array } from 'lib0/encoding'
import * as Y from 'yjs'
import type { Board } from '../../mesh/board/board.ts'
import { dayOf } from '../../mesh/board/day.ts'
import { formatFrame, parseFrame } from '../../mesh/board/frame.ts'
import { BOARD_LIMITS } from '../../mesh/board/limits.ts'
import { suite } from '../suite.ts'
import { Hall, shown } from './hall.ts'

const test = suite('board/hostile')

interface Victim {
  readonly hall: Hall
  readonly board: Board
  readonly alarms: readonly string[]
  /** frames that the victim sent to the liar */
  readonly sent: Uint8Array[]
}

/** A board with something on it, and a peer called liar whose frames a test makes up. */
function victim(limits = BOARD_LIMITS): Victim {
  const hall = new Hall()
  const board = hall.seat('gate-01', { limits })
  const id = board.raise({ gate: 'gate-01', code: 'door', text: 'held open' })
  board.acknowledge(id, 'Ada')
  board.label('gate-01', 'North')
  board.label('gate-01', 'North door')
  const sent: Uint8Array[] = []
  board.meet('liar', frame => sent.push(frame))
  return { hall, board, alarms: hall.get('gate-01').alarms, sent }
}

const today = (hall: Hall) => dayOf(hall.wall)
const message = (type: number, bytes: Uint8Array) => {
  const encoder = createEncoder()
  writeVarUint(encoder, type)
  writeVarUint8Array(encoder, bytes)
  return toUint8Array(encoder)
}
const update = (hall: Hall, bytes: Uint8Array, type = 2) =>
  formatFrame({ day: today(hall), kind: 'document', body: message(type, bytes) })
const spoken = (hall: Hall, state: unknown, clients = 1) => {
  const encoder = createEncoder()
  writeVarUint(encoder, clients)
  for (let k = 0; k < clients; k++) {
    writeVarUint(encoder, 77 + k)
    writeVarUint(encoder, 5)
    writeVarString(encoder, JSON.stringify(state))
  }
  return formatFrame({ day: today(hall), kind: 'telemetry', body: toUint8Array(encoder) })
}
const codes = (alarms: readonly string[]) => alarms.map(alarm => alarm.split(' ')[0])

function written(write: (doc: Y.Doc) => void): Uint8Array {
  const doc = new Y.Doc()
  write(doc)
  return Y.encodeStateAsUpdate(doc)
}

test('telemetry under another name is dropped and reported once', async () => {
  const { hall, board, alarms } = victim()
  board.meet('gate-03', () => undefined)
  board.hear('gate-03', spoken(hall, { name: 'gate-03', state: 'NORMAL' }))
  for (let k = 0; k < 5; k++) board.hear('liar', spoken(hall, { name: 'gate-03', state: 'FIRE' }))
  board.hear('liar', spoken(hall, { name: 'gate-01', state: 'FIRE' }))
  assert.deepEqual(Object.fromEntries(board.telemetry()), { 'gate-03': { state: 'NORMAL' } })
  assert.deepEqual(codes(alarms), ['BOARD_FORGED'])
  board.hear('liar', spoken(hall, { name: 'liar', state: 'NORMAL', balance: 1e99 }))
  assert.deepEqual(board.telemetry().get('liar'), { state: 'NORMAL', balance: 1e9 })
  await hall.close()
})

test('nobody speaks under the client number of another', async () => {
  const { hall, board } = victim()
  board.meet('gate-03', () => undefined)
  // the same client number and a higher clock, as somebody who overheard gate-03 would send
  board.hear('gate-03', spoken(hall, { name: 'gate-03', state: 'NORMAL' }))
  board.hear('liar', spoken(hall, { name: 'liar', state: 'FIRE' }))
  board.hear('liar', spoken(hall, null))
  assert.deepEqual(Object.fromEntries(board.telemetry()), { 'gate-03': { state: 'NORMAL' } })
  await hall.close()
})

test('garbage never throws, never changes the document and is reported once', async () => {
  const { hall, board, alarms } = victim()
  const honest = update(hall, board.bytes())
  const before = board.bytes()
  const head = fc.constantFrom(honest.slice(0, 6), honest.slice(0, 7), spoken(hall, null).slice(0, 6), new Uint8Array())
  fc.assert(
    fc.property(head, fc.uint8Array({ maxLength: 300 }), (start, rest) => {
      // met anew each time, so that all of it is read
      board.meet('liar', () => undefined)
      board.hear('liar', new Uint8Array([...start, ...rest]))
      assert.deepEqual(board.bytes(), before)
    }),
    { numRuns: 3000 },
  )
  // one in some hundred thousand is by chance the head of a frame, of a day that is far away
  board.hear('liar', Buffer.from('0192b113bb00fc01', 'hex'))
  assert.deepEqual(board.bytes(), before)
  const strange = codes(alarms).filter(code => code !== 'BOARD_GARBAGE' && code !== 'BOARD_DAY')
  assert.deepEqual(strange, [])
  assert.ok(codes(alarms).includes('BOARD_DAY'))
  board.meet('liar', () => undefined)
  const count = alarms.length
  for (let k = 0; k < 100; k++) board.hear('liar', new Uint8Array([1, 2, 3]))
  assert.equal(alarms.length, count + 1)
  await hall.close()
})

test('an update cut short anywhere, or with any one byte changed, is taken whole or not at all', async () => {
  const { hall, board } = victim()
  const good = written(doc => {
    doc.getMap('labels').set('gate-02', ['South', 1])
    doc.getMap('labels').set('gate-02', ['South door', 2])
    doc.getMap('notes').set('abc', ['Bob', 'hello', 3])
  })
  const before = board.bytes()
  for (let length = 0; length < good.length; length++) {
    board.meet('liar', () => undefined)
    board.hear('liar', update(hall, good.slice(0, length)))
    assert.deepEqual(board.bytes(), before, `cut at ${length}`)
  }
  for (let at = 0; at < good.length; at++) {
    for (const flip of [1, 0x80, 0xff]) {
      const bad = good.slice()
      bad[at] = (bad[at] as number) ^ flip
      const each = victim()
      each.board.hear('liar', update(each.hall, bad))
      // whatever it was, the board can still be read, copied and written
      shown(each.board)
      const copy = new Y.Doc()
      Y.applyUpdate(copy, each.board.bytes())
      assert.equal(copy.store.pendingStructs, null)
      each.board.label('gate-05', 'West')
      assert.equal(each.board.labels().get('gate-01')?.text, 'North door')
      await each.hall.close()
    }
  }
  await hall.close()
})

test('things of the wrong shape are taken into the document and not shown', async () => {
  const { hall, board } = victim()
  const before = shown(board)
  const odd = [
    7,
    'x',
    null,
    [],
    ['x'],
    { text: 'x' },
    [{}, {}],
    ['A', 'b', 'c', 'd', 'e'],
    [[], 1, 2],
    new Uint8Array(3),
  ]
  board.hear(
    'liar',
    update(
      hall,
      written(doc => {
        odd.forEach((value, k) => {
          for (const shelf of ['alerts', 'acks', 'labels', 'places', 'notes']) {
            doc.getMap(shelf).set(`gate-1${k}`, value)
            doc.getMap(shelf).set(`${k}`, value)
          }
        })
        doc.getMap('labels').set('gate-20', new Y.Map())
        doc.getMap('labels').set('__proto__', ['x', 1])
        doc.getMap('places').set('gate-20', [Number.NaN, 0, 0])
        doc.getMap('places').set('gate-21', [Number.POSITIVE_INFINITY, 0, 0])
        doc.getArray('other').push([1, 2, 3])
      }),
    ),
  )
  assert.deepEqual(shown(board), before)
  const now = hall.wall
  board.hear(
    'liar',
    update(
      hall,
      written(doc => doc.getMap('notes').set('z', ['B\u0007ob'.repeat(99), 'x'.repeat(9999), now + 1e9])),
    ),
  )
  const [note] = board.notes()
  assert.equal(note?.text.length, 500)
  assert.equal(note?.by.length, 40)
  assert.equal(note?.at, 0, 'a time to come is no time')
  await hall.close()
})

test('a deep nest neither throws nor changes anything', async () => {
  const { hall, board } = victim()
  const before = board.bytes()
  // lib0: 117 begins an array of one element
  const deep = new Uint8Array(400_000).map((_, k) => (k % 2 === 0 ? 117 : 1))
  const nest = written(doc => doc.getMap('notes').set('z', [1, 2, 3]))
  board.hear('liar', update(hall, new Uint8Array([...nest.slice(0, -8), ...deep])))
  board.hear('liar', spoken(hall, JSON.parse(`${'['.repeat(900)}${']'.repeat(900)}`)))
  assert.deepEqual(board.bytes(), before)
  await hall.close()
})

test('huge frames, and what would grow the document beyond its limit, are refused', async () => {
  const limits = { ...BOARD_LIMITS, documentBytesMax: 20_000, frameBytesMax: 30_000 }
  const { hall, board, alarms } = victim(limits)
  const before = board.bytes()
  board.hear('liar', new Uint8Array(30_001))
  const big = (bytes: number, key = 'z') => written(doc => doc.getMap('notes').set(key, ['Bob', 'x'.repeat(bytes), 0]))
  for (let k = 0; k < 20; k++) board.hear('liar', update(hall, big(21_000)))
  assert.deepEqual(board.bytes(), before)
  assert.deepEqual(codes(alarms), ['BOARD_GARBAGE', 'BOARD_FULL'])
  // many small ones, from one that is met again and again
  for (let k = 0; k < 100; k++) {
    board.meet('liar', () => undefined)
    board.hear('liar', update(hall, big(900, `z${k}`)))
  }
  assert.ok(board.bytes().length <= 20_000)
  assert.ok(board.bytes().length > 15_000)
  assert.throws(() => board.note('Ada', 'no room'), { code: 'BOARD_FULL' })
  hall.run(24 * 3600_000)
  board.note('Ada', 'tomorrow there is')
  assert.equal(board.labels().get('gate-01')?.text, 'North door')
  await hall.close()
})

test('what builds on things unseen is not kept: the sender is asked instead', async () => {
  const { hall, board, sent } = victim()
  const before = board.bytes()
  const doc = new Y.Doc()
  doc.getMap('labels').set('gate-02', ['first', 1])
  const vector = Y.encodeStateVector(doc)
  doc.getMap('labels').set('gate-02', ['second', 2])
  board.hear('liar', update(hall, new Uint8Array([0, 0]), 1))
  sent.length = 0
  const later = update(hall, Y.encodeStateAsUpdate(doc, vector))
  for (let k = 0; k < 50; k++) board.hear('liar', later)
  assert.deepEqual(board.bytes(), before)
  assert.equal(sent.length, 1, 'asked once')
  const asked = parseFrame(sent[0] as Uint8Array)
  assert.ok(typeof asked !== 'string' && asked.kind === 'document' && asked.body[0] === 0)
  board.hear('liar', update(hall, Y.encodeStateAsUpdate(doc), 1))
  assert.equal(board.labels().get('gate-02')?.text, 'second')
  await hall.close()
})

test('a flood of questions is not answered with a flood of documents', async () => {
  const { hall, board, sent, alarms } = victim()
  sent.length = 0
  for (let k = 0; k < 1000; k++) board.hear('liar', update(hall, new Uint8Array([0]), 0))
  assert.equal(sent.length, BOARD_LIMITS.answersMax)
  assert.deepEqual(codes(alarms), ['BOARD_FLOOD'])
  hall.run(BOARD_LIMITS.answerEveryMs)
  board.hear('liar', update(hall, new Uint8Array([0]), 0))
  assert.equal(sent.length, BOARD_LIMITS.answersMax + 1)
  await hall.close()
})

test('writes forged under our own id do not corrupt what we write', async () => {
  const { hall, board } = victim()
  const copy = new Y.Doc()
  Y.applyUpdate(copy, board.bytes())
  const [own] = [...Y.decodeStateVector(Y.encodeStateVector(copy)).keys()]
  copy.clientID = own as number
  copy.getMap('notes').set('forged', ['liar', 'said as if by you', 1])
  board.hear('liar', update(hall, Y.encodeStateAsUpdate(copy)))
  board.note('Ada', 'really by us')
  Y.applyUpdate(copy, board.bytes())
  assert.equal(copy.getMap('notes').size, 2)
  assert.equal(copy.store.pendingStructs, null)
  await hall.close()
})

test('frames from nobody met, and a line that breaks under our hands, are nothing special', async () => {
  const { hall, board, alarms } = victim()
  board.hear('stranger', update(hall, new Uint8Array([0, 0])))
  board.meet('gate-09', () => {
    throw new Error('stream closed')
  })
  board.label('gate-09', 'East')
  const end = board.meet('gate-09', () => undefined)
  const endLater = board.meet('gate-09', () => undefined)
  board.hear('gate-09', spoken(hall, { name: 'gate-09', state: 'NORMAL' }))
  end()
  assert.equal(board.telemetry().has('gate-09'), true, 'the end of an older meeting does not end this one')
  endLater()
  assert.equal(board.telemetry().has('gate-09'), false)
  assert.deepEqual(alarms, [])
  await hall.close()
  board.hear('liar', update(hall, new Uint8Array([0, 0])))
})

test('a frame is what it was, and says what is wrong with it', () => {
  const frame = { day: 20_408, kind: 'telemetry', body: new Uint8Array([9, 8]) } as const
  const bytes = formatFrame(frame)
  assert.deepEqual([...bytes], [1, 0, 0, 0x4f, 0xb8, 1, 9, 8])
  assert.deepEqual(parseFrame(bytes), { ...frame, body: bytes.subarray(6) })
  assert.equal(parseFrame(new Uint8Array([2, 0, 0, 0, 0, 0])), 'version 2, we speak 1')
  assert.equal(parseFrame(new Uint8Array([1, 0, 0, 0, 0, 9])), 'kind 9 is not known')
  assert.equal(parseFrame(new Uint8Array([1])), "1 bytes, shorter than a frame's head")
})

test.run()
