// Host: one machine of the mall in virtual time. The same core objects as in production, between a disk that fails, a
// clock that jumps and a power plug that somebody pulls at the worst moment.

import { Anchor, type AnchorEvent } from '../../anchor/anchor.ts'
import type { Account } from '../../ledger/account.ts'
import { noCounters } from '../../ledger/counters.ts'
import type { Body } from '../../ledger/entry.ts'
import { fold, foldBudget } from '../../ledger/fold.ts'
import type { Pen } from '../../ledger/pen.ts'
import { judge } from '../../ledger/recovery.ts'
import type { Identity } from '../../mesh/identity.ts'
import type { Memory } from '../../mesh/joining.ts'
import type { Answer, Effect, Message } from '../../mesh/message.ts'
import { Outbox } from '../../mesh/outbox.ts'
import { RECENT_ENTRIES } from '../../mesh/remembrance.ts'
import type { Boot } from '../../node/boot.ts'
import { Gate } from '../../node/gate.ts'
import type { GateEvent } from '../../node/gate-event.ts'
import type { Agenda } from './agenda.ts'
import { Disk, type Ledger } from './disk.ts'
import type { Random } from './random.ts'

export type AnyEvent = GateEvent | AnchorEvent

/** What a host's doings are reported to: the network, the crowd and the oracle. */
export interface Surroundings {
  readonly agenda: Agenda
  tell(from: Host, to: string, message: Message): void
  opened(host: Host, id: string): void
  answered(host: Host, id: string, answer: Answer): void
  stepped(host: Host, event: AnyEvent, effects: readonly Effect[]): void
  released(host: Host, effect: Effect): void
  durable(host: Host, ledger: Ledger, from: number, to: number): void
  crashed(host: Host, why: string): void
  booted(host: Host): void
  fault(kind: string): void
  penFor(entries: readonly Body[]): Pen
}

const WALL_START = 1_790_000_000_000

export class Host {
  readonly name: string
  readonly disk = new Disk()
  readonly #around: Surroundings
  readonly #make: () => Gate | Anchor
  readonly #random: Random
  readonly #rememberMs: number
  fsyncMs: number
  skewMs = 0
  core: Gate | Anchor | undefined
  /** counts down with every effect let out and every write; at zero the power goes */
  fuse = 0
  #outbox: Outbox | undefined
  #life = 0
  #hasBegun = false
  #syncing = false
  #failing = false
  #next: AnyEvent[] = []
  #wakeAt = Number.POSITIVE_INFINITY
  #reported = 0

