import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Stream } from '@libp2p/interface'
import { Fault } from '../../ledger/fault.ts'
import { FrameReader, frame } from '../../mesh/lan/frame.ts'
import { askRange, LEDGER_PROTOCOL, type LedgerShelf, LINES_MAX } from '../../mesh/lan/ledger-window.ts'
import { suite } from '../suite.ts'
import { call, type Neighbour, onStreet, placeOfNode, type Street, until } from './street.ts'

const test = suite('lan/ledger-window')

const LONG = 'long/1'
const EAST = 'east/1'
const lineAt = (k: number) => `{"seq":${k},"reason":"Zürich 🚪"}`
const fat = 'x'.repeat(2000)

/** east/1 has 100 entries, long/1 has 30,000 fat ones; at the tenth broken/1 loses its disk, and hung/1 waits for it. */
class Shelf implements LedgerShelf {
  read = 0
  mended = Promise.withResolvers<void>()
  accounts = async () => [EAST, LONG, 'broken/1', 'hung/1']
  size = async (account: string) => ({ [EAST]: 100, [LONG]: 30_000, 'broken/1': 50, 'hung/1': 200 })[account]

  async *range(account: string, from: number, to: number): AsyncGenerator<string> {
    for (let k = from; k < to; k++) {
      if (account === 'broken/1' && k === 10) throw new Fault('LEDGER', 'entry 10 cannot be read any more')
      if (account === 'hung/1' && k === 100) await this.mended.promise
      this.read++
      if (k % 100 === 0) await sleep(0)
      yield account === EAST ? lineAt(k) : fat
    }
  }
}

async function withShelf(
  act: (a: { east: Neighbour; west: Neighbour; shelf: Shelf; street: Street }) => Promise<void>,
) {
  await onStreet(['east', 'west', 'odd'], async street => {
    const shelf = new Shelf()
    const [east, west] = (await street.startAll(['east', 'west'], { ledgers: shelf })) as [Neighbour, Neighbour]
    await act({ east, west, shelf, street })
  })
}

async function ask(from: Neighbour, to: string, account: string, start: number, end: number): Promise<string[]> {
  const lines: string[] = []
  for await (const line of from.lan.range(to, { account, from: start, to: end })) lines.push(line)
  return lines
}

/** As raw bytes: what comes back until the far end ends it, or the error with which it does. */
async function rawAsk(stream: Stream, question: Uint8Array): Promise<string> {
  const reader = new FrameReader(1 << 20)
  const frames: number[] = []
  try {
    stream.send(question)
    for await (const chunk of stream) frames.push(...reader.push(chunk.subarray()).map(({ length }) => length))
    return `ended after ${frames}`
  } catch (error) {
    return (error as Error).name
  }
}

test('a range is the very lines asked for: whole, part, beyond the end, none', async () => {
  await withShelf(async ({ west }) => {
    const all = Array.from({ length: 100 }, (_, k) => lineAt(k))
    assert.deepEqual(await ask(west, 'east', EAST, 0, 100), all)
    assert.deepEqual(await ask(west, 'east', EAST, 17, 42), all.slice(17, 42))
    assert.deepEqual(await ask(west, 'east', EAST, 90, 1_000_000), all.slice(90))
    assert.deepEqual(await ask(west, 'east', EAST, 500, 600), [])
    assert.deepEqual(await ask(west, 'east', EAST, 42, 17), [])
  })
})

test('one answer has so many lines at most; the next question goes on where it ended', async () => {
  await withShelf(async ({ west }) => {
    const first = await ask(west, 'east', LONG, 0, 30_000)
    assert.equal(first.length, LINES_MAX)
    assert.equal((await ask(west, 'east', LONG, first.length, 30_000)).length, 30_000 - LINES_MAX)
  })
})

test('an account, a peer or an entry that is not there is an error, and the next question is answered', async () => {
  await withShelf(async ({ west }) => {
    const isError = (error: unknown) => error instanceof Error
    await assert.rejects(ask(west, 'east', 'west/7', 0, 10), isError)
    await assert.rejects(ask(west, 'odd', EAST, 0, 10), { code: 'LAN', message: /odd is not in reach/ })
    const got: string[] = []
    await assert.rejects(async () => {
      for await (const line of west.lan.range('east', { account: 'broken/1', from: 0, to: 50 })) got.push(line)
    }, isError)
    assert.ok(got.length <= 10)
    assert.equal((await ask(west, 'east', EAST, 0, 5)).length, 5)
  })
})

