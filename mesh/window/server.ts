// Server: a member's window to people and programs on its machine: a small HTTP server with a table of routes.
//
// Laws: bodies are small and have little time; whoever sends garbage gets a clear no and costs nobody else anything.
// A watcher that does not read is not written for: it would be kept in memory until it does.

import {
  createServer,
  type Server as HttpServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { Fault } from '../../ledger/fault.ts'
import { PACKED, takesGzip } from './packing.ts'
import { BODY_BYTES_MAX, json, Refusal, type Reply, type Route, type WatchRoute } from './route.ts'
import { Watchers } from './watchers.ts'

/** A whole request, headers and body; checked about once a second. */
const REQUEST_MS_MAX = 10_000
/** A body that was begun is in by then, also over a bad radio link. */
const BODY_MS_MAX = 5000
/** How many ports after a taken one are tried. */
const PORTS_TRIED = 50
/** What is under way at the end is answered within the deadline of a decision; whoever holds on longer is cut. */
const CLOSE_MS_MAX = 500

const EVERY_REPLY = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
} as const
/** What is no page shall not act as one. */
const NO_PAGE = { 'content-security-policy': "default-src 'none'; frame-ancestors 'none'" } as const

export interface ServerOptions {
  readonly routes: readonly Route[]
  /** a request failed through no fault of whoever sent it */
  readonly onFault: (error: unknown) => void
  /** Looks at every request before the table does; true where it answers by itself. */
  readonly first?: (request: IncomingMessage, response: ServerResponse) => boolean
  /** who sees what is private; everybody, unless said otherwise */
  readonly mayLook?: MayLook
}

export type MayLook = (headers: Pick<IncomingHttpHeaders, 'authorization' | 'cookie'>) => boolean

export interface Listening {
  readonly host: string
  readonly port: number
}

export class Server {
  readonly #onFault: (error: unknown) => void
  readonly #first: ServerOptions['first']
  readonly #mayLook: MayLook
  readonly #routes = new Map<string, Route[]>()
  readonly #watchers = new Map<WatchRoute, Watchers>()
  readonly #server: HttpServer
  #at: Listening = { host: '127.0.0.1', port: 0 }

  constructor(options: ServerOptions) {
    this.#onFault = options.onFault
    this.#first = options.first
    this.#mayLook = options.mayLook ?? (() => true)
    for (const route of options.routes) {
      this.#routes.set(route.path, [...(this.#routes.get(route.path) ?? []), route])
      if ('tell' in route) this.#watchers.set(route, new Watchers(route, this.#onFault))
    }
    const limits = { requestTimeout: REQUEST_MS_MAX, headersTimeout: REQUEST_MS_MAX, connectionsCheckingInterval: 1000 }
    this.#server = createServer(limits, (request, response) => {
      this.#serve(request, response).catch(error => this.#refuse(response, error))
    })
    this.#server.on('clientError', garbled)
  }

  /** Takes the port; where it `mayMove`, the next free one after it. */
  async listen(place: Listening, mayMove: boolean): Promise<void> {
    const { host } = place
    for (let port = place.port; ; port++) {
      try {
        await this.#take({ host, port })
        break
      } catch (error) {
        const { code, message } = error as NodeJS.ErrnoException
        if (code === 'EADDRINUSE' && mayMove && port < Math.min(65_535, place.port + PORTS_TRIED)) continue
        throw new Fault('PORT', `cannot listen on ${host}:${port}: ${message}`, { cause: error })
      }
    }
    this.#at = { host, port: (this.#server.address() as AddressInfo).port }
    this.#server.on('error', this.#onFault)
  }

  get port(): number {
    return this.#at.port
  }

  /** Where a browser on this machine finds it. */
  get url(): string {
    const { host, port } = this.#at
    const shown = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host
    return `http://${shown.includes(':') ? `[${shown}]` : shown}:${port}`
  }

  /** Ends within a second, whoever still watches or dawdles. Safe to repeat. */
  async close(): Promise<void> {
    for (const watchers of this.#watchers.values()) watchers.close()
    if (!this.#server.listening) return
    const closed = new Promise<void>(resolve => this.#server.close(() => resolve()))
    this.#server.closeIdleConnections()
    const cut = setTimeout(() => this.#server.closeAllConnections(), CLOSE_MS_MAX)
    await closed
    clearTimeout(cut)
  }

  #take({ host, port }: Listening): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#server.once('error', reject)
      this.#server.listen(port, host, () => {
        this.#server.off('error', reject)
        resolve()
      })
    })
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    // an address that breaks off while it is answered is nobody's fault
    response.on('error', () => undefined)
    if (this.#first?.(request, response)) return
    const [path = '/', query = ''] = (request.url ?? '/').split('?', 2)
    const route = this.#routeOf(path, request, response)
    if (route.isPrivate && !this.#mayLook(request.headers)) throw new Refusal(401, 'only for whoever shows the pass')
    if ('tell' in route) {
      if (!this.#watchers.get(route)?.add(response)) throw new Refusal(503, 'as many are watching as may')
      return
    }
    if (!route.isOpen) refuseForeign(request)
    const limit = route.bodyBytesMax ?? BODY_BYTES_MAX
    const body = (withinMs = BODY_MS_MAX) => read(request, limit, withinMs)
    const { authorization } = request.headers
    say(response, await route.answer({ query: new URLSearchParams(query), authorization, body }))
  }

  #routeOf(path: string, request: IncomingMessage, response: ServerResponse): Route {
    const routes = this.#routes.get(path)
    if (routes === undefined) throw new Refusal(404, `there is nothing at ${JSON.stringify(path.slice(0, 100))}`)
    const wanted = request.method === 'HEAD' ? 'GET' : request.method
    const route = routes.find(({ method }) => method === wanted)
    if (route !== undefined && !(request.method === 'HEAD' && 'tell' in route)) return route
    const allowed = routes.map(({ method }) => method).join(', ')
    response.setHeader('allow', allowed)
    throw new Refusal(405, `${request.method} is not for this address, ${allowed} is`)
  }

  #refuse(response: ServerResponse, error: unknown): void {
    if (error instanceof Refusal) return say(response, json(error.status, { error: error.message }))
    this.#onFault(error)
    say(response, json(500, { error: 'a fault of this machine, not of the request' }))
  }
}

