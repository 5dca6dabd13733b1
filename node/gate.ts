// Gate: one door of the mall. Everything it does is `step(event) → effects`, synchronous, without clock, disk or network.
//
// Laws: an admission takes a token before anything else happens and opens the arm only once that is on disk.
// An exit is let out first and unconditionally (uncontrolled.ts). When in doubt, reject.

import type { Reject, Source } from '../ledger/entry.ts'
import { never } from '../ledger/fault.ts'
import { Boarding } from '../mesh/boarding.ts'
import type { Identity } from '../mesh/identity.ts'
import { Member } from '../mesh/member.ts'
import { type Answer, type Effect, EVERYONE, type Hint, type Message, type Rows, UNASKED } from '../mesh/message.ts'
import type { Contact } from '../mesh/modekeeper.ts'
import { Seeker } from '../mesh/seeker.ts'
import { lowWater } from '../mesh/trade.ts'
import { Trader } from '../mesh/trader.ts'
import { Arrivals } from './arrivals.ts'
import type { Boot } from './boot.ts'
import type { GateEvent } from './gate-event.ts'
import { type Refusal, refusalOf, StandingRefusal } from './refusal.ts'
import { Requests, type Waiting } from './requests.ts'
import { Uncontrolled } from './uncontrolled.ts'

type Asking = Pick<Waiting, 'id' | 'confidence'>

const LEAVING: Hint = { demand: 0, waiting: 0, leaving: true }

export interface GateOptions {
  /** start deciding without having heard from anyone; only for a mall of one gate */
  readonly alone?: boolean
}

export class Gate {
  readonly me: Member
  readonly trader: Trader
  readonly #seeker: Seeker
  readonly #requests: Requests
  readonly #exits: Uncontrolled
  readonly #arrivals: Arrivals
  readonly #alone: boolean
  #boarding: Boarding | undefined
  #diskOk = true
  #unlogged = 0
  #stopping = false
  readonly #standing = new StandingRefusal()
  #anchorAt = Number.NEGATIVE_INFINITY
  #extendedUntil = 0
  /** rejects given while a reachable gate could have yielded a token */
  unnecessaryRejects = 0

  constructor(identity: Identity, options: GateOptions = {}) {
    this.me = new Member(identity)
    this.#requests = new Requests(identity.limits.rememberMs)
    this.#arrivals = new Arrivals(identity.limits)
    this.trader = new Trader(this.me, {
      waiting: () => this.waiting,
      demand: () => this.#arrivals.custom(this.me.now),
      keeps: () => this.#arrivals.keeps(this.me.now),
    })
    this.#seeker = new Seeker(this.me, this.trader)
    this.#exits = new Uncontrolled(this.me, this.trader, this.#requests)
    this.#alone = options.alone ?? false
  }

