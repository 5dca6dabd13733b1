// Paper day: days of a mall on paper with people, a power cut, a fire drill, a cut network, a lowered limit, a tailgater, a
// head count, optical counters that are a little off. Keeps every law, and counts for itself what a report must find.

import type { Account } from '../../ledger/account.ts'
import { account as accountOf, nameOf } from '../../ledger/account.ts'
import { balance } from '../../ledger/counters.ts'
import { reclaimedTotal } from '../../ledger/policy.ts'
import { type Draft, PaperMall, signerOf, uuid7 } from '../ledger/paper-mall.ts'
import { Agenda } from '../sim/agenda.ts'
import { Random } from '../sim/random.ts'

export interface DayOptions {
  /** ms of the moment the doors open */
  readonly opens: number
  readonly visitors: number
  readonly hours?: number
  /** the whole programme of mishaps, or a plain day */
  readonly isEventful?: boolean
}

const GATES = ['arcade', 'east', 'garage', 'market', 'south', 'west'] as const
const WEIGHTS = [5, 3, 4, 2, 2, 1]
const MINUTE = 60_000
const HOUR = 60 * MINUTE

/** What the agenda calls the beginning of time. */
const EPOCH = Date.UTC(2026, 0, 1)

export class PaperDay {
  readonly mall: PaperMall
  readonly capacity: number
  readonly #random: Random
  readonly #epochs = new Map<string, number>()
  readonly #optical = new Map<Account, { in: number; out: number }>()
  readonly #agenda = new Agenda()
  #at = 0
  #inside = 0
  #mode = 'NORMAL'
  #cut: readonly string[] = []
  #off: readonly string[] = []
  #ids = 0xf00000
  readonly #given: Account[] = []
  #arriving = true
  #closes = 0