test('an answer that hangs is given up, what came before it is not, and a reader may take its time', async () => {
  await withShelf(async ({ east, west, shelf, street }) => {
    const odd = await street.node(street.key('odd'))
    const connection = await call(odd, east.place)
    const got: string[] = []
    const began = performance.now()
    await assert.rejects(async () => {
      for await (const line of askRange(connection, { account: 'hung/1', from: 0, to: 200 }, 300)) {
        got.push(line)
        if (got.length === 5) await sleep(600)
      }
    }, /nothing came for 300 ms/)
    assert.ok(got.length >= 5, `${got.length} lines came`)
    assert.ok(performance.now() - began < 5000)
    assert.equal((await ask(west, 'east', EAST, 0, 5)).length, 5)
    shelf.mended.resolve()
  })
})

test('garbage for a question gets no line of any ledger, and costs nobody else anything', async () => {
  await withShelf(async ({ east, west, shelf, street }) => {
    const odd = await street.node(street.key('odd'))
    const connection = await call(odd, east.place)
    const questions = [
      'nonsense',
      'null',
      '[]',
      '{}',
      '{"account":"../etc/passwd","from":0,"to":1}',
      '{"account":"east/1","from":-1,"to":5}',
      '{"account":"east/1","from":0.5,"to":5}',
      '{"account":"east/1","from":"0","to":5}',
      '{"account":"east/1","from":0,"to":1e300}',
      '',
    ]
    for (const text of questions) {
      const stream = await connection.newStream([LEDGER_PROTOCOL])
      assert.equal(await rawAsk(stream, frame(Buffer.from(text))), 'StreamResetError', text)
    }
    const oversized = await connection.newStream([LEDGER_PROTOCOL])
    assert.equal(await rawAsk(oversized, Buffer.from('7fffffff', 'hex')), 'StreamResetError')
    assert.equal(shelf.read, 0)
    const fine = await connection.newStream([LEDGER_PROTOCOL])
    const question = frame(Buffer.from('{"account":"east/1","from":0,"to":2}'))
    assert.equal(await rawAsk(fine, question), `ended after ${2 * (Buffer.byteLength(lineAt(0)) + 1)},0`)
    assert.equal((await ask(west, 'east', EAST, 0, 5)).length, 5)
  })
})

test('a reader that stops reading holds up nothing but itself: no more is read from disk, others are answered', async () => {
  await withShelf(async ({ east, west, shelf, street }) => {
    const odd = await street.node(street.key('odd'))
    const connection = await call(odd, east.place)
    const question = frame(Buffer.from(JSON.stringify({ account: LONG, from: 0, to: 20_000 })))
    const streams = [await connection.newStream([LEDGER_PROTOCOL]), await connection.newStream([LEDGER_PROTOCOL])]
    for (const stream of streams) {
      stream.pause()
      stream.send(question)
    }
    await until(() => shelf.read > 0, 'it is being read')
    await sleep(500)
    const read = shelf.read
    await sleep(500)
    assert.equal(shelf.read, read)
    assert.ok(read < 10_000, `${read} lines of 2 kB wait for a reader that does not read`)
    const third = await connection.newStream([LEDGER_PROTOCOL])
    assert.match(await rawAsk(third, question), /^Stream(Reset|State)Error$/)
    assert.equal((await ask(west, 'east', EAST, 0, 100)).length, 100)
    connection.abort(new Error('gone'))
    await sleep(100)
    const again = await call(odd, east.place)
    assert.match(await rawAsk(await again.newStream([LEDGER_PROTOCOL]), question), /^ended after/)
  })
})

test('an answer that is cut short is an error at the reader’s end, not a shorter ledger', async () => {
  const answers: ((stream: Stream) => void)[] = [
    stream => {
      stream.send(frame(Buffer.from(`${lineAt(0)}\n`)))
      void stream.close()
    },
    stream => {
      stream.send(frame(Buffer.from(`${lineAt(0)}\n`)).subarray(0, 9))
      void stream.close()
    },
    stream => void stream.close(),
    stream => stream.abort(new Error('no')),
    stream => void stream.send(Buffer.from('7fffffff', 'hex')),
  ]
  await onStreet(['west', 'odd'], async street => {
    const odd = await street.node(street.key('odd'))
    let answer = answers[0]
    await odd.handle(LEDGER_PROTOCOL, stream => {
      stream.addEventListener('message', () => answer?.(stream), { once: true })
    })
    for (const protocol of ['/gatemesh/steal/1', '/gatemesh/rows/1', '/gatemesh/board/1']) {
      await odd.handle(protocol, () => undefined)
    }
    const west = await street.start('west', { odd: [placeOfNode(odd)] })
    await until(() => west.isUp('odd'), 'up')
    for (const next of answers) {
      answer = next
      await assert.rejects(ask(west, 'odd', EAST, 0, 10), (error: unknown) => error instanceof Error, `${next}`)
    }
  })
})

test.run()
