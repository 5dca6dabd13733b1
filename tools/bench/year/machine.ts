// Machine: a gate or the anchor in the year. The same core as in production, between a spool, a clock that runs fast and a
// power plug. Unlike the simulator's host it keeps nothing that it wrote: a year of it would not fit.

import { Anchor, type AnchorEvent } from '../../../anchor/anchor.ts'
import { type Account, ANCHOR } from '../../../ledger/account.ts'
import type { Opened } from '../../../ledger/books.ts'
import { Chain } from '../../../ledger/chain.ts'
import { noCounters } from '../../../ledger/counters.ts'
import type { Body } from '../../../ledger/entry.ts'
import type { Row } from '../../../ledger/row.ts'
import type { Identity } from '../../../mesh/identity.ts'
import type { Memory } from '../../../mesh/joining.ts'
import type { Effect, Message } from '../../../mesh/message.ts'
import { Outbox } from '../../../mesh/outbox.ts'
import { Gate } from '../../../node/gate.ts'
import type { GateEvent } from '../../../node/gate-event.ts'
import type { YearClock } from './clock.ts'
import type { Spool } from './spool.ts'

export type AnyEvent = GateEvent | AnchorEvent

export interface Around {
  readonly clock: YearClock
  readonly charterHash: string
  readonly handOutMs: number
  readonly checkpointMs: number
  spoolFor(account: Account): Spool
  wrote(body: Body): void
  tell(from: Machine, to: string, message: Message): void
  opened(machine: Machine, id: string): void
  turnedAway(id: string): void
  booted(machine: Machine): void
}

/** Of the gates' own clocks, in which a day at the doors is a minute. */
const FSYNC_MS = 0.5

export class Machine {
  readonly name: string
  readonly #around: Around
  readonly #identity: Identity
  core: Gate | Anchor | undefined
  spool: Spool | undefined
  /** what it keeps of others */
  readonly #rows = new Map<Account, Row>()
  #pen: Chain | undefined
  #stopped: Gate | Anchor | undefined
  #outbox: Outbox | undefined
  #life = 0
  #durable = 0
  #isSyncing = false
  #next: AnyEvent[] = []
  #wakeAt = Number.POSITIVE_INFINITY

  constructor(around: Around, identity: Identity) {
    this.name = identity.name
    this.#around = around
    this.#identity = identity
  }

  get account(): Account | undefined {
    return this.spool?.account
  }

  get gate(): Gate | undefined {
    return this.core instanceof Gate ? this.core : undefined
  }

  get anchor(): Anchor | undefined {
    return this.core instanceof Anchor ? this.core : undefined
  }

  /** Is all that it wrote on its disk? */
  get isDurable(): boolean {
    return this.spool?.size === this.#durable
  }

  /** Is it there, and all that it wrote on its disk? */
  get isSettled(): boolean {
    return this.core?.isJoined === true && this.isDurable
  }

  /** The mall opens for the first time, or the power is back and the ledger is as it was. */
  boot(): void {
    const { spool } = this
    const root = this.#pen?.root() ?? ''
    if (spool === undefined) this.#start({ kind: 'blank' })
    else this.#start({ kind: 'intact', account: spool.account, size: spool.size, root }, this.#reopened(spool.account))
  }

  /** Its ledger ends too early, or is gone altogether: the next start knows the name of the account, or nothing. */
  bootAfterLoss(memory: Memory): void {
    this.spool = undefined
    this.#pen = undefined
    if (memory.kind === 'blank') this.#rows.clear()
    this.#start(memory)
  }

  crash(): void {
    this.#stopped = this.core
    this.core = undefined
    this.#outbox = undefined
    this.#next = []
    this.#life++
  }

