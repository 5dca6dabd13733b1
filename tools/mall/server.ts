// Server: the mall's doors and its live page over HTTP, on loopback.
//
// Laws: an exit is counted whatever was sent with it, and is never refused; an error only says what was wrong with the
// words. Bodies are small and have little time; whoever sends garbage gets a clear no and costs nobody else anything.

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Fault } from '../../ledger/fault.ts'
import { isUuid7 } from '../../ledger/line.ts'
import { occupancyOf } from '../../mesh/occupancy.ts'
import type { Door } from '../../node/door.ts'
import { statusOf } from '../../node/status.ts'
import type { Mall } from './mall.ts'
import { PAGE } from './page.ts'
import { reportOf } from './report.ts'

const HOST = '127.0.0.1'
const BODY_BYTES_MAX = 4096
const REQUEST_MS_MAX = 10_000
const EVENT_EVERY_MS = 500
const WATCHERS_MAX = 200
/** How many ports after a taken one are tried. */
const PORTS_TRIED = 50

/** What was wrong with a request, in words for whoever sent it. */
class Refusal extends Error {
  readonly status: number

  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

export class MallServer {
  readonly #mall: Mall
  readonly #server: Server
  readonly #watchers = new Set<ServerResponse>()
  #timer: NodeJS.Timeout | undefined
  #port = 0

