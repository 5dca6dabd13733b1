// Config: what every member's file says, gate or anchor: who it is, where its papers lie, where it can be reached.

import type { Form } from './form.ts'
import type { Place } from './lan/place.ts'

export const LEVELS = ['debug', 'info', 'warn', 'error'] as const
export type Level = (typeof LEVELS)[number]

export interface MemberConfig {
  readonly name: string
  /** the charter's note, the owner's vkey it was signed with, and this member's own secret key */
  readonly charter: string
  readonly owner: string
  readonly key: string
  /** the folder of the ledger */
  readonly store: string
  readonly listen: readonly Place[]
  readonly peers: ReadonlyMap<string, readonly Place[]>
  readonly mdns: { readonly interface?: string } | false
  readonly log: Level
}

export function readMember(form: Form): MemberConfig {
  const name = form.name('name')
  const config = {
    name,
    charter: form.path('charter'),
    owner: form.path('owner'),
    key: form.path('key'),
    store: form.path('store'),
    listen: form.places('listen'),
    peers: form.named('peers', (peers, peer) => peers.places(peer)),
    mdns: readMdns(form),
    log: readLog(form),
  }
  if (name !== '' && config.peers.has(name)) form.complain(`peers.${name}`, 'this is the member itself')
  return config
}

function readMdns(form: Form): MemberConfig['mdns'] {
  const kind = form.kind('mdns')
  if (kind === 'none') return {}
  if (kind === 'flag') return form.flag('mdns', true) ? {} : false
  if (kind === 'other') form.refuse('mdns', 'true, false or {"interface": "10.0.0.11"}')
  const mdns = kind === 'object' ? form.form('mdns') : undefined
  if (mdns === undefined) return {}
  const address = mdns.address('interface')
  mdns.close()
  return { interface: address }
}

/** Where a member's window is, and the pass that whoever counts people there has to show. */
export interface WindowPlace extends Place {
  readonly pass?: string
}

const PASS = '8 to 100 characters without spaces'

export function readHttp(form: Form): WindowPlace {
  const http = form.form('http')
  if (http === undefined) {
    if (form.kind('http') === 'none') form.complain('http', 'is missing: {"host": "127.0.0.1", "port": 8081}')
    return { host: '127.0.0.1', port: 0 }
  }
  const place = { host: http.address('host', '127.0.0.1'), port: http.whole('port', { min: 0, max: 65_535 }) }
  const pass = http.secret('pass', PASS, text => /^[\x21-\x7e]{8,100}$/.test(text))
  http.close()
  return pass === undefined ? place : { ...place, pass }
}

export function readLog(form: Form): Level {
  const log = form.form('log')
  const level = log?.oneOf('level', LEVELS, 'info') ?? 'info'
  log?.close()
  return level
}