  /** When the shell should step with `ticked` next. */
  get wakeAt(): number {
    const waiting = this.#requests.waiting.length > 0 ? this.#seeker.nextAt : Number.POSITIVE_INFINITY
    const routine = !this.isJoined
      ? (this.#boarding?.nextAt ?? 0)
      : this.#stopping
        ? Number.POSITIVE_INFINITY
        : this.trader.nextAt
    const isDue = (one: Waiting) => this.#seeker.isAnswerDue(one)
    return Math.min(waiting, routine, this.#requests.nextAt(this.me.now, isDue), this.me.publishAt)
  }

  get isJoined(): boolean {
    return this.#boarding?.isDone ?? false
  }

  /** Is its ledger another one than the disk had? Undefined until it is known which it goes on with. */
  get isAnew(): boolean | undefined {
    return this.#boarding?.isAnew
  }

  get waiting(): number {
    return this.#requests.waiting.length
  }

  /** Why no entry was to be decided here as of the last step; undefined when all was well. */
  get fault(): string | undefined {
    return this.#fault()
  }

  /** Mono ms when the anchor was last heard. */
  get anchorAt(): number {
    return this.#anchorAt
  }

  step(event: GateEvent, now: number, wall: number): Effect[] {
    this.me.start(now, wall)
    const isNews = event.kind !== 'durable' && event.kind !== 'passed'
    if (isNews && event.kind !== 'asked') this.#standing.fall()
    const isSettled = event.kind === 'asked' && this.#standing.at(now) !== undefined
    this.#handle(event)
    if (this.me.modes.effective !== 'NORMAL') this.#takeBack()
    if (this.isJoined && isNews && !isSettled) {
      // one token less here is nothing that others wait for
      const isLess = event.kind === 'asked' && this.waiting === 0 && !this.trader.isScarce
      if (isLess) this.#stockUp()
      else this.#trade()
    }
    if (event.kind !== 'asked' && event.kind !== 'durable') this.#chores()
    return this.me.finish()
  }

  #handle(event: GateEvent): void {
    switch (event.kind) {
      case 'asked':
        return this.#asked(event.id, event.confidence)
      case 'left':
        return this.#exits.left(event.id, event.confidence)
      case 'passed':
        this.#requests.passed(event.id)
        return
      case 'lapsed':
        return this.#lapsed(event.id)
      case 'intruded':
        return this.#exits.intruded(event.id, event.count, event.why)
      case 'noted':
        return this.#exits.noted(event.note)
      case 'heard':
        return this.#heard(event.from, event.message)
      case 'met':
        return this.me.greet(event.peer)
      case 'durable':
        this.me.durable(event.size)
        return this.#requests.durable(event.size)
      case 'disk':
        return this.#disk(event.state)
      case 'withdrawn':
        return this.#withdrawn(event.id)
      case 'contact':
        return this.#contact(event.contact, event.closed)
      case 'booted':
        return this.#booted(event.boot)
      case 'begun':
        return this.#boarding?.begun(event.opened)
      case 'stopping':
        return this.#stop()
      case 'ticked':
        return
      default:
        return never(event)
    }
  }

  #asked(id: string, confidence: number): void {
    const { now } = this.me
    const said = this.#requests.said(id)
    if (said !== undefined) {
      if (said.answer === 'pending' || said.answer === 'left') return
      this.me.emit({ kind: 'answer', id, answer: said.answer, afterSize: said.afterSize })
      return
    }
    this.#arrivals.add(now)
    const standing = this.#standing.at(now)
    if (standing !== undefined) return this.#refuse({ id, confidence }, standing)
    const request = { id, confidence, askedAt: now, ...this.#arrivals.patience(now) }
    if (this.me.modes.effective !== 'NORMAL') {
      return this.#reject(request, 'REJECT_EMERGENCY', this.me.modes.effective.toLowerCase())
    }
    const fault = this.#fault()
    if (fault !== undefined) return this.#reject(request, 'REJECT_FAULT', fault)
    this.trader.settle()
    if ((this.me.books?.balance ?? 0) >= 1 && this.#requests.waiting.length === 0) return this.#admit(request, 'local')
    this.#requests.wait(request)
  }

  /** Why no entry can be decided here, in a fixed order; undefined when all is well. */
  #fault(): string | undefined {
    if (this.me.isOutlived) return 'forked'
    if (!this.isJoined) return 'joining'
    if (!this.me.isGate(this.me.name)) return 'revoked'
    if (!this.#diskOk) return 'disk'
    if (this.#stopping) return 'stopping'
    if (this.me.policy === undefined) return 'no-policy'
    const expired = this.me.now - this.#anchorAt > this.me.policy.expireAfterMs
    return expired && this.me.wall > this.#extendedUntil ? 'expired' : undefined
  }

  #admit(request: Waiting, source: Source): void {
    const books = this.me.books
    if (books === undefined) return
    books.admit(request.id, this.me.wall, source, request.confidence)
    const afterSize = books.size
    const answer: Answer = { decision: 'ADMIT', reason: '', source }
    this.#requests.remember(request.id, answer, afterSize, this.me.now)
    const until = request.askedAt + this.me.limits.openMs
    this.#requests.grant({ id: request.id, size: afterSize, until }, this.me.now)
    this.me.emit({ kind: 'open', id: request.id, afterSize })
    this.me.emit({ kind: 'answer', id: request.id, answer, afterSize })
  }

  #reject(request: Asking, code: Reject, reason: string): void {
    const answer: Answer = { decision: code, reason }
    this.#requests.remember(request.id, answer, 0, this.me.now)
    if (this.#diskOk && this.me.books !== undefined) {
      const { id, confidence } = request
      this.me.books.note({ id, at: this.me.wall, type: 'reject', code, reason, confidence })
    } else this.#unlogged++
    this.me.emit({ kind: 'answer', id: request.id, answer, afterSize: 0 })
  }

  /** Nobody walked through. Whoever asks again with this id is not let in on an answer that was taken back. */
  #lapsed(id: string): void {
    const { books, now, wall } = this.me
    if (!this.#requests.passed(id)) return
    books?.lapse(id, wall)
    this.#requests.remember(id, { decision: 'REJECT_FAULT', reason: 'lapsed' }, 0, now)
  }

  /** Debts, people waiting here, people waiting elsewhere, in this order. */
  #trade(): void {
    const waiting = this.#requests.waiting
    this.trader.settle()
    if (waiting.length > 0) this.#serve()
    this.#seeker.withdraw(waiting.length)
    if (!this.#stopping) this.trader.flow()
    this.#stockUp()
  }

  /** Some seconds of demand ahead of the people who will come. */
  #stockUp(): void {
    const books = this.me.books
    if (books === undefined || this.#stopping || this.trader.isScarce) return
    const demand = this.#arrivals.lately(this.me.now)
    if (demand > 0.05 && books.balance < lowWater(demand, this.me.limits)) this.#seeker.prefetch(demand)
  }

  #serve(): void {
    const { waiting } = this.#requests
    const hopeless = this.me.modes.effective !== 'NORMAL' || this.#fault() !== undefined
    while (waiting.length > 0 && !hopeless && (this.me.books?.balance ?? 0) >= 1) {
      this.#admit(this.#requests.next() as Waiting, 'stolen')
    }
    const isOver = (one: Waiting) => (this.#seeker.isAnswerDue(one) ? one.latest : one.until) <= this.me.now
    while (waiting.length > 0 && (hopeless || isOver(waiting[0] as Waiting))) {
      this.#turnAway(this.#requests.next() as Waiting)
    }
    if (waiting.length === 0) return
    const demand = this.#arrivals.lately(this.me.now)
    const hoping = this.#seeker.seek(waiting.length, demand, waiting[waiting.length - 1] as Waiting)
    const isFlood = this.#arrivals.isFlood(this.me.now)
    const may = Math.max(0, hoping, isFlood ? 0 : this.trader.mayWait)
    const beyond = this.#requests.beyond(may, this.me.now, isFlood ? 0 : this.trader.transitMs)
    for (const one of beyond) this.#turnAway(one)
    const isTold = beyond.length > 0 && waiting.length <= may
    if (isTold && this.#arrivals.isCrowd(this.me.now)) this.#standing.stand(this.me.now)
  }

  /** Nobody in reach can help this one: say which kind of no it is. */
  #turnAway(request: Waiting): void {
    const mode = this.me.modes.effective
    if (mode !== 'NORMAL') return this.#reject(request, 'REJECT_EMERGENCY', mode.toLowerCase())
    const fault = this.#fault()
    if (fault !== undefined) return this.#reject(request, 'REJECT_FAULT', fault)
    this.#refuse(request, refusalOf(this.trader.reach, this.me.view.others()))
  }

  #refuse(request: Asking, refusal: Refusal): void {
    this.#standing.said(refusal)
    if (refusal.isUnnecessary) this.unnecessaryRejects++
    this.#reject(request, refusal.code, refusal.reason)
  }

