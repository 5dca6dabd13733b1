import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import type { Answer } from '../../anchor/api/endpoint.ts'
import { Idempotency, KEEP_MS } from '../../anchor/api/idempotency.ts'
import { MemoryCabinet } from '../../mesh/archive/memory-cabinet.ts'
import { NO_LOG } from '../../mesh/log.ts'
import { suite } from '../suite.ts'
import { inRig } from './rig.ts'

const test = suite('api/idempotency')
const HOLD = { from: 1, to: 2, reason: 'court order' }

test('the same request under the same key happens once, and says the same again, also after a restart', async () => {
  await inRig(async rig => {
    const ann = await rig.login('ann')
    const first = await rig.post('/holds', HOLD, ann, 'key-number-1')
    const second = await rig.post('/holds', HOLD, ann, 'key-number-1')
    await rig.restart()
    const third = await rig.post('/holds', HOLD, ann, 'key-number-1')
    assert.deepEqual(
      [first, second, third].map(({ status }) => status),
      [201, 201, 201],
    )
    assert.deepEqual([second.json, third.json], [first.json, first.json])
    assert.deepEqual(
      [first, third].map(({ headers }) => headers['idempotency-replayed']),
      [undefined, 'true'],
    )
    assert.equal(rig.retention.holds().length, 1)
    await rig.post('/holds', HOLD, ann, 'key-number-2')
    assert.equal(rig.retention.holds().length, 2, 'another key is another change')
  })
})

test('a key that was used for something else is refused, whoever it is that uses it keeps their own', async () => {
  await inRig(async rig => {
    const ann = await rig.login('ann')
    const aud = await rig.login('aud')
    await rig.post('/holds', HOLD, ann, 'key-number-1')
    const other = await rig.post('/holds', { ...HOLD, to: 3 }, ann, 'key-number-1')
    assert.deepEqual([other.status, other.json.error.code], [422, 'key-reused'])
    const elsewhere = await rig.post('/tokens', { name: 'p', role: 'viewer' }, ann, 'key-number-1')
    assert.equal(elsewhere.status, 201, 'an answer with a secret is of its token, not of its person')
    assert.equal((await rig.post('/holds', { ...HOLD, to: 3 }, aud, 'key-number-1')).status, 201)
  })
})

test('whoever logs in again still has their key', async () => {
  await inRig(async rig => {
    const first = await rig.post('/holds', HOLD, await rig.login('ann'), 'key-number-1')
    const again = await rig.post('/holds', HOLD, await rig.login('ann'), 'key-number-1')
    assert.deepEqual(again.json, first.json)
    assert.equal(rig.retention.holds().length, 1)
  })
})

test('a change needs a key, and a good one', async () => {
  await inRig(async rig => {
    const token = await rig.login('ann')
    const none = await rig.ask('POST', rig.at('/holds'), { token, body: HOLD })
    assert.deepEqual([none.status, none.json.error.where], [400, 'header/idempotency-key'])
    for (const key of ['short', 'x'.repeat(101), 'with a space in it']) {
      assert.equal((await rig.post('/holds', HOLD, token, key)).status, 400, key)
    }
    assert.equal(rig.retention.holds().length, 0)
  })
})

test('a refusal is an answer too, and is told again', async () => {
  await inRig(async rig => {
    const ann = await rig.login('ann')
    const first = await rig.delete('/tokens/nobody', ann, 'key-number-1')
    const again = await rig.delete('/tokens/nobody', ann, 'key-number-1')
    assert.deepEqual([first.status, again.status, again.json], [404, 404, first.json])
    assert.equal(again.headers['idempotency-replayed'], 'true')
  })
})

test('a new token’s secret is told again to who asked for it, and cannot be read from the disk', async () => {
  await inRig(async rig => {
    const ann = await rig.login('ann')
    const wish = { name: 'wall', role: 'viewer' }
    const first = await rig.post('/tokens', wish, ann, 'key-number-1')
    await rig.restart()
    const again = await rig.post('/tokens', wish, ann, 'key-number-1')
    assert.deepEqual(again.json, first.json)
    assert.equal((await rig.get('/occupancy', again.json.token)).status, 200)
    assert.equal((await rig.get('/tokens', ann)).json.tokens.length, 2)
  })
})

