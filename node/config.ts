// Config of a gate: what every member says, the turnstile, and whether it may start alone.

import { ANCHOR } from '../ledger/account.ts'
import { type MemberConfig, readHttp, readMember } from '../mesh/config.ts'
import type { Form } from '../mesh/form.ts'
import type { Place } from '../mesh/lan/place.ts'

export const DRIVERS = ['soft'] as const

export interface GateConfig extends MemberConfig {
  readonly http: Place
  readonly turnstile: { readonly driver: (typeof DRIVERS)[number] }
  /** decide without having heard from anyone; only for a mall of one gate */
  readonly alone: boolean
}

export function readGate(form: Form): GateConfig {
  const member = readMember(form)
  const http = readHttp(form)
  const turnstile = form.form('turnstile')
  const driver = turnstile?.oneOf('driver', DRIVERS, 'soft') ?? 'soft'
  turnstile?.close()
  const alone = form.flag('alone', false)
  form.close()
  if (member.name === ANCHOR) form.complain('name', 'a gate cannot be called anchor')
  return { ...member, http, turnstile: { driver }, alone }
}
