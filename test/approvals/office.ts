// Office: approvals of a small mall with real keys, and a gate beside it that takes in only what a gate would.

import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { Approvals, type Enacted } from '../../anchor/approvals/approvals.ts'
import type { ResetConfig } from '../../anchor/approvals/config.ts'
import { draftMode, draftPolicy } from '../../anchor/approvals/draft.ts'
import type { ModeWish, Wish } from '../../anchor/approvals/wish.ts'
import type { Charter, Role } from '../../ledger/charter.ts'
import { Charters } from '../../ledger/charters.ts'
import { SecretKey } from '../../ledger/ed25519.ts'
import { SignerKey, VerifierKey } from '../../ledger/key.ts'
import { formatMode, openMode } from '../../ledger/mode-note.ts'
import { cosign, signNote } from '../../ledger/note.ts'
import type { Policy } from '../../ledger/policy.ts'
import { formatPolicy, openPolicy, type PolicyText } from '../../ledger/policy-note.ts'
import { MemoryCabinet } from '../../mesh/archive/memory-cabinet.ts'
import type { Clock } from '../../mesh/clock.ts'
import { NO_LOG } from '../../mesh/log.ts'
import { ModeKeeper } from '../../mesh/modekeeper.ts'
import { Policybook } from '../../mesh/policybook.ts'

export const MALL = 'north'
export const MORNING = Date.UTC(2026, 9, 20, 8)
export const HOUR_MS = 3_600_000

const ROLE_OF: Readonly<Record<string, Role>> = {
  ann: 'marshal',
  bob: 'operator',
  cat: 'operator',
  vic: 'viewer',
  aud: 'auditor',
}

/** Anybody can make these keys: the seed is the hash of the name. */
export function keyOf(name: string, mall = MALL): SignerKey {
  return new SignerKey(`gatemesh/${mall}/${name}`, SecretKey.fromSeed(hash('sha256', `office ${name}`, 'buffer')))
}

const vkey = (name: string) => keyOf(name).verifier.toString()

export const CHARTER: Charter = {
  mall: MALL,
  legalMax: 500,
  anchor: vkey('anchor'),
  operators: Object.entries(ROLE_OF).map(([name, role]) => ({ name, role, key: vkey(name) })),
  gates: ['east', 'west'].map(name => ({ name, key: vkey(name) })),
  exitsPerMinuteMax: 120,
  aloneMovePerMille: 200,
}

export const FIRST: PolicyText = {
  version: 1,
  capacities: [{ from: 0, capacity: 300 }],
  marginPerMille: 0,
  correction: 0,
  reclaimed: [],
  gates: CHARTER.gates,
  maxSharePerMille: 600,
  expireAfterMs: 24 * HOUR_MS,
  confidenceMin: 700,
  reason: 'opening',
}

export class Office {
  wall = MORNING
  counted = 100
  isAway = false
  isReady = true
  cabinet = new MemoryCabinet()
  readonly book = new Policybook(Charters.unrevised(CHARTER))
  readonly modes = new ModeKeeper('anchor', CHARTER)
  /** what was handed to the anchor's core */
  readonly enacted: string[] = []
  readonly said: string[] = []
  readonly errors: string[] = []
  #approvals: Approvals | undefined
  readonly #reset: ResetConfig | undefined

  constructor(reset?: ResetConfig) {
    this.#reset = reset
  }

  static async open(reset?: ResetConfig): Promise<Office> {
    const office = new Office(reset)
    await office.restart()
    const note = signNote(formatPolicy(FIRST, MALL), [keyOf('ann'), keyOf('bob')])
    const opened = await office.approvals.bring(note)
    assert.equal(opened.outcome, 'enacted', JSON.stringify(opened))
    return office
  }

  get approvals(): Approvals {
    return this.#approvals as Approvals
  }

  get policy(): Policy {
    return this.book.newest as Policy
  }

  /** What is on disk is all that is left of the approvals before. */
  async restart(): Promise<void> {
    this.cabinet = this.cabinet.reopened()
    const reset = this.#reset === undefined ? {} : { reset: this.#reset }
    this.#approvals = await Approvals.open({
      charter: CHARTER,
      cabinet: this.cabinet,
      clock: this.clock,
      log: { ...NO_LOG, error: (event, fields) => this.errors.push(`${event} ${JSON.stringify(fields)}`) },
      policies: () => this.book.after(0),
      mode: () => this.modes.statement,
      isReady: () => this.isReady,
      counted: () => this.counted,
      enact: { policy: async note => this.#takeIn(note), mode: async note => this.#command(note) },
      ...reset,
    })
    this.approvals.onEvent(({ id }, { by, what }) => this.said.push(`${id.slice(0, 6)} ${what} by ${by}`))
  }

  get clock(): Clock {
    return { now: () => this.wall, wall: () => this.wall, in: () => () => undefined }
  }

  /** A draft of this wish, signed by these. */
  note(wish: Wish, signers: readonly string[], reason = 'because'): string {
    const text = draftPolicy({ charter: CHARTER, before: this.policy, wish, reason, at: this.wall })
    return signed(formatPolicy(text, MALL), signers)
  }

  modeNote(wish: ModeWish, signers: readonly string[], reason = 'because'): string {
    const text = draftMode({ wish, current: this.modes.statement, at: this.wall, reason })
    return signed(formatMode(text, MALL), signers)
  }

  #takeIn(note: string): Enacted {
    if (this.isAway) return { done: false, code: 'away', why: 'not yet' }
    const { adopted, stopped } = this.book.learn([openPolicy(cosign(note, keyOf('anchor')), CHARTER)])
    if (adopted.length === 0) return { done: false, code: 'refused', why: String(stopped?.why) }
    this.enacted.push(note)
    return { done: true }
  }

  #command(note: string): Enacted {
    if (this.isAway) return { done: false, code: 'away', why: 'not yet' }
    const operator = (name: string) => CHARTER.operators.find(o => o.name === name)?.key
    const statement = openMode(note, MALL, name => {
      const key = operator(name)
      return key === undefined ? undefined : VerifierKey.parse(key)
    })
    if (this.modes.hear(statement, () => false) !== 'new') return { done: false, code: 'refused', why: 'may not' }
    this.enacted.push(note)
    return { done: true }
  }
}

export function signed(text: string, signers: readonly string[]): string {
  return signNote(
    text,
    signers.map(name => keyOf(name)),
  )
}
