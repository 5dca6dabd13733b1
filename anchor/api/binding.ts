// Binding: puts an endpoint behind Fastify: its schemas, who may ask, what is done once only, and what is said.

import type { ServerResponse } from 'node:http'
import type { FastifyInstance, FastifyReply, FastifyRequest, FastifySchema } from 'fastify'
import type { TSchema } from 'typebox'
import type { Clock } from '../../mesh/clock.ts'
import { Watchers } from '../../mesh/window/watchers.ts'
import { OPERATIONS, type Operation } from '../access/operations.ts'
import type { ApiLimits } from './config.ts'
import { type Answer, type Endpoint, type MallAsked, type Service, statusesOf } from './endpoint.ts'
import type { Guard, Known } from './guard.ts'
import type { Idempotency } from './idempotency.ts'
import type { Desk } from './ports.ts'
import { Gone, StreamReader } from './reader.ts'
import { ApiRefusal, errorBody } from './refusal.ts'
import { ERROR_ID, only } from './shape.ts'
import type { Streams } from './streams.ts'
import { Type } from './type.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    operation?: Operation
  }
  interface FastifyRequest {
    known: Known | null
  }
}

export const API = '/api/v1'
const BODY_BYTES_MAX = 16 * 1024
const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const

export interface Surroundings {
  readonly service: Service
  readonly guard: Guard
  readonly idempotency: Idempotency
  readonly streams: Streams
  readonly clock: Clock
  readonly limits: ApiLimits
  readonly onFault: (error: unknown) => void
}

export function bindAll(app: FastifyInstance, endpoints: readonly Endpoint[], s: Surroundings): void {
  const byUrl = new Map<string, string[]>()
  for (const endpoint of endpoints) {
    bind(app, endpoint, s)
    byUrl.set(endpoint.url, [...(byUrl.get(endpoint.url) ?? []), endpoint.method])
  }
  for (const [url, used] of byUrl) refuseOthers(app, `${API}${url}`, used)
}

/** Other methods at an address that there is: said so, and not that there is nothing. */
export function refuseOthers(app: FastifyInstance, url: string, used: readonly string[]): void {
  app.route({
    method: METHODS.filter(method => !used.includes(method)),
    url,
    schema: { hide: true },
    handler: request => {
      const message = `${request.method} is not for this address, ${used.join(', ')} is`
      throw new ApiRefusal(405, 'method', message, { headers: { allow: used.join(', ') } })
    },
  })
}

function bind(app: FastifyInstance, endpoint: Endpoint, s: Surroundings): void {
  const { operation, method, url, limit, watch, stream } = endpoint
  const isStream = watch !== undefined || stream !== undefined
  app.route({
    method,
    url: `${API}${url}`,
    schema: schemaOf(endpoint),
    bodyLimit: endpoint.bodyBytesMax ?? BODY_BYTES_MAX,
    config: {
      operation,
      swaggerTransform: withRefusals(endpoint),
      ...(limit === undefined ? {} : { rateLimit: { max: s.limits[limit], timeWindow: '1 minute' } }),
    },
    ...(isStream ? { exposeHeadRoute: false } : {}),
    // after it was counted, before any of its body is read
    preParsing: async request => {
      request.known = s.guard.check({ operation, method, mall: mallOf(request), headers: request.headers })
    },
    handler: handlerOf(endpoint, s),
  })
}

function handlerOf(endpoint: Endpoint, s: Surroundings) {
  const { answer, watch, stream } = endpoint
  if (watch !== undefined) return watching(watch, s)
  if (stream !== undefined) return streaming(stream, endpoint.heading, s)
  return async (request: FastifyRequest, reply: FastifyReply) => {
    const asked = askedOf(request, s.service)
    const act = async (): Promise<Answer> => {
      try {
        return await (answer as NonNullable<Endpoint['answer']>)(asked)
      } catch (error) {
        if (error instanceof ApiRefusal) return refused(error)
        throw error
      }
    }
    return say(reply, await once(endpoint, request, s, act))
  }
}

async function once(endpoint: Endpoint, request: FastifyRequest, s: Surroundings, act: () => Promise<Answer>) {
  const key = request.headers['idempotency-key'] as string | undefined
  if (endpoint.once === undefined || key === undefined) return act()
  const { caller, secret } = request.known as Known
  const who = caller === undefined ? ['note', mallOf(request)] : [caller.kind, caller.mall, caller.name]
  const isSecret = endpoint.isSecret === true && secret !== undefined
  const { answer, isAgain } = await s.idempotency.once(
    {
      scope: JSON.stringify(isSecret ? [...who, caller?.id] : who),
      key,
      request: JSON.stringify([request.method, request.url, request.body ?? null]),
      ...(OPERATIONS[endpoint.operation] === 'signed' ? { isHarmless: true } : {}),
      ...(isSecret ? { secret } : {}),
    },
    act,
  )
  return isAgain ? { ...answer, headers: { ...answer.headers, 'idempotency-replayed': 'true' } } : answer
}

function watching({ everyMs, tell }: NonNullable<Endpoint['watch']>, s: Surroundings) {
  const watchers = new Map<string, Watchers>()
  return async (request: FastifyRequest, reply: FastifyReply) => {
    const { mall } = deskOf(request, s.service)
    let all = watchers.get(mall)
    if (all === undefined) {
      const again = () => tell(s.service.desks().get(mall) as Desk)
      all = new Watchers({ method: 'GET', path: request.url, everyMs, tell: again }, s.onFault)
      watchers.set(mall, all)
    }
    seated(all, request, reply, s)
  }
}

