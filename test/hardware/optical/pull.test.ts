import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { Pull } from '../../../hardware/optical/pull.ts'
import { suite } from '../../suite.ts'
import { Camera, type Lock } from './camera.ts'
import { HandClock } from './clock.ts'

const test = suite('hardware/optical/pull')

interface Asking {
  readonly camera: Camera
  readonly clock: HandClock
  readonly heard: string[]
  readonly failed: string[]
  /** Another question, and what came of it. */
  next(): Promise<void>
}

async function until(isSo: () => boolean, what: string): Promise<void> {
  for (let k = 0; k < 1000; k++) {
    if (isSo()) return
    await sleep(10)
  }
  throw new Error(`not within 10 s: ${what}`)
}

async function asking(act: (a: Asking) => Promise<void>, login = '', timeoutMs = 5000): Promise<void> {
  const camera = await new Camera().open()
  const clock = new HandClock()
  const heard: string[] = []
  const failed: string[] = []
  const options = {
    ...{ pull: { url: camera.url(login), everyMs: 1000, timeoutMs }, clock },
    ...{ hear: (text: string) => heard.push(text), fail: (why: string) => failed.push(why) },
  }
  const pull = new Pull(options)
  let outcomes = 0
  const next = async () => {
    if (outcomes++ === 0) pull.start()
    else clock.pass(60_000)
    await until(() => heard.length + failed.length >= outcomes, 'an answer, or none')
  }
  try {
    await act({ camera, clock, heard, failed, next })
  } finally {
    pull.stop()
    await camera.close()
  }
}

test('a camera is asked again and again, one question at a time', async () => {
  await asking(async ({ camera, heard, next, clock }) => {
    await next()
    camera.in = 7
    await next()
    assert.deepEqual(
      heard.map(text => JSON.parse(text).in),
      [0, 7],
    )
    clock.pass(999)
    await sleep(20)
    assert.equal(camera.asked, 2)
  })
})

const LOCKS: readonly Lock[] = [
  { kind: 'basic', user: 'gate', password: 'p@ss:w/rd' },
  { kind: 'digest', user: 'gate', password: 'p@ss:w/rd' },
  { kind: 'digest', user: 'gate', password: 'p@ss:w/rd', algorithm: 'MD5' },
  { kind: 'digest', user: 'gate', password: 'p@ss:w/rd', algorithm: 'SHA-256' },
]
for (const lock of LOCKS) {
  test(`a camera with a ${lock.kind} lock (${lock.algorithm ?? 'as it is'}) opens to its name and password`, async () => {
    await asking(async ({ camera, heard, failed, next }) => {
      camera.lock = lock
      await next()
      await next()
      await next()
      assert.deepEqual([heard.length, failed], [3, []])
      assert.equal(camera.refused, 1)
    }, 'gate:p%40ss%3Aw%2Frd')
  })
}

test('a password goes to nobody who wants a digest, and into no words', async () => {
  await asking(async ({ camera, failed, next }) => {
    camera.lock = { kind: 'digest', user: 'gate', password: 'another' }
    await next()
    camera.lock = undefined
    camera.answer = (_, response) => response.destroy()
    await next()
    camera.answer = (_, response) => response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end()
    await next()
    assert.equal(failed[0], 'it answered 401: name or password is wrong')
    assert.match(failed[1] ?? '', /^no connection: (UND_ERR_SOCKET|ECONNRESET)$/)
    assert.equal(failed[2], 'it answered 302: it points elsewhere')
    const shown = camera.headers.join()
    assert.ok(!shown.includes('secret') && !shown.includes(btoa('gate:secret')))
  }, 'gate:secret')
})

test('an answer without end is none', async () => {
  await asking(async ({ camera, heard, failed, next }) => {
    camera.answer = (_, response) => {
      const flood = () => {
        while (!response.destroyed && response.write('x'.repeat(65_536)));
      }
      response.on('drain', flood)
      response.on('error', () => undefined)
      flood()
    }
    await next()
    assert.deepEqual([heard, failed], [[], ['its answer is longer than 1048576 bytes']])
  })
})

test('an answer that does not come, or trickles, ends at the time limit', async () => {
  await asking(
    async ({ camera, failed, next }) => {
      camera.answer = () => undefined
      await next()
      camera.answer = (_, response) => response.writeHead(200).write('{"in"')
      await next()
      assert.deepEqual(failed, ['no answer within 100 ms', 'no answer within 100 ms'])
    },
    '',
    100,
  )
})

test('a camera that is not there is asked less and less often, and as often as before once it is', async () => {
  await asking(async ({ camera, clock, failed, heard, next }) => {
    camera.answer = (_, response) => response.writeHead(503).end()
    await next()
    const waits: number[] = []
    for (let k = 0; k < 8; k++) {
      const before = camera.asked
      let waited = 0
      while (camera.asked === before) {
        clock.pass(1000)
        waited += 1000
        // a question that is due is on its way at once
        await sleep(5)
        if (waited > 100_000) break
      }
      await until(() => failed.length === k + 2, 'a refusal')
      waits.push(waited)
    }
    // a loaded machine may let a second or two pass before it sees the question
    const least = [1000, 2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000]
    assert.ok(
      waits.every((waited, k) => waited >= (least[k] ?? 0)),
      waits.join(),
    )
    camera.answer = (_, response) => response.end('{}')
    clock.pass(60_000)
    await until(() => heard.length === 1, 'an answer')
    clock.pass(1000)
    await until(() => heard.length === 2, 'another')
  })
})

test('once it is stopped nothing is asked, heard or complained of', async () => {
  const camera = await new Camera().open()
  const clock = new HandClock()
  const said: string[] = []
  const say = (text: string) => said.push(text)
  camera.answer = () => undefined
  const pull = new Pull({ pull: { url: camera.url(), everyMs: 1000, timeoutMs: 5000 }, clock, hear: say, fail: say })
  pull.start()
  await until(() => camera.asked === 1, 'a question')
  pull.stop()
  pull.stop()
  clock.pass(600_000)
  await sleep(20)
  assert.deepEqual([said, camera.asked], [[], 1])
  await camera.close()
})

test.run()
