import assert from 'node:assert/strict'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { Refusal, type Route } from '../../mesh/window/route.ts'
import { Server } from '../../mesh/window/server.ts'
import { suite } from '../suite.ts'
import { inFront, inRig, modeNote, type Rig, until } from './rig.ts'

const test = suite('window/window')

test('what is not there, or not for this method, is said so; HEAD is a GET without its body', async () => {
  await inFront(async rig => {
    const nothing = await rig.ask('GET', '/nowhere?x=1')
    assert.deepEqual([nothing.status, nothing.json.error], [404, 'there is nothing at "/nowhere"'])
    assert.equal((await rig.ask('GET', '/status/')).status, 404)
    const wrong = await rig.ask('GET', '/turnstile/exit')
    assert.deepEqual([wrong.status, wrong.headers.allow], [405, 'POST'])
    assert.match(wrong.json.error, /GET is not for this address, POST is/)
    assert.equal((await rig.ask('DELETE', '/status')).headers.allow, 'GET')
    assert.equal((await rig.ask('HEAD', '/events')).status, 405)
    const head = await rig.begin('HEAD', '/', {}, asked => asked.end())
    assert.deepEqual([head.status, head.text], [200, ''])
    assert.ok(Number(head.headers['content-length']) > 500)
  })
})