/** From here on the answer is a stream, and no longer Fastify's. */
export function seated(watchers: Watchers, request: FastifyRequest, reply: FastifyReply, s: Surroundings): void {
  seat(reply.raw, request, s)
  // where it throws, nothing was written yet
  if (!watchers.add(reply.raw)) throw new ApiRefusal(503, 'full', 'as many are listening as may: try again later')
  reply.hijack()
}

function seat(response: ServerResponse, request: FastifyRequest, s: Surroundings): void {
  const known = request.known as Known
  // an address that breaks off while it is told something is nobody's fault
  response.on('error', () => undefined)
  s.streams.seat(response, { mall: mallOf(request) ?? '', isAllowed: () => s.guard.isStill(known) })
}

function streaming(stream: NonNullable<Endpoint['stream']>, headingOf: Endpoint['heading'], s: Surroundings) {
  return async (request: FastifyRequest, reply: FastifyReply) => {
    const asked = askedOf(request, s.service)
    const heading = headingOf?.(asked)
    const begin = () => {
      seat(reply.raw, request, s)
      reply.hijack()
      reply.raw.writeHead(200, {
        'content-type': heading?.type ?? 'text/event-stream',
        ...(heading === undefined ? {} : { 'content-disposition': `attachment; filename="${heading.file}"` }),
        'cache-control': 'no-store',
        'x-content-type-options': 'nosniff',
      })
    }
    const { unreadMsMax } = heading ?? {}
    const patience = unreadMsMax === undefined ? {} : { unreadMsMax }
    const reader = new StreamReader({ response: reply.raw, clock: s.clock, begin, ...patience })
    try {
      await stream(asked, reader)
    } catch (error) {
      if (!reply.raw.headersSent) throw error
      if (!(error instanceof Gone)) s.onFault(error)
      if (heading !== undefined) reply.raw.destroy()
    }
    reply.raw.end()
  }
}

export function say(reply: FastifyReply, { status, body, headers }: Answer) {
  return reply
    .code(status)
    .headers(headers ?? {})
    .send(body)
}

function refused({ status, code, message, where, headers }: ApiRefusal): Answer {
  return { status, body: errorBody(code, message, where), ...(headers === undefined ? {} : { headers }) }
}

function askedOf(request: FastifyRequest, service: Service): MallAsked {
  const { caller, secret } = request.known as Known
  return {
    path: request.params,
    query: request.query,
    body: request.body,
    caller,
    secret,
    lastEventId: request.headers['last-event-id'] as string | undefined,
    service,
    ...(mallOf(request) === undefined ? {} : { desk: deskOf(request, service) }),
  } as MallAsked
}

export function mallOf(request: FastifyRequest): string | undefined {
  return (request.params as { mall?: string } | undefined)?.mall
}

export function deskOf(request: FastifyRequest, service: Service): Desk {
  const mall = mallOf(request) ?? ''
  const desk = service.desks().get(mall)
  if (desk !== undefined) return desk
  if (service.malls().has(mall)) throw starting(mall)
  throw new ApiRefusal(404, 'no-mall', `there is no mall ${JSON.stringify(mall.slice(0, 40))} here`)
}

export function starting(mall: string): ApiRefusal {
  const message = `the anchor of ${mall} is still starting: ask again; a mode can be brought to any gate meanwhile`
  return new ApiRefusal(503, 'starting', message, { headers: { 'retry-after': '2' } })
}

/** Refusals are of one shape and written in one place; they are told in the description and compiled nowhere. */
function withRefusals(endpoint: Endpoint) {
  const refusals: Record<number, object> = {}
  for (const [status, { description }] of statusesOf(endpoint)) {
    if (status >= 400) refusals[status] = { $ref: `${ERROR_ID}#`, description }
  }
  return ({ schema, url }: { schema: FastifySchema; url: string }) => {
    const response = { ...(schema.response as object), ...refusals }
    return { schema: { ...schema, response }, url }
  }
}

const KEY = Type.String({ pattern: '^[\\x21-\\x7e]{8,100}$', description: 'the same key asks for the same change' })

function schemaOf(endpoint: Endpoint): FastifySchema {
  const { operation, tag, summary, shapes, once: how, stream, isSecret } = endpoint
  const headers: Record<string, TSchema> = {}
  if (how !== undefined) headers['idempotency-key'] = how === 'required' ? KEY : Type.Optional(KEY)
  if (stream !== undefined && endpoint.heading === undefined) headers['last-event-id'] = Type.Optional(Type.String())
  const response: Record<number, object> = {}
  for (const [status, { description, schema, type }] of statusesOf(endpoint)) {
    const types = [type ?? []].flat()
    const content = Object.fromEntries(types.map(one => [one, { schema }]))
    if (types.length > 0) response[status] = { description, content }
    else if (schema !== undefined) response[status] = { ...schema, description }
  }
  const needsToken = typeof OPERATIONS[operation] !== 'string'
  const who = OPERATIONS[operation]
  return {
    operationId: operation,
    tags: [tag],
    summary,
    description: `${typeof who === 'string' ? WHO[who] : `For the roles ${who.join(', ')}.`}${isSecret ? ' Told once.' : ''}`,
    security: needsToken ? [{ token: [] }, { cookie: [] }] : [],
    querystring: shapes.query ?? only({}),
    ...(shapes.path === undefined ? {} : { params: shapes.path }),
    ...(shapes.body === undefined ? {} : { body: shapes.body }),
    ...(Object.keys(headers).length === 0 ? {} : { headers: Type.Object(headers) }),
    response,
  }
}

const WHO = {
  anyone: 'For anyone.',
  signed: 'For anyone: the authority is in the signatures of the note.',
} as const
