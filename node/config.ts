// Config of a gate: what every member says, the turnstile, and whether it may start alone.

import type { HardwareConfig } from '../hardware/config.ts'
import { ANCHOR } from '../ledger/account.ts'
import { type MemberConfig, readHttp, readMember, type WindowPlace } from '../mesh/config.ts'
import type { Form } from '../mesh/form.ts'
import { isLoopback } from '../mesh/lan/place.ts'
import { readTurnstile } from './turnstile-config.ts'

export interface GateConfig extends MemberConfig {
  readonly http: WindowPlace
  /** its door display may say about how many places are left */
  readonly public: { readonly places: boolean }
  /** what stands at this door */
  readonly hardware: HardwareConfig
  /** decide without having heard from anyone; only for a mall of one gate */
  readonly alone: boolean
  /** whoever reaches its window may cut it off from others, as `gatemesh mall` does to show what happens then */
  readonly drills: boolean
}

export function readGate(form: Form): GateConfig {
  const member = readMember(form)
  const http = readHttp(form)
  const hardware = readTurnstile(form, member.store)
  const open = form.form('public')
  const places = open?.flag('places', false) ?? false
  open?.close()
  const alone = form.flag('alone', false)
  const drills = form.flag('drills', false)
  form.close()
  if (drills && http.host !== '' && !isLoopback(http)) {
    form.complain('drills', `false: ${http.host} can be reached from elsewhere, and drills are for 127.0.0.1`)
  }
  if (hardware.driver.driver === 'sim' && http.host !== '' && !isLoopback(http)) {
    form.complain('turnstile.driver', `not sim: whoever reaches ${http.host} could move people who are not there`)
  }
  if (member.name === ANCHOR) form.complain('name', 'a gate cannot be called anchor')
  return { ...member, http, public: { places }, hardware, alone, drills }
}
