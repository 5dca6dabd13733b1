// Endpoint: one operation of the API: where it is, what it takes, what it answers, in one object that knows nothing of the
// server around it. `app.ts` puts all of them behind one.
//
// Law: what an endpoint can say is in its `replies`; refusals that any of them can meet (no token, unknown mall, too many
// requests …) are added by `statusesOf`, so that the description is complete.

import type { Static, TObject, TSchema } from 'typebox'
import { ROLES } from '../../ledger/charter.ts'
import type { Access, Caller } from '../access/access.ts'
import { may, OPEN_ROLE, OPERATIONS, type Operation } from '../access/operations.ts'
import type { Desk, MallView } from './ports.ts'

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'

export interface Reply {
  readonly description: string
  readonly schema?: TSchema
  /** JSON unless said otherwise */
  readonly type?: string | readonly string[]
}

export interface Shapes {
  readonly path?: TObject
  readonly query?: TObject
  readonly body?: TSchema
}

type Of<S, K extends keyof Shapes> = S extends { readonly [key in K]: infer T extends TSchema } ? Static<T> : undefined

export interface Asked<S extends Shapes = Shapes> {
  readonly path: Of<S, 'path'>
  readonly query: Of<S, 'query'>
  readonly body: Of<S, 'body'>
  /** undefined where no token was shown, or none is needed */
  readonly caller: Caller | undefined
  /** the token itself */
  readonly secret: string | undefined
  readonly lastEventId: string | undefined
  readonly service: Service
}

export interface MallAsked<S extends Shapes = Shapes> extends Asked<S> {
  readonly desk: Desk
}

/** What endpoints may use of the process around them. */
export interface Service {
  readonly desks: () => ReadonlyMap<string, Desk>
  /** those without a desk yet too */
  readonly malls: () => ReadonlyMap<string, MallView>
  readonly access: Access
  readonly wall: () => number
  readonly newId: () => string
  readonly isSecure: boolean
  readonly openapi: () => object
}

export interface Answer {
  readonly status: number
  /** an object is told as JSON, a text as it is */
  readonly body: object | string
  readonly headers?: Readonly<Record<string, string>>
}

/** Where a stream writes to: one reader. */
export interface Reader {
  /** Resolves once there is room for more; rejects when the reader is gone or does not read. */
  write(text: string): Promise<void>
  /** Resolves after so long, or when `wake` is called, or when the reader is gone. */
  idle(ms: number): Promise<void>
  wake(): void
  readonly isGone: boolean
}

/** What a stream is, where it is a file and no server-sent events. */
export interface Heading {
  readonly type: string
  /** what a browser calls the file */
  readonly file: string
  /** whoever has not read for so long is let go */
  readonly unreadMsMax: number
}

interface Common<S extends Shapes> {
  readonly operation: Operation
  readonly method: Method
  /** below /api/v1 */
  readonly url: string
  readonly tag: string
  readonly summary: string
  readonly shapes: S
  readonly replies: Readonly<Record<number, Reply>>
  /** does it change something, so that saying it twice must not do it twice? */
  readonly once?: 'required' | 'optional'
  /** its answer holds a secret, which must not lie on our disk */
  readonly isSecret?: boolean
  readonly limit?: 'logins' | 'notes'
  readonly bodyBytesMax?: number
}

export type Endpoint = Common<Shapes> & {
  readonly answer?: (asked: MallAsked) => Answer | Promise<Answer>
  /** again and again the same question, to all who watch */
  readonly watch?: { readonly everyMs: number; readonly tell: (desk: Desk) => object }
  /** writes until the reader is gone */
  readonly stream?: (asked: MallAsked, reader: Reader) => Promise<void>
  /** it ends by itself then; where it breaks off before, so does the connection, and nobody takes it for the whole */
  readonly heading?: (asked: MallAsked) => Heading
}

type Kept<S extends Shapes, A> = Common<S> & { readonly answer: (asked: A) => Answer | Promise<Answer> }

/** An endpoint of one mall: its path begins with /malls/:mall. */
export function ofMall<const S extends Shapes>(endpoint: Kept<S, MallAsked<S>>): Endpoint {
  return endpoint as unknown as Endpoint
}

/** An endpoint of the whole process. */
export function ofService<const S extends Shapes>(endpoint: Kept<S, Asked<S>>): Endpoint {
  return endpoint as unknown as Endpoint
}

export function watched<const S extends Shapes>(
  endpoint: Common<S> & { readonly watch: NonNullable<Endpoint['watch']> },
): Endpoint {
  return endpoint as unknown as Endpoint
}

export function streamed<const S extends Shapes>(
  endpoint: Common<S> & {
    readonly stream: (asked: MallAsked<S>, reader: Reader) => Promise<void>
    readonly heading?: (asked: MallAsked<S>) => Heading
  },
): Endpoint {
  return endpoint as unknown as Endpoint
}

export function ok(body: object | string): Answer {
  return { status: 200, body }
}

const REFUSALS: Readonly<Record<number, string>> = {
  400: 'the request is malformed; `where` says which part',
  401: 'no token, or none that is valid',
  403: 'the token does not allow this',
  404: 'there is no such mall, or nothing of this id',
  409: 'in conflict with what is there, or the same request is under way',
  413: 'the body is too large',
  415: 'the body is of another media type',
  422: 'understood and refused, or the idempotency key was used for something else',
  429: 'too many requests from this address; `retry-after` says when to come again',
  500: 'a fault of the anchor, not of the request',
  503: 'not now: try again in a moment',
}

/** Every status this endpoint can answer with, and what it means there. */
export function statusesOf(endpoint: Endpoint): ReadonlyMap<number, Reply> {
  const { operation, method, shapes, replies, once, url } = endpoint
  const statuses = new Map<number, Reply>()
  const refusals = [400, 429]
  const who = OPERATIONS[operation]
  const needsToken = typeof who !== 'string'
  if (needsToken) refusals.push(401)
  if (needsToken && (url.includes(':mall') || who.length < ROLES.length)) refusals.push(403)
  if (needsToken || url.includes(':mall')) refusals.push(500)
  // whoever has a token has one of a mall that there is
  if (url.includes(':mall') && (!needsToken || (method === 'GET' && may(operation, OPEN_ROLE)))) refusals.push(404)
  if (shapes.body !== undefined) refusals.push(413, 415)
  if (once !== undefined) refusals.push(409, 422)
  // its desk may not be open yet, or every seat be taken
  if (url.includes(':mall')) refusals.push(503)
  for (const status of refusals) statuses.set(status, { description: REFUSALS[status] as string })
  for (const [status, reply] of Object.entries(replies)) statuses.set(Number(status), reply)
  return new Map([...statuses].sort(([a], [b]) => a - b))
}

/** A reply that is a refusal, in the usual words or in better ones. */
export function refusal(status: number, description = REFUSALS[status] as string): Reply {
  return { description }
}