  constructor(a: {
    name: string
    around: Surroundings
    random: Random
    fsyncMs: number
    identity: Identity
    birth: boolean
    handOutMs: number
  }) {
    this.name = a.name
    this.#around = a.around
    this.#random = a.random
    this.fsyncMs = a.fsyncMs
    this.#rememberMs = a.identity.limits.rememberMs
    this.#make = () => {
      if (a.name !== 'anchor') return new Gate(a.identity)
      // whoever opens the mall says so at every start until there is a ledger, and never again
      const birth = a.birth && !this.#hasBegun
      return new Anchor(a.identity, { birth, handOutMs: a.handOutMs, checkpointMs: 5000 })
    }
  }

  get up(): boolean {
    return this.core !== undefined
  }

  get wall(): number {
    return Math.floor(WALL_START + this.#around.agenda.now + this.skewMs)
  }

  get gate(): Gate | undefined {
    return this.core instanceof Gate ? this.core : undefined
  }

  get anchor(): Anchor | undefined {
    return this.core instanceof Anchor ? this.core : undefined
  }

  boot(): void {
    if (this.core !== undefined) return
    this.#life++
    this.#syncing = false
    this.#failing = false
    this.#wakeAt = Number.POSITIVE_INFINITY
    this.core = this.#make()
    const boot = this.#recover()
    this.#reported = this.disk.open?.entries.length ?? 0
    this.#outbox = new Outbox(this.#reported, effect => this.#release(effect))
    this.step({ kind: 'booted', boot } as AnyEvent)
    this.#around.booted(this)
  }

  crash(why: string): void {
    const { core } = this
    if (core === undefined) return
    this.core = undefined
    this.#outbox = undefined
    this.#next = []
    this.#life++
    if (this.disk.crash(this.#random)) this.#around.fault('torn')
    // a policy lies in the same write as the entry that names it
    for (const body of this.disk.open?.entries.slice(-50) ?? []) {
      const policy = body.type === 'policy' ? core.me.policies.get(body.version) : undefined
      if (policy !== undefined) this.disk.policies.set(policy.version, policy)
    }
    this.#around.crashed(this, why)
  }

  step(event: AnyEvent): void {
    const core = this.core
    if (core === undefined) return
    const life = this.#life
    const { now } = this.#around.agenda
    const effects =
      core instanceof Gate
        ? core.step(event as GateEvent, now, this.wall)
        : core.step(event as AnchorEvent, now, this.wall)
    this.#around.stepped(this, event, effects)
    for (const effect of effects) {
      if (this.#life !== life) return
      if (effect.kind === 'append') {
        this.disk.write(effect.seq, effect.body, effect.line)
        this.#burn('after a write')
      } else if (effect.kind === 'withdraw') {
        if (this.#outbox?.withdraw(effect.id)) this.#next.push({ kind: 'withdrawn', id: effect.id })
      } else this.#outbox?.put(effect)
    }
    if (this.#life !== life) return
    // what the shell answers is a step of its own: in the middle of this one it would overtake entries still to be written
    for (let event = this.#next.shift(); event !== undefined; event = this.#next.shift()) {
      this.step(event)
      if (this.#life !== life) return
    }
    this.#sync()
    this.#setAlarm()
  }

  #release(effect: Effect): void {
    const around = this.#around
    around.released(this, effect)
    switch (effect.kind) {
      case 'tell':
        around.tell(this, effect.to, effect.message)
        break
      case 'open':
        around.opened(this, effect.id)
        break
      case 'answer':
        around.answered(this, effect.id, effect.answer)
        break
      case 'begin': {
        this.disk.begin(effect.account)
        this.#hasBegun = true
        this.#outbox = new Outbox(0, released => this.#release(released))
        this.#reported = 0
        const pen = around.penFor([])
        this.#next.push({ kind: 'begun', opened: { account: effect.account, pen, counters: noCounters() } })
        return
      }
      case 'keep':
        this.disk.rows.set(effect.row.account, effect.row)
        return
      case 'proof':
        this.disk.proofs.push(effect.rows)
        return
      case 'mode': {
        const { statement, clear } = (this.core as Gate | Anchor).me.modes
        this.disk.modes = clear === undefined ? [statement] : [clear, statement]
        return
      }
      default:
        return
    }
    this.#burn(`after ${effect.kind}`)
  }

  #burn(where: string): void {
    if (this.fuse === 0 || --this.fuse > 0) return
    this.#around.fault('crash-point')
    this.crash(where)
  }

  #setAlarm(): void {
    const core = this.core as Gate | Anchor
    const at = core.wakeAt
    if (at >= this.#wakeAt) return
    this.#wakeAt = at
    const life = this.#life
    this.#around.agenda.at(at, () => {
      if (this.#life !== life || this.#wakeAt !== at) return
      this.#wakeAt = Number.POSITIVE_INFINITY
      this.step({ kind: 'ticked' })
    })
  }

  #sync(): void {
    const ledger = this.disk.open
    if (this.#syncing || this.#failing || ledger === undefined || ledger.entries.length === ledger.synced) return
    this.#syncing = true
    const life = this.#life
    const target = ledger.entries.length
    this.#around.agenda.in(this.fsyncMs * (0.5 + this.#random.next()), () => {
      if (this.#life !== life) return
      this.#syncing = false
      if (this.disk.full || this.disk.errorNext) this.#fail()
      else this.#synced(ledger, target)
    })
  }

  #synced(ledger: Ledger, target: number): void {
    const life = this.#life
    const from = ledger.synced
    for (const policy of this.core?.me.policies.after(0) ?? []) this.disk.policies.set(policy.version, policy)
    this.disk.sync(target)
    this.#around.durable(this, ledger, from, target)
    ledger.seen = target
    this.#burn('between store and acknowledgement')
    if (this.#life !== life) return
    const wasFailing = this.#failing
    this.#failing = false
    this.step({ kind: 'durable', size: target })
    if (this.#life !== life) return
    this.#outbox?.durable(target)
    if (this.#life !== life) return
    if (wasFailing) this.step({ kind: 'disk', state: 'ok' })
    else this.#sync()
  }

  /** A write failed: what is on disk is unknown until it was opened and read again; memory writes the rest anew. */
  #fail(): void {
    this.#around.fault(this.disk.full ? 'disk-full' : 'io-error')
    this.disk.errorNext = false
    const life = this.#life
    if (!this.#failing) {
      this.#failing = true
      this.step({ kind: 'disk', state: 'failed' })
      // it may have crashed in that very step: the next life reads its disk by itself
      if (this.#life !== life) return
    }
    this.#around.agenda.in(this.#random.between(20, 400), () => {
      if (this.#life !== life) return
      const ledger = this.disk.open as Ledger
      if (this.disk.full) this.#fail()
      else this.#synced(ledger, ledger.entries.length)
    })
  }

  #recover(): Boot {
    const { disk } = this
    const ledger = disk.open
    const rootAt = (size: number) => this.#around.penFor(ledger?.entries.slice(0, size) ?? []).root()
    const mark = disk.mark && { ...disk.mark, root: this.#markRoot() }
    const stored = ledger && {
      account: ledger.account,
      size: ledger.entries.length,
      root: rootAt(ledger.entries.length),
    }
    const damage = ledger?.damaged ? { seq: 0, what: 'damaged' } : undefined
    const found = judge({ mark, stored, rootAt, damage })
    const kept = {
      rows: [...disk.rows.values()],
      proofs: [...disk.proofs],
      policies: [...disk.policies.values()],
      modes: disk.modes,
      recent: [] as { id: string; answer: Answer | 'left' }[],
      enrolled: [] as { id: string; account: Account }[],
    }
    if (found.kind !== 'intact' || ledger === undefined) {
      const memory: Memory = found.kind === 'lost' ? { kind: 'lost', account: found.account } : { kind: 'blank' }
      return { memory, ...kept }
    }
    const counters = noCounters()
    let budget: ReturnType<typeof foldBudget>
    for (const [seq, body] of ledger.entries.entries()) {
      fold(counters, body)
      budget = foldBudget(budget, body)
      const isRecent = this.wall - body.at < this.#rememberMs || seq >= ledger.entries.length - RECENT_ENTRIES
      if (body.type === 'admit' && isRecent) {
        kept.recent.push({ id: body.id, answer: { decision: 'ADMIT', reason: '', source: body.source } })
      } else if (body.type === 'lapse' && isRecent) {
        kept.recent.push({ id: body.admit, answer: { decision: 'REJECT_FAULT', reason: 'lapsed' } })
      } else if (body.type === 'exit' && isRecent) kept.recent.push({ id: body.id, answer: 'left' })
      else if (body.type === 'enrol') kept.enrolled.push({ id: body.id, account: body.account })
    }
    // a tail that was written but not acknowledged has survived: from here on it counts
    this.#around.durable(this, ledger, Math.min(ledger.seen, ledger.entries.length), ledger.entries.length)
    ledger.seen = ledger.entries.length
    const { account, size, root } = found
    const opened = { account, pen: this.#around.penFor(ledger.entries), counters }
    const policy = budget && disk.policies.get(budget.version)
    const inForce = budget && policy ? { budget, policy: { version: policy.version, hash: policy.hash } } : {}
    return { memory: { kind: 'intact', account, size, root }, opened: { ...opened, ...inForce }, ...kept }
  }

  /** The mark's root as it was when it was written: the oracle's copy of history knows it. */
  #markRoot(): string {
    const { mark, open } = this.disk
    if (mark === undefined || open === undefined || mark.size > open.entries.length) return 'ahead of the store'
    return this.#around.penFor(open.entries.slice(0, mark.size)).root()
  }

  /** A lost account's size on disk, for messages. */
  get durableSize(): number {
    return this.disk.open?.synced ?? 0
  }
}
