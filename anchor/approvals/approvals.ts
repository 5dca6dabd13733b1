// Approvals: what operators bring to be taken in, and what waits for a second signature.
//
// Laws: nothing is taken in here that the gates would refuse; they check all of it again. What waits is on disk before
// whoever brought it is told so. A raise of the mode waits for nobody and for no disk.

import { ANCHOR } from '../../ledger/account.ts'
import type { Charter } from '../../ledger/charter.ts'
import type { ModeStatement } from '../../ledger/mode.ts'
import { parseNote } from '../../ledger/note.ts'
import type { Policy } from '../../ledger/policy.ts'
import type { PolicyText } from '../../ledger/policy-note.ts'
import type { Cabinet } from '../../mesh/archive/cabinet.ts'
import type { Clock } from '../../mesh/clock.ts'
import type { Log } from '../../mesh/log.ts'
import type { Family } from '../../mesh/window/prometheus.ts'
import {
  type Approval,
  type ApprovalState,
  type Brought,
  ended,
  isApprovalId,
  type Refused,
  refused,
  type Step,
  stepped,
  told,
} from './approval.ts'
import { ApprovalFile, type ApprovalPage, type ApprovalQuery } from './approval-file.ts'
import type { ResetConfig } from './config.ts'
import { maySign, missing } from './needs.ts'
import { begun, fateOf, type InForce, noteOf, openBrought, type Proposal, proposalOf } from './proposal.ts'
import { NightlyReset } from './reset.ts'

export type Enacted =
  | { readonly done: true }
  /** `away`: not yet, try again; `refused`: never */
  | { readonly done: false; readonly code: 'away' | 'refused'; readonly why: string }

/** How the anchor takes in what has all its signatures; it adds its own. */
export interface Enact {
  policy(note: string): Promise<Enacted>
  mode(note: string): Promise<Enacted>
}

export interface ApprovalsOptions {
  readonly charter: Charter
  readonly cabinet: Cabinet
  readonly clock: Clock
  readonly log: Log
  /** oldest first */
  readonly policies: () => readonly Policy[]
  /** the statement in force */
  readonly mode: () => ModeStatement
  /** Are policies and mode read back? Until then nothing is judged by them. Always, unless said otherwise. */
  readonly isReady?: () => boolean
  readonly enact: Enact
  /** people inside as counted, correction included and not clamped at zero; undefined while nobody can tell */
  readonly counted?: () => number | undefined
  readonly reset?: ResetConfig
}

/** Something happened to an approval: the last step of its history. */
export type ApprovalListener = (approval: Approval, step: Step) => void

const TICK_MS = 1000
/** Whoever may sign may fill this; more are refused until some are signed, withdrawn or expire. */
export const PENDING_MAX = 200

const NOT_YET = refused('away', 'the anchor is still starting: bring it again in a moment')

export class Approvals {
  readonly #o: ApprovalsOptions
  readonly #file: ApprovalFile
  readonly #pending: Map<string, Approval>
  readonly #listeners = new Set<ApprovalListener>()
  readonly #tally = new Map<ApprovalState, number>()
  readonly #reset: NightlyReset | undefined
  #last: Promise<unknown> = Promise.resolve()
  #forgetTick: (() => void) | undefined
  #isTicking = false
  #trouble = ''

  private constructor(o: ApprovalsOptions, file: ApprovalFile, pending: readonly Approval[]) {
    this.#o = o
    this.#file = file
    this.#pending = new Map(pending.map(approval => [approval.id, approval]))
    const { counted, reset } = o
    if (reset !== undefined && counted !== undefined) {
      const propose = (text: PolicyText) => this.propose(text)
      this.#reset = new NightlyReset({ ...o, config: reset, counted, propose, get: id => this.get(id) })
    }
  }

  static async open(o: ApprovalsOptions): Promise<Approvals> {
    const file = new ApprovalFile(o.cabinet, key => o.log.error('approval-flawed', { key }))
    return new Approvals(o, file, await file.pending())
  }

  /** Safe to repeat. */
  start(): void {
    this.#forgetTick ??= this.#o.clock.in(TICK_MS, () => this.#ticked())
  }

  /** What is under way is finished. Safe to repeat. */
  async stop(): Promise<void> {
    this.#forgetTick?.()
    this.#forgetTick = undefined
    await this.#last.catch(() => undefined)
  }