  step(event: AnyEvent): void {
    const { core } = this
    if (core === undefined) return
    const { clock } = this.#around
    const { now } = clock.agenda
    const effects =
      core instanceof Gate
        ? core.step(event as GateEvent, now, clock.wall)
        : core.step(event as AnchorEvent, now, clock.wall)
    for (const effect of effects) this.#carryOut(effect)
    // what the shell answers is a step of its own: in the middle of this one it would overtake entries still to be written
    for (let next = this.#next.shift(); next !== undefined; next = this.#next.shift()) this.step(next)
    this.#sync()
    this.#setAlarm()
  }

  /** Something that is no event of the core, and moves no tokens. */
  note(body: Body): void {
    const { core } = this
    const { clock } = this.#around
    if (core?.me.books === undefined) return
    core.me.start(clock.agenda.now, clock.wall)
    core.me.books.note(body)
    this.step({ kind: 'ticked' })
  }

  #start(memory: Memory, opened?: Opened): void {
    const before = this.#stopped
    const policies = memory.kind === 'blank' ? [] : (before?.me.policies.after(0) ?? [])
    const { statement, clear } = before?.me.modes ?? {}
    const modes = [clear, statement].filter(said => said !== undefined && said.epoch > 0) as []
    const { handOutMs, checkpointMs } = this.#around
    const isBirth = before === undefined
    this.core =
      this.name === ANCHOR
        ? new Anchor(this.#identity, { birth: isBirth, handOutMs, checkpointMs, checkpointIdleMs: 1e9 })
        : new Gate(this.#identity)
    this.#durable = this.spool?.size ?? 0
    this.#isSyncing = false
    this.#wakeAt = Number.POSITIVE_INFINITY
    this.#outbox = new Outbox(this.#durable, effect => this.#release(effect))
    const kept = { rows: [...this.#rows.values()], proofs: [], policies, modes, recent: [], enrolled: [] }
    const boot = opened === undefined ? { memory, ...kept } : { memory, opened, ...kept }
    this.step({ kind: 'booted', boot } as AnyEvent)
    this.#around.booted(this)
  }

  #reopened(account: Account): Opened {
    const books = this.#stopped?.me.books
    const counters = books?.counters ?? noCounters()
    const opened = { account, pen: this.#pen as Chain, counters }
    return books?.budget && books.policy ? { ...opened, budget: books.budget, policy: books.policy } : opened
  }

  #carryOut(effect: Effect): void {
    if (effect.kind === 'append') {
      this.spool?.add(effect.line)
      this.#around.wrote(effect.body)
    } else if (effect.kind === 'withdraw') {
      if (this.#outbox?.withdraw(effect.id)) this.#next.push({ kind: 'withdrawn', id: effect.id })
    } else this.#outbox?.put(effect)
  }

  #release(effect: Effect): void {
    switch (effect.kind) {
      case 'tell':
        return this.#around.tell(this, effect.to, effect.message)
      case 'open':
        return this.#around.opened(this, effect.id)
      case 'answer':
        if (effect.answer.decision !== 'ADMIT') this.#around.turnedAway(effect.id)
        return
      case 'keep':
        this.#rows.set(effect.row.account, effect.row)
        return
      case 'begin': {
        this.spool = this.#around.spoolFor(effect.account)
        this.#durable = 0
        this.#outbox = new Outbox(0, released => this.#release(released))
        this.#pen = new Chain(this.#around.charterHash)
        const opened = { account: effect.account, pen: this.#pen, counters: noCounters() }
        this.#next.push({ kind: 'begun', opened })
        return
      }
      default:
        return
    }
  }

  #sync(): void {
    const { spool } = this
    if (this.#isSyncing || spool === undefined || spool.size === this.#durable) return
    this.#isSyncing = true
    const life = this.#life
    const { size } = spool
    this.#around.clock.agenda.in(FSYNC_MS, () => {
      if (this.#life !== life || this.spool !== spool) return
      this.#isSyncing = false
      this.#durable = size
      this.step({ kind: 'durable', size })
      this.#outbox?.durable(size)
      this.#sync()
    })
  }

  #setAlarm(): void {
    const at = this.core?.wakeAt ?? Number.POSITIVE_INFINITY
    if (at >= this.#wakeAt) return
    this.#wakeAt = at
    const life = this.#life
    this.#around.clock.agenda.at(at, () => {
      if (this.#life !== life || this.#wakeAt !== at) return
      this.#wakeAt = Number.POSITIVE_INFINITY
      this.step({ kind: 'ticked' })
    })
  }
}
