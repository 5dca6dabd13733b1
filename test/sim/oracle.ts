// Oracle: what really happened, kept apart from anything the gates believe. It counts people at the arms and entries as
// they reach the disks, with arithmetic of its own, and names the law that was broken.

import { type Account, epochOf, nameOf } from '../../ledger/account.ts'
import type { Body } from '../../ledger/entry.ts'
import type { Row } from '../../ledger/row.ts'

export type Law =
  | 'ceiling'
  | 'exitFree'
  | 'durableFirst'
  | 'solvent'
  | 'conserved'
  | 'monotone'
  | 'noHole'
  | 'oneHistory'
  | 'mintOnce'
  | 'calm'
  | 'latched'
  | 'answered'
  | 'justice'
  | 'debts'
  | 'converge'
  | 'useful'
  | 'verified'

export class Broken extends Error {
  readonly law: Law

  constructor(law: Law, what: string) {
    super(`${law}: ${what}`)
    this.name = 'Broken'
    this.law = law
  }
}

export interface Truth {
  readonly account: Account
  size: number
  admitted: number
  forced: number
  exited: number
  lapsed: number
  inSum: number
  outSum: number
  readonly sent: Map<Account, number>
  readonly received: Map<Account, number>
  minted: number
}

interface Visit {
  admits: number
  opened: boolean
  walked: boolean
  lapsed: boolean
}

export class Oracle {
  readonly accounts = new Map<Account, Truth>()
  readonly liars = new Set<string>()
  /** people who are inside, or may be: an open arm counts until it is known that nobody walked */
  inside = 0
  peak = 0
  /** came in without a decision, and the count of them was lost with the disk */
  unseen = 0
  /** the most that lies may have brought in by the rules */
  spoils: () => number = () => 0
  readonly visits = new Map<string, Visit>()
  readonly #exits = new Map<string, boolean>()
  readonly #intrusions = new Map<string, number>()
  readonly #told = new Map<Account, Row>()
  readonly #roots = new Map<Account, Map<number, string>>()
  /** in force by the newest budget on the anchor's disk, whichever epoch of it wrote that */
  #capacity: number | undefined
  /** decreed capacities by policy version */
  readonly decreed = new Map<number, { capacities: readonly number[]; correction: number; reclaimed: number }>()

  fail(law: Law, what: string): never {
    throw new Broken(law, what)
  }

  asked(id: string): void {
    if (!this.visits.has(id)) this.visits.set(id, { admits: 0, opened: false, walked: false, lapsed: false })
  }

  /** An arm let go for a decision. */
  opened(gate: string, id: string, onDisk: boolean): void {
    const visit = this.visits.get(id)
    if (visit === undefined) this.fail('conserved', `${gate} opened for ${id}, who never asked`)
    if (!onDisk || visit.admits === 0)
      this.fail('durableFirst', `${gate} opened for ${id} before the admission was on disk`)
    if (visit.opened) this.fail('conserved', `${gate} opened twice for ${id}`)
    visit.opened = true
    visit.walked = true
    this.inside++
    this.peak = Math.max(this.peak, this.inside)
    this.#checkCeiling(gate, id)
  }

  /** The window passed and nobody had walked. */
  stayed(id: string): void {
    const visit = this.visits.get(id) as Visit
    visit.walked = false
    this.inside--
  }

  left(id: string): void {
    this.#exits.set(id, false)
    this.inside--
  }

  intruded(id: string, count: number): void {
    this.#intrusions.set(id, count)
    this.inside += count
    this.unseen += count
  }

  /** One entry reached the disk of its owner. */
  entry(account: Account, seq: number, body: Body): void {
    let t = this.accounts.get(account)
    if (t === undefined) {
      t = blank(account)
      this.accounts.set(account, t)
    }
    if (seq !== t.size) this.fail('noHole', `${account}: entry ${seq} on disk after ${t.size} entries`)
    t.size++
    if (this.liars.has(nameOf(account))) return
    this.#count(t, body)
    if (body.type === 'admit' || body.type === 'send') {
      const held = balanceOf(t)
      if (held < 0) this.fail('solvent', `${account}: ${body.type} at entry ${seq} with a balance of ${held}`)
    }
  }

