import assert from 'node:assert/strict'
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { json, type Route } from '../../mesh/window/route.ts'
import { Front, withHead } from '../../tools/mall/front.ts'
import { suite } from '../suite.ts'

const test = suite('mall/front')

const HEAD = '<link id="ours">'
const PAGE = '<!doctype html><html lang="en"><title>Zürich</title><body>hello'

type Answer = (request: IncomingMessage, response: ServerResponse) => void

/** A member as the front sees one: it can go down and come back as another process at the same address. */
class Upstream {
  readonly name: string
  pid = 1
  url: string | undefined
  answer: Answer
  #server: Server | undefined
  #port = 0

  constructor(name: string) {
    this.name = name
    this.answer = (asked, response) => usual(name, asked, response)
  }

  async up(): Promise<void> {
    const server = createServer((asked, response) => this.answer(asked, response))
    await new Promise<void>(resolve => server.listen(this.#port, '127.0.0.1', resolve))
    this.#server = server
    this.#port = (server.address() as AddressInfo).port
    this.url = `http://127.0.0.1:${this.#port}`
  }

  /** As by a kill; nobody has noticed yet. */
  async dies(): Promise<void> {
    const closed = new Promise(resolve => this.#server?.close(resolve))
    this.#server?.closeAllConnections()
    await closed
    this.#server = undefined
  }

  async down(): Promise<void> {
    if (this.#server !== undefined) await this.dies()
    this.url = undefined
    this.pid++
  }
}

function usual(name: string, { url }: IncomingMessage, response: ServerResponse): void {
  if (url === '/' || url === '/other') {
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8', 'x-by': name, etag: '"1"' }).end(PAGE)
  } else if (url === '/events') {
    response.writeHead(200, { 'content-type': 'text/event-stream' }).write(`data: ${name}\n\n`)
  } else if (url === '/mall') response.writeHead(200, { 'content-type': 'application/json' }).end(`{"me":"${name}"}`)
  else response.writeHead(404, { 'content-type': 'application/json' }).end('{"error":"nothing"}')
}

interface Reply {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly text: string
}

interface Rig {
  readonly front: Front
  readonly anchor: Upstream
  readonly gate: Upstream
  ask(method: string, path: string, headers?: Record<string, string>, body?: string): Promise<Reply>
  /** resolves with the response once its head is there */
  watch(path: string): Promise<IncomingMessage>
}

const ROUTES: readonly Route[] = [
  { method: 'GET', path: '/demo/state', answer: () => json(200, { isCalm: true }) },
  { method: 'POST', path: '/demo/act', answer: async asked => json(200, { said: await asked.body() }) },
]

async function inRig(act: (rig: Rig) => Promise<void>): Promise<void> {
  const [anchor, gate] = [new Upstream('anchor'), new Upstream('gate-01')]
  const faults: unknown[] = []
  const dead = new Upstream('gate-00')
  const onFault = (error: unknown) => void faults.push(error)
  const front = new Front({ mall: 'north', anchor, gates: [dead, gate], routes: ROUTES, head: HEAD, onFault })
  const open = (method: string, path: string, headers = {}, body = '') =>
    new Promise<IncomingMessage>((resolve, reject) => {
      request(`${front.url}${path}`, { method, headers, agent: false }, resolve).on('error', reject).end(body)
    })
  try {
    await anchor.up()
    await gate.up()
    await front.listen(0)
    await until(async () => (await whole(await open('GET', '/mall'))).text.includes('anchor'), 'the anchor is found')
    await act({
      front,
      anchor,
      gate,
      ask: async (method, path, headers, body) => whole(await open(method, path, headers, body)),
      watch: path => open('GET', path),
    })
    assert.deepEqual(faults, [])
  } finally {
    await front.close()
    await anchor.down()
    await gate.down()
  }
}

async function whole(response: IncomingMessage): Promise<Reply> {
  const parts: Buffer[] = []
  for await (const part of response) parts.push(part)
  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    text: Buffer.concat(parts).toString('utf8'),
  }
}

async function until(holds: () => boolean | Promise<boolean>, what: string): Promise<void> {
  const end = performance.now() + 10_000
  while (!(await holds())) {
    assert.ok(performance.now() < end, what)
    await sleep(10)
  }
}

test('what is asked gets to the anchor as it was asked, and its answer comes back as it was given', async () => {
  await inRig(async ({ anchor, ask, front }) => {
    const seen: Pick<IncomingMessage, 'method' | 'url' | 'headers'>[] = []
    const bodies: string[] = []
    anchor.answer = async (asked, response) => {
      const { text } = await whole(asked)
      seen.push(asked)
      bodies.push(text)
      response.writeHead(409, { 'set-cookie': ['a=1; HttpOnly', 'b=2'], 'content-type': 'application/json' })
      response.end('{"code":"no"}')
    }
    const headers = {
      cookie: 'gatemesh-mall=x',
      origin: front.url,
      authorization: 'Bearer t',
      'content-type': 'text/plain',
    }
    const reply = await ask('POST', '/api/v1/malls/mall/modes?x=%20y&z', headers, 'ä note\n')
    assert.deepEqual([reply.status, reply.text], [409, '{"code":"no"}'])
    assert.deepEqual(reply.headers['set-cookie'], ['a=1; HttpOnly', 'b=2'])
    const { method, url, headers: got } = seen[0] as IncomingMessage
    assert.deepEqual([method, url, bodies[0]], ['POST', '/api/v1/malls/mall/modes?x=%20y&z', 'ä note\n'])
    for (const [name, value] of Object.entries({ ...headers, host: new URL(front.url).host })) {
      assert.equal(got[name], value, name)
    }
    assert.equal((await ask('DELETE', '/x')).status, 409)
    assert.deepEqual([seen[1]?.method, seen.length], ['DELETE', 2])
  })
})

test('the page at / gets our head and no other page does', async () => {
  await inRig(async ({ ask, anchor }) => {
    const { text, headers } = await ask('GET', '/')
    assert.equal(text, PAGE.replace('</title>', `</title>${HEAD}`))
    assert.equal(Number(headers['content-length']), Buffer.byteLength(text))
    assert.deepEqual([headers.etag, headers['x-by']], [undefined, 'anchor'], 'its tag is of another text')
    assert.equal((await ask('GET', '/?x=1')).status, 404, 'a fake knows no query')
    assert.equal((await ask('GET', '/other')).text, PAGE)
    assert.equal((await ask('GET', '/malls/north/mall')).status, 404, 'the anchor is asked for what was asked')
    assert.equal((await ask('GET', '/mall')).text, '{"me":"anchor"}')
    assert.equal((await ask('HEAD', '/')).text, '')
    anchor.answer = (_, response) => response.writeHead(401, { 'content-type': 'text/html' }).end(PAGE)
    assert.equal((await ask('GET', '/')).text, PAGE, 'what is no page but a refusal stays as it is')
  })
})

test('the head goes to the end of the head, after the title, or to the end', () => {
  assert.equal(withHead('<head><title>x</title></HEAD ><body>', 'Y'), '<head><title>x</title>Y</HEAD ><body>')
  assert.equal(withHead('<title>x</title><main>', 'Y'), '<title>x</title>Y<main>')
  assert.equal(withHead('hello', 'Y'), 'helloY')
})

test('events pass as they come; when the anchor dies they end, and a gate lends them until it is back', async () => {
  await inRig(async ({ anchor, watch, ask }) => {
    const first = await watch('/events')
    const [word] = await first.take(1).toArray()
    assert.equal(String(word), 'data: anchor\n\n')
    const cut = await watch('/events')
    await anchor.dies()
    assert.equal((await whole(cut)).text, 'data: anchor\n\n', 'it ends, and is whole')
    assert.equal((await ask('GET', '/mall')).text, '{"me":"gate-01"}', 'also before anyone noticed that it died')
    await anchor.down()
    const lent = whole(await watch('/events'))
    const again = whole(await watch('/events'))
    assert.match((await ask('GET', '/')).text, new RegExp(HEAD))
    let isStarting = true
    let refusals = 0
    anchor.answer = (asked, response) => {
      if (!isStarting) return usual('anchor', asked, response)
      refusals++
      response.writeHead(503).end()
    }
    await anchor.up()
    await until(() => refusals >= 2, 'it is asked whether it is back')
    assert.equal((await ask('GET', '/mall')).text, '{"me":"gate-01"}', 'one that only just started does not answer yet')
    isStarting = false
    for (const { text } of [await lent, await again]) assert.equal(text, 'data: gate-01\n\n')
    assert.equal((await ask('GET', '/mall')).text, '{"me":"anchor"}')
  })
})

test('what a gate does not have is 503 in words, and so is everything when nobody is there', async () => {
  await inRig(async ({ anchor, gate, ask }) => {
    await anchor.down()
    const { status, text } = await ask('GET', '/api/v1/malls')
    assert.equal(status, 503)
    assert.match(
      JSON.parse(text).error.message,
      /^the anchor is down: what only it can do waits until it is back \(gate-01 /,
    )
    assert.equal((await ask('GET', '/malls/north/mall')).text, '{"me":"gate-01"}', 'which has no malls but its own')
    for (const path of ['/malls/south/mall', '/malls/north']) assert.equal((await ask('GET', path)).status, 503, path)
    await gate.down()
    const nobody = await ask('GET', '/mall')
    assert.equal(nobody.status, 503)
    assert.match(JSON.parse(nobody.text).error.message, /neither the anchor nor any gate answers/)
    assert.equal((await ask('GET', '/demo/state')).status, 200, 'the demo is ours')
  })
})

test('what was posted is put to nobody else when the answer does not come', async () => {
  await inRig(async ({ anchor, gate, ask }) => {
    let posts = 0
    gate.answer = (_, response) => {
      posts++
      response.end()
    }
    anchor.answer = asked => asked.socket.destroy()
    const { status, text } = await ask('POST', '/policy', {}, 'a note')
    assert.equal(status, 503)
    assert.match(JSON.parse(text).error.message, /^anchor did not answer: /)
    assert.equal(posts, 0)
    assert.equal((await ask('GET', '/mall')).status, 200)
    assert.equal(posts, 1, 'what only reads is')
  })
})

test('drills are refused to pages from elsewhere, by whatever name they call this machine', async () => {
  await inRig(async ({ ask, front }) => {
    const { host, port } = new URL(front.url)
    const act = (headers: Record<string, string>) => ask('POST', '/demo/act', headers, '{}')
    assert.equal((await act({})).status, 200)
    assert.equal((await act({ origin: front.url })).status, 200)
    assert.equal((await act({ origin: `http://localhost:${port}`, host: `localhost:${port}` })).status, 200)
    for (const origin of ['http://evil.example', `http://${host}.evil.example`, 'null', `http://localhost:${port}`]) {
      assert.equal((await act({ origin })).status, 403, origin)
    }
    const evil = `evil.example:${port}`
    for (const path of ['/demo/act', '/demo/state', '/demo/keys/ann']) {
      const { status, text } = await ask('GET', path, { host: evil, origin: `http://${evil}` })
      assert.equal(status, 403, path)
      assert.match(JSON.parse(text).error, /only for pages of this very address/)
    }
    assert.equal((await ask('GET', '/demo/act')).status, 405)
    assert.equal((await ask('GET', '/demo/nothing')).status, 404)
  })
})

test('it closes at once, whoever watches, and again', async () => {
  await inRig(async ({ front, watch, anchor }) => {
    const watching = whole(await watch('/events')).catch(() => undefined)
    await anchor.down()
    await until(
      async () => (await watch('/events')).headers['content-type'] === 'text/event-stream',
      'a gate lends one',
    )
    const since = performance.now()
    await front.close()
    await front.close()
    await watching
    assert.ok(performance.now() - since < 2000)
  })
})

test.run()
