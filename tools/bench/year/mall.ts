// Mall: thirty gates and an anchor through a year of days, on the real cores. Nothing here decides who is let in or where
// tokens go; this is the wire between them, the days, and what is kept of their ledgers.

import { mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type Account, ANCHOR } from '../../../ledger/account.ts'
import type { Body, EntryType } from '../../../ledger/entry.ts'
import { must } from '../../../ledger/fault.ts'
import type { Policy } from '../../../ledger/policy.ts'
import type { Row } from '../../../ledger/row.ts'
import { checkLimits, LIMITS, type Limits } from '../../../mesh/limits.ts'
import { EVERYONE, type Message } from '../../../mesh/message.ts'
import { Agenda } from '../../../test/sim/agenda.ts'
import { Random } from '../../../test/sim/random.ts'
import { policyText } from '../../founding.ts'
import { YearClock } from './clock.ts'
import { Crowd } from './crowd.ts'
import { Gossip } from './gossip.ts'
import { type Around, Machine } from './machine.ts'
import { OPERATORS, Papers } from './papers.ts'
import type { Scale } from './scale.ts'
import { Spool } from './spool.ts'

export interface KeptRow {
  readonly account: Account
  readonly size: number
  readonly note: string
}

/** From one to another; ms of the gates' own clocks. */
const WIRE_MS = 1.5

export class Mall implements Around {
  readonly scale: Scale
  readonly random: Random
  readonly clock: YearClock
  readonly papers: Papers
  readonly crowd: Crowd
  readonly anchor: Machine
  readonly gates: readonly Machine[]
  readonly rows: KeptRow[] = []
  readonly spools: Spool[] = []
  readonly types = new Map<EntryType, number>()
  readonly handOutMs: number
  readonly checkpointMs: number
  entries = 0
  readonly #dir: string
  readonly #machines: ReadonlyMap<string, Machine>
  readonly #keptSize = new Map<Account, number>()
  readonly #gossip: Gossip
  /** whose wires are cut */
  readonly #cut = new Set<string>()