  #count(t: Truth, body: Body): void {
    switch (body.type) {
      case 'admit': {
        const visit = this.visits.get(body.id)
        if (visit === undefined) return this.fail('conserved', `${t.account}: admission of ${body.id}, who never asked`)
        if (++visit.admits > 1) this.fail('conserved', `${t.account}: ${body.id} admitted twice`)
        t.admitted++
        return
      }
      case 'exit':
        this.#exit(t, body.id, body.credited)
        return
      case 'forced':
        this.#forced(t, body.id, body.count)
        return
      case 'lapse': {
        const visit = this.visits.get(body.admit)
        if (visit === undefined || visit.admits === 0 || visit.lapsed || visit.walked) {
          this.fail(
            'mintOnce',
            `${t.account}: a lapse of ${body.admit}, who ${visit?.walked ? 'is inside' : 'is unknown'}`,
          )
        }
        visit.lapsed = true
        t.lapsed++
        return
      }
      case 'send':
        if (body.to === t.account || body.amount < 1) this.fail('conserved', `${t.account}: a send of ${body.amount}`)
        t.sent.set(body.to, (t.sent.get(body.to) ?? 0) + body.amount)
        t.outSum += body.amount
        return
      case 'receive': {
        const got = (t.received.get(body.from) ?? 0) + body.amount
        const sent = this.accounts.get(body.from)?.sent.get(t.account) ?? 0
        const lied = this.liars.has(nameOf(body.from))
        if (!lied && got > sent) {
          this.fail('conserved', `${t.account} received ${got} from ${body.from}, which sent ${sent}`)
        }
        t.received.set(body.from, got)
        t.inSum += body.amount
        return
      }
      case 'budget': {
        const decree = this.decreed.get(body.policy)
        const isLawful =
          decree?.capacities.includes(body.capacity) &&
          decree.correction === body.correction &&
          decree.reclaimed === body.reclaimed
        if (!isLawful) this.fail('mintOnce', `${t.account} minted ${body.capacity} under policy ${body.policy}`)
        t.minted = body.capacity - body.correction + body.reclaimed - body.carried
        this.#capacity = body.capacity
        return
      }
      default:
        return
    }
  }

  #exit(t: Truth, id: string, credited: boolean): void {
    const before = this.#exits.get(id)
    if (before === undefined) this.fail('mintOnce', `${t.account}: an exit ${id} that nobody made`)
    if (!credited) return
    if (before) this.fail('mintOnce', `${t.account}: exit ${id} credited twice`)
    this.#exits.set(id, true)
    t.exited++
  }

  #forced(t: Truth, id: string, count: number): void {
    const real = this.#intrusions.get(id)
    if (real !== count) this.fail('conserved', `${t.account}: ${count} forced as ${id}, in truth ${real ?? 0}`)
    this.#intrusions.delete(id)
    this.unseen -= count
    t.forced += count
  }

  /** A row left its owner. */
  told(row: Row, durable: number): void {
    if (this.liars.has(nameOf(row.account))) return
    const { account } = row
    if (row.size > durable) this.fail('durableFirst', `${account}: a row of size ${row.size} left, ${durable} on disk`)
    const roots = this.#roots.get(account) ?? new Map<number, string>()
    this.#roots.set(account, roots)
    const root = roots.get(row.size)
    if (root !== undefined && root !== row.root) this.fail('oneHistory', `${account}: two roots at size ${row.size}`)
    roots.set(row.size, row.root)
    const before = this.#told.get(account)
    if (before !== undefined && before.size > row.size && before.at < row.at - 60_000) {
      this.fail('monotone', `${account}: told size ${row.size} after ${before.size}`)
    }
    if (before !== undefined) this.#checkGrowth(before, row)
    if (before === undefined || row.size > before.size) this.#told.set(account, row)
    const t = this.accounts.get(account)
    if (t === undefined || t.size !== row.size) return
    const c = row.counters
    if (c.admitted !== t.admitted || c.exited !== t.exited || c.forced !== t.forced || c.lapsed !== t.lapsed) {
      this.fail('conserved', `${account}: the row at size ${row.size} does not say what the ledger says`)
    }
    if (c.sentTotal !== t.outSum || c.receivedTotal !== t.inSum) {
      this.fail('conserved', `${account}: transfers in the row at size ${row.size} differ from the ledger`)
    }
  }

  #checkGrowth(a: Row, b: Row): void {
    const [small, large] = a.size <= b.size ? [a.counters, b.counters] : [b.counters, a.counters]
    const shrank =
      large.admitted < small.admitted ||
      large.exited < small.exited ||
      large.forced < small.forced ||
      large.lapsed < small.lapsed ||
      large.sentTotal < small.sentTotal ||
      large.receivedTotal < small.receivedTotal
    if (shrank) this.fail('monotone', `${a.account}: counters shrank between sizes ${a.size} and ${b.size}`)
  }

  inFlightTo(to: Account): number {
    let total = 0
    const taker = this.accounts.get(to)
    for (const [from, t] of this.accounts) {
      if (from !== to) total += Math.max(0, (t.sent.get(to) ?? 0) - (taker?.received.get(from) ?? 0))
    }
    return total
  }

  /** Debts not paid yet: how far the mall may lawfully be above the capacity in force. */
  debts(which: (account: Account) => boolean = () => true): number {
    let total = 0
    for (const [account, t] of this.accounts) {
      const held = which(account) ? balanceOf(t) : 0
      if (held < 0) total += Math.max(0, -held - this.inFlightTo(account))
    }
    return total
  }

  /** Tokens that liars brought into the world: what honest gates took from them beyond what they gave. */
  counterfeit(): number {
    let net = 0
    for (const [account, t] of this.accounts) {
      if (this.liars.has(nameOf(account))) continue
      for (const [from, amount] of t.received) if (this.liars.has(nameOf(from))) net += amount
      for (const [to, amount] of t.sent) if (this.liars.has(nameOf(to))) net -= amount
    }
    return Math.max(0, net)
  }

  checkSpoils(): void {
    const [got, most] = [this.counterfeit(), this.spoils()]
    if (got > most) this.fail('justice', `honest gates took ${got} tokens that a liar made up; the rules allow ${most}`)
  }

  #checkCeiling(gate: string, id: string): void {
    const capacity = this.#capacity
    if (capacity === undefined) return this.fail('ceiling', `${gate} opened for ${id} before anything was minted`)
    const limit = capacity + this.unseen
    if (this.inside <= limit) return
    const lawful = limit + this.debts() + Math.min(this.counterfeit(), this.spoils())
    if (this.inside > lawful) {
      const parts = `capacity ${capacity}, unseen ${this.unseen}, debts ${this.debts()}`
      this.fail('ceiling', `${this.inside} inside after ${gate} opened for ${id}; lawful ${lawful} (${parts})`)
    }
  }

  /** The law as an equality over all honest ledgers: what was minted is held, in flight, or a person. */
  checkSum(): void {
    let minted = 0
    let held = 0
    let flying = 0
    let counted = 0
    for (const [account, t] of this.accounts) {
      if (this.liars.has(nameOf(account))) continue
      minted += t.minted
      held += balanceOf(t)
      counted += t.admitted + t.forced - t.lapsed - t.exited
      for (const [to, amount] of t.sent) {
        if (!this.liars.has(nameOf(to))) flying += amount - (this.accounts.get(to)?.received.get(account) ?? 0)
      }
    }
    const toLiars = this.#netToLiars()
    if (counted !== minted - held - flying - toLiars) {
      this.fail(
        'conserved',
        `${counted} counted, ${minted} minted, ${held} held, ${flying} in flight, ${toLiars} with liars`,
      )
    }
  }

  /** People inside, from the same ledgers, must be the people who walked, each difference explained by name. */
  checkPeople(): void {
    let counted = 0
    for (const [account, t] of this.accounts) {
      if (!this.liars.has(nameOf(account))) counted += t.admitted + t.forced - t.lapsed - t.exited
    }
    let neverOpened = 0
    for (const v of this.visits.values()) if (v.admits > 0 && !v.walked && !v.lapsed) neverOpened++
    let uncredited = 0
    for (const credited of this.#exits.values()) if (!credited) uncredited++
    const explained = counted - neverOpened - uncredited + this.unseen
    if (explained !== this.inside) {
      this.fail('conserved', `${this.inside} inside, the ledgers explain ${explained} (${counted} counted)`)
    }
  }

  #netToLiars(): number {
    let net = 0
    for (const [account, t] of this.accounts) {
      if (this.liars.has(nameOf(account))) continue
      for (const [to, amount] of t.sent) if (this.liars.has(nameOf(to))) net += amount
      for (const [from, amount] of t.received) if (this.liars.has(nameOf(from))) net -= amount
    }
    return net
  }

  /** The newest account of a name. */
  current(name: string): Truth | undefined {
    let newest: Truth | undefined
    for (const t of this.accounts.values()) {
      if (nameOf(t.account) !== name) continue
      if (newest === undefined || epochOf(t.account) > epochOf(newest.account)) newest = t
    }
    return newest
  }
}

export function balanceOf(t: Truth): number {
  return t.minted + t.inSum + t.exited + t.lapsed - t.admitted - t.forced - t.outSum
}

function blank(account: Account): Truth {
  const none = { size: 0, admitted: 0, forced: 0, exited: 0, lapsed: 0, inSum: 0, outSum: 0, minted: 0 }
  return { account, ...none, sent: new Map(), received: new Map() }
}
