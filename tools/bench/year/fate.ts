// Fate: what a year brings besides people. Head counts, seasons, cuts of the capacity, drills and a fire, and machines
// that break in every way the mall is made to live through. On the same days of every year of the same length.

import { epochOf, isAnchor, nameOf } from '../../../ledger/account.ts'
import type { Mode } from '../../../ledger/entry.ts'
import { must } from '../../../ledger/fault.ts'
import type { ModeStatement } from '../../../ledger/mode.ts'
import type { Policy } from '../../../ledger/policy.ts'
import type { PolicyText } from '../../../ledger/policy-note.ts'
import type { Memory } from '../../../mesh/joining.ts'
import { DAY_MS, HOUR_MS, YEAR_MS } from './calendar.ts'
import type { Machine } from './machine.ts'
import type { Mall } from './mall.ts'
import { OPERATORS } from './papers.ts'

type Blow =
  | 'drill'
  | 'lockdown'
  | 'fire'
  | 'wipe'
  | 'damage'
  | 'disk'
  | 'power'
  | 'stop'
  | 'cut-off'
  | 'anchor-away'
  | 'season'
  | 'cut'
  | 'restore'
  | 'margin'
  | 'share'
  | 'confidence'

interface Planned {
  /** part of the year */
  readonly when: number
  readonly hour: number
  readonly blow: Blow
}

const PLAN: readonly Planned[] = [
  { when: 0.03, hour: 17, blow: 'disk' },
  { when: 0.06, hour: 10, blow: 'drill' },
  { when: 0.1, hour: 12, blow: 'stop' },
  { when: 0.14, hour: 16, blow: 'wipe' },
  { when: 0.2, hour: 11, blow: 'season' },
  { when: 0.3, hour: 15, blow: 'fire' },
  { when: 0.37, hour: 17, blow: 'cut' },
  { when: 0.41, hour: 9.5, blow: 'restore' },
  { when: 0.46, hour: 13, blow: 'anchor-away' },
  { when: 0.52, hour: 14, blow: 'cut-off' },
  { when: 0.57, hour: 18, blow: 'lockdown' },
  { when: 0.63, hour: 15, blow: 'damage' },
  { when: 0.68, hour: 12, blow: 'margin' },
  { when: 0.73, hour: 10, blow: 'confidence' },
  { when: 0.78, hour: 16, blow: 'wipe' },
  { when: 0.83, hour: 11, blow: 'drill' },
  { when: 0.88, hour: 17, blow: 'power' },
  { when: 0.93, hour: 10, blow: 'share' },
]

/** Head counts, evenly over the year. */
const COUNTS = 12
/** Entries that a damaged disk forgets although others know of them. */
const FORGOTTEN = 3

export class Fate {
  readonly #mall: Mall
  readonly #days: number
  #isCountDue = false

  constructor(mall: Mall) {
    this.#mall = mall
    this.#days = mall.scale.days
  }

