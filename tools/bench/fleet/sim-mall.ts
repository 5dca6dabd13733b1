// Sim mall: the gates of one mall, all that they tell their anchor, and what they answer it.
//
// Law: nothing of this is made up for the anchor. Keys, charter, policy, ledgers, transfers and rows would pass any
// audit, and people are admitted only with tokens that the anchor handed out or exits gave back.

import { type Account, ANCHOR, nameOf } from '../../../ledger/account.ts'
import { Fault } from '../../../ledger/fault.ts'
import { originOf } from '../../../ledger/origin.ts'
import type { Row } from '../../../ledger/row.ts'
import { parseRow } from '../../../ledger/row-note.ts'
import { LINES_MAX, type Question } from '../../../mesh/lan/ledger-window.ts'
import { LIMITS } from '../../../mesh/limits.ts'
import { EVERYONE } from '../../../mesh/message.ts'
import { uuid7 } from '../../../mesh/uuid7.ts'
import { Random } from '../../../test/sim/random.ts'
import { SimGate } from './sim-gate.ts'
import { type SimPapers, type SimPlan, simKey, simPapers, simPolicy } from './sim-papers.ts'

export interface SimMallOptions extends SimPlan {
  /** people who come or go, at all gates together */
  readonly peoplePerSecond: number
  /** the wall clock when it opens */
  readonly at: number
}

/** What a gate says to its anchor. */
export interface Said {
  readonly from: string
  readonly text: string
}

/** What an anchor may say, as far as gates listen to it. */
interface Heard {
  readonly kind: string
  readonly rows?: readonly string[]
  readonly name?: string
  readonly accounts?: readonly Account[]
  readonly after?: number
  readonly policies?: readonly string[]
  readonly ask?: { readonly re: number }
}

/** How full it gets: with some room, as a mall is on a good day. */
const FULL = 0.7
const OPTICAL_EVERY_MS = 60_000

export class SimMall {
  readonly mall: string
  readonly papers: SimPapers
  readonly gates: readonly SimGate[]
  readonly #o: SimMallOptions
  readonly #byName: ReadonlyMap<string, SimGate>
  readonly #random: Random
  /** of each of the anchor's accounts, what gates remember */
  readonly #anchorRows = new Map<Account, string>()
  #policies: string[]
  #ids = 0
  #inside = 0
  #due = 0
  #tickedAt: number
  #opticalAt: number

  constructor(options: SimMallOptions) {
    const { mall, at } = options
    this.#o = options
    this.mall = mall
    this.papers = simPapers(options)
    this.#random = new Random(mall)
    this.#tickedAt = at
    this.#opticalAt = at + this.#random.int(OPTICAL_EVERY_MS)
    this.#policies = [simPolicy(this.papers, options)]
    const { charter, charterHash } = this.papers
    const newId = (wall: number) => this.#newId(wall)
    const demand = options.peoplePerSecond / options.gates / 2
    this.gates = charter.gates.map(({ name }) => {
      return new SimGate({ mall, name, charterHash, signer: simKey(mall, name), newId, demand, at })
    })
    this.#byName = new Map(this.gates.map(gate => [gate.name, gate]))
  }

  /** People inside by the gates' own count. */
  get inside(): number {
    return this.#inside
  }

  get entries(): number {
    return this.gates.reduce((sum, gate) => sum + gate.books.size, 0)
  }

  get policies(): readonly string[] {
    return this.#policies
  }

