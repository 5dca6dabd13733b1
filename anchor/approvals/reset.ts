// Nightly reset: at a set time the anchor asks two people to declare how many are inside. It proposes the head count and
// keeps the residual; nothing changes before they have signed.
//
// Law: a residual is taken in once. It is proposed anew on a newer policy only while no version since has touched the
// correction.

import type { Charter } from '../../ledger/charter.ts'
import type { Policy } from '../../ledger/policy.ts'
import type { PolicyText } from '../../ledger/policy-note.ts'
import type { Cabinet } from '../../mesh/archive/cabinet.ts'
import type { Clock } from '../../mesh/clock.ts'
import type { Log } from '../../mesh/log.ts'
import type { Approval, Refused } from './approval.ts'
import type { ResetConfig } from './config.ts'
import { draftPolicy } from './draft.ts'
import { localTime } from './local-time.ts'
import { POLICY_LIFE_MS } from './proposal.ts'

export interface ResetOptions {
  readonly config: ResetConfig
  readonly charter: Charter
  readonly cabinet: Cabinet
  readonly clock: Clock
  readonly log: Log
  readonly policies: () => readonly Policy[]
  readonly counted: () => number | undefined
  readonly propose: (text: PolicyText) => Promise<Approval | Refused>
  readonly get: (id: string) => Promise<Approval | undefined>
}

/** The reset of one night. */
interface Night {
  readonly day: string
  readonly at: number
  readonly counted: number
  /** correction in force then */
  readonly correction: number
  readonly id: string
}

const KEY = 'approval/reset'

export class NightlyReset {
  readonly #o: ResetOptions
  #night: Night | undefined
  #isRead = false

  constructor(options: ResetOptions) {
    this.#o = options
  }

  /** Every second or so: proposes what is due. */
  async look(): Promise<void> {
    if (!this.#isRead) await this.#read()
    const { config, clock, counted: count } = this.#o
    const at = clock.wall()
    const { day, clock: shown } = localTime(at, config.zone)
    if (shown < config.at) return this.#renew(at)
    if (this.#night?.day === day) return this.#renew(at)
    const before = this.#o.policies().at(-1)
    const counted = count()
    if (before === undefined || counted === undefined) return
    await this.#propose({ day, at, counted, correction: before.correction }, before)
  }

  /** What was proposed and stands on an older policy by now. */
  async #renew(now: number): Promise<void> {
    const night = this.#night
    const before = this.#o.policies().at(-1)
    if (night === undefined || before === undefined || now - night.at > POLICY_LIFE_MS) return
    const approval = await this.#o.get(night.id)
    if (approval?.state !== 'outdated') return
    const since = this.#o.policies().filter(({ version }) => version >= approval.version)
    if (since.some(({ correction, recount }) => correction !== night.correction || recount !== undefined)) return
    await this.#propose(night, before)
  }

  async #propose(a: Omit<Night, 'id'>, before: Policy): Promise<void> {
    const { config, charter, cabinet, log, propose } = this.#o
    const { day, at, counted, correction } = a
    const reason = `nightly reset of ${day}: ${config.to} people inside`
    const wish = { kind: 'recount', actual: config.to, counted, at } as const
    const proposed = await propose(draftPolicy({ charter, before, wish, reason, at }))
    if ('outcome' in proposed) {
      log.warn('reset', { day, why: proposed.why })
      return
    }
    const night: Night = { day, at, counted, correction, id: proposed.id }
    await cabinet.write([[KEY, JSON.stringify(night)]])
    this.#night = night
    log.info('reset', { day, counted, to: config.to, approval: proposed.id })
  }

  async #read(): Promise<void> {
    const text = await this.#o.cabinet.get(KEY)
    this.#isRead = true
    if (text === undefined) return
    try {
      this.#night = JSON.parse(text) as Night
    } catch (error) {
      this.#o.log.error('approval-flawed', { key: KEY, error: String(error) })
    }
  }
}
