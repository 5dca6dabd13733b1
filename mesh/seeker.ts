// Seeker: asks others for tokens on behalf of the people waiting at this door, and ahead of them.
//
// Law: for every person waiting there is an ask under way, or nobody in view is left to be asked. Whoever said no is not
// asked again until its row says that something changed; the broker, where tokens come by without a row that says so, is
// asked for each person at a door that few come to, and not for each of a crowd. Nobody waits without a reason: an ask that
// was not answered at once stands for those it was made for, and for nobody who came later. Whoever was asked and says
// nothing at all may have a token on its way to a slow disk: that is a reason to wait longer.

import { nameOf } from '../ledger/account.ts'
import type { Known } from '../ledger/view.ts'
import type { Member } from './member.ts'
import type { Ask } from './message.ts'
import { appetite, crowdOf } from './trade.ts'
import { LINE_MIN, type Trader } from './trader.ts'

interface Out {
  readonly to: string
  readonly waiting: number
  /** what it was taken to have */
  readonly offered: number
  readonly at: number
  /** after this somebody else is asked as well */
  readonly slowAt: number
  /** for so long it may stay in line, and for so long it may go without any answer */
  readonly until: number
  readonly latest: number
  /** it is in line there, for those it was made for */
  isKept: boolean
}

/** Somebody to be asked, and what it is taken to have. */
interface Donor {
  readonly name: string
  readonly offered: number
}

/** Asked at the same time. A crowd that finds a door empty waits for their answers before more are asked. */
const AT_ONCE = 4
/** About as long as a token takes to the broker: whatever it said before that, a no or a place in line, may not hold now. */
const BROKER_AGAIN_MS = 5

export class Seeker {
  readonly #me: Member
  readonly #trader: Trader
  readonly #out = new Map<number, Out>()
  /** who said no to people who wait, and who would rather keep what it has while nobody does */
  readonly #refusedAt = new Map<string, number>()
  readonly #keptAt = new Map<string, number>()
  /** who was asked for people who wait, or took them into its line */
  readonly #spokeAt = new Map<string, number>()
  /** when somebody who was taken to have many tokens said that they are where tokens gather */
  #movedAt = Number.NEGATIVE_INFINITY
  #prefetch: { re: number; until: number } | undefined
  #count = 0
  /** round trips of answered asks, for the metrics */
  roundTripMs = 0
  readonly #askedAt = new Map<number, number>()

  constructor(me: Member, trader: Trader) {
    this.#me = me
    this.#trader = trader
  }