  /** The newest row of each of the anchor's accounts. */
  get anchorNotes(): readonly string[] {
    return [...this.#anchorRows.values()]
  }

  /** Time goes by: people come and go, and gates say what they have to. Called every 100 ms or so. */
  tick(at: number): Said[] {
    const { peoplePerSecond } = this.#o
    this.#due += (peoplePerSecond * Math.max(0, at - this.#tickedAt)) / 1000
    this.#tickedAt = at
    const said: Said[] = []
    for (; this.#due >= 1; this.#due--) this.#someone(at, said)
    if (at >= this.#opticalAt) {
      this.#opticalAt = at + OPTICAL_EVERY_MS
      for (const gate of this.gates) gate.optical(at)
    }
    for (const gate of this.gates) {
      if (gate.isChanged || gate.isIdleFor(LIMITS.rowIdleMs, at)) said.push({ from: gate.name, text: gate.word(at) })
    }
    return said
  }

  /** The anchor says something to one gate, or to all of them; they answer. */
  hear(to: string, text: string, at: number): Said[] {
    const message: Heard = JSON.parse(text)
    if (to !== EVERYONE && !this.#byName.has(to)) return []
    const answer = (value: object): Said[] => [{ from: to, text: JSON.stringify(value) }]
    switch (message.kind) {
      case 'rows':
        for (const note of message.rows ?? []) this.#hearRow(note, at)
        return []
      case 'whois':
        return answer({ kind: 'known', name: message.name, rows: this.#rowsOf(message.name ?? '') })
      case 'want': {
        const names = new Set(message.accounts?.map(nameOf))
        return answer({ kind: 'rows', rows: [...names].flatMap(name => this.#rowsOf(name)) })
      }
      case 'want-policies':
        return answer({ kind: 'policies', policies: this.#policies.slice(message.after) })
      case 'policies':
        for (const note of message.policies ?? []) if (!this.#policies.includes(note)) this.#policies.push(note)
        return []
      case 'ask':
        return answer({ kind: 'none', re: message.ask?.re })
      default:
        return []
    }
  }

  /** Entries of a gate's ledger, as it would give them out. */
  async *range(peer: string, { account, from, to }: Question): AsyncGenerator<string> {
    const gate = this.#byName.get(peer)
    if (gate?.account !== account) throw new Fault('LEDGER', `there is no ledger of ${account} here`)
    // as it is now: what is written while it is read belongs to a later question
    yield* gate.lines.slice(from, Math.min(to, from + LINES_MAX))
  }

  #someone(at: number, said: Said[]): void {
    const { capacity } = this.#o
    const gate = this.#random.pick(this.gates)
    const isComing = this.#inside === 0 || this.#random.chance(this.#inside < capacity * FULL ? 0.6 : 0.45)
    if (!isComing) {
      gate.leave(at)
      this.#inside--
      return
    }
    if (gate.books.balance < 1) this.#fetch(gate, at, said)
    if (gate.enter(at)) this.#inside++
  }

  /** A token for somebody who waits, from the gate that has most. */
  #fetch(taker: SimGate, at: number, said: Said[]): void {
    let donor = taker
    for (const gate of this.gates) if (gate.books.balance > donor.books.balance) donor = gate
    if (donor.books.balance < 1) return
    donor.give(taker, Math.ceil(donor.books.balance / 2), at)
    // before the taker's own, which stands on it
    said.push({ from: donor.name, text: donor.word(at) })
    taker.take(donor.books.row(at), at)
  }

  #hearRow(note: string, at: number): void {
    if (!note.startsWith(originOf(this.mall, `${ANCHOR}/`))) return
    const row: Row = parseRow(note.slice(0, note.indexOf('\n\n') + 1), this.mall)
    this.#anchorRows.set(row.account, note)
    for (const to in row.counters.sent) this.#byName.get(nameOf(to))?.take(row, at)
  }

  #rowsOf(name: string): string[] {
    if (name === ANCHOR) return [...this.#anchorRows.values()]
    const note = this.#byName.get(name)?.note
    return note === undefined || note === '' ? [] : [note]
  }

  #newId(wall: number): string {
    const chance = Buffer.alloc(10)
    chance.writeUIntBE(++this.#ids, 4, 6)
    chance.writeUInt32BE(this.#random.int(2 ** 32), 0)
    return uuid7(wall, chance)
  }
}