  #heard(from: string, message: Message): void {
    if (this.me.banned.has(from) || this.me.answers(from, message) || this.#boarding?.heard(from, message)) return
    switch (message.kind) {
      case 'rows':
        return this.#heardRows(from, message)
      case 'ask':
        if (message.ask.waiting > 0) this.#seeker.asks(from)
        if (this.isJoined && !this.#stopping) this.trader.answer(from, message.ask)
        else this.me.tell(from, { kind: 'none', re: message.ask.re })
        return
      case 'none':
        if (message.isKept && !this.#arrivals.isFlood(this.me.now)) return this.#seeker.kept(message.re)
        return this.#seeker.refused(from, message.re, message.broker)
      case 'late':
        return this.trader.late(from, message.tokens)
      case 'mode':
        this.me.hearMode(message.statement, message.clear)
        return
      case 'extend':
        if (this.#mayExtend(message.by)) this.#extendedUntil = Math.max(this.#extendedUntil, message.until)
        return
      default:
        return
    }
  }

  #heardRows(from: string, message: Rows): void {
    const before = this.me.books?.counters.receivedTotal ?? 0
    this.me.heardRows(from, message)
    const gained = (this.me.books?.counters.receivedTotal ?? 0) - before
    if (gained > 0) this.trader.took(from, gained, (message.re ?? UNASKED) !== UNASKED)
    if (message.hint !== undefined) this.trader.hint(from, message.hint, message.rows)
    if (message.re !== undefined) this.#seeker.answered(message.re)
    const anchor = this.me.view.anchor()
    if (anchor !== undefined) this.#anchorAt = Math.max(this.#anchorAt, anchor.heardAt)
  }

  #mayExtend(by: readonly string[]): boolean {
    return this.me.charter.operators.some(o => (o.role === 'operator' || o.role === 'marshal') && by.includes(o.name))
  }

  #disk(state: 'ok' | 'failed'): void {
    const books = this.me.books
    if (state === 'failed') {
      this.#diskOk = false
      this.me.alarm('DISK', this.me.name, 'a write failed: entries stop, exits go on')
      // whether the entries of these are on disk nobody knows, so their tokens stay spent
      return this.#takeBack()
    }
    if (this.#diskOk) return
    this.#diskOk = true
    const { newId, wall } = this.me
    const count = this.#unlogged
    this.#unlogged = 0
    books?.note({ id: newId(), at: wall, type: 'fault', code: 'DISK', detail: 'mended', count })
  }

  /** No arm that has not moved yet shall move. */
  #takeBack(): void {
    for (const opening of this.#requests.abandon()) this.me.emit({ kind: 'withdraw', id: opening.id, afterSize: 0 })
  }

  /** The shell took a grant back before the arm moved. */
  #withdrawn(id: string): void {
    const mode = this.me.modes.effective
    const answer: Answer =
      mode === 'NORMAL'
        ? { decision: 'REJECT_FAULT', reason: 'disk' }
        : { decision: 'REJECT_EMERGENCY', reason: mode.toLowerCase() }
    this.#requests.remember(id, answer, 0, this.me.now)
    this.me.emit({ kind: 'answer', id, answer, afterSize: 0 })
    if (this.#diskOk && this.#requests.passed(id)) this.me.books?.lapse(id, this.me.wall)
    else this.#requests.passed(id)
  }

  #contact(contact: Contact, closed: boolean): void {
    const { modes } = this.me
    const before = modes.effective
    modes.setContact(contact, closed)
    const owed = modes.owed(this.me.wall)
    if (owed !== undefined) this.me.raise(owed)
    else if (modes.effective !== before) this.me.emit({ kind: 'mode', mode: modes.effective, afterSize: 0 })
  }

