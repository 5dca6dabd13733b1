// Config of an anchor's process: where its API listens, and the malls it serves. One mall is one file with everything in
// it; for several, a file of its own names theirs.

import { ANCHOR } from '../ledger/account.ts'
import { type Level, type MemberConfig, readLog, readMember } from '../mesh/config.ts'
import type { Form } from '../mesh/form.ts'
import { type AlertsConfig, readAlerts } from './alerts/config.ts'
import { type ApiConfig, readApi } from './api/config.ts'
import { type ApprovalsConfig, readApprovals } from './approvals/config.ts'
import { type BmsConfig, readBms } from './bms/config.ts'
import { type PublicConfig, readPublic } from './public/config.ts'
import { type RetentionConfig, readRetention } from './retention/config.ts'

export interface MallConfig extends MemberConfig {
  readonly alerts: AlertsConfig
  readonly approvals: ApprovalsConfig
  readonly retention: RetentionConfig
  readonly public: PublicConfig
  readonly bms: BmsConfig
}

export interface ServiceConfig {
  readonly http: ApiConfig
  /** the folder for what belongs to no mall: tokens, and answers that were given */
  readonly store: string
  readonly log: Level
}

export interface AnchorFile {
  readonly service: ServiceConfig
  /** the mall that the file is about; undefined where it names others */
  readonly mall?: MallConfig
  /** files of malls, by their names */
  readonly files: ReadonlyMap<string, string>
}

export function readAnchor(form: Form): AnchorFile {
  const http = readApi(form)
  if (form.kind('malls') === 'none') {
    const mall = mallFields(form)
    form.close()
    return { service: { http, store: `${mall.store}.service`, log: mall.log }, mall, files: new Map() }
  }
  const files = form.named('malls', (malls, mall) => malls.path(mall))
  const service = { http, store: form.path('store'), log: readLog(form) }
  form.close()
  if (files.size === 0) form.complain('malls', 'one or more: {"north": "north/anchor.json"}')
  return { service, files }
}

/** A file that another one names: where it would listen by itself does not matter then. */
export function readMall(form: Form): MallConfig {
  form.kind('http')
  const mall = mallFields(form)
  form.close()
  return mall
}

function mallFields(form: Form): MallConfig {
  const member = readMember(form)
  const parts = {
    alerts: readAlerts(form),
    approvals: readApprovals(form),
    retention: readRetention(form),
    public: readPublic(form),
    bms: readBms(form),
  }
  if (member.name !== '' && member.name !== ANCHOR) form.complain('name', `"${ANCHOR}", not "${member.name}"`)
  return { ...member, ...parts }
}