  /** A policy or mode note with the signature of at least one operator. */
  bring(note: string): Promise<Brought> {
    if (!this.#isReady) return Promise.resolve(NOT_YET)
    const urgent = openBrought(note, this.#inForce())
    if (!('outcome' in urgent) && urgent.isUrgent) return this.#raise(urgent)
    return this.#inTurn(() => this.#bring(note))
  }

  /** The same, where the note must be of the approval that is known by this id. */
  sign(id: string, note: string): Promise<Brought> {
    if (!this.#isReady) return Promise.resolve(NOT_YET)
    return this.#inTurn(async () => {
      if ((await this.get(id)) === undefined) return refused('unknown', `there is no approval ${id.slice(0, 80)}`)
      const opened = openBrought(note, this.#inForce())
      if (opened.id !== undefined && opened.id !== id) {
        return refused('other-text', 'what was signed is another text than the one of this approval')
      }
      return this.#bring(note)
    })
  }

  /** By somebody who signed it, or, while nobody has, by anyone who might. */
  withdraw(id: string, by: string): Promise<Approval | Refused> {
    return this.#inTurn(async () => {
      await this.#refresh()
      const approval = this.#pending.get(id)
      if (approval === undefined) return this.#gone(id)
      const may = approval.signers.length === 0 ? maySign(this.#o.charter, by) : approval.signers.includes(by)
      if (!may) return refused('may-not', `${by} has not signed it: only who signed can withdraw it`, id)
      return this.#keep(approval, { at: this.#o.clock.wall(), by, what: 'withdrawn' })
    })
  }

  /** A text of the anchor's own, which people may sign or not. */
  propose(text: PolicyText): Promise<Approval | Refused> {
    if (!this.#isReady) return Promise.resolve(NOT_YET)
    return this.#inTurn(async () => {
      const opened = proposalOf(text, this.#inForce())
      const known = await this.get(opened.id)
      if (known !== undefined) return known
      if (this.#pending.size >= PENDING_MAX) return refused('full', `${PENDING_MAX} texts wait for a signature`)
      const at = this.#o.clock.wall()
      return this.#keep(stepped(begun(opened, at), { at, by: 'anchor', what: 'proposed' }))
    })
  }

  /** Takes back what the anchor itself proposed; nothing happens where it does not wait any more. */
  retract(id: string, why: string): Promise<void> {
    return this.#inTurn(async () => {
      const approval = this.#pending.get(id)
      if (approval?.history[0]?.what !== 'proposed') return
      await this.#keep(approval, { at: this.#o.clock.wall(), by: ANCHOR, what: 'withdrawn', why })
    })
  }

