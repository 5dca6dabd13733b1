// Config of a gate: what every member says, the turnstile, and whether it may start alone.

import { ANCHOR } from '../ledger/account.ts'
import { type MemberConfig, readHttp, readMember, type WindowPlace } from '../mesh/config.ts'
import type { Form } from '../mesh/form.ts'
import { isLoopback } from '../mesh/lan/place.ts'

export const DRIVERS = ['soft'] as const

export interface GateConfig extends MemberConfig {
  readonly http: WindowPlace
  /** its door display may say about how many places are left */
  readonly public: { readonly places: boolean }
  readonly turnstile: { readonly driver: (typeof DRIVERS)[number] }
  /** decide without having heard from anyone; only for a mall of one gate */
  readonly alone: boolean
  /** whoever reaches its window may cut it off from others, as `gatemesh mall` does to show what happens then */
  readonly drills: boolean
}

export function readGate(form: Form): GateConfig {
  const member = readMember(form)
  const http = readHttp(form)
  const turnstile = form.form('turnstile')
  const driver = turnstile?.oneOf('driver', DRIVERS, 'soft') ?? 'soft'
  turnstile?.close()
  const open = form.form('public')
  const places = open?.flag('places', false) ?? false
  open?.close()
  const alone = form.flag('alone', false)
  const drills = form.flag('drills', false)
  form.close()
  if (drills && http.host !== '' && !isLoopback(http)) {
    form.complain('drills', `false: ${http.host} can be reached from elsewhere, and drills are for 127.0.0.1`)
  }
  if (member.name === ANCHOR) form.complain('name', 'a gate cannot be called anchor')
  return { ...member, http, public: { places }, turnstile: { driver }, alone, drills }
}
