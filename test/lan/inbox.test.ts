// Inbox: a line that says too much keeps itself waiting, and nobody else.

import assert from 'node:assert/strict'
import { setImmediate as turn } from 'node:timers/promises'
import { Inbox } from '../../mesh/lan/inbox.ts'
import { suite } from '../suite.ts'

const test = suite('lan/inbox')

function numbered(n: number, bytes = 4): Uint8Array {
  const payload = new Uint8Array(bytes)
  new DataView(payload.buffer).setUint32(0, n)
  return payload
}

/** Whoever hears with these takes so long for a frame. */
class Ears {
  readonly heard: number[] = []
  readonly #ms: number
  #now = 0
  overflows = 0
  readonly inbox: Inbox

  constructor(ms: number) {
    this.#ms = ms
    this.inbox = new Inbox(this, () => this.#now)
  }

  frame(payload: Uint8Array): void {
    this.heard.push(new DataView(payload.buffer).getUint32(0))
    this.#now += this.#ms
  }

  overflowed(): void {
    this.overflows++
  }
}

test('what can be heard at once is', () => {
  const ears = new Ears(0.01)
  for (let n = 0; n < 200; n++) ears.inbox.take(numbered(n))
  assert.equal(ears.heard.length, 200)
})

test('what takes longer than a turn is heard in the next ones, in order, and others have theirs in between', async () => {
  const flood = new Ears(1)
  const other = new Ears(0.01)
  for (let n = 0; n < 100; n++) flood.inbox.take(numbered(n))
  assert.equal(flood.heard.length, 5)
  let turns = 0
  for (; flood.heard.length < 95; turns++) {
    const before: number = flood.heard.length
    await turn()
    other.inbox.take(numbered(turns))
    assert.equal(other.heard.length, turns + 1, 'heard as it came')
    assert.equal(flood.heard.length - before, 5, 'its share, and no more')
    if (turns === 3) flood.inbox.take(numbered(100))
  }
  while (flood.heard.length < 101) await turn()
  assert.deepEqual(
    flood.heard,
    Array.from({ length: 101 }, (_, n) => n),
    'what came last is heard last',
  )
})

test('what there is no room for is dropped and told of; there is room again when some was heard', async () => {
  const ears = new Ears(6)
  ears.inbox.take(numbered(0))
  for (let n = 1; n <= 10; n++) ears.inbox.take(numbered(n, 1 << 20))
  assert.equal(ears.overflows, 6)
  while (ears.heard.length < 3) await turn()
  ears.inbox.take(numbered(11))
  while (ears.heard.length < 6) await turn()
  assert.deepEqual(ears.heard, [0, 1, 2, 3, 4, 11])
  assert.equal(ears.overflows, 6)
})

test('a line that ended is heard no more, also where its own frame ended it', async () => {
  const ears = new Ears(6)
  for (let n = 0; n < 5; n++) ears.inbox.take(numbered(n))
  ears.inbox.end()
  await turn()
  await turn()
  assert.deepEqual(ears.heard, [0])

  const heard: number[] = []
  let now = 0
  const frame = (payload: Uint8Array) => {
    heard.push(payload.length)
    now += 6
    if (payload.length === 3) inbox.end()
  }
  const inbox: Inbox = new Inbox({ frame, overflowed: () => assert.fail('there was room') }, () => now)
  for (let length = 2; length < 6; length++) inbox.take(new Uint8Array(length))
  for (let i = 0; i < 5; i++) await turn()
  assert.deepEqual(heard, [2, 3])
})

test.run()
