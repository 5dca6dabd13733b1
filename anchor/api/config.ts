// Config of the API: where it listens, with which certificate, and whether reads need a token.
//
// Law: reads without a token are for one machine. A config that would open them to a network is refused.

import type { Form } from '../../mesh/form.ts'
import { isLoopback } from '../../mesh/lan/place.ts'

export interface ApiLimits {
  /** of everything, per address and minute */
  readonly requests: number
  /** challenges and logins, per address and minute */
  readonly logins: number
  /** signed notes that are brought, per address and minute */
  readonly notes: number
}

export interface ApiConfig {
  readonly host: string
  readonly port: number
  /** paths of PEM files */
  readonly tls?: { readonly cert: string; readonly key: string }
  /** `open`: reads need no token; for a mall on one machine */
  readonly access: 'tokens' | 'open'
  readonly limits?: ApiLimits
}

/** A wall of dashboards behind one address, or a program that reads page after page, is not in the way of itself. */
export const USUAL_LIMITS: ApiLimits = { requests: 6000, logins: 30, notes: 60 }

const MOST = 1_000_000

/** The field `http` of an anchor's config. */
export function readApi(form: Form): ApiConfig {
  const http = form.form('http')
  if (http === undefined) {
    if (form.kind('http') === 'none') form.complain('http', 'is missing: {"host": "127.0.0.1", "port": 8081}')
    return { host: '127.0.0.1', port: 0, access: 'tokens' }
  }
  const host = http.address('host', '127.0.0.1')
  const port = http.whole('port', { min: 0, max: 65_535 })
  const isHere = isLoopback({ host, port })
  const access = http.oneOf('access', ['tokens', 'open'], 'tokens')
  if (access === 'open' && !isHere && host !== '') {
    http.complain('access', `"tokens": ${host} can be reached from elsewhere, and "open" is for 127.0.0.1`)
  }
  const tls = readTls(http)
  const limits = readLimits(http)
  http.close()
  return { host, port, access, ...tls, ...limits }
}

function readTls(http: Form): Pick<ApiConfig, 'tls'> {
  const form = http.form('tls')
  if (form === undefined) return {}
  const tls = { cert: form.path('cert'), key: form.path('key') }
  form.close()
  return { tls }
}

function readLimits(http: Form): Pick<ApiConfig, 'limits'> {
  const form = http.form('limits')
  if (form === undefined) return {}
  const per = (key: keyof ApiLimits) => form.whole(key, { min: 1, max: MOST, otherwise: USUAL_LIMITS[key] })
  const limits = { requests: per('requests'), logins: per('logins'), notes: per('notes') }
  form.close()
  return { limits }
}