  constructor(mall: Mall) {
    this.#mall = mall
    this.#server = createServer((request, response) => {
      this.#serve(request, response).catch(error => refuse(response, error))
    })
    this.#server.requestTimeout = REQUEST_MS_MAX
    this.#server.headersTimeout = REQUEST_MS_MAX
  }

  get url(): string {
    return `http://${HOST}:${this.#port}`
  }

  /** Takes `port`; where it `mayMove`, the next free one after it. */
  async listen(port: number, mayMove: boolean): Promise<void> {
    for (let tried = port; ; tried++) {
      try {
        await this.#take(tried)
        break
      } catch (error) {
        const { code, message } = error as NodeJS.ErrnoException
        if (code !== 'EADDRINUSE' || !mayMove || tried >= Math.min(65_535, port + PORTS_TRIED)) {
          throw new Fault('PORT', `cannot listen on ${HOST}:${tried}: ${message}`, { cause: error })
        }
      }
    }
    this.#port = (this.#server.address() as AddressInfo).port
    this.#timer = setInterval(() => this.#tellWatchers(), EVENT_EVERY_MS)
  }

  get port(): number {
    return this.#port
  }

  async close(): Promise<void> {
    clearInterval(this.#timer)
    if (!this.#server.listening) return
    for (const watcher of this.#watchers) watcher.end()
    const closed = new Promise<void>(resolve => this.#server.close(() => resolve()))
    this.#server.closeIdleConnections()
    // what is under way is answered within the deadline of a decision; whoever holds on longer is cut
    const cut = setTimeout(() => this.#server.closeAllConnections(), 500)
    await closed
    clearTimeout(cut)
  }

  #take(port: number): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#server.once('error', reject)
      this.#server.listen(port, HOST, () => {
        this.#server.off('error', reject)
        resolve()
      })
    })
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = (request.url ?? '/').split('?', 1)[0] as string
    if (path === '/') return page(only('GET', request, response))
    if (path === '/status') return json(only('GET', request, response), 200, reportOf(this.#mall))
    if (path === '/events') return this.#watch(only('GET', request, response))
    const [, gates, name = '', ...rest] = path.split('/')
    const what = rest.join('/')
    if (gates !== 'gates' || !['status', 'turnstile/entry', 'turnstile/exit'].includes(what)) {
      throw new Refusal(404, `there is nothing at ${path.slice(0, 100)}`)
    }
    const door = this.#mall.door(name)
    if (door === undefined) throw new Refusal(404, `there is no gate ${JSON.stringify(name.slice(0, 40))}`)
    if (what === 'status') return json(only('GET', request, response), 200, statusOf(door, this.#mall.clock.now()))
    only('POST', request, response)
    if (what === 'turnstile/exit') return exit(door, request, response)
    return this.#entry(door, request, response)
  }

  async #entry(door: Door, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { id, confidence } = asked(await read(request))
    const { id: own, decision, reason, source, latencyUs } = await door.enter(id, confidence)
    const me = door.gate?.me
    json(response, 200, {
      id: own,
      decision,
      reason,
      source: source ?? null,
      latencyUs,
      balance: me?.books?.balance ?? 0,
      occupancy: me ? occupancyOf(me, this.#mall.clock.now()) : null,
    })
  }

  #watch(response: ServerResponse): void {
    if (this.#watchers.size >= WATCHERS_MAX) throw new Refusal(503, `${WATCHERS_MAX} are watching already`)
    response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' })
    this.#watchers.add(response)
    response.on('close', () => this.#watchers.delete(response))
    response.write(this.#event())
  }

  #tellWatchers(): void {
    if (this.#watchers.size === 0) return
    const event = this.#event()
    for (const watcher of this.#watchers) {
      // one that does not read is not written for: it would be kept in memory until it does
      if (watcher.writableLength < 1_000_000) watcher.write(event)
    }
  }

  #event(): string {
    return `data: ${JSON.stringify(reportOf(this.#mall))}\n\n`
  }
}

/** Out first; then what was said about it is read. */
async function exit(door: Door, request: IncomingMessage, response: ServerResponse): Promise<void> {
  try {
    const { id, confidence } = asked(await read(request))
    json(response, 200, door.leave(id, confidence))
  } catch (error) {
    const left = door.leave(undefined, 0)
    const { status, message } = error instanceof Refusal ? error : { status: 400, message: 'the request broke off' }
    json(response, status, {
      error: `let out and counted all the same, without credit: ${message}`,
      letOut: true,
      ...left,
    })
  }
}

function asked(body: unknown): { id: string | undefined; confidence: unknown } {
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw new Refusal(400, 'the body is no JSON object')
  const { id, confidence } = body as Record<string, unknown>
  if (id !== undefined && !(typeof id === 'string' && isUuid7(id))) {
    throw new Refusal(400, 'id: a UUIDv7 in lower case, or none')
  }
  if (confidence !== undefined && !Number.isFinite(confidence)) {
    throw new Refusal(400, 'confidence: a number from 0 to 1000, or none')
  }
  return { id: id as string | undefined, confidence }
}

function read(request: IncomingMessage): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const parts: Buffer[] = []
    let bytes = 0
    request.on('data', (part: Buffer) => {
      bytes += part.length
      // what comes after is read and thrown away: to cut the line here would cut off the answer as well
      if (bytes > BODY_BYTES_MAX) reject(new Refusal(413, `the body is longer than ${BODY_BYTES_MAX} bytes`))
      else parts.push(part)
    })
    request.on('end', () => resolve(parts))
    request.on('close', () => reject(new Refusal(400, 'the request broke off')))
  }).then(parts => parse(Buffer.concat(parts as Buffer[]).toString('utf8')))
}

function parse(text: string): unknown {
  if (text === '') return {}
  try {
    return JSON.parse(text)
  } catch {
    throw new Refusal(400, 'the body is not JSON')
  }
}

function only(method: 'GET' | 'POST', request: IncomingMessage, response: ServerResponse): ServerResponse {
  if (request.method === method) return response
  response.setHeader('allow', method)
  throw new Refusal(405, `${request.method} is not for this address, ${method} is`)
}

function page(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' })
  response.end(PAGE)
}

function json(response: ServerResponse, status: number, value: object): void {
  if (response.headersSent || response.destroyed) return
  const text = `${JSON.stringify(value)}\n`
  // a body that was not read to its end would be taken for the next request
  if (status >= 400) response.setHeader('connection', 'close')
  response.writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) })
  response.end(text)
}

function refuse(response: ServerResponse, error: unknown): void {
  if (error instanceof Refusal) return json(response, error.status, { error: error.message })
  if (response.destroyed) return
  console.error('gatemesh mall: a request failed:', error)
  json(response, 500, { error: 'a fault in the mall' })
}