/** Posts that a page from elsewhere made a browser send: such a page could raise the alarm of a whole mall. */
function refuseForeign({ method, headers }: IncomingMessage): void {
  const { origin, host } = headers
  if (method !== 'POST' || origin === undefined) return
  if (!URL.canParse(origin) || new URL(origin).host !== host) throw new Refusal(403, 'posted by a page from elsewhere')
}

function read(request: IncomingMessage, limit: number, withinMs: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const parts: Buffer[] = []
    let bytes = 0
    const late = setTimeout(() => reject(new Refusal(408, `the body was not there within ${withinMs} ms`)), withinMs)
    const end = (act: () => void) => {
      clearTimeout(late)
      act()
    }
    request.on('data', (part: Buffer) => {
      bytes += part.length
      // what comes after is read and thrown away, until the request's time is up: to cut the line would cut the answer
      if (bytes <= limit) parts.push(part)
      else end(() => reject(new Refusal(413, `the body is longer than ${limit} bytes`)))
    })
    request.on('end', () => end(() => resolve(Buffer.concat(parts).toString('utf8'))))
    request.on('error', () => end(() => reject(new Refusal(400, 'the request broke off'))))
    request.on('close', () => end(() => reject(new Refusal(400, 'the request broke off'))))
  })
}

function say(response: ServerResponse, reply: Reply): void {
  if (response.headersSent || response.destroyed) return
  const packed = takesGzip(response.req.headers['accept-encoding']) ? reply.packed?.() : undefined
  const body = packed ?? Buffer.from(reply.text)
  response.writeHead(reply.status, {
    ...EVERY_REPLY,
    ...NO_PAGE,
    'content-type': reply.type,
    'content-length': body.length,
    ...(packed === undefined ? {} : PACKED),
    ...reply.headers,
  })
  response.end(body)
}

/** What is no HTTP, or took too long to become a request. Where something was answered already, this is not its answer. */
function garbled(error: NodeJS.ErrnoException, socket: Duplex & Partial<Socket>): void {
  if (!socket.writable || socket.bytesWritten !== 0 || error.code === 'ECONNRESET') {
    socket.destroy()
    return
  }
  const status = error.code === 'ERR_HTTP_REQUEST_TIMEOUT' ? '408 Request Timeout' : '400 Bad Request'
  const text = `${JSON.stringify({ error: `this is no request: ${error.message.slice(0, 200)}` })}\n`
  const type = 'connection: close\r\ncontent-type: application/json'
  socket.end(`HTTP/1.1 ${status}\r\n${type}\r\ncontent-length: ${Buffer.byteLength(text)}\r\n\r\n${text}`)
}
