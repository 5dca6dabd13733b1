// Trader: moves tokens to where people are. Debts first, then people waiting here, then people waiting elsewhere.
//
// Law: a trader never holds back a token from someone who waits while nobody waits at its own door (the yield rule), and
// while tokens are scarce it keeps none that it has no use for: they gather at the broker, where everybody asks first.

import { type Account, ANCHOR, nameOf } from '../ledger/account.ts'
import type { SendWhy } from '../ledger/entry.ts'
import { scheduled } from '../ledger/policy.ts'
import type { Row } from '../ledger/row.ts'
import type { Known } from '../ledger/view.ts'
import { Demand } from './demand.ts'
import { Lateness } from './lateness.ts'
import { Line, peopleOf } from './line.ts'
import type { Member } from './member.ts'
import type { Ask, Hint } from './message.ts'
import { brokerOf, crowdOf, grant, handOut, isScarce, type Place, push, shareOfDebt } from './trade.ts'
import { Words } from './words.ts'

/** What a trader must know of its own door. The anchor has none: nobody waits there. */
export interface Door {
  waiting(): number
  demand(): number
  /** of what it holds, for people who will be here in a moment */
  keeps(): number
}

/** People elsewhere that the broker keeps in line, at least; more while tokens keep coming in. */
export const LINE_MIN = 2
/** Where the line is full nobody is told so before a token that is on its way now would be here. It waits for two disks. */
export const TRANSIT_MS = 10
/** …and where ours is slow, no longer than this: most of a decision's time is for those in line. */
const TRANSIT_MS_MAX = 30
/** How long the picture of who is in reach may be used before it is drawn again. */
const PICTURE_MS = 50

export class Trader {
  readonly #me: Member
  readonly #door: Door
  readonly #words: Words
  readonly #income = new Demand(500)
  readonly #lateness = new Lateness()
  readonly #line = new Line()
  #reach: Known[] = []
  #drawnAt = Number.NEGATIVE_INFINITY
  #scarce = false
  #broker: string | undefined
  #brokerSince = 0
  #tookAt = Number.NEGATIVE_INFINITY
  #pushAt = 0

  constructor(me: Member, door: Door) {
    this.#me = me
    this.#door = door
    this.#words = new Words(me.limits)
  }

  get isScarce(): boolean {
    return this.#scarce
  }

  get broker(): string | undefined {
    return this.#broker
  }

  /** Members heard lately and not banned, the anchor included. */
  get reach(): readonly Known[] {
    this.#draw()
    return this.#reach
  }

