// Front: the one address of a mall on this machine. What is asked there the anchor answers; while it is down a gate does,
// so that whoever watches goes on watching. Only what is below /demo/ is answered here.
//
// Laws: what passes through is not changed, but for the page at /, which gets the demo's own script and style. A question
// is put to another member only where nobody can have acted on it. When the anchor is back, event streams that a gate
// lent are ended once: a page opens them again by itself, and is with the anchor.

import { type ClientRequest, request as call, type IncomingMessage, type ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Route } from '../../mesh/window/route.ts'
import { Server } from '../../mesh/window/server.ts'
import { Client } from './client.ts'
import { HOST } from './ports.ts'

/** A member as the front sees it. */
export interface Upstream {
  readonly name: string
  readonly pid: number
  /** undefined while it is down */
  readonly url: string | undefined
}

export interface FrontOptions {
  /** its name in addresses: the anchor has its pages below /malls/<mall>/ too, a gate only at the root */
  readonly mall: string
  readonly anchor: Upstream
  readonly gates: readonly Upstream[]
  /** below /demo/ */
  readonly routes: readonly Route[]
  /** for the head of the page at / */
  readonly head: string
  readonly onFault: (error: unknown) => void
}

/** Until the head of an answer; a member that hangs is as good as down. */
const ANSWER_MS_MAX = 5000
/** How soon it is seen that the anchor is back. */
const LOOK_MS = 200
/** What one hop says about its own connection. */
const HOP = ['connection', 'keep-alive', 'proxy-connection', 'te', 'trailer', 'transfer-encoding', 'upgrade']
/** What would make an answer something else than the whole of it as text. */
const WHOLE = ['accept-encoding', 'if-none-match', 'if-modified-since', 'range']
/** Names that mean this machine: a page from elsewhere that had its own name point here is not served keys. */
const HERE = /^(127\.0\.0\.1|localhost|\[::1\])(:\d+)?$/

export class Front {
  readonly #o: FrontOptions
  readonly #server: Server
  readonly #client = new Client()
  readonly #calls = new Set<ClientRequest>()
  /** event streams that a gate lent */
  readonly #lent = new Set<ServerResponse>()
  /** of the anchor's process that was seen to answer */
  #wellPid: number | undefined
  #looking: Promise<void> | undefined
  #isClosed = false

  constructor(options: FrontOptions) {
    this.#o = options
    const { routes, onFault } = options
    this.#server = new Server({ routes, onFault, first: (request, response) => this.#first(request, response) })
  }

  get url(): string {
    return this.#server.url
  }

  async listen(port: number): Promise<void> {
    await this.#server.listen({ host: HOST, port }, false)
    this.#look()
  }

  /** Safe to repeat. */
  async close(): Promise<void> {
    this.#isClosed = true
    for (const response of this.#lent) response.end()
    const closed = this.#server.close()
    for (const sent of this.#calls) sent.destroy()
    this.#client.close()
    await closed
    await this.#looking
  }

  #first(request: IncomingMessage, response: ServerResponse): boolean {
    const isOurs = pathOf(request).startsWith('/demo/')
    if (isOurs && HERE.test(request.headers.host ?? '')) return false
    if (isOurs) refuse(response, 403, { error: 'the demo is only for pages of this very address, on this machine' })
    else this.#pass(request, response, this.#ways())
    return true
  }

  get #isAnchorWell(): boolean {
    const { pid, url } = this.#o.anchor
    return url !== undefined && pid === this.#wellPid
  }

