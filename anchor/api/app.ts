// App: the anchor's HTTP server: the API under /api/v1, the windows at the root, and pages.
//
// Laws: whoever sends garbage gets a clear no in one shape and costs nobody else anything. What crosses the line is what
// the schemas say. There are no headers that would let a page from elsewhere read any of it.

import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import type { AddressInfo, Socket } from 'node:net'
import helmet from '@fastify/helmet'
import rateLimit from '@fastify/rate-limit'
import swagger from '@fastify/swagger'
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import { Fault } from '../../ledger/fault.ts'
import type { Cabinet } from '../../mesh/archive/cabinet.ts'
import type { Clock } from '../../mesh/clock.ts'
import type { Log } from '../../mesh/log.ts'
import { newId } from '../../mesh/real-clock.ts'
import type { Access } from '../access/access.ts'
import { bindAll, mallOf, type Surroundings } from './binding.ts'
import { type ApiConfig, USUAL_LIMITS } from './config.ts'
import type { Service } from './endpoint.ts'
import { Guard } from './guard.ts'
import { Idempotency } from './idempotency.ts'
import { addPages } from './pages.ts'
import type { Desk, MallView } from './ports.ts'
import { ApiRefusal, errorBody, refusalOf } from './refusal.ts'
import { ENDPOINTS } from './routes/endpoints.ts'
import { ErrorShape } from './shape.ts'
import { Streams } from './streams.ts'
import { validatorOf } from './validator.ts'
import { addVisitors } from './visitors.ts'
import { addWindows } from './windows.ts'

export interface AppOptions {
  readonly desks: () => ReadonlyMap<string, Desk>
  /** malls whose desk is not open yet too; those with a desk unless said otherwise */
  readonly malls?: () => ReadonlyMap<string, MallView>
  readonly access: Access
  readonly clock: Clock
  readonly log: Log
  /** for answers that were given */
  readonly cabinet: Cabinet
  /** of one mall, or of all where reads are open */
  readonly metrics: (mall: string | undefined) => string
  readonly health: () => { readonly ok: boolean; readonly malls: object }
  readonly config: ApiConfig
}

/** A whole request, headers and body. */
const REQUEST_MS_MAX = 10_000
/** What is under way at the end is answered within this; whoever holds on longer is cut. */
const CLOSE_MS_MAX = 500

export async function buildApp(a: AppOptions): Promise<FastifyInstance> {
  const { access, clock, log, config, desks, malls = desks } = a
  const app = await serverOf(a)
  const limits = config.limits ?? USUAL_LIMITS
  const onFault = (error: unknown) => log.error('request-fault', { error: (error as Error)?.stack ?? String(error) })
  const service: Service = {
    desks,
    malls,
    access,
    wall: () => clock.wall(),
    newId,
    isSecure: config.tls !== undefined,
    openapi: () => app.swagger(),
  }
  const idempotency = new Idempotency({ cabinet: a.cabinet, clock, log, random: randomBytes })
  const streams = new Streams(clock)
  const guard = new Guard({
    access,
    charterOf: mall => malls().get(mall)?.charter,
    isOpen: config.access === 'open',
  })
  const s: Surroundings = { service, guard, idempotency, streams, clock, limits, onFault }
  await addPlugins(app, a, limits.requests)
  app.decorateRequest('known', null)
  app.addSchema(ErrorShape)
  // with a schema added in a part of its own, that part would fall back to Fastify's validator, which bends what it gets
  app.setValidatorCompiler(validatorOf as never)
  // only JSON comes in: a body of another kind is told so, and not that its fields are missing
  app.removeContentTypeParser('text/plain')
  addHooks(app, a, streams)
  app.register(async api => bindAll(api, ENDPOINTS, s))
  app.register(async windows => addWindows(windows, { ...s, metrics: a.metrics, health: a.health }))
  app.register(async visitors => addVisitors(visitors, s))
  app.register(async pages => addPages(pages))
  app.addHook('onClose', async () => idempotency.close())
  await app.ready()
  return app
}

/** Where a browser on this machine finds it, once it listens. */
export function urlOf(app: FastifyInstance, { host, tls }: ApiConfig): string {
  const { port } = app.server.address() as AddressInfo
  return `${tls === undefined ? 'http' : 'https'}://${host === '0.0.0.0' ? '127.0.0.1' : host}:${port}`
}

async function serverOf({ log, config }: AppOptions): Promise<FastifyInstance> {
  const limits = {
    requestTimeout: REQUEST_MS_MAX,
    headersTimeout: REQUEST_MS_MAX,
    connectionsCheckingInterval: 1000,
    maxHeaderSize: 16 * 1024,
  }
  const options = {
    logger: false,
    genReqId: newId,
    bodyLimit: 16 * 1024,
    requestTimeout: REQUEST_MS_MAX,
    keepAliveTimeout: 5000,
    routerOptions: { maxParamLength: 200 },
    frameworkErrors: (error: Error, request: FastifyRequest, reply: FastifyReply) => refuse(error, request, reply, log),
    clientErrorHandler: garbled,
  } as const
  if (config.tls === undefined) return Fastify({ ...options, http: limits } as object) as unknown as FastifyInstance
  // one after the other: where both are missing it is always the same that is told
  const cert = await pem(config.tls.cert, 'http.tls.cert')
  const key = await pem(config.tls.key, 'http.tls.key')
  try {
    return Fastify({ ...options, https: { ...limits, cert, key, minVersion: 'TLSv1.2' } }) as unknown as FastifyInstance
  } catch (error) {
    throw new Fault('CONFIG', `http.tls: ${(error as Error).message}`, { cause: error })
  }
}