  /** What waits, oldest first. */
  waiting(): readonly Approval[] {
    return [...this.#pending.values()].sort((a, b) => a.broughtAt - b.broughtAt)
  }

  /** All of them, newest first, in pages. Throws a Fault for a cursor that was not told here. */
  list(query: ApprovalQuery = { limit: 100 }): Promise<ApprovalPage> {
    return this.#file.list(query)
  }

  async get(id: string): Promise<Approval | undefined> {
    return this.#pending.get(id) ?? (isApprovalId(id) ? this.#file.get(id) : undefined)
  }

  /** Returns how to stop listening. */
  onEvent(listener: ApprovalListener): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  families(): Family[] {
    const { mall } = this.#o.charter
    const ended = [...this.#tally].map(([state, value]) => ({ value, labels: { mall, state } }))
    return [
      {
        name: 'gatemesh_approvals_waiting',
        help: 'Texts that wait for another signature',
        type: 'gauge',
        samples: [{ value: this.#pending.size, labels: { mall } }],
      },
      {
        name: 'gatemesh_approvals_ended_total',
        help: 'Texts that were brought, by what became of them',
        type: 'counter',
        samples: ended,
      },
    ]
  }

  /** Expires what is over, and what no longer stands on what is in force; takes in what had to wait. Every second. */
  tick(): Promise<void> {
    if (!this.#isReady) return Promise.resolve()
    return this.#inTurn(() => this.#refresh()).then(() => this.#reset?.look())
  }

  #ticked(): void {
    this.#forgetTick = this.#o.clock.in(TICK_MS, () => this.#ticked())
    // one that hangs on a slow disk is not joined by another every second
    if (this.#isTicking) return
    this.#isTicking = true
    this.tick()
      .then(() => this.#troubled(''))
      .catch(error => this.#troubled(String(error)))
      .finally(() => {
        this.#isTicking = false
      })
  }

  /** Said once, not every second. */
  #troubled(error: string): void {
    if (error !== '' && error !== this.#trouble) this.#o.log.error('approvals', { error })
    this.#trouble = error
  }

  async #bring(note: string): Promise<Brought> {
    await this.#refresh()
    const opened = openBrought(note, this.#inForce())
    const known = opened.id === undefined ? undefined : await this.get(opened.id)
    // why a text ended is more to the point than that it no longer fits
    if (known !== undefined && known.state !== 'pending') return this.#gone(known.id)
    if ('outcome' in opened) return opened
    const approval = this.#merged(opened, known)
    const lacks = missing(approval.needs, approval.signers, this.#o.charter)
    if (lacks === '') return this.#enact(approval, known !== undefined)
    const news = known === undefined || approval.signers.length > known.signers.length
    if (!news) return told(known, lacks)
    if (known === undefined && this.#pending.size >= PENDING_MAX) {
      return refused('full', `${PENDING_MAX} texts wait for a signature: sign or withdraw some first`, approval.id)
    }
    await this.#keep(approval)
    return told(approval, lacks)
  }

  /** The approval with what this note adds to it. */
  #merged(opened: Proposal, known: Approval | undefined): Approval {
    const wall = this.#o.clock.wall()
    let approval: Approval = { ...begun(opened, wall), ...known, needs: opened.needs }
    const before = known?.note === undefined ? [] : parseNote(known.note).signatures
    const added = opened.signers.filter(name => !approval.signers.includes(name))
    for (const by of added) approval = stepped(approval, { at: wall, by, what: 'signed' })
    const note = noteOf(opened.text, [...opened.signatures, ...before])
    return { ...approval, note, signers: [...approval.signers, ...added] }
  }

  async #enact(approval: Approval, isKept: boolean): Promise<Brought> {
    const { kind, note = '' } = approval
    const enacted = await this.#o.enact[kind](note)
    const at = this.#o.clock.wall()
    if (enacted.done) {
      // it is in force whether or not this can be written; after a restart what is in force tells
      await this.#keep(approval, { at, by: 'anchor', what: 'enacted' }).catch(error => this.#unwritten(approval, error))
      await this.#refresh().catch(error => this.#unwritten(approval, error))
      return { ...told(approval, ''), outcome: 'enacted' }
    }
    if (enacted.code === 'refused') {
      await this.#keep(approval, { at, by: 'anchor', what: 'refused', why: enacted.why })
      return refused('refused', enacted.why, approval.id)
    }
    if (!isKept) return refused('away', enacted.why, approval.id)
    await this.#keep(approval)
    return told(approval, enacted.why)
  }

  /** The more severe mode is told first, and written down when its turn comes. */
  async #raise(opened: Proposal): Promise<Brought> {
    const approval = this.#merged(opened, undefined)
    const enacted = await this.#o.enact.mode(approval.note ?? '')
    if (!enacted.done) return refused(enacted.code, enacted.why, approval.id)
    const step: Step = { at: this.#o.clock.wall(), by: 'anchor', what: 'enacted' }
    this.#inTurn(() => this.#keep(approval, step)).catch(error => this.#unwritten(approval, error))
    return { ...told(approval, ''), outcome: 'enacted' }
  }

  #unwritten({ id }: Approval, error: unknown): void {
    this.#o.log.error('approval-unwritten', { id, error: String(error) })
  }

  async #refresh(): Promise<void> {
    if (!this.#isReady) return
    for (const approval of [...this.#pending.values()]) {
      const step = fateOf(approval, this.#inForce())
      if (step !== undefined) await this.#keep(approval, step)
      else if (missing(approval.needs, approval.signers, this.#o.charter) === '') await this.#enactLate(approval)
    }
  }

  /** One that had all its signatures while the anchor could not take it in. */
  async #enactLate(approval: Approval): Promise<void> {
    const enacted = await this.#o.enact[approval.kind](approval.note ?? '')
    const at = this.#o.clock.wall()
    if (enacted.done) await this.#keep(approval, { at, by: 'anchor', what: 'enacted' })
    else if (enacted.code === 'refused') {
      await this.#keep(approval, { at, by: 'anchor', what: 'refused', why: enacted.why })
    }
  }

  /** Written first, believed after. */
  async #keep(approval: Approval, step?: Step): Promise<Approval> {
    const kept = step === undefined ? approval : stepped(approval, step)
    await this.#file.write(kept)
    if (kept.state === 'pending') this.#pending.set(kept.id, kept)
    else {
      this.#pending.delete(kept.id)
      this.#tally.set(kept.state, (this.#tally.get(kept.state) ?? 0) + 1)
    }
    const last = kept.history.at(-1)
    if (last !== undefined) for (const listener of this.#listeners) this.#tell(listener, kept, last)
    return kept
  }

  #tell(listener: ApprovalListener, approval: Approval, step: Step): void {
    try {
      listener(approval, step)
    } catch (error) {
      this.#o.log.error('approval-listener', { error: String(error) })
    }
  }

  async #gone(id: string): Promise<Refused> {
    const approval = await this.get(id)
    return approval === undefined ? refused('unknown', `there is no approval ${id.slice(0, 80)}`) : ended(approval)
  }

  get #isReady(): boolean {
    return this.#o.isReady?.() ?? true
  }

  #inForce(): InForce {
    const { charter, policies, mode, clock } = this.#o
    return { charter, policies: policies(), mode: mode(), wall: clock.wall() }
  }

  /** One after the other: two signatures that arrive together must both be there in the end. */
  #inTurn<T>(act: () => Promise<T>): Promise<T> {
    const turn = this.#last.then(act, act)
    this.#last = turn.catch(() => undefined)
    return turn
  }
}