  /** Before the doors open: what this day brings. */
  morning(day: number): void {
    for (const { when, hour, blow } of PLAN) {
      if (Math.floor(when * this.#days) !== day) continue
      this.#mall.clock.at(hour * HOUR_MS, () => this.#strike(blow, day))
    }
  }

  /** After the last visitor: heads are counted where that is due, once everybody has told everything. */
  evening(day: number): void {
    const counts = Math.min(COUNTS, this.#days)
    if (Math.floor((day * counts) / this.#days) !== Math.floor(((day + 1) * counts) / this.#days))
      this.#isCountDue = true
    if (this.#isCountDue && this.#count()) {
      this.#isCountDue = false
      this.#mall.settle()
    }
  }

  #strike(blow: Blow, day: number): void {
    const mall = this.#mall
    const { clock } = mall
    switch (blow) {
      case 'drill':
        return this.#raise('EVACUATE', 'quarterly drill', 0.75)
      case 'lockdown':
        return this.#raise('LOCKDOWN', 'police request', 0.5)
      case 'fire':
        return this.#fire(this.#victim('fire'))
      case 'wipe':
        return this.#lose(this.#victim(`wipe ${day}`), 0)
      case 'damage':
        return this.#lose(this.#victim('damage'), FORGOTTEN)
      case 'disk': {
        const gate = this.#victim('disk')
        gate.step({ kind: 'disk', state: 'failed' })
        return clock.in(0.5 * HOUR_MS, () => gate.step({ kind: 'disk', state: 'ok' }))
      }
      case 'power': {
        const gate = this.#victim('power')
        gate.crash()
        return clock.in(1 * HOUR_MS, () => gate.boot())
      }
      case 'stop': {
        const gate = this.#victim('stop')
        gate.step({ kind: 'stopping' })
        clock.in(0.3 * HOUR_MS, () => gate.crash())
        return clock.in(1 * HOUR_MS, () => gate.boot())
      }
      case 'cut-off':
        return clock.in(2 * HOUR_MS, mall.cut(this.#victim('cut-off')))
      case 'anchor-away':
        mall.anchor.crash()
        return clock.in(3 * HOUR_MS, () => mall.anchor.boot())
      default:
        return this.#decree(blow, day)
    }
  }

  #decree(blow: 'season' | 'cut' | 'restore' | 'margin' | 'share' | 'confidence', day: number): void {
    const { capacity } = this.#mall.scale
    const flat = (people: number) => [{ from: 0, capacity: Math.floor(people) }]
    const season = Math.max(1, Math.round(this.#days * 0.12))
    const midnight = (days: number) => YEAR_MS + (day + days) * DAY_MS
    const change = {
      season: {
        capacities: [
          { from: 0, capacity },
          { from: midnight(1), capacity: Math.floor(capacity * 1.15) },
          { from: midnight(1 + season), capacity },
        ],
        reason: 'sale season',
      },
      cut: { capacities: flat(capacity * 0.5), reason: 'two stairwells closed' },
      restore: { capacities: flat(capacity), reason: 'stairwells open again' },
      margin: { marginPerMille: 20, reason: 'old sensors at the east doors' },
      share: { maxSharePerMille: 300, reason: 'less for one gate to hold' },
      confidence: { confidenceMin: 750, reason: 'fewer false exits' },
    }[blow]
    // what moves little and loosens nothing one may sign alone
    const operators = blow === 'margin' || blow === 'share' || blow === 'confidence' ? ['bruno'] : OPERATORS
    if (!this.#next(change, operators)) this.#mall.clock.in(HOUR_MS, () => this.#decree(blow, day))
  }

  /** The next version: what is in force, with these changes. */
  #next(change: Partial<PolicyText> & { readonly reason: string }, operators: readonly string[]): boolean {
    const before = this.#mall.policy
    if (before === undefined) return false
    const { recount: _recount, signers: _signers, hash, note: _note, ...standing } = before
    return this.#mall.enact({ ...standing, version: before.version + 1, previous: hash, ...change }, operators)
  }

  #raise(mode: Mode, reason: string, hours: number): void {
    const { anchor, clock, crowd } = this.#mall
    const epoch = anchor.core?.me.modes.statement.epoch ?? 0
    anchor.step({ kind: 'commanded', statement: { epoch, mode, by: ['alma'], at: clock.wall, reason } })
    if (mode === 'EVACUATE') crowd.clear()
    clock.in(hours * HOUR_MS, () => this.#rearm(mode))
  }

  #fire(gate: Machine): void {
    const { clock, crowd } = this.#mall
    gate.step({ kind: 'contact', contact: 'fire', closed: true })
    crowd.clear()
    // the arms are free, and some run back in for what they left
    clock.in(0.1 * HOUR_MS, () => crowd.intrude(gate, 4, 'fire'))
    clock.in(0.8 * HOUR_MS, () => {
      gate.step({ kind: 'contact', contact: 'fire', closed: false })
      this.#rearm('FIRE')
    })
  }

  /** Two people walk round and tell every machine. */
  #rearm(mode: Mode): void {
    const { machines, anchor, clock } = this.#mall
    const epoch = anchor.core?.me.modes.statement.epoch ?? 0
    const clears = { epoch, mode }
    const by = [...OPERATORS]
    const statement: ModeStatement = {
      epoch: epoch + 1,
      mode: 'NORMAL',
      by,
      at: clock.wall,
      reason: 'all clear',
      clears,
    }
    for (const machine of machines) {
      machine.step({ kind: 'heard', from: 'console', message: { kind: 'mode', statement } })
    }
  }

  /**
   * A disk is gone, or comes back short of what others know of it; either way the account is closed. It stands by the last
   * row that anyone holds, and of its entries those are left that somebody had fetched: all up to that row, or some less.
   */
  #lose(gate: Machine, less: number): void {
    const { spool } = gate
    gate.crash()
    const newest = spool && this.#mall.newestOf(spool.account)
    must(newest !== undefined, 'a gate that was up is known to others')
    this.#mall.keep(newest)
    const { account } = newest
    spool?.cut(Math.max(1, newest.size - less))
    const memory: Memory = less === 0 ? { kind: 'blank' } : { kind: 'lost', account }
    this.#mall.clock.in(1.5 * HOUR_MS, () => gate.bootAfterLoss(memory))
  }

  #victim(what: string): Machine {
    const gates = this.#mall.gates.filter(gate => gate.core?.isJoined === true)
    must(gates.length > 0, 'some gate is always up')
    return this.#mall.random.stream(what).pick(gates)
  }

  /** False where somebody has not told everything yet: then it is put off to the next evening. */
  #count(): boolean {
    const mall = this.#mall
    const me = mall.anchor.core?.me
    const before = mall.policy
    if (me === undefined || before === undefined || mall.anchor.anchor?.isJoined !== true) return false
    for (const gate of mall.gates) {
      const { account, isSettled, spool } = gate
      if (!isSettled || account === undefined || me.view.get(account)?.row.size !== spool?.size) return false
    }
    const counted = me.view.counted
    const actual = mall.crowd.inside
    const correction = actual - counted
    const recount = { at: mall.clock.wall, actual, counted: counted + before.correction }
    return this.#next({ correction, recount, reclaimed: this.#reclaimed(before), reason: 'head count' }, OPERATORS)
  }

  /** What closed accounts still hold goes back into use. */
  #reclaimed(before: Policy): Policy['reclaimed'] {
    const view = this.#mall.anchor.core?.me.view
    const amounts = new Map(before.reclaimed.map(({ account, amount }) => [account, amount]))
    for (const known of view?.others() ?? []) {
      const { account } = known.row
      if (isAnchor(account) || view === undefined || view.isCurrent(account)) continue
      must(epochOf(account) < epochOf(view.current(nameOf(account)) ?? account), 'only a closed account is reclaimed')
      const held = known.balance + view.inFlightTo(account)
      if (held > (amounts.get(account) ?? 0)) amounts.set(account, held)
    }
    return [...amounts]
      .map(([account, amount]) => ({ account, amount }))
      .sort((a, b) => (a.account < b.account ? -1 : 1))
  }
}
