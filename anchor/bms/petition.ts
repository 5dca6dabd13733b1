// Petition: the one proposal by which signals of the building ask operators for a lower capacity.
//
// Laws: it follows the lowest demand that is not in force, and is taken back when there is none. What people decided about
// it, to sign it or not, is not asked of them again until the signals ask for something else.

import { ANCHOR } from '../../ledger/account.ts'
import type { Charter } from '../../ledger/charter.ts'
import { Fault } from '../../ledger/fault.ts'
import { asText } from '../../ledger/line.ts'
import type { Policy } from '../../ledger/policy.ts'
import type { Cabinet } from '../../mesh/archive/cabinet.ts'
import type { Clock } from '../../mesh/clock.ts'
import type { Log } from '../../mesh/log.ts'
import type { Approval } from '../approvals/approval.ts'
import type { Approvals } from '../approvals/approvals.ts'
import { draftPolicy } from '../approvals/draft.ts'
import { type Asked, lowered, type Stand } from './stand.ts'

export interface PetitionOptions {
  readonly charter: Charter
  readonly cabinet: Cabinet
  readonly clock: Clock
  readonly log: Log
  readonly policies: () => readonly Policy[]
  readonly approvals: Pick<Approvals, 'propose' | 'retract' | 'get'>
}

/** What was proposed last. */
interface Proposed {
  readonly id: string
  readonly atMost: number
}

export type PetitionState =
  | { readonly standing: 'proposed'; readonly approval: string }
  | { readonly standing: 'declined' | 'waiting' }

const KEY = 'bms/petition'

export class Petition {
  readonly #o: PetitionOptions
  #proposed: Proposed | undefined
  #isRead = false
  #state: PetitionState = { standing: 'waiting' }

  constructor(options: PetitionOptions) {
    this.#o = options
  }

  get state(): PetitionState {
    return this.#state
  }

  /** Every second or so; `over` says why nothing is asked for any more. */
  async follow({ least, proposal }: Pick<Stand, 'least' | 'proposal'>, over: string): Promise<void> {
    if (!this.#isRead) await this.#read()
    const { approvals } = this.#o
    const last = this.#proposed
    if (proposal !== undefined) {
      if (last?.atMost === proposal.atMost && !(await this.#isStale(last))) return
      if (last !== undefined) await approvals.retract(last.id, asText(`in its place: ${proposal.words}`))
      return this.#propose(proposal)
    }
    this.#state = { standing: 'waiting' }
    if (last === undefined) return
    await approvals.retract(last.id, least === undefined ? over : 'what it asks for is in force')
    if (least === undefined) await this.#remember(undefined)
  }

  /** It was overtaken by another policy, by time or by ourselves, and nobody has decided about it. */
  async #isStale({ id }: Proposed): Promise<boolean> {
    const approval = await this.#o.approvals.get(id)
    this.#state = stateOf(approval)
    if (approval === undefined || approval.state === 'outdated' || approval.state === 'expired') return true
    return approval.state === 'withdrawn' && approval.history.at(-1)?.by === ANCHOR
  }

  async #propose({ atMost, words: reason }: Asked): Promise<void> {
    const { charter, clock, log, policies, approvals } = this.#o
    const before = policies().at(-1)
    if (before === undefined) return
    const at = clock.wall()
    const wish = { kind: 'schedule', steps: lowered(before, at, atMost) } as const
    try {
      const proposed = await approvals.propose(draftPolicy({ charter, before, wish, reason, at }))
      if ('outcome' in proposed) {
        log.warn('bms', { why: proposed.why })
        return
      }
      await this.#remember({ id: proposed.id, atMost })
      this.#state = stateOf(proposed)
      log.info('bms-proposed', { atMost, approval: proposed.id })
    } catch (error) {
      if (!(error instanceof Fault) || error.code !== 'WISH') throw error
      log.warn('bms', { why: error.message })
    }
  }

  async #remember(proposed: Proposed | undefined): Promise<void> {
    await this.#o.cabinet.write([[KEY, proposed && JSON.stringify(proposed)]])
    this.#proposed = proposed
  }

  async #read(): Promise<void> {
    const text = await this.#o.cabinet.get(KEY)
    this.#isRead = true
    if (text === undefined) return
    try {
      this.#proposed = JSON.parse(text) as Proposed
    } catch (error) {
      this.#o.log.error('bms-flawed', { key: KEY, error: String(error) })
    }
  }
}

function stateOf(approval: Approval | undefined): PetitionState {
  if (approval?.state === 'pending') return { standing: 'proposed', approval: approval.id }
  return { standing: approval === undefined ? 'waiting' : 'declined' }
}
