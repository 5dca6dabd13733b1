// Access: logging in, and tokens for programs.

import { LOGIN_MS } from '../../access/access.ts'
import type { TokenRecord } from '../../access/tokens.ts'
import { cookieOf } from '../cookie.ts'
import { type Endpoint, ofMall, ok, refusal } from '../endpoint.ts'
import { ApiRefusal } from '../refusal.ts'
import { IdPath, MallPath, Moment, Name, only, Role } from '../shape.ts'
import { Type } from '../type.ts'

const TokenShape = Type.Object({
  id: Type.String(),
  name: Type.String(),
  role: Role,
  kind: Type.Enum(['person', 'program']),
  at: Moment,
  by: Type.String(),
  expiresAt: Type.Optional(Moment),
})
const WithSecret = Type.Object({
  token: Type.String({ description: 'the bearer token; it is told this once, and only its hash is kept' }),
  ...TokenShape.properties,
})
/** A program does not sign: what a marshal does, a marshal does. */
const ProgramRole = Type.Enum(['viewer', 'operator', 'auditor'])
const LoginNote = Type.String({ minLength: 1, maxLength: 2000, description: 'the challenge, signed' })

export const ACCESS: readonly Endpoint[] = [
  ofMall({
    operation: 'createChallenge',
    method: 'POST',
    url: '/malls/:mall/login/challenges',
    tag: 'access',
    summary: 'A text to sign, good for one login within a minute; anybody gets one for any name',
    shapes: { path: MallPath, body: only({ name: Name }) },
    replies: {
      200: { description: 'sign it as a note', schema: Type.Object({ text: Type.String(), expiresAt: Moment }) },
    },
    limit: 'logins',
    answer: ({ desk, body, service }) => ok(service.access.challenge(desk.mall, body.name)),
  }),
  ofMall({
    operation: 'login',
    method: 'POST',
    url: '/malls/:mall/login',
    tag: 'access',
    summary: 'A token for whoever signed a challenge with the key that the charter names',
    shapes: { path: MallPath, body: only({ note: LoginNote }) },
    replies: {
      200: { description: 'good for twelve hours; a browser gets it as a cookie too', schema: WithSecret },
      401: refusal(401, 'not a login; what was wrong with it is not told'),
    },
    limit: 'logins',
    answer: async ({ desk, body, service }) => {
      const granted = await service.access.login(desk.charter, body.note)
      if (granted === 'refused') throw new ApiRefusal(401, 'login', 'not a login of this mall, or too old')
      if (granted === 'limited') {
        const headers = { 'retry-after': '60' }
        throw new ApiRefusal(429, 'too-many', 'too many failed logins: try again in a minute', { headers })
      }
      const cookie = cookieOf(desk.mall, granted.secret, { maxAgeS: LOGIN_MS / 1000, isSecure: service.isSecure })
      return {
        status: 200,
        body: { token: granted.secret, ...told(granted.record) },
        headers: { 'set-cookie': cookie },
      }
    },
  }),
  ofMall({
    operation: 'logout',
    method: 'DELETE',
    url: '/malls/:mall/login',
    tag: 'access',
    summary: 'Ends the token that this is asked with',
    shapes: { path: MallPath },
    replies: { 200: { description: 'ended', schema: Type.Object({ id: Type.String() }) } },
    answer: async ({ desk, caller, service }) => {
      await service.access.revoke(desk.mall, caller?.id ?? '')
      const cookie = cookieOf(desk.mall, '', { maxAgeS: 0, isSecure: service.isSecure })
      return { status: 200, body: { id: caller?.id ?? '' }, headers: { 'set-cookie': cookie } }
    },
  }),
  ofMall({
    operation: 'whoami',
    method: 'GET',
    url: '/malls/:mall/login',
    tag: 'access',
    summary: 'Whose token this is asked with',
    shapes: { path: MallPath },
    replies: {
      200: {
        description: 'the caller; without a token, where reads are open, only the role',
        schema: Type.Object({
          name: Type.Optional(Type.String()),
          role: Role,
          kind: Type.Optional(Type.Enum(['person', 'program'])),
        }),
      },
    },
    answer: ({ caller }) => {
      if (caller === undefined) return ok({ role: 'auditor' })
      const { name, role, kind } = caller
      return ok({ name, role, kind })
    },
  }),
  ofMall({
    operation: 'listTokens',
    method: 'GET',
    url: '/malls/:mall/tokens',
    tag: 'access',
    summary: 'Tokens that are valid now, oldest first, without their secrets',
    shapes: { path: MallPath },
    replies: { 200: { description: 'all there are', schema: Type.Object({ tokens: Type.Array(TokenShape) }) } },
    answer: ({ desk, service }) => ok({ tokens: service.access.list(desk.mall).map(told) }),
  }),
  ofMall({
    operation: 'createToken',
    method: 'POST',
    url: '/malls/:mall/tokens',
    tag: 'access',
    summary: 'A token for a program, until it is revoked or its time is over',
    shapes: { path: MallPath, body: only({ name: Name, role: ProgramRole, expiresAt: Type.Optional(Moment) }) },
    replies: { 201: { description: 'told this once', schema: WithSecret } },
    once: 'required',
    isSecret: true,
    answer: async ({ desk, body, caller, service }) => {
      if (body.expiresAt !== undefined && body.expiresAt <= service.wall()) {
        throw new ApiRefusal(422, 'expired', 'body/expiresAt is over already', { where: 'body/expiresAt' })
      }
      const granted = await service.access.issue({ mall: desk.mall, by: caller?.name ?? '', ...body })
      if (granted === undefined)
        throw new ApiRefusal(409, 'full', 'this mall has as many tokens as may be: revoke some')
      return { status: 201, body: { token: granted.secret, ...told(granted.record) } }
    },
  }),
  ofMall({
    operation: 'revokeToken',
    method: 'DELETE',
    url: '/malls/:mall/tokens/:id',
    tag: 'access',
    summary: 'Ends a token at once; streams that were opened with it end too',
    shapes: { path: IdPath },
    replies: {
      200: { description: 'ended', schema: TokenShape },
      404: refusal(404, 'there is no such mall, or no such token'),
    },
    once: 'required',
    answer: async ({ desk, path, service }) => {
      const record = await service.access.revoke(desk.mall, path.id)
      if (record === undefined) throw new ApiRefusal(404, 'not-found', `there is no token ${path.id}`)
      return ok(told(record))
    },
  }),
]

function told({ id, name, role, kind, at, by, expiresAt }: TokenRecord) {
  return { id, name, role, kind, at, by, ...(expiresAt === undefined ? {} : { expiresAt }) }
}