  constructor(a: { readonly scale: Scale; readonly seed: number; readonly dir: string }) {
    const { scale, seed, dir } = a
    this.scale = scale
    this.#dir = dir
    this.random = new Random(`year ${seed}`)
    this.clock = new YearClock(new Agenda(), scale.dayMs)
    this.handOutMs = scale.rowEveryMs
    this.checkpointMs = scale.dayMs / scale.checkpointsPerDay
    const names = Array.from({ length: scale.gates }, (_, i) => `gate-${String(i + 1).padStart(2, '0')}`)
    this.papers = new Papers({ seed, gates: names, legalMax: Math.ceil(scale.capacity * 1.25) })
    const limits = limitsOf(scale)
    const { charter } = this.papers
    const newId = () => this.crowd.newId()
    const make = (name: string) => new Machine(this, { name, charter, limits, key: this.papers.vkey(name), newId })
    this.anchor = make(ANCHOR)
    this.gates = names.map(make)
    this.#machines = new Map([this.anchor, ...this.gates].map(machine => [machine.name, machine]))
    this.#gossip = new Gossip({
      clock: this.clock,
      machines: [...this.machines],
      everyMs: scale.rowEveryMs,
      isCut: name => this.#cut.has(name),
    })
    this.crowd = new Crowd(this.clock, this.random.stream('crowd'), this.gates)
  }

  get charterHash(): string {
    return this.papers.charterHash
  }

  get machines(): IterableIterator<Machine> {
    return this.#machines.values()
  }

  /** The morning of the first day: everyone opens a ledger, the first policy is signed, and the doors are tried. */
  found(): void {
    for (const machine of this.machines) machine.boot()
    this.#gossip.start()
    this.clock.agenda.runUntil(this.clock.agenda.now + 2000)
    const text = policyText(this.papers.charter, {
      capacity: this.scale.capacity,
      before: undefined,
      reason: 'opening',
    })
    this.enact({ ...text, maxSharePerMille: 400 }, OPERATORS)
    this.#commission()
    this.settle()
  }

  /** One day from the first test of the doors to the last row of the evening. */
  day(visitors: number): void {
    const { opticalsPerDay, dayMs } = this.scale
    const startedAt = this.clock.agenda.now
    this.crowd.plan(visitors)
    for (let i = 1; i <= opticalsPerDay; i++) {
      this.clock.agenda.at(startedAt + (dayMs * i) / (opticalsPerDay + 1), () => this.#look())
    }
    this.clock.agenda.runUntil(startedAt + dayMs)
    this.settle()
  }

  /** Until all have told what there is to tell. */
  settle(): void {
    this.clock.agenda.runUntil(this.clock.agenda.now + 4 * this.scale.rowEveryMs)
  }

  /** The rows of the day, as an archive keeps them. */
  keepRows(): void {
    for (const { core, isSettled } of this.machines) {
      const books = core?.me.books
      if (books !== undefined && isSettled) this.keep(books.row(this.clock.wall))
    }
  }

  keep(row: Row): void {
    const { account, size } = row
    if (size <= (this.#keptSize.get(account) ?? 0)) return
    this.#keptSize.set(account, size)
    this.rows.push({ account, size, note: this.papers.sign(row) })
  }

  /** The newest row of an account that anyone holds. */
  newestOf(account: Account): Row | undefined {
    let newest: Row | undefined
    for (const { core } of this.machines) {
      const row = core?.me.view.get(account)?.row
      if (row !== undefined && row.size > (newest?.size ?? 0)) newest = row
    }
    return newest
  }

  /** Operators sign a policy and bring it to the anchor; false while that cannot take it. */
  enact(text: Parameters<Papers['policy']>[0], operators: readonly string[]): boolean {
    if (this.anchor.anchor?.isJoined !== true) return false
    const policy = this.papers.policy(text, operators)
    this.anchor.step({ kind: 'decreed', policy })
    must(this.policy?.hash === policy.hash, `policy ${policy.version} is one that the anchor takes: ${policy.reason}`)
    return true
  }

  get policy(): Policy | undefined {
    return this.anchor.core?.me.policy
  }

  /** Nothing goes to this one or comes from it, until the returned function is called. */
  cut({ name }: Machine): () => void {
    this.#cut.add(name)
    return () => {
      this.#cut.delete(name)
      this.#meet(name)
    }
  }

  spoolFor(account: Account): Spool {
    const path = join(this.#dir, `${account}.jsonl`)
    mkdirSync(dirname(path), { recursive: true })
    const spool = new Spool(account, path)
    this.spools.push(spool)
    return spool
  }

  wrote({ type }: Body): void {
    this.entries++
    this.types.set(type, (this.types.get(type) ?? 0) + 1)
  }

  tell(from: Machine, to: string, message: Message): void {
    if (this.#cut.has(from.name)) return
    if (to === EVERYONE && message.kind === 'rows') return this.#gossip.said(from, message)
    const event = { kind: 'heard', from: from.name, message } as const
    this.clock.agenda.in(WIRE_MS, () => {
      if (to !== EVERYONE) {
        if (!this.#cut.has(to)) this.#machines.get(to)?.step(event)
        return
      }
      for (const machine of this.machines) if (machine !== from && !this.#cut.has(machine.name)) machine.step(event)
    })
  }

  opened(machine: Machine, id: string): void {
    this.crowd.opened(machine, id)
  }

  turnedAway(id: string): void {
    this.crowd.turnedAway(id)
  }

  booted({ name }: Machine): void {
    this.#meet(name)
  }

  #meet(name: string): void {
    this.clock.agenda.in(5, () => {
      const machine = this.#machines.get(name)
      for (const other of this.machines) {
        if (other === machine || other.core === undefined || this.#cut.has(other.name)) continue
        machine?.step({ kind: 'met', peer: other.name })
        other.step({ kind: 'met', peer: name })
      }
    })
  }

  /** Before the doors open to anybody, technicians walk through each of them. */
  #commission(): void {
    const at = this.clock.wall
    const walked = { truthIn: 10, truthOut: 10, seenIn: 10, seenOut: 10 }
    for (const gate of this.gates) {
      const body = { id: this.crowd.newId(), at, type: 'check', what: 'walk', lane: 'main', by: 'installer' } as const
      gate.note({ ...body, ...walked, ok: true })
    }
  }

  #look(): void {
    const at = this.clock.wall
    for (const gate of this.gates) {
      if (gate.core?.isJoined !== true) continue
      gate.note({ id: this.crowd.newId(), at, type: 'optical', ...this.crowd.look(gate) })
    }
  }
}

/** Those of production, for a time in which a day is a minute or so. What people wait for stays as short as it is. */
function limitsOf({ rowEveryMs }: Scale): Limits {
  const rowIdleMs = 3 * rowEveryMs
  return checkLimits({
    ...LIMITS,
    rowEveryMs,
    rowAmpleMs: rowEveryMs,
    rowIdleMs,
    silentMs: 3 * rowIdleMs,
    gossipMs: rowEveryMs,
    becauseMs: 2 * rowEveryMs,
    pushEveryMs: 3 * rowEveryMs,
    anchorFreshMs: 5 * rowIdleMs,
    rememberMs: 1000,
    passageMs: 1000,
    prefetchSeconds: 2,
    demandPerSecondMax: 1000,
    exitBurst: 1e6,
    exitsPerMinuteMax: 1e6,
  })
}
