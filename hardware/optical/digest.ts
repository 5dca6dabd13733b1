// Digest: how a camera is shown name and password without sending the password (RFC 7616). Most AXIS cameras want it.

import { createHash } from 'node:crypto'

export interface Login {
  readonly user: string
  readonly password: string
}

export interface Question {
  readonly method: 'GET'
  /** path and query, as asked */
  readonly uri: string
  /** chance of ours, hex */
  readonly cnonce: string
}

const HASHES: Readonly<Record<string, string>> = { md5: 'md5', 'sha-256': 'sha256' }

export function basicOf({ user, password }: Login): string {
  return `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`
}

/** For the header `Authorization`; undefined where the challenge is none that we can answer. */
export function digestOf(challenge: string, login: Login, { method, uri, cnonce }: Question): string | undefined {
  const [, rest] = /(?:^|,)\s*Digest\s+(.+)$/is.exec(challenge) ?? []
  if (rest === undefined) return undefined
  const said = new Map<string, string>()
  for (const [, name = '', quoted, plain = ''] of rest.matchAll(
    /([a-z]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s,"]+))/gi,
  )) {
    if (!said.has(name.toLowerCase())) said.set(name.toLowerCase(), quoted ?? plain)
  }
  const [realm, nonce, opaque] = [said.get('realm'), said.get('nonce'), said.get('opaque')]
  const algorithm = said.get('algorithm')
  const name = HASHES[(algorithm ?? 'md5').toLowerCase()]
  if (realm === undefined || nonce === undefined || name === undefined) return undefined
  const hash = (text: string) => createHash(name).update(text).digest('hex')
  const first = hash(`${login.user}:${realm}:${login.password}`)
  const second = hash(`${method}:${uri}`)
  const hasQop =
    said
      .get('qop')
      ?.split(/\s*,\s*/)
      .includes('auth') ?? false
  if (said.has('qop') && !hasQop) return undefined
  const response = hash(hasQop ? `${first}:${nonce}:00000001:${cnonce}:auth:${second}` : `${first}:${nonce}:${second}`)
  return [
    `Digest username="${login.user}", realm="${realm}", nonce="${nonce}", uri="${uri}", response="${response}"`,
    ...(algorithm === undefined ? [] : [`algorithm=${algorithm}`]),
    ...(hasQop ? [`qop=auth, nc=00000001, cnonce="${cnonce}"`] : []),
    ...(opaque === undefined ? [] : [`opaque="${opaque}"`]),
  ].join(', ')
}