test('what is no HTTP at all gets a clear no as well', async () => {
  await inFront(async rig => {
    const said = await new Promise<string>((resolve, reject) => {
      let text = ''
      const line = connect(rig.server.port, '127.0.0.1', () => line.write('hello there\r\n\r\n'))
      line.on('data', part => {
        text += part
      })
      line.on('error', reject)
      line.on('close', () => resolve(text))
    })
    assert.match(said, /^HTTP\/1\.1 400 Bad Request\r\n/)
    assert.match(said, /\{"error":"this is no request: /)
  })
})

test('the page runs nothing but its own files, and fetches nothing from elsewhere', async () => {
  await inFront(async rig => {
    const { text, headers } = await rig.ask('GET', '/')
    assert.match(text, /^<!doctype html>/)
    assert.doesNotMatch(text, /https?:\/\/|<style|style=|<script>|\son\w+=/)
    const policy = String(headers['content-security-policy'])
    assert.match(policy, /^default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self';/)
    const named = [...text.matchAll(/(?:src|href)="(\/mesh\/pages\/[^"]+)"/g)].map(([, path]) => path as string)
    assert.ok(named.length >= 4)
    for (const path of named) {
      const file = await rig.ask('GET', path)
      assert.equal(file.status, 200, path)
      assert.doesNotMatch(file.text, /@import|url\(|https?:\/\/(?!www\.w3\.org\/2000\/svg)/, path)
    }
    assert.equal((await rig.ask('GET', '/mesh/pages/tsconfig.json')).status, 404)
    assert.equal(headers['x-content-type-options'], 'nosniff')
    assert.match(String((await rig.ask('GET', '/status')).headers['content-security-policy']), /^default-src 'none'/)
  })
})

test('the report has every gate of the roster, also one never heard of, and says whose view it is', async () => {
  await inRig(async rig => {
    await rig.ask('POST', '/turnstile/entry')
    const { json } = await rig.ask('GET', '/mall')
    assert.deepEqual([json.mall, json.me, json.mode, json.left], ['test', 'gate-01', 'NORMAL', 49])
    assert.deepEqual([json.occupancy.count, json.occupancy.atMost, json.occupancy.capacity], [1, 1, 50])
    const { account, balance, policyVersion, isFresh } = json.anchor
    assert.deepEqual([account, balance, policyVersion, isFresh], ['anchor/1', 40, 1, true])
    const [own, other] = json.gates
    assert.deepEqual(
      [own.name, own.account, own.balance, own.counters.admitted, own.ageMs, own.isReachable, own.isRostered],
      ['gate-01', 'gate-01/1', 9, 1, 0, true, true],
    )
    assert.deepEqual(other, {
      name: 'gate-02',
      account: '',
      balance: 0,
      counters: { admitted: 0, forced: 0, exited: 0, lapsed: 0 },
      inFlight: 0,
      ageMs: null,
      isReachable: false,
      isBanned: false,
      isRostered: true,
      state: 'NORMAL',
      waiting: 3,
    })
    assert.equal(json.gates.length, 2)
  })
})

test('a member without its store reports the roster and nothing it cannot know', async () => {
  await inFront(async rig => {
    const { json } = await rig.ask('GET', '/mall')
    assert.deepEqual([json.me, json.occupancy.capacity, json.left, json.anchor.ageMs], ['gate-01', 0, 0, null])
    assert.deepEqual(
      json.gates.map((gate: { name: string; isReachable: boolean }) => [gate.name, gate.isReachable]),
      [
        ['gate-01', false],
        ['gate-02', false],
      ],
    )
  })
})

test('a signed mode note works at any gate; a second time it changes nothing, and who may not say it is told so', async () => {
  await inRig(async rig => {
    const bring = (note: string) => rig.ask('POST', '/modes', note)
    const bad: [note: string, says: RegExp][] = [
      ['', /not a mode note/],
      ['{"mode":"FIRE"}', /not a mode note/],
      [modeNote({}, ['stranger']), /signed by a stranger/],
      [modeNote({}, ['ann']).replace('FIRE', 'NORMAL'), /not a mode note/],
      [modeNote({ mode: 'LOCKDOWN', epoch: 3 }, ['ann']), /ann may not say LOCKDOWN of epoch 3/],
      [modeNote({ mode: 'NORMAL', epoch: 1, clears: { epoch: 0, mode: 'NORMAL' } }, ['bob']), /bob may not say NORMAL/],
    ]
    for (const [note, says] of bad) {
      const reply = await bring(note)
      assert.equal(reply.status, 400, reply.text)
      assert.match(reply.json.error, says)
    }
    assert.equal((await bring('x'.repeat(20_000))).status, 413)
    const note = modeNote({ mode: 'EVACUATE' }, ['bob'])
    assert.deepEqual([(await bring(note)).json, (await bring(note)).status], [{ mode: 'EVACUATE', epoch: 0 }, 409])
    assert.match((await bring(note)).json.error, /changes nothing: EVACUATE is in force, epoch 0/)
    assert.equal((await bring(modeNote({ mode: 'LOCKDOWN' }, ['bob']))).status, 409, 'less severe')
    assert.equal((await rig.ask('POST', '/turnstile/entry')).json.decision, 'REJECT_EMERGENCY')
    const clear = modeNote({ mode: 'NORMAL', epoch: 1, clears: { epoch: 0, mode: 'EVACUATE' } }, ['ann', 'bob'])
    assert.deepEqual((await bring(clear)).json, { mode: 'NORMAL', epoch: 1 })
    assert.equal((await rig.ask('POST', '/turnstile/entry')).json.decision, 'ADMIT')
  })
})

test('a mode note at a gate that is still starting is not lost in silence', async () => {
  await inFront(async rig => {
    const { status, json } = await rig.ask('POST', '/modes', modeNote({}, ['ann']))
    assert.deepEqual([status, json.error], [503, 'this member is still starting: bring the note to another one'])
  })
})

async function watch(rig: Rig, hear: (text: string) => void): Promise<Socket> {
  const line = connect(rig.server.port, '127.0.0.1')
  line.on('error', () => undefined)
  line.on('data', part => hear(String(part)))
  line.write('GET /events HTTP/1.1\r\nhost: x\r\n\r\n')
  return line
}

test('whoever watches hears the report at once and then twice a second', async () => {
  await inRig(async rig => {
    let text = ''
    const line = await watch(rig, more => {
      text += more
    })
    const events = () => text.split('data: ').slice(1)
    await until(() => events().length >= 1, 'the first event')
    assert.match(text, /content-type: text\/event-stream/i)
    const since = performance.now()
    await rig.ask('POST', '/turnstile/entry')
    await until(() => events().length >= 5, 'more events')
    assert.ok(performance.now() - since > 1000, 'not all at once')
    const last = JSON.parse((events().at(-2) as string).split('\n')[0] as string)
    assert.deepEqual([last.me, last.occupancy.count], ['gate-01', 1])
    line.destroy()
  })
})

/** A server of its own, with events as large as the test needs them. */
async function inServer(
  routes: readonly Route[],
  act: (server: Server, faults: unknown[]) => Promise<void>,
): Promise<void> {
  const faults: unknown[] = []
  const server = new Server({ routes, onFault: error => faults.push(error) })
  try {
    await server.listen({ host: '127.0.0.1', port: 0 }, false)
    await act(server, faults)
  } finally {
    await server.close()
  }
}

test('a watcher that never reads is not buffered for, and costs those who read nothing', async () => {
  let told = 0
  const page = 'x'.repeat(100_000)
  const tell = () => ({ told: ++told, page })
  await inServer([{ method: 'GET', path: '/events', everyMs: 5, tell }], async server => {
    const deaf = connect(server.port, '127.0.0.1')
    deaf.on('error', () => undefined)
    deaf.pause()
    deaf.write('GET /events HTTP/1.1\r\nhost: x\r\n\r\n')
    const before = process.memoryUsage()
    let heard = 0
    const keen = connect(server.port, '127.0.0.1')
    keen.on('error', () => undefined)
    keen.on('data', part => {
      heard += part.length
    })
    keen.write('GET /events HTTP/1.1\r\nhost: x\r\n\r\n')
    await until(() => heard > 40_000_000, 'the one who reads is served')
    const after = process.memoryUsage()
    const grown = after.external + after.heapUsed - before.external - before.heapUsed
    assert.ok(grown < 30_000_000, `${grown} bytes more, of ${told * page.length} told`)
    deaf.destroy()
    keen.destroy()
  })
})

test('only so many may watch; a seat that is left is free again', async () => {
  await inServer([{ method: 'GET', path: '/events', everyMs: 50, tell: () => ({}) }], async server => {
    const seat = async () => {
      const abort = new AbortController()
      const response = await fetch(`${server.url}/events`, { signal: abort.signal })
      // held on to: fetch ends the stream of an answer that nobody refers to any more, and so leaves the seat
      return { status: response.status, abort, response }
    }
    const seats = await Promise.all(Array.from({ length: 200 }, seat))
    assert.ok(seats.every(({ status }) => status === 200))
    const late = await seat()
    assert.equal(late.status, 503)
    for (const { abort } of [...seats.slice(0, 10), late]) abort.abort()
    let status = 0
    for (let i = 0; i < 100 && status !== 200; i++) {
      const next = await seat()
      status = next.status
      next.abort.abort()
      await sleep(10)
    }
    assert.equal(status, 200)
    const since = performance.now()
    await server.close()
    assert.ok(performance.now() - since < 1500, 'those who watch do not keep it open')
    for (const { abort } of seats) abort.abort()
  })
})

test('a fault of ours is told as ours, once to the operator and without its text to the asker', async () => {
  const routes: Route[] = [
    { method: 'GET', path: '/bug', answer: () => assert.fail('secret') },
    { method: 'GET', path: '/teapot', answer: () => Promise.reject(new Refusal(418, 'a teapot')) },
    {
      method: 'POST',
      path: '/long',
      bodyBytesMax: 10,
      answer: async asked => ({ status: 200, type: 'text/plain', text: await asked.body() }),
    },
  ]
  await inServer(routes, async (server, faults) => {
    const bug = await fetch(`${server.url}/bug`)
    assert.deepEqual([bug.status, await bug.json()], [500, { error: 'a fault of this machine, not of the request' }])
    assert.equal(faults.length, 1)
    const teapot = await fetch(`${server.url}/teapot`)
    assert.deepEqual([teapot.status, await teapot.json()], [418, { error: 'a teapot' }])
    const post = async (body: string) => (await fetch(`${server.url}/long`, { method: 'POST', body })).status
    assert.deepEqual([await post('0123456789'), await post('0123456789a')], [200, 413])
    assert.equal(faults.length, 1)
  })
})

test('a taken port is moved on from where that is allowed, and named where it is not', async () => {
  await inServer([], async taken => {
    const place = { host: '127.0.0.1', port: taken.port }
    const second = new Server({ routes: [], onFault: () => undefined })
    await assert.rejects(second.listen(place, false), { code: 'PORT', message: new RegExp(`127.0.0.1:${taken.port}`) })
    await second.listen(place, true)
    assert.ok(second.port > taken.port)
    assert.equal(second.url, `http://127.0.0.1:${second.port}`)
    await second.close()
    await second.close()
  })
})

test('closing does not wait for a request that dawdles', async () => {
  await inFront(async rig => {
    const line = connect(rig.server.port, '127.0.0.1')
    line.on('error', () => undefined)
    line.on('data', () => undefined)
    line.write('POST /turnstile/entry HTTP/1.1\r\nhost: x\r\ncontent-length: 10\r\n\r\n')
    await sleep(50)
    const since = performance.now()
    await rig.server.close()
    assert.ok(performance.now() - since < 1500)
    line.destroy()
  })
})

test.run()