  /** Asks for those not covered by an ask under way. Returns how many of those waiting have something to wait for. */
  seek(
    waiting: number,
    demand: number,
    { until, latest }: { readonly until: number; readonly latest: number },
  ): number {
    this.#forget()
    let [covered, promised, prompt, known] = [0, 0, 0, 0]
    for (const out of this.#out.values()) {
      promised += out.waiting
      const isPrompt = !out.isKept && out.slowAt > this.#me.now
      if (isPrompt || out.to === this.#trader.broker) known += out.waiting
      if (!isPrompt) continue
      covered += out.waiting
      prompt++
    }
    if (covered >= waiting || prompt >= AT_ONCE) return waiting
    // the broker first while tokens are scarce, since those in view are on their way there; but for nobody twice
    const strangers = waiting - known
    const broker = strangers > 0 ? this.#broker(demand) : undefined
    const { name: donor, offered } = broker ?? this.#richest(0, this.#refusedAt) ?? {}
    // whoever answers in a moment may have more than was asked for, and can be asked again
    if (donor === undefined || offered === undefined) return prompt > 0 ? waiting : promised
    const need = broker === undefined ? waiting - covered : strangers
    const want = this.#trader.isScarce ? need : appetite({ waiting: need, demand, limits: this.#me.limits })
    const re = this.#ask(donor, want, need, Math.max(1, until - this.#me.now))
    const slowAt = this.#me.now + this.#me.limits.askTimeoutMs
    this.#spokeAt.set(donor, this.#me.now)
    this.#out.set(re, { to: donor, waiting: need, offered, at: this.#me.now, slowAt, until, latest, isKept: false })
    return waiting
  }

  /** Asks for some seconds of demand before anyone waits; nobody stands behind it, so there is no hurry. */
  prefetch(demand: number): void {
    if (this.#prefetch !== undefined && this.#prefetch.until > this.#me.now) return
    if (this.#trader.isScarce) return
    const donor = this.#richest((this.#me.books?.balance ?? 0) + 1, this.#keptAt)
    if (donor === undefined) return
    if (this.#prefetch !== undefined) this.#askedAt.delete(this.#prefetch.re)
    const re = this.#ask(donor.name, appetite({ waiting: 0, demand, limits: this.#me.limits }), 0, 0)
    this.#prefetch = { re, until: this.#me.now + this.#me.limits.askTimeoutMs * 4 }
  }

  /** An answer came, with tokens or without. */
  answered(re: number): void {
    const askedAt = this.#askedAt.get(re)
    if (askedAt !== undefined) this.roundTripMs = this.roundTripMs * 0.9 + (this.#me.now - askedAt) * 0.1
    this.#askedAt.delete(re)
    this.#out.delete(re)
    if (this.#prefetch?.re === re) this.#prefetch = undefined
  }

  /** `broker`: where it sends what it has. */
  refused(from: string, re: number, broker?: string): void {
    if (broker !== undefined && (this.#out.get(re)?.offered ?? 0) > LINE_MIN) this.#movedAt = this.#me.now
    const refusals = this.#prefetch?.re === re ? this.#keptAt : this.#refusedAt
    refusals.set(from, this.#me.now)
    this.answered(re)
  }

  /** It stays in line where it was asked: whoever comes from now on is not in it. */
  kept(re: number): void {
    const out = this.#out.get(re)
    if (out === undefined) return
    out.isKept = true
    this.#spokeAt.set(out.to, this.#me.now)
  }

  /** Only so many wait here any more: whoever has more of them in line is told, and has room for others. */
  withdraw(waiting: number): void {
    if (this.#out.size === 0) return
    this.#forget()
    const kept = [...this.#out].filter(([, { isKept }]) => isKept)
    let inLine = kept.reduce((sum, [, out]) => sum + out.waiting, 0)
    for (const [re, out] of kept.reverse()) {
      if (inLine - out.waiting < waiting) continue
      inLine -= out.waiting
      this.answered(re)
      this.#tell(out.to, { re, want: 0, waiting: 0, forMs: 0 })
    }
  }

  /** It asks for people who wait at its own door: it has nothing to give. */
  asks(from: string): void {
    this.#refusedAt.set(from, this.#me.now)
  }

  /**
   * Somebody was asked in this one's time who has said neither yes nor no, or a token is on its way. What is asked later,
   * for those who came after, is no reason to wait longer: at a busy door there would always be one.
   */
  isAnswerDue({ until }: { readonly until: number }): boolean {
    if (this.#trader.due > 0) return true
    for (const { isKept, latest, at } of this.#out.values()) {
      if (!isKept && latest > this.#me.now && at < until) return true
    }
    return false
  }

  get nextAt(): number {
    let at = Number.POSITIVE_INFINITY
    for (const out of this.#out.values()) {
      at = Math.min(at, !out.isKept && out.slowAt > this.#me.now ? out.slowAt : endOf(out))
    }
    return at
  }

  #ask(to: string, want: number, waiting: number, forMs: number): number {
    const re = ++this.#count
    this.#askedAt.set(re, this.#me.now)
    this.#tell(to, { re, want, waiting, forMs })
    return re
  }

  #tell(to: string, ask: Omit<Ask, 'account'>): void {
    const account = this.#me.books?.account ?? ''
    // what is asked stands on no entry but the first, which opened the account
    this.#me.tell(to, { kind: 'ask', ask: { ...ask, account } }, 1)
  }

  /** Where tokens gather, unless it is here, or was just asked, or has just said what it has to say. */
  #broker(demand: number): Donor | undefined {
    const { broker } = this.#trader
    const { now, limits, name } = this.#me
    if (broker === undefined || broker === name) return undefined
    const never = Number.NEGATIVE_INFINITY
    const lately = Math.max(this.#refusedAt.get(broker) ?? never, this.#spokeAt.get(broker) ?? never)
    const pauseMs = Math.max(this.#movedAt > lately ? 0 : BROKER_AGAIN_MS, limits.rowEveryMs * crowdOf(demand, limits))
    return now - lately > pauseMs ? { name: broker, offered: 0 } : undefined
  }

  /** Of those who hold more than that. */
  #richest(above: number, refusals: ReadonlyMap<string, number>): Donor | undefined {
    let best: Donor | undefined
    for (const known of this.#trader.reach) {
      const offered = this.#trader.offeredBy(known)
      if (offered <= (best?.offered ?? above)) continue
      const name = nameOf(known.row.account)
      if (this.#mayAsk(name, known, refusals)) best = { name, offered }
    }
    return best
  }

  #mayAsk(name: string, known: Known, refusals: ReadonlyMap<string, number>): boolean {
    for (const out of this.#out.values()) if (out.to === name) return false
    const refusedAt = refusals.get(name)
    if (refusedAt === undefined || this.#trader.grewAt(known) > refusedAt) return true
    const { now, limits } = this.#me
    // a row from before it said no says nothing; later ones may, though they grew no more
    const isNews = known.heardAt > refusedAt || now - refusedAt > limits.rowIdleMs
    return isNews && now - refusedAt > limits.rowEveryMs
  }

  #forget(): void {
    for (const [re, out] of this.#out) {
      if (endOf(out) > this.#me.now) continue
      this.#out.delete(re)
      this.#askedAt.delete(re)
    }
  }
}

function endOf({ isKept, until, latest }: Out): number {
  return isKept ? until : latest
}
