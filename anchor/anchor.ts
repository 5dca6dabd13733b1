// Anchor: mints the budget that two operators signed, hands it out, and writes down what it is told. The mall runs on
// without it.
//
// Laws: what is minted follows the policy in force and never exceeds the charter. Signals of the building lower it, to a
// limit that operators signed in advance, and never raise it above the schedule. An anchor that lost its memory mints
// nothing again: what its earlier life may have handed out is carried against the new one.

import { type Account, ANCHOR, account, epochOf, nameOf } from '../ledger/account.ts'
import type { Opened } from '../ledger/books.ts'
import { changesOf } from '../ledger/changes.ts'
import type { Budget } from '../ledger/counters.ts'
import type { HeadOf } from '../ledger/entry.ts'
import { never } from '../ledger/fault.ts'
import type { ModeStatement } from '../ledger/mode.ts'
import { limitOf, mintable, type Policy, reclaimedTotal, restrained, scheduled, standbys } from '../ledger/policy.ts'
import type { Row } from '../ledger/row.ts'
import { Boarding } from '../mesh/boarding.ts'
import type { Identity } from '../mesh/identity.ts'
import type { Memory } from '../mesh/joining.ts'
import { Member } from '../mesh/member.ts'
import { type Effect, EVERYONE, type Message } from '../mesh/message.ts'
import { Trader } from '../mesh/trader.ts'

export interface AnchorBoot {
  readonly memory: Memory
  readonly opened?: Opened
  readonly rows: readonly Row[]
  readonly proofs: readonly (readonly [Row, Row])[]
  readonly policies: readonly Policy[]
  readonly modes: readonly ModeStatement[]
  /** accounts given to gates without memory, by the id they asked with */
  readonly enrolled: readonly { readonly id: string; readonly account: Account }[]
}

export type AnchorEvent =
  | { readonly kind: 'booted'; readonly boot: AnchorBoot }
  | { readonly kind: 'begun'; readonly opened: Opened }
  | { readonly kind: 'decreed'; readonly policy: Policy }
  | { readonly kind: 'commanded'; readonly statement: ModeStatement }
  /** signals of the building ask for at most so many people, or, with none, no longer do */
  | { readonly kind: 'restrained'; readonly atMost?: number; readonly why: string }
  | { readonly kind: 'heard'; readonly from: string; readonly message: Message }
  | { readonly kind: 'met'; readonly peer: string }
  | { readonly kind: 'durable'; readonly size: number }
  | { readonly kind: 'disk'; readonly state: 'ok' | 'failed' }
  | { readonly kind: 'ticked' }

export interface AnchorOptions {
  /** the mall opens for the first time: only then may an anchor without memory mint */
  readonly birth?: boolean
  /** signals of the building are read: a limit in reserve that was in force stays so until they were */
  readonly isRestrained?: boolean
  readonly handOutMs?: number
  /** while heads change */
  readonly checkpointMs?: number
  /** while none does */
  readonly checkpointIdleMs?: number
}

export class Anchor {
  readonly me: Member
  readonly trader: Trader
  readonly #birth: boolean
  readonly #handOutMs: number
  readonly #checkpointMs: number
  readonly #checkpointIdleMs: number
  readonly #enrolled = new Map<string, Account>()
  #restraint: { readonly atMost?: number; readonly why: string } | 'as-it-was'
  #boarding: Boarding | undefined
  #diskOk = true
  #handOutAt = 0
  #checkpointAt = 0
  #checkpointed = { at: Number.NEGATIVE_INFINITY, heads: '' }

  constructor(identity: Identity, options: AnchorOptions = {}) {
    this.me = new Member(identity)
    this.trader = new Trader(this.me, { waiting: () => 0, demand: () => 0, keeps: () => 0 })
    this.#birth = options.birth ?? false
    this.#restraint = options.isRestrained ? 'as-it-was' : { why: '' }
    this.#handOutMs = options.handOutMs ?? 100
    this.#checkpointMs = options.checkpointMs ?? 10_000
    this.#checkpointIdleMs = options.checkpointIdleMs ?? 60_000
  }

