// Guard: may this request do what it asks for?
//
// Laws: a token is good for its own mall only. What is open to read is open to read; every change needs a token that was
// shown by whoever asks, and a cookie is believed for a change only when the page that sends it is one of ours.

import type { Charter } from '../../ledger/charter.ts'
import type { Access, Caller } from '../access/access.ts'
import { may, OPEN_ROLE, OPERATIONS, type Operation } from '../access/operations.ts'
import { readCookies } from './cookie.ts'
import { ApiRefusal } from './refusal.ts'

export interface GuardOptions {
  readonly access: Access
  readonly charterOf: (mall: string) => Charter | undefined
  /** reads need no token */
  readonly isOpen: boolean
}

/** Those of a request that tell who asks. */
export interface Headers {
  readonly authorization?: string | undefined
  readonly cookie?: string | undefined
  readonly origin?: string | undefined
  readonly host?: string | undefined
}

export interface Asking {
  readonly operation: Operation
  readonly method: string
  /** undefined: of no mall in particular */
  readonly mall: string | undefined
  readonly headers: Headers
}

export interface Known {
  /** undefined: nobody in particular, which is enough for this */
  readonly caller: Caller | undefined
  readonly secret: string | undefined
}

interface Shown {
  readonly secret: string
  readonly how: 'header' | 'cookie'
}

const NOBODY: Known = { caller: undefined, secret: undefined }

export class Guard {
  readonly #o: GuardOptions

  constructor(options: GuardOptions) {
    this.#o = options
  }

  /** Who asks, or a refusal. */
  check(asking: Asking): Known {
    const { operation, method, mall } = asking
    if (typeof OPERATIONS[operation] === 'string') return NOBODY
    const isFree = this.#o.isOpen && method === 'GET' && may(operation, OPEN_ROLE)
    const shown = shownBy(asking)
    const [first] = shown
    const known = this.#known(shown, mall)
    if (known === undefined) {
      // a browser sends an old cookie along without being asked to; a header was put there on purpose
      if (isFree && first?.how !== 'header') return NOBODY
      throw unknown(first !== undefined)
    }
    const { caller, how } = known
    if (mall !== undefined && caller.mall !== mall) {
      throw new ApiRefusal(403, 'other-mall', 'this token is of another mall')
    }
    if (!may(operation, caller.role)) {
      throw new ApiRefusal(403, 'forbidden', `${operation} is not for the role ${caller.role}`)
    }
    if (how === 'cookie' && method !== 'GET') refuseForeign(asking.headers)
    return { caller, secret: known.secret }
  }

  /** Is what was allowed then allowed still? */
  isStill({ secret }: Known): boolean {
    return secret === undefined || this.#o.access.caller(secret, this.#o.charterOf) !== undefined
  }

  #known(shown: readonly Shown[], mall: string | undefined): (Shown & { readonly caller: Caller }) | undefined {
    for (const one of shown) {
      const caller = this.#o.access.caller(one.secret, this.#o.charterOf)
      // a cookie is named after the mall it is for
      if (caller !== undefined && (one.how === 'header' || mall === undefined || caller.mall === mall)) {
        return { ...one, caller }
      }
    }
    return undefined
  }
}

function shownBy({ headers, mall }: Asking): readonly Shown[] {
  const { authorization, cookie } = headers
  if (authorization !== undefined) {
    const [, secret = ''] = /^bearer +([^\s]+) *$/i.exec(authorization) ?? []
    return [{ secret, how: 'header' }]
  }
  const cookies = readCookies(cookie)
  const own = mall === undefined ? [...cookies.values()] : [cookies.get(mall)].filter(value => value !== undefined)
  return own.map(secret => ({ secret, how: 'cookie' }))
}

function unknown(isShown: boolean): ApiRefusal {
  const message = isShown ? 'this token is not valid, or not any more' : 'this needs a token: log in first'
  return new ApiRefusal(401, 'unauthenticated', message, { headers: { 'www-authenticate': 'Bearer realm="gatemesh"' } })
}

function refuseForeign({ origin, host }: Headers): void {
  if (origin !== undefined && URL.canParse(origin) && new URL(origin).host === host) return
  throw new ApiRefusal(403, 'foreign', 'a cookie is good for changes only from a page of this very address')
}