  get nextAt(): number {
    return Math.min(this.#pushAt, this.#lateness.nextAt(this.#me.books?.durable ?? 0), this.#line.nextAt)
  }

  /** Somebody's regular word of itself. */
  hint(from: string, hint: Hint, rows: readonly Row[]): void {
    this.#words.heard(from, hint, rows, this.#me.now)
  }

  /** An exit at this door gave tokens back. */
  earned(amount: number): void {
    if (this.#scarce) this.#income.add(this.#me.now, amount)
  }

  /**
   * Tokens came from another member. Whoever sent them unasked took us for the right place, so they rest here for a while;
   * those that were asked for and come too late for whoever waited go on to the next.
   */
  took(from: string, amount: number, wasAsked: boolean): void {
    this.#lateness.came(from, amount)
    if (this.#scarce) this.#income.add(this.#me.now, amount)
    if (!wasAsked) this.#tookAt = this.#me.now
  }

  /** Tokens are on their way to us, and wait for a disk there. */
  late(from: string, tokens: number): void {
    this.#lateness.heard(from, tokens, this.#me.now + this.#me.limits.patienceMs)
  }

  /** How many of those are still to come. */
  get due(): number {
    return this.#lateness.due(this.#me.now)
  }

  /** Tokens this member may give away: what it holds beyond the people at its own door, and those of a crowd. */
  get spare(): number {
    return Math.max(0, (this.#me.books?.balance ?? 0) - this.#door.waiting() - this.#door.keeps())
  }

  /** What somebody in reach would give away, by its last word, and when it last said that its ledger grew. */
  offeredBy(known: Known): number {
    return this.#words.offeredBy(known, this.#me.now)
  }

  grewAt(known: Known): number {
    return this.#words.grewAt(known, this.#me.now)
  }

  /** For how many at this door waiting makes sense although nobody in view holds a token: only where tokens come by. */
  get mayWait(): number {
    return this.#broker === this.#me.name ? this.#lineMax() - this.#line.people : this.due
  }

  /**
   * For how long the rest of them may hope for a token that is on its way: tokens come by here, or somebody in reach has
   * one as far as we know, and no crowd waits.
   */
  get transitMs(): number {
    const isNear = this.#broker === this.#me.name || this.#reach.some(({ balance }) => balance > 0)
    return isNear ? this.#transitOf(this.#door.demand()) : 0
  }

  /** Pays our share of every debt in view. Called before anything else is done with tokens. */
  settle(): void {
    const { view, books } = this.#me
    if (books === undefined) return
    const cut = this.#scheduledCut()
    if (view.debtors.length === 0 && cut === 0) return
    const debts = new Map<Account, number>()
    for (const debtor of view.debtors) debts.set(debtor, -(view.get(debtor)?.balance ?? 0))
    const anchor = view.anchor()
    if (anchor !== undefined && cut > 0) {
      const short = cut - anchor.balance
      if (short > 0) debts.set(anchor.row.account, short)
    }
    for (const [debtor, debt] of debts) {
      if (debtor === books.account || books.balance <= 0) continue
      const due = shareOfDebt(debt - view.inFlightTo(debtor), books.balance, this.#heldInReach())
      if (due > 0) this.#me.transfer(debtor, due, 'debt')
    }
  }

  /** Answers a peer that asks for tokens: at once, later from the line, or with no; one that asks no more leaves the line. */
  answer(from: string, ask: Ask): void {
    if (ask.want === 0 && ask.waiting === 0) return this.#line.leave(from, ask.re)
    this.settle()
    if (this.#give(from, ask)) return
    const isBroker = this.#broker === this.#me.name
    if (ask.forMs <= 0 || !isBroker || this.#line.isFull) return this.#refuse(from, ask)
    // whoever waits at our own door keeps their place
    const isKept = this.#line.people + this.#door.waiting() + peopleOf(ask) <= this.#lineMax()
    const most = isKept ? this.#me.limits.decisionMs : this.#transitOf(this.#hintOf(from)?.demand ?? 0)
    // nobody stands at an arm for ever, whatever the ask says
    const forMs = Math.min(ask.forMs, most)
    if (forMs <= 0) return this.#refuse(from, ask)
    this.#line.add({ from, ask, until: this.#me.now + forMs, isKept })
    if (isKept) this.#me.tell(from, { kind: 'none', re: ask.re, isKept })
  }

  /** Serves those who asked before, then passes on what nobody here needs. */
  flow(): void {
    const now = this.#me.now
    this.#line.serve(
      now,
      ({ from, ask }) => this.#give(from, ask),
      ({ from, ask }) => this.#refuse(from, ask),
    )
    this.#tellLate()
    this.#draw()
    // what stays here for now is told, so that whoever has people waiting can ask for it
    if (this.#scarce && this.spare > 0 && !this.#forward()) this.#me.offer()
    if (now >= this.#pushAt) this.#pushSurplus()
  }

  /** Everything this member holds, spread over the gates in reach: the anchor keeps nothing for itself. */
  spread(): void {
    this.#draw()
    const books = this.#me.books
    if (books === undefined || this.#scarce || books.balance <= 0) return
    for (const part of handOut(books.balance, this.#gates(), this.#maxHeld())) {
      this.#me.transfer(part.to, part.amount, 'grant')
    }
  }

  /** All of it to a gate in reach: this one stops. The anchor would only hand it out again, and to us as well. */
  handOver(): void {
    this.#draw()
    const books = this.#me.books
    if (books === undefined || books.balance <= 0) return
    let taker: Known | undefined
    for (const known of this.#reach) {
      if (nameOf(known.row.account) === ANCHOR) continue
      if (taker === undefined || this.#demandOf(known) > this.#demandOf(taker)) taker = known
    }
    if (taker !== undefined) this.#me.transfer(taker.row.account, books.balance, 'stop')
  }

  #refuse(from: string, { re, account }: Ask): void {
    const broker = this.#broker
    const none = { kind: 'none', re } as const
    // tokens that are on their way to them must not be overtaken: people would be turned away a moment before they come
    const afterSize = this.#me.view.inFlightTo(account) > 0 ? (this.#me.books?.size ?? 0) : 0
    this.#me.tell(from, broker === undefined || broker === this.#me.name ? none : { ...none, broker }, afterSize)
  }

  #give(from: string, ask: Ask): boolean {
    const books = this.#me.books
    if (books === undefined || nameOf(ask.account) !== from || ask.account === books.account) return false
    if (!this.#me.view.isCurrent(ask.account) || this.#me.banned.has(from)) return false
    const { want, waiting } = ask
    if (!(Number.isSafeInteger(want) && want > 0 && Number.isSafeInteger(waiting) && waiting >= 0)) return false
    const { view } = this.#me
    const balance = Math.max(0, view.get(ask.account)?.balance ?? 0)
    const held = balance + view.inFlightTo(ask.account)
    const room = this.#maxHeld() - balance
    const amount = grant({ spare: this.spare, want, waiting, scarce: this.#scarce, held, room })
    if (amount === 0) return false
    this.#send(ask.account, amount, 'ask', ask.re)
    return true
  }

  /** Somebody may wait for these: should the disk be held up they are told. */
  #send(to: Account, amount: number, why: SendWhy, re?: number): void {
    const { books, now } = this.#me
    if (books === undefined) return
    this.#me.transfer(to, amount, why, re)
    this.#lateness.sent(to, amount, books, now)
  }

  /** Whoever waits for tokens that are late is told so: those who take what we sent, and in our line the first of many. */
  #tellLate(): void {
    const { books, now, limits } = this.#me
    if (books === undefined) return
    for (const { to, tokens } of this.#lateness.overdue(books, now)) this.#me.tell(to, { kind: 'late', tokens })
    if (this.#line.isEmpty) return
    this.#line.delay(this.due - this.#door.waiting(), now + limits.patienceMs, ({ from, ask }) =>
      this.#me.tell(from, { kind: 'late', tokens: peopleOf(ask) }),
    )
  }

  /** False where it stays here, although people ask elsewhere. */
  #forward(): boolean {
    const broker = this.#broker
    if (broker === undefined || broker === this.#me.name) return true
    const account = this.#me.view.current(broker)
    const known = account === undefined ? undefined : this.#me.view.get(account)
    if (account === undefined || known === undefined) return false
    // gates change their minds about the broker one after the other; tokens must not chase it round the mall
    const { now, limits } = this.#me
    if (now - Math.max(this.#tookAt, this.#brokerSince) < limits.gossipMs) return false
    if (now - known.heardAt > limits.rowIdleMs + limits.rowEveryMs) return false
    const amount = Math.min(this.spare, Math.max(1, this.#maxHeld() - Math.max(0, known.balance)))
    this.#send(account, amount, 'broker')
    return true
  }

  #pushSurplus(): void {
    const { now, limits, books, name } = this.#me
    this.#pushAt = now + limits.pushEveryMs
    if (books === undefined || this.#scarce || this.spare === 0 || name === ANCHOR) return
    const others = this.#gates()
    const own = { name, account: books.account, balance: this.spare, coming: 0, demand: this.#ownDemand() }
    const moved = push(own, others, this.#maxHeld())
    if (moved !== undefined) this.#me.transfer(moved.to, Math.min(moved.amount, this.spare), 'push')
  }

  #gates(): Place[] {
    const gates: Place[] = []
    for (const known of this.#reach) {
      const { account } = known.row
      const name = nameOf(account)
      if (name === ANCHOR) continue
      const coming = this.#me.view.inFlightTo(account)
      gates.push({ name, account, balance: known.balance, coming, demand: this.#demandOf(known) })
    }
    return gates
  }

  /** The picture of who is in reach, drawn from the view now and then rather than at every step. */
  #draw(): void {
    const { now, view, limits, banned, books, name } = this.#me
    if (now - this.#drawnAt < PICTURE_MS) return
    this.#drawnAt = now
    this.#reach = []
    const places: Place[] = []
    let free = Math.max(0, books?.balance ?? 0)
    for (const known of view.others()) {
      const { account } = known.row
      const peer = nameOf(account)
      // until our ledger is open the row that others hold of it is in the view like anyone's
      if (peer === name) continue
      // what is sent to a gate that was taken off the roster comes back only by a head count
      if (peer !== ANCHOR && !this.#me.isGate(peer)) continue
      if (!view.isFresh(known, now, limits.silentMs) || banned.has(peer) || this.#hintOf(peer)?.leaving) continue
      this.#reach.push(known)
      free += Math.max(0, known.balance)
      if (peer === ANCHOR) continue
      places.push({ name: peer, account, balance: known.balance, coming: 0, demand: this.#demandOf(known) })
    }
    if (name !== ANCHOR && books !== undefined) {
      const demand = this.#ownDemand()
      places.push({ name, account: books.account, balance: books.balance, coming: 0, demand })
    }
    this.#scarce = isScarce(free, places.length, this.#scarce, limits)
    this.#me.pace.isAmple = free >= places.length * limits.amplePerGate
    const broker = this.#scarce ? brokerOf(places, this.#broker) : undefined
    if (broker !== this.#broker) this.#brokerSince = now
    this.#broker = broker
  }

  /** As others believe it: held against theirs, nobody may look busier to itself than it does to them. */
  #ownDemand(): number {
    return Math.min(this.#door.demand(), this.#me.limits.demandPerSecondMax)
  }

  #demandOf(known: Known): number {
    return this.#hintOf(nameOf(known.row.account))?.demand ?? 0
  }

  #hintOf(peer: string): Hint | undefined {
    return this.#words.hintOf(peer, this.#me.now)
  }

  #heldInReach(): number {
    this.#draw()
    let held = Math.max(0, this.#me.books?.balance ?? 0)
    for (const known of this.#reach) held += Math.max(0, known.balance)
    return held
  }

  #maxHeld(): number {
    const capacity = this.#me.books?.budget?.capacity ?? this.#me.view.anchor()?.row.budget?.capacity ?? 0
    const share = this.#me.policy?.maxSharePerMille ?? 1000
    return Math.max(1, Math.floor((capacity * share) / 1000))
  }

  /** A crowd is told at once. */
  #transitOf(demand: number): number {
    const { disk, limits, now } = this.#me
    const transitMs = Math.min(Math.max(TRANSIT_MS, 2 * disk.slowMs(now)), TRANSIT_MS_MAX)
    return transitMs * (1 - crowdOf(demand, limits))
  }

  /** As many as tokens come by while one waits, and as many again. */
  #lineMax(): number {
    const dueSoon = (this.#income.perSecond(this.#me.now) * this.#me.limits.decisionMs) / 1000
    return Math.max(LINE_MIN, Math.ceil(dueSoon * 2)) + this.due
  }

  /** A cut that our clock says is due although the anchor's row does not say so yet. Raises wait for the row. */
  #scheduledCut(): number {
    const { policy, view, wall } = this.#me
    const capacity = view.anchor()?.row.budget?.capacity
    if (policy === undefined || capacity === undefined) return 0
    return Math.max(0, capacity - scheduled(policy, wall))
  }
}