  get wakeAt(): number {
    if (!this.isJoined) return Math.min(this.me.publishAt, this.#boarding?.nextAt ?? 0)
    // with nothing to hand out there is nothing to wake up for but the own row, which is due every second
    return (this.me.books?.balance ?? 0) > 0 ? Math.min(this.me.publishAt, this.#handOutAt) : this.me.publishAt
  }

  get isJoined(): boolean {
    return this.#boarding?.isDone ?? false
  }

  step(event: AnchorEvent, now: number, wall: number): Effect[] {
    this.me.start(now, wall)
    this.#handle(event)
    if (this.isJoined && this.#diskOk && this.#isTurn(event)) this.#act()
    if (!this.isJoined) this.#boarding?.go()
    this.me.publish()
    return this.me.finish()
  }

  /** Thirty gates say how they are every second: that nothing has changed is no reason to look at everything again. */
  #isTurn(event: AnchorEvent): boolean {
    if (event.kind === 'durable') return false
    return event.kind !== 'heard' || event.message.kind !== 'rows' || this.me.now >= this.#handOutAt
  }

  #handle(event: AnchorEvent): void {
    switch (event.kind) {
      case 'booted':
        return this.#booted(event.boot)
      case 'begun':
        return this.#boarding?.begun(event.opened)
      case 'decreed':
        if (this.isJoined) this.#decreed(event.policy)
        return
      case 'commanded':
        this.me.hearMode(event.statement)
        return
      case 'restrained':
        this.#restraint = event
        return
      case 'heard':
        return this.#heard(event.from, event.message)
      case 'met':
        return this.me.greet(event.peer)
      case 'durable':
        return this.me.durable(event.size)
      case 'disk':
        this.#diskOk = event.state === 'ok'
        if (!this.#diskOk) this.me.alarm('DISK', ANCHOR, 'a write failed: nothing is handed out until it is mended')
        return
      case 'ticked':
        return
      default:
        return never(event)
    }
  }

  /** What it changes, who signed that and why goes into the ledger with it; then everyone is told. */
  #decreed(policy: Policy): void {
    const { me } = this
    const before = me.policy
    if (!me.learn(ANCHOR, [policy])) return
    for (const change of changesOf(policy, before)) me.books?.note({ id: me.newId(), at: me.wall, ...change })
    me.tell(EVERYONE, { kind: 'policies', policies: [policy] }, me.books?.size ?? 0)
  }

  #heard(from: string, message: Message): void {
    if (this.me.banned.has(from) || this.me.answers(from, message) || this.#boarding?.heard(from, message)) return
    switch (message.kind) {
      case 'rows':
        this.me.heardRows(from, message)
        if (message.hint !== undefined) this.trader.hint(from, message.hint, message.rows)
        return
      case 'ask':
        if (this.isJoined && this.#diskOk) this.trader.answer(from, message.ask)
        else this.me.tell(from, { kind: 'none', re: message.ask.re })
        return
      case 'mode':
        this.me.hearMode(message.statement, message.clear)
        return
      case 'enrol':
        if (this.isJoined && this.#diskOk) this.#enrol(from, message.id, message.epoch)
        return
      default:
        return
    }
  }

  /** A gate without memory gets an account that nobody has had: written down first, told once that is durable. */
  #enrol(name: string, id: string, epoch: number): void {
    const { books, view, wall } = this.me
    if (books === undefined || !this.me.isGate(name)) return
    let given = this.#enrolled.get(id)
    if (given === undefined) {
      let newest = epoch - 1
      for (const known of view.others()) {
        if (nameOf(known.row.account) === name) newest = Math.max(newest, epochOf(known.row.account))
      }
      for (const earlier of this.#enrolled.values()) {
        if (nameOf(earlier) === name) newest = Math.max(newest, epochOf(earlier))
      }
      given = account(name, newest + 1)
      this.#enrolled.set(id, given)
      books.note({ id, at: wall, type: 'enrol', account: given })
    }
    this.me.tell(name, { kind: 'enrolled', id, account: given }, books.size)
  }

  #act(): void {
    this.#followPolicy()
    this.trader.settle()
    const { now } = this.me
    if (now >= this.#handOutAt) {
      this.#handOutAt = now + this.#handOutMs
      this.trader.spread()
    }
    this.trader.flow()
    if (now >= this.#checkpointAt) this.#checkpoint()
  }

  /** The budget in force is what the newest policy's schedule says by now, or a limit in reserve below it. */
  #followPolicy(): void {
    const { policy, books, wall, newId } = this.me
    if (policy === undefined || books === undefined) return
    const capacity = this.#limit(policy)
    const before = books.budget
    if (before?.capacity === capacity && books.policy?.version === policy.version) return
    if (before?.capacity !== capacity && this.#restraint !== 'as-it-was') {
      const isSignal = capacity < scheduled(policy, wall) || this.#isInReserve(policy, before?.capacity)
      const { why } = this.#restraint
      if (isSignal) books.note({ id: newId(), at: wall, type: 'fault', code: 'BMS_LIMIT', detail: why, count: 0 })
    }
    const carried = before?.carried ?? this.#carried()
    const budget: Budget = { capacity, correction: policy.correction, reclaimed: reclaimedTotal(policy), carried }
    books.setBudget(budget, { version: policy.version, hash: policy.hash }, wall)
  }

  #limit(policy: Policy): number {
    const { books, wall } = this.me
    const restraint = this.#restraint
    const was = books?.budget?.capacity
    if (restraint === 'as-it-was') {
      return was !== undefined && this.#isInReserve(policy, was) ? was : scheduled(policy, wall)
    }
    return restraint.atMost === undefined ? scheduled(policy, wall) : restrained(policy, wall, restraint.atMost)
  }

