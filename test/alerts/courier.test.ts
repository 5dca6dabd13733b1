import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Notice } from '../../anchor/alerts/alert.ts'
import { Courier } from '../../anchor/alerts/courier.ts'
import type { Delivery, Receiver } from '../../anchor/alerts/receiver.ts'
import { Tray } from '../../anchor/alerts/tray.ts'
import { signatureOf, Webhook } from '../../anchor/alerts/webhook.ts'
import { MemoryCabinet } from '../../mesh/archive/memory-cabinet.ts'
import { type Log, NO_LOG } from '../../mesh/log.ts'
import { suite } from '../suite.ts'
import { newId } from './collected-mall.ts'
import { HandClock } from './hand-clock.ts'
import { Inbox, SECRET } from './inbox.ts'

const test = suite('alerts/courier')
let dir = ''
let secretFile = ''
test.before(async () => {
  dir = await mkdtemp(join(tmpdir(), 'courier-'))
  secretFile = join(dir, 'secret')
  await writeFile(secretFile, `${SECRET}\n`)
})
test.after(() => rm(dir, { recursive: true, force: true }))

function notice(code: string, at: number): Notice {
  const alert = {
    id: newId(at),
    code,
    subject: '',
    severity: 'warning' as const,
    detail: 'über',
    isOpen: true,
    raisedAt: at,
    times: 1,
  }
  return { id: newId(at), kind: 'raised', at, mall: 'test', alert }
}

class Post {
  readonly clock = new HandClock()
  cabinet = new MemoryCabinet()
  tray = new Tray(this.cabinet)
  courier!: Courier

  async open(receivers: readonly Receiver[], log: Log = NO_LOG): Promise<this> {
    this.cabinet = this.cabinet.reopened()
    this.tray = new Tray(this.cabinet)
    this.courier = new Courier({ mall: 'test', tray: this.tray, clock: this.clock, log, receivers, chance: () => 1 })
    await this.courier.start()
    return this
  }

  async put(...codes: string[]): Promise<void> {
    for (const code of codes) this.courier.enqueue(notice(code, this.clock.wall()))
    await this.tray.flush()
    this.courier.pump()
  }

  /** Looks until it is so; hand time passes by a second for every 5 ms. */
  async until(is: () => boolean, what: string): Promise<void> {
    for (let k = 0; k < 4000; k++) {
      if (is()) return this.tray.flush()
      this.clock.pass(1000)
      this.courier.pump()
      await sleep(5)
    }
    assert.fail(`never: ${what}`)
  }

  hook(url: string, timeoutMs = 10_000): Webhook {
    return new Webhook({ url, secretFile }, this.clock, timeoutMs)
  }
}

test('a signature is the HMAC of id, time and body, as any tool computes it', () => {
  // printf 'i.1.{}' | openssl dgst -sha256 -hmac key
  const signature = signatureOf(Buffer.from('key'), { id: 'i', at: '1', body: '{}' })
  assert.equal(signature, 'v1=6eb5d4d6981e1d017f5cf6cdf997d6317ad9889e58a98912bd121e696bf046d3')
})

test('what is put in arrives signed and in order, and is gone from the disk', async () => {
  const inbox = await new Inbox().open()
  const post = new Post()
  await post.open([post.hook(inbox.url)])
  await post.put('A', 'B', 'C')
  await post.until(() => inbox.letters.length === 3, 'three letters')
  assert.deepEqual(inbox.codes, ['A', 'B', 'C'])
  assert.ok(inbox.letters.every(({ isSigned }) => isSigned))
  assert.equal(inbox.letters[0]?.json.alert.detail, 'über')
  await post.until(() => post.courier.waiting === 0, 'empty')
  assert.equal(post.cabinet.size, 0)
  await post.courier.stop()
  await inbox.close()
})

test('a receiver that is down for a while gets everything once it is back, with the same ids and fresh times', async () => {
  const inbox = await new Inbox().open()
  const failed: { id: string; at: number }[] = []
  inbox.answer = letter => {
    failed.push(letter)
    return { status: 503 }
  }
  const post = new Post()
  await post.open([post.hook(inbox.url)])
  await post.put('A', 'B')
  await post.until(() => inbox.attempts >= 3, 'three attempts')
  await inbox.close()
  await post.until(() => post.clock.now() > 1_030_000, 'half a minute')
  inbox.answer = () => ({ status: 200 })
  await inbox.open()
  await post.until(() => inbox.letters.length === 2, 'both')
  assert.deepEqual(inbox.codes, ['A', 'B'])
  assert.equal(inbox.letters[0]?.id, failed[0]?.id)
  assert.ok((inbox.letters[0]?.at ?? 0) > (failed[0]?.at ?? 0))
  await post.courier.stop()
  await inbox.close()
})

test('a crash loses nothing that was put in, and what was delivered is not delivered again', async () => {
  const inbox = await new Inbox().open()
  inbox.answer = ({ json }) => ({ status: json.alert.code === 'A' ? 200 : 500 })
  const post = new Post()
  await post.open([post.hook(inbox.url)])
  await post.put('A', 'B', 'C')
  await post.until(() => inbox.attempts >= 2, 'A, and B once')
  await post.courier.stop()
  inbox.answer = () => ({ status: 200 })
  await post.open([post.hook(inbox.url)])
  await post.until(() => inbox.letters.length === 3, 'B and C')
  assert.deepEqual(inbox.codes, ['A', 'B', 'C'])
  await post.courier.stop()
  await inbox.close()
})