  constructor(a: {
    readonly capacity: number
    readonly legalMax: number
    readonly opens: number
    readonly seed?: number
  }) {
    const gates = GATES.map(name => ({ name, key: signerOf(name).verifier.toString() }))
    this.mall = new PaperMall({ legalMax: a.legalMax, gates })
    this.capacity = a.capacity
    this.#random = new Random(`paper day ${a.seed ?? 1}`)
    this.#at = a.opens - HOUR
    const { mall } = this
    this.#write('anchor/1', {
      type: 'open',
      mall: 'paper',
      account: 'anchor/1',
      key: signerOf('anchor').verifier.toString(),
    })
    const terms = { capacities: [{ from: 0, capacity: a.capacity }], marginPerMille: 50, maxSharePerMille: 400 }
    mall.policy({ ...terms, reason: 'opening of the house, fire permit 14/2026' })
    this.#force()
    for (const [i, gate] of GATES.entries()) {
      this.#epochs.set(gate, 1)
      this.#open(gate, {})
      const share = Math.floor((this.limit * (WEIGHTS[i] as number)) / 17)
      this.#give('anchor/1', this.#account(gate), share, 'grant')
    }
    const rest = this.limit - this.#gates().reduce((sum, gate) => sum + this.#balance(gate), 0)
    if (rest > 0) this.#give('anchor/1', this.#account('arcade'), rest, 'grant')
  }

  get limit(): number {
    return this.mall.ledgers.get('anchor/1')?.budget?.capacity ?? 0
  }

  day({ opens, visitors, hours = 12, isEventful = false }: DayOptions): void {
    this.#arriving = true
    this.#closes = opens + hours * HOUR
    const random = this.#random
    for (let i = 0; i < visitors; i++) {
      // two waves: around noon, and a larger one after work
      const isEvening = random.chance(0.62)
      const middle = isEvening ? 0.7 : 0.33
      const share = middle + (random.next() + random.next() + random.next() - 1.5) * 0.3
      const when = share < 0.005 || share > 0.97 ? 0.1 + random.next() * 0.8 : share
      this.#plan(opens + when * hours * HOUR, () => this.#arrive(this.#door()))
    }
    for (let at = opens; at <= opens + (hours + 1) * HOUR; at += 15 * MINUTE) this.#plan(at, () => this.#look())
    if (isEventful) this.#mishaps(opens)
    this.#plan(opens + hours * HOUR, () => {
      this.#arriving = false
    })
    this.#run(opens + (hours + 1) * HOUR)
    this.#night()
  }

  #mishaps(opens: number): void {
    const at = (clock: string, act: () => void) => {
      const [hour = 0, minute = 0] = clock.split(':').map(Number)
      this.#plan(opens + (hour - 9) * HOUR + minute * MINUTE, act)
    }
    at('10:15', () => this.#forget('west'))
    at('11:30', () => this.#limit(Math.round(this.capacity * 0.9), 'escalator 2 out of use', ['alma']))
    at('12:40', () => {
      this.#off = ['south']
    })
    at('13:20', () => {
      this.#off = []
      this.#write(this.#account('south'), { type: 'fault', code: 'DISK', detail: 'mended', count: 3 })
    })
    at('14:00', () => this.#limit(this.capacity, 'escalator 2 is back', ['alma']))
    at('15:10', () => this.#raise('FIRE', 'garage', 'fire contact 3: yearly drill with the brigade'))
    at('15:24', () => this.#clear('alma,bruno', 'drill over, brigade has left'))
    at('17:30', () => {
      this.#cut = ['east', 'market']
    })
    at('17:52', () => {
      this.#cut = []
    })
    at('16:40', () => this.#recount(4))
    at('19:05', () => {
      // somebody set the clock of the arcade
      this.#write(this.#account('arcade'), { type: 'exit', credited: true, confidence: 980, at: this.#at - 95_000 })
      this.#inside--
    })
  }

  #arrive(gate: string): void {
    const random = this.#random
    if (!this.#arriving || this.#off.includes(gate)) return
    const account = this.#account(gate)
    const optical = this.#optical.get(account)
    const confidence = 990
    if (this.#mode !== 'NORMAL') {
      if (this.#mode === 'FIRE' && random.chance(0.05)) return this.#force1(account, 'fire')
      this.#write(account, { type: 'reject', code: 'REJECT_EMERGENCY', reason: this.#mode.toLowerCase(), confidence })
      return
    }
    const isLocal = this.#balance(account) > 0
    if (!isLocal && !this.#fetch(account)) {
      const isElsewhere = this.#gates().some(other => this.#balance(other) > 0)
      const code = isElsewhere ? 'REJECT_NO_HEADROOM' : 'REJECT_AT_CAPACITY'
      const reason = isElsewhere ? 'out of reach' : 'full'
      this.#write(account, { type: 'reject', code, reason, confidence })
      return
    }
    const id = uuid7(this.#at, this.#ids++)
    this.#write(account, { type: 'admit', source: isLocal ? 'local' : 'stolen', confidence, id })
    if (random.chance(0.004)) {
      this.#plan(this.#at + 6000, () => this.#write(account, { type: 'lapse', admit: id }))
      this.#inside++
      this.#plan(this.#at + 6000, () => {
        this.#inside--
      })
      return
    }
    this.#inside++
    if (optical && !random.chance(0.006)) optical.in++
    this.#stay(4 * MINUTE + random.wait(58 * MINUTE))
    if (random.chance(0.003)) this.#force1(account, 'tailgate')
  }

  /** Somebody is in without a decision. */
  #force1(account: Account, why: 'tailgate' | 'fire'): void {
    this.#write(account, { type: 'forced', count: 1, why })
    this.#inside++
    const optical = this.#optical.get(account)
    if (optical) optical.in++
    this.#stay(this.#random.wait(40 * MINUTE))
    if (this.#balance(account) >= 0) return
    const rich = this.#richest(account)
    if (rich !== undefined) this.#give(rich, account, 1, 'debt')
  }

  /** At most until the doors close, and somewhat beyond. */
  #stay(ms: number): void {
    this.#plan(Math.min(this.#at + ms, this.#closes + this.#random.next() * 40 * MINUTE), () => this.#leave())
  }

  #leave(): void {
    const gate = this.#door()
    const account = this.#account(this.#off.includes(gate) ? 'east' : gate)
    const isSure = !this.#random.chance(0.004)
    this.#write(account, { type: 'exit', credited: isSure, confidence: isSure ? 980 : 410 })
    const optical = this.#optical.get(account)
    if (optical && !this.#random.chance(0.004)) optical.out++
    if (isSure) this.#inside--
  }

  /** One token from whoever has most, or not. */
  #fetch(account: Account): boolean {
    const rich = this.#richest(account)
    if (rich === undefined) return false
    const amount = Math.max(1, Math.floor(this.#balance(rich) / 2))
    this.#give(rich, account, amount, this.#random.chance(0.3) ? 'broker' : 'ask')
    return this.#balance(account) > 0
  }

  #richest(account: Account): Account | undefined {
    const side = (one: Account) => this.#cut.includes(nameOf(one))
    const others = this.#gates().filter(one => one !== account && side(one) === side(account))
    const able = others.filter(one => this.#balance(one) > 0 && !this.#off.includes(nameOf(one)))
    return able.sort((a, b) => this.#balance(b) - this.#balance(a))[0]
  }

  #limit(capacity: number, reason: string, by: string[]): void {
    const before = this.limit
    this.mall.policy({ capacities: [{ from: 0, capacity }], reason }, by)
    this.#force()
    const owed = before - this.limit
    if (owed < 0) {
      this.#give('anchor/1', this.#account('arcade'), -owed, 'grant')
      return
    }
    this.#pay(owed)
  }

  /** The gates pay what the anchor owes, as far as they can. */
  #pay(owed: number): void {
    let left = owed
    for (const gate of this.#gates()) {
      const amount = Math.min(left, Math.max(0, this.#balance(gate)))
      if (amount === 0) continue
      this.#give(gate, 'anchor/1', amount, 'debt')
      left -= amount
    }
  }

  #raise(mode: 'FIRE' | 'EVACUATE', by: string, reason: string): void {
    this.#mode = mode
    const epoch = this.#modeEpoch
    for (const [i, account] of [this.#account(by), 'anchor/1', ...this.#gates()].entries()) {
      if (i > 0 && account === this.#account(by)) continue
      this.#write(account, { type: 'mode', epoch, mode, by, reason, at: this.#at + i * 90 })
    }
    this.#at += 1000
  }
  #modeEpoch = 0

  #clear(by: string, reason: string): void {
    this.#mode = 'NORMAL'
    this.#modeEpoch++
    for (const [i, account] of ['anchor/1', ...this.#gates()].entries()) {
      const at = this.#at + i * 130
      this.#write(account, { type: 'mode', epoch: this.#modeEpoch, mode: 'NORMAL', by, reason, at })
    }
    this.#at += 1500
  }

  /** More were found than were counted; with that it is known what the lost ledger had left, and it is put back. */
  #recount(residual: number): void {
    const { correction = 0 } = this.mall.policies.at(-1) ?? {}
    const counted = this.#inside + correction
    const recount = { at: this.#at - 5 * MINUTE, actual: counted + residual, counted }
    const reclaimed = this.#given.map(account => ({ account, amount: this.#balance(account) }))
    this.mall.policy({ correction: correction + residual, recount, reclaimed, reason: 'head count after the drill' })
    this.#force()
    const back = reclaimed.reduce((sum, { amount }) => sum + amount, 0) - residual
    if (back > 0) this.#give('anchor/1', this.#account('arcade'), back, 'grant')
    else this.#pay(-back)
  }

  /** The gate's disk is gone: a new ledger, and what the old one held stays out of use. */
  #forget(gate: string): void {
    const old = this.#account(gate)
    this.#given.push(old)
    this.mall.row(old, { at: this.#at })
    const [after, afterSize, afterRoot] = this.mall.headOf(old)
    this.#epochs.set(gate, (this.#epochs.get(gate) ?? 0) + 1)
    this.#at += 40_000
    this.#write('anchor/1', { type: 'enrol', account: this.#account(gate) })
    this.#open(gate, { after, afterSize, afterRoot })
  }

  #open(gate: string, cite: { after?: Account; afterSize?: number; afterRoot?: string }): void {
    const account = this.#account(gate)
    const key = signerOf(gate).verifier.toString()
    this.#write(account, { type: 'open', mall: 'paper', account, key, ...cite })
    // the market has no optical counter
    if (gate !== 'market') this.#optical.set(account, { in: 0, out: 0 })
  }

  #look(): void {
    for (const account of this.#gates()) {
      const seen = this.#optical.get(account)
      if (seen === undefined || this.#off.includes(nameOf(account))) continue
      this.#write(account, { type: 'optical', in: seen.in, out: seen.out })
      this.#optical.set(account, { in: 0, out: 0 })
    }
  }

  /** Puts the newest policy into force, with what it changed. */
  #force(): void {
    const policy = this.mall.policies.at(-1)
    if (policy === undefined) return
    const { version, hash, capacities, marginPerMille, correction } = policy
    const reclaimed = reclaimedTotal(policy)
    const capacity = Math.floor(((capacities[0]?.capacity ?? 0) * (1000 - marginPerMille)) / 1000)
    this.#write('anchor/1', { type: 'policy', version, hash })
    this.#write('anchor/1', { type: 'budget', capacity, correction, reclaimed, carried: 0, policy: version })
  }

  #night(): void {
    for (const account of this.#gates()) this.mall.row(account, { at: this.#at })
    const heads = this.#gates().map(account => this.mall.headOf(account))
    this.#write('anchor/1', { type: 'checkpoint', heads: heads.sort((a, b) => (a[0] < b[0] ? -1 : 1)) })
    this.mall.row('anchor/1', { at: this.#at })
  }

  #give(from: Account, to: Account, amount: number, why: 'ask' | 'broker' | 'debt' | 'grant'): void {
    this.#write(from, { type: 'send', to, amount, why })
    this.#write(to, { type: 'receive', from, amount, size: this.mall.sizeOf(from) })
  }

  #write(account: Account, draft: Draft): void {
    this.mall.write(account, { at: this.#at, ...draft })
  }

  #balance(account: Account): number {
    const ledger = this.mall.ledgers.get(account)
    return ledger === undefined ? 0 : balance(ledger.counters)
  }

  #account(gate: string): Account {
    return accountOf(gate, this.#epochs.get(gate) ?? 1)
  }

  #gates(): Account[] {
    return GATES.map(gate => this.#account(gate))
  }

  #door(): string {
    let at = this.#random.next() * WEIGHTS.reduce((sum, weight) => sum + weight, 0)
    return GATES.find((_, i) => {
      at -= WEIGHTS[i] as number
      return at < 0
    }) as string
  }

  #plan(at: number, act: () => void): void {
    this.#agenda.at(Math.max(Math.floor(at), this.#at) - EPOCH, () => {
      this.#at = Math.max(this.#at, Math.floor(this.#agenda.now) + EPOCH)
      act()
    })
  }

  #run(end: number): void {
    this.#agenda.runUntil(end - EPOCH)
    this.#at = Math.max(this.#at, end)
  }
}