  #isInReserve(policy: Policy, capacity: number | undefined): boolean {
    if (capacity === undefined || capacity >= scheduled(policy, this.me.wall)) return false
    return standbys(policy).some(standby => limitOf(standby, policy.marginPerMille) === capacity)
  }

  /** What earlier epochs may have minted at most: the largest budget any policy allowed them. */
  #carried(): number {
    if (epochOf(this.me.books?.account ?? 'anchor/1') === 1) return 0
    let most = 0
    for (const policy of this.me.policies.after(0)) most = Math.max(most, mintable(policy))
    return most
  }

  #checkpoint(): void {
    const { books, now, wall, view, newId } = this.me
    this.#checkpointAt = now + this.#checkpointMs
    const heads: HeadOf[] = []
    for (const { row } of view.others()) heads.push([row.account, row.size, row.root])
    heads.sort((a, b) => (a[0] < b[0] ? -1 : 1))
    const text = JSON.stringify(heads)
    if (text === this.#checkpointed.heads && now - this.#checkpointed.at < this.#checkpointIdleMs) return
    this.#checkpointed = { at: now, heads: text }
    if (heads.length > 0) books?.note({ id: newId(), at: wall, type: 'checkpoint', heads })
  }

  #booted(boot: AnchorBoot): void {
    const { me } = this
    const blank: Memory = { kind: 'lost', account: this.#birth ? 'anchor/0' : 'anchor/1' }
    for (const policy of boot.policies) me.policies.recall(policy)
    for (const statement of boot.modes) me.modes.hear(statement, name => me.isGate(name))
    for (const { id, account } of boot.enrolled) this.#enrolled.set(id, account)
    me.recall(boot.rows, boot.proofs)
    // without the policies it could not know what its earlier life may have minted
    const mayOpen = (opening: Account) => epochOf(opening) === 1 || me.policy !== undefined
    const memory = boot.memory.kind === 'blank' ? blank : boot.memory
    this.#boarding = new Boarding(me, { memory, opened: boot.opened, alone: false, mayOpen })
  }
}