test('a receiver that never answers delays nobody else', async () => {
  const slow = await new Inbox().open()
  slow.answer = () => undefined
  const quick = await new Inbox().open()
  const post = new Post()
  await post.open([post.hook(slow.url, 30_000), post.hook(quick.url)])
  const began = performance.now()
  await post.put('A', 'B', 'C', 'D')
  while (post.courier.waiting > 4) await sleep(2)
  assert.ok(performance.now() - began < 15_000, 'long before the slow one times out')
  assert.deepEqual(quick.codes, ['A', 'B', 'C', 'D'])
  assert.ok(slow.attempts <= 1, 'the slow one still has its first')
  await post.courier.stop()
  await slow.close()
  await quick.close()
})

test('an answer that does not come in time is a failure, and tried again', async () => {
  const inbox = await new Inbox().open()
  inbox.answer = () => (inbox.attempts < 3 ? undefined : { status: 200 })
  const post = new Post()
  await post.open([post.hook(inbox.url, 60)])
  await post.put('A')
  await post.until(() => inbox.letters.length === 1, 'at the third attempt')
  await post.courier.stop()
  await inbox.close()
})

test('a redirect is refused: nobody else gets it, and other notices pass by', async () => {
  const elsewhere = await new Inbox().open()
  const inbox = await new Inbox().open()
  inbox.answer = ({ json }) => (json.alert.code === 'A' ? { status: 307, location: elsewhere.url } : { status: 200 })
  const post = new Post()
  await post.open([post.hook(inbox.url)])
  await post.put('A', 'B')
  await post.until(() => inbox.letters.length === 1 && inbox.attempts >= 4, 'B, and A again and again')
  assert.deepEqual([inbox.codes, elsewhere.attempts, post.courier.waiting], [['B'], 0, 1])
  await post.courier.stop()
  await inbox.close()
  await elsewhere.close()
})

test('after a day it is given up, counted and said', async () => {
  const said: object[] = []
  const post = new Post()
  const dead: Receiver = {
    id: 'dead',
    label: 'dead',
    isReady: true,
    send: () => Promise.reject(new Error('no')),
    stop: async () => undefined,
  }
  await post.open([dead], { ...NO_LOG, error: (_, fields) => said.push(fields ?? {}) })
  await post.put('A')
  post.clock.pass(86_400_000)
  await post.put('B')
  await post.until(() => post.courier.waiting === 2, 'a day is not over')
  post.clock.pass(600_000)
  post.courier.pump()
  await post.until(() => post.courier.waiting === 1, 'A is given up')
  assert.deepEqual(
    said.map(fields => ({ ...fields, id: '' })),
    [{ to: 'dead', what: 'given up: nobody took it for a day', id: '' }],
  )
  const lost = post.courier.families().find(({ name }) => name === 'gatemesh_notices_lost_total')
  assert.deepEqual(lost?.samples, [{ labels: { mall: 'test', receiver: 'dead' }, value: 1 }])
})

test('a dead receiver is asked ever less often, but every five minutes for ever', async () => {
  const at: number[] = []
  const post = new Post()
  const dead: Receiver = {
    id: 'dead',
    label: 'dead',
    isReady: true,
    send: (_: Delivery) => {
      at.push(post.clock.now())
      return Promise.reject(new Error('no'))
    },
    stop: async () => undefined,
  }
  await post.open([dead])
  await post.put('A')
  for (let k = 0; k < 3600; k++) {
    post.clock.pass(1000)
    post.courier.pump()
    await Promise.resolve()
    await Promise.resolve()
    await Promise.resolve()
    await Promise.resolve()
  }
  const pauses = at.slice(1).map((time, k) => (time - (at[k] as number)) / 1000)
  assert.deepEqual(pauses.slice(0, 5), [1, 2, 4, 8, 16])
  assert.equal(Math.max(...pauses), 300)
  assert.equal(pauses.at(-1), 300)
})

test('a secret that is missing or too short is said with its path; mended, everything goes out', async () => {
  const said: string[] = []
  const inbox = await new Inbox().open()
  const file = join(dir, 'later')
  const post = new Post()
  const log = { ...NO_LOG, warn: (_: string, fields?: object) => said.push(JSON.stringify(fields)) }
  await post.open([new Webhook({ url: inbox.url, secretFile: file }, post.clock)], log)
  await post.put('A')
  await post.until(() => said.length === 1, 'said')
  assert.match(said[0] ?? '', /ENOENT.*later/)
  await writeFile(file, 'short')
  await post.until(() => post.clock.now() > 1_060_000, 'a minute')
  assert.equal(inbox.attempts, 0)
  await writeFile(file, SECRET)
  await post.until(() => inbox.letters.length === 1, 'delivered')
  assert.equal(inbox.letters[0]?.isSigned, true)
  await post.courier.stop()
  await inbox.close()
})

test('what waits for a receiver that is not in the config any more is dropped', async () => {
  const post = new Post()
  await post.open([post.hook('http://127.0.0.1:9/gone')])
  await post.put('A')
  await post.courier.stop()
  await post.open([])
  await post.tray.flush()
  assert.equal(post.cabinet.size, 0)
})

test('the query of an address is told to nobody', () => {
  const { label, id } = new Webhook({ url: 'https://pager.example/hook?key=private', secretFile }, new HandClock())
  assert.equal(label, 'pager.example/hook')
  assert.match(id, /^webhook-[0-9a-f]{12}$/)
})

test.run()
