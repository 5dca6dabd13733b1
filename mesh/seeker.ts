// Seeker: asks others for tokens on behalf of the people waiting at this door, and ahead of them.
//
// Law: for every person waiting there is an ask under way, or nobody in view is left to be asked. Whoever said no is not
// asked again until its row says that something changed. Nobody waits without a reason: an ask that was not answered at
// once stands for those it was made for, and for nobody who came later.

import { nameOf } from '../ledger/account.ts'
import type { Known } from '../ledger/view.ts'
import type { Member } from './member.ts'
import { appetite } from './trade.ts'
import type { Trader } from './trader.ts'

interface Out {
  readonly to: string
  readonly waiting: number
  /** after this somebody else is asked as well */
  slowAt: number
  readonly until: number
}

/** Asked at the same time. A crowd that finds a door empty waits for their answers before more are asked. */
const AT_ONCE = 4

export class Seeker {
  readonly #me: Member
  readonly #trader: Trader
  readonly #out = new Map<number, Out>()
  /** who said no to people who wait, and who would rather keep what it has while nobody does */
  readonly #refusedAt = new Map<string, number>()
  readonly #keptAt = new Map<string, number>()
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
  seek(waiting: number, demand: number, untilMs: number): number {
    this.#forget()
    let [covered, promised, prompt] = [0, 0, 0]
    for (const out of this.#out.values()) {
      promised += out.waiting
      if (out.slowAt <= this.#me.now) continue
      covered += out.waiting
      prompt++
    }
    if (covered >= waiting || prompt >= AT_ONCE) return waiting
    const donor = this.#donor()
    // whoever answers in a moment may have more than was asked for, and can be asked again
    if (donor === undefined) return prompt > 0 ? waiting : promised
    const need = waiting - covered
    const want = this.#trader.isScarce ? need : appetite({ waiting: need, demand, limits: this.#me.limits })
    const re = this.#ask(donor, want, need, Math.max(1, untilMs - this.#me.now))
    const slowAt = this.#me.now + this.#me.limits.askTimeoutMs
    this.#out.set(re, { to: donor, waiting: need, slowAt, until: untilMs })
    return waiting
  }

  /** Asks for some seconds of demand before anyone waits; nobody stands behind it, so there is no hurry. */
  prefetch(demand: number): void {
    if (this.#prefetch !== undefined && this.#prefetch.until > this.#me.now) return
    if (this.#trader.isScarce) return
    const donor = this.#richest((this.#me.books?.balance ?? 0) + 1, this.#keptAt)
    if (donor === undefined) return
    if (this.#prefetch !== undefined) this.#askedAt.delete(this.#prefetch.re)
    const re = this.#ask(donor, appetite({ waiting: 0, demand, limits: this.#me.limits }), 0, 0)
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

  refused(from: string, re: number): void {
    const refusals = this.#prefetch?.re === re ? this.#keptAt : this.#refusedAt
    refusals.set(from, this.#me.now)
    this.answered(re)
  }

  /** It stays in line where it was asked: whoever comes from now on has nothing to wait for. */
  kept(re: number): void {
    const out = this.#out.get(re)
    if (out !== undefined) out.slowAt = this.#me.now
  }

  /** It asks for people who wait at its own door: it has nothing to give. */
  asks(from: string): void {
    this.#refusedAt.set(from, this.#me.now)
  }

  get nextAt(): number {
    let at = Number.POSITIVE_INFINITY
    for (const out of this.#out.values()) at = Math.min(at, out.slowAt > this.#me.now ? out.slowAt : out.until)
    return at
  }

  #ask(to: string, want: number, waiting: number, forMs: number): number {
    const re = ++this.#count
    const account = this.#me.books?.account ?? ''
    this.#askedAt.set(re, this.#me.now)
    // what is asked stands on no entry but the first, which opened the account
    this.#me.tell(to, { kind: 'ask', ask: { re, account, want, waiting, forMs } }, 1)
    return re
  }

  /** The broker first while tokens are scarce, since those in view are on their way there; then the richest. */
  #donor(): string | undefined {
    const broker = this.#trader.broker
    const isAnother = broker !== undefined && broker !== this.#me.name
    return isAnother && this.#mayAsk(broker, undefined, this.#refusedAt) ? broker : this.#richest(0, this.#refusedAt)
  }

  /** Of those who hold more than that. */
  #richest(above: number, refusals: ReadonlyMap<string, number>): string | undefined {
    let best: Known | undefined
    for (const known of this.#trader.reach) {
      if (known.balance <= (best?.balance ?? above)) continue
      if (this.#mayAsk(nameOf(known.row.account), known, refusals)) best = known
    }
    return best === undefined ? undefined : nameOf(best.row.account)
  }

  #mayAsk(name: string, known: Known | undefined, refusals: ReadonlyMap<string, number>): boolean {
    for (const out of this.#out.values()) if (out.to === name) return false
    const refusedAt = refusals.get(name)
    if (refusedAt === undefined) return true
    if (known !== undefined && known.grewAt > refusedAt) return true
    const { now, limits } = this.#me
    // a row from before it said no says nothing; later ones may, though they grew no more
    const isNews = known === undefined || known.heardAt > refusedAt || now - refusedAt > limits.rowIdleMs
    return isNews && now - refusedAt > limits.rowEveryMs
  }

  #forget(): void {
    for (const [re, out] of this.#out) {
      if (out.until > this.#me.now) continue
      this.#out.delete(re)
      this.#askedAt.delete(re)
    }
  }
}