  #booted(boot: Boot): void {
    const { me } = this
    for (const policy of boot.policies) me.policies.recall(policy)
    for (const statement of boot.modes) me.modes.hear(statement, name => me.isGate(name))
    me.recall(boot.rows, boot.proofs)
    for (const { id, answer } of boot.recent) {
      if (answer === 'left') this.#exits.knows(id)
      else this.#requests.remember(id, answer, 0, me.now)
    }
    const heardAnchor = me.view.anchor()
    this.#anchorAt = me.now - (heardAnchor === undefined ? 0 : Math.max(0, me.wall - heardAnchor.row.at))
    me.emit({ kind: 'mode', mode: me.modes.effective, afterSize: 0 })
    const { memory, opened } = boot
    this.#boarding = new Boarding(me, { memory, opened, alone: this.#alone, mayOpen: () => true })
  }

  /** What is held goes to others, who are told at once to send nothing after us. */
  #stop(): void {
    const { books, wall } = this.me
    this.#stopping = true
    this.trader.handOver()
    if (books !== undefined)
      this.me.tell(EVERYONE, { kind: 'rows', rows: [books.row(wall)], hint: LEAVING }, books.size)
  }

  #board(): void {
    this.#boarding?.go()
    if (this.me.books !== undefined) this.#exits.catchUp()
  }

  /** What is due by the clock. */
  #chores(): void {
    const { now, limits } = this.me
    if (!this.isJoined) this.#board()
    for (const late of this.#requests.overdue(now)) this.me.emit({ kind: 'withdraw', id: late.id, afterSize: 0 })
    this.#requests.forget(now, limits.passageMs)
    const keeps = this.#arrivals.keeps(now)
    const hint = { demand: this.#arrivals.custom(now), waiting: this.waiting, ...(keeps > 0 && { keeps }) }
    this.me.publish(this.#stopping ? LEAVING : hint)
  }
}