async function pem(path: string, field: string): Promise<Buffer> {
  try {
    return await readFile(path)
  } catch (error) {
    throw new Fault('CONFIG', `${field}: ${(error as Error).message}`, { cause: error })
  }
}

async function addPlugins(app: FastifyInstance, { config }: AppOptions, requests: number): Promise<void> {
  await app.register(helmet, {
    contentSecurityPolicy: {
      useDefaults: false,
      directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"], baseUri: ["'none'"], formAction: ["'none'"] },
    },
    crossOriginEmbedderPolicy: false,
    referrerPolicy: { policy: 'no-referrer' },
    strictTransportSecurity: config.tls === undefined ? false : { maxAge: 31_536_000, includeSubDomains: false },
  })
  await app.register(rateLimit, {
    global: true,
    max: requests,
    timeWindow: '1 minute',
    cache: 10_000,
    keyGenerator: request => addressKey(request.ip),
    errorResponseBuilder: (_request, { after }) =>
      new ApiRefusal(429, 'too-many', `too many requests from this address: try again in ${after}`),
  })
  await app.register(swagger, {
    refResolver: { buildLocalReference: (schema, _base, _fragment, i) => String(schema.$id ?? `shape-${i}`) },
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Gatemesh anchor',
        version: '1',
        description: 'Occupancy of malls: what is proved, who decided, and what operators sign.',
      },
      components: {
        securitySchemes: {
          token: { type: 'http', scheme: 'bearer' },
          cookie: { type: 'apiKey', in: 'cookie', name: 'gatemesh-<mall>' },
        },
      },
    },
  })
}

function addHooks(app: FastifyInstance, { clock, log }: AppOptions, streams: Streams): void {
  app.addHook('onRequest', async (request, reply) => {
    reply.header('x-request-id', request.id).header('cache-control', 'no-store')
  })
  // what was asked to change is in the log, with who asked and what was answered; what was read is not, nor those who
  // were turned away at the door, who could fill the disk with it
  app.addHook('onResponse', async (request, reply) => {
    const { operation } = request.routeOptions.config as { operation?: string }
    const { id, ip, method } = request
    const { statusCode: status } = reply
    if (method === 'GET' || method === 'HEAD' || operation === undefined || status === 401 || status === 429) return
    log.info('request', { id, operation, mall: mallOf(request), by: request.known?.caller?.name, address: ip, status })
  })
  app.setErrorHandler((error, request, reply) => refuse(error, request, reply, log))
  app.setNotFoundHandler({ preHandler: app.rateLimit() }, (request, reply) => {
    const message = `there is nothing at ${JSON.stringify(request.url.split('?', 1)[0]?.slice(0, 100))}`
    return refuse(new ApiRefusal(404, 'not-found', message), request, reply, log)
  })
  app.addHook('preClose', async () => {
    streams.close()
    const forget = clock.in(CLOSE_MS_MAX, () => app.server.closeAllConnections())
    app.server.once('close', forget)
  })
}

function refuse(error: unknown, request: FastifyRequest, reply: FastifyReply, log: Log) {
  const refusal = refusalOf(error)
  const isApi = request.url.startsWith('/api/')
  if (refusal === undefined) {
    log.error('request-fault', {
      id: request.id,
      url: request.url.slice(0, 200),
      error: (error as Error)?.stack ?? error,
    })
    const message = `a fault of this anchor, not of the request; its log knows it as ${request.id}`
    return reply.code(500).send(isApi ? errorBody('fault', message) : { error: message })
  }
  const { status, code, message, where, headers } = refusal
  if (status === 401 && isPage(request))
    return reply
      .code(401)
      .headers(headers ?? {})
      .type('text/html')
      .send(LOGIN_HINT)
  const body = isApi ? errorBody(code, message, where) : { error: message }
  return reply
    .code(status)
    .headers(headers ?? {})
    .send(body)
}

const LOGIN_HINT = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Log in</title>
<p>This needs somebody who is logged in: <a href="/">log in</a>.</p>
`

function isPage({ url, headers }: FastifyRequest): boolean {
  return !url.startsWith('/api/') && (headers.accept ?? '').includes('text/html')
}

/** IPv6 addresses of one customer share their first 64 bits. */
export function addressKey(ip: string): string {
  if (!ip.includes(':')) return ip
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(ip)?.[1]
  if (mapped !== undefined) return mapped
  const [head = '', tail = ''] = ip.split('::', 2)
  const front = head === '' ? [] : head.split(':')
  const back = tail === '' ? [] : tail.split(':')
  const middle = ip.includes('::') ? new Array(Math.max(0, 8 - front.length - back.length)).fill('0') : []
  return [...front, ...middle, ...back].slice(0, 4).join(':')
}

/** What is no HTTP, or took too long to become a request. */
function garbled(error: NodeJS.ErrnoException, socket: Socket): void {
  if (!socket.writable || socket.bytesWritten !== 0 || error.code === 'ECONNRESET') {
    socket.destroy()
    return
  }
  const [status, code] =
    error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
      ? ['408 Request Timeout', 'timeout']
      : error.code === 'HPE_HEADER_OVERFLOW'
        ? ['431 Request Header Fields Too Large', 'headers-too-large']
        : ['400 Bad Request', 'bad-request']
  const text = JSON.stringify(errorBody(code as string, `this is no request: ${error.message.slice(0, 200)}`))
  const type = 'connection: close\r\ncontent-type: application/json'
  socket.end(`HTTP/1.1 ${status}\r\n${type}\r\ncontent-length: ${Buffer.byteLength(text)}\r\n\r\n${text}`)
}