test('a note needs no key; with one, what came of it is told again, and what failed may be tried again', async () => {
  await inRig(async rig => {
    const note = rig.office.note({ kind: 'capacity', capacity: 310 }, ['bob'])
    const plain = await rig.ask('POST', rig.at('/policy'), { body: { note: 'nonsense' } })
    assert.equal(plain.status, 400)
    assert.equal((await rig.post('/policy', { note: 'nonsense' }, undefined, 'key-number-1')).status, 400)
    const first = await rig.post('/policy', { note }, undefined, 'key-number-1')
    assert.equal(first.status, 200, 'a refusal is not kept: to bring a note twice does no harm')
    assert.deepEqual((await rig.post('/policy', { note }, undefined, 'key-number-1')).json, first.json)
    assert.equal((await rig.post('/policy', { note }, undefined, 'key-number-2')).json.error.code, 'replayed')
  })
})

const DONE: Answer = { status: 201, body: { id: 'x' } }

class Desk {
  wall = 1_000_000_000_000
  cabinet = new MemoryCabinet()
  acts = 0
  readonly clock = { now: () => 0, wall: () => this.wall, in: () => () => undefined }

  get book(): Idempotency {
    return new Idempotency({ cabinet: this.cabinet, clock: this.clock, log: NO_LOG, random: randomBytes })
  }

  ask(book = this.book, act: () => Promise<Answer> = async () => DONE) {
    return book.once({ scope: 's', key: 'k', request: 'r' }, () => {
      this.acts++
      return act()
    })
  }
}

test('what a crash cut off is never begun again: whoever asks is told that nobody knows', async () => {
  const desk = new Desk()
  // the process dies while it acts
  void desk.ask(desk.book, () => new Promise(() => undefined))
  await new Promise(resolve => setTimeout(resolve, 5))
  desk.cabinet = desk.cabinet.reopened()
  await assert.rejects(desk.ask(), { status: 409, code: 'unknown-outcome' })
  assert.equal(desk.acts, 1)
  desk.wall += KEEP_MS
  assert.deepEqual((await desk.ask()).answer, DONE, 'a day later the key is free')
})

test('a fault while acting leaves it unknown too, and a refusal is an answer like any other', async () => {
  const faulty = new Desk()
  await assert.rejects(
    faulty.ask(faulty.book, () => Promise.reject(new Error('disk'))),
    /disk/,
  )
  await assert.rejects(faulty.ask(), { code: 'unknown-outcome' })
  const refusing = new Desk()
  const no: Answer = { status: 404, body: { error: {} } }
  assert.deepEqual((await refusing.ask(refusing.book, async () => no)).answer, no)
  assert.deepEqual(await refusing.ask(), { answer: no, isAgain: true })
  const away = new Desk()
  assert.equal((await away.ask(away.book, async () => ({ status: 503, body: {} }))).answer.status, 503)
  assert.deepEqual(await away.ask(), { answer: DONE, isAgain: false }, 'not now is no answer to keep')
})

test('an answer that cannot be written is not told, and nothing happens before that it was begun is written', async () => {
  const desk = new Desk()
  desk.cabinet.failNext()
  await assert.rejects(desk.ask(), { code: 'CABINET_IO' })
  assert.equal(desk.acts, 0)
  const late = new Desk()
  await assert.rejects(
    late.ask(late.book, async () => {
      late.cabinet.failNext()
      return DONE
    }),
    { code: 'CABINET_IO' },
  )
  await assert.rejects(late.ask(), { code: 'unknown-outcome' })
  assert.equal(late.acts, 1)
})

test('the same key at the same time: one acts, the other is told to wait', async () => {
  const desk = new Desk()
  const { book } = desk
  const both = await Promise.allSettled([desk.ask(book), desk.ask(book)])
  assert.deepEqual(
    both.map(({ status }) => status),
    ['fulfilled', 'rejected'],
  )
  assert.equal(desk.acts, 1)
})

test('answers are forgotten after a day', async () => {
  const desk = new Desk()
  await desk.ask()
  desk.wall += KEEP_MS - 1
  await desk.book.sweep()
  assert.equal(desk.cabinet.size, 1)
  assert.deepEqual((await desk.ask()).isAgain, true)
  desk.wall += 1
  await desk.book.sweep()
  assert.equal(desk.cabinet.size, 0)
})

test.run()