  /** Whom to ask, the best first. */
  #ways(): readonly Upstream[] {
    const { anchor, gates } = this.#o
    if (!this.#isAnchorWell) this.#look()
    return [...(this.#isAnchorWell ? [anchor] : []), ...gates.filter(({ url }) => url !== undefined)]
  }

  #pass(request: IncomingMessage, response: ServerResponse, [way, ...rest]: readonly Upstream[]): void {
    if (way?.url === undefined) return away(response, 'neither the anchor nor any gate answers at the moment')
    const sent = this.#call(request, way)
    const late = setTimeout(() => sent.destroy(new Error(`no answer in ${ANSWER_MS_MAX} ms`)), ANSWER_MS_MAX)
    const gone = () => sent.destroy()
    response.once('close', gone)
    sent.on('response', answer => {
      clearTimeout(late)
      this.#answer({ request, response, answer, way })
    })
    sent.on('close', () => {
      clearTimeout(late)
      this.#calls.delete(sent)
    })
    sent.on('error', error => {
      if (response.headersSent || response.destroyed || this.#isClosed) return void response.destroy()
      if (way === this.#o.anchor) this.#wellPid = undefined
      response.off('close', gone)
      if (isPlain(request)) return this.#pass(request, response, rest)
      // it may have been heard: to say it again elsewhere is for whoever asked to decide
      away(response, `${way.name} did not answer: ${error.message}`)
    })
    if (isPlain(request)) sent.end()
    else request.pipe(sent)
  }

  #call(request: IncomingMessage, way: Upstream): ClientRequest {
    const { method, url: asked = '/' } = request
    const below = `/malls/${this.#o.mall}/`
    const path = way !== this.#o.anchor && asked.startsWith(below) ? asked.slice(below.length - 1) : asked
    const headers: Record<string, string | string[]> = { ...kept(request), connection: 'close' }
    // nobody sends a body with these, and to announce one would have the member wait for it
    if (isPlain(request)) delete headers['content-length']
    // the page is changed on its way, so it comes whole and as text
    if (pathOf(request) === '/') for (const name of WHOLE) delete headers[name]
    const sent = call(way.url as string, { method, path, headers, agent: false })
    this.#calls.add(sent)
    return sent
  }

  #answer(a: { request: IncomingMessage; response: ServerResponse; answer: IncomingMessage; way: Upstream }): void {
    const { request, response, answer, way } = a
    const type = answer.headers['content-type'] ?? ''
    const isLent = way !== this.#o.anchor
    if (isLent && answer.statusCode === 404) {
      answer.resume()
      return away(
        response,
        `the anchor is down: what only it can do waits until it is back (${way.name} shows the mall meanwhile)`,
      )
    }
    const isStream = type.startsWith('text/event-stream')
    const isPage = pathOf(request) === '/' && request.method === 'GET' && type.startsWith('text/html')
    if (isPage && answer.statusCode === 200) return void this.#page(answer, response)
    response.writeHead(answer.statusCode ?? 502, kept(answer))
    if (isStream && isLent) {
      this.#lent.add(response)
      response.once('close', () => this.#lent.delete(response))
    }
    answer.pipe(response)
    // an event stream that breaks off ends; anything else that does is not whole, and must not look so
    answer.once('error', () => (isStream ? response.end() : response.destroy()))
  }

  async #page(answer: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      const parts: Buffer[] = []
      for await (const part of answer) parts.push(part)
      const page = Buffer.from(withHead(Buffer.concat(parts).toString('utf8'), this.#o.head))
      const { etag: _etag, 'last-modified': _changed, ...headers } = kept(answer)
      response.writeHead(200, { ...headers, 'content-length': page.length })
      response.end(page)
    } catch {
      response.destroy()
    }
  }

  /** Until the anchor answers as a mall's anchor does; it listens long before. */
  #look(): void {
    this.#looking ??= this.#lookout().finally(() => {
      this.#looking = undefined
    })
  }

  async #lookout(): Promise<void> {
    while (!this.#isClosed && !this.#isAnchorWell) {
      const { pid, url } = this.#o.anchor
      const reply = url === undefined ? undefined : await this.#client.get(`${url}/mall`).catch(() => undefined)
      if (reply?.status === 200) this.#wellPid = pid
      else await sleep(LOOK_MS)
    }
    for (const response of this.#lent) response.end()
  }
}

function isPlain({ method }: IncomingMessage): boolean {
  return method === 'GET' || method === 'HEAD'
}

function pathOf({ url = '/' }: IncomingMessage): string {
  return url.split('?', 1)[0] as string
}

/** The headers without those of the hop. */
function kept({ headers }: IncomingMessage): Record<string, string | string[]> {
  const entries = Object.entries(headers).filter(([name, value]) => value !== undefined && !HOP.includes(name))
  return Object.fromEntries(entries) as Record<string, string | string[]>
}

/** At the end of the head, or after the title where the page leaves it to the browser to find that. */
export function withHead(page: string, head: string): string {
  const end = page.search(/<\/head\s*>/i)
  const title = /<\/title\s*>/i.exec(page)
  const at = end >= 0 ? end : title === null ? page.length : title.index + title[0].length
  return `${page.slice(0, at)}${head}${page.slice(at)}`
}

/** In the words of the anchor's API, which pages know how to show. */
function away(response: ServerResponse, message: string): void {
  refuse(response, 503, { error: { code: 'away', message } })
}

function refuse(response: ServerResponse, status: number, body: object): void {
  if (response.headersSent || response.destroyed) return
  response.writeHead(status, {
    'cache-control': 'no-store',
    'content-type': 'application/json',
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
    'x-content-type-options': 'nosniff',
  })
  response.end(`${JSON.stringify(body)}\n`)
}
