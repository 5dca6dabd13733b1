// Gossip: what members say to everyone, told in rounds. Each round brings everybody the newest row of everybody else, all
// of one moment, so that no row comes before the sends that it stands on.
//
// One by one, as they cross a real wire, thirty rows would be thirty steps of every gate and each would wait for others;
// that is most of what a simulated year costs, and none of it is seen in a ledger.

import type { Row } from '../../../ledger/row.ts'
import type { Hint, Rows } from '../../../mesh/message.ts'
import type { YearClock } from './clock.ts'
import type { Machine } from './machine.ts'

/** A disk that is busy is waited for, a little. */
const RETRY_MS = 0.5
const RETRIES = 8
/** Those who have nothing new say so in every third round. */
const IDLE_ROUNDS = 3

export interface GossipOptions {
  readonly clock: YearClock
  readonly machines: readonly Machine[]
  readonly everyMs: number
  readonly isCut: (name: string) => boolean
}

export class Gossip {
  readonly #o: GossipOptions
  readonly #hints = new Map<string, Hint>()
  readonly #toldSize = new Map<string, number>()
  #round = 0

  constructor(options: GossipOptions) {
    this.#o = options
  }

  start(): void {
    this.#o.clock.agenda.in(this.#o.everyMs, () => this.#begin(RETRIES))
  }

  /** A member's regular word. Its row is taken in the next round, as it will be then. */
  said(from: Machine, { hint }: Rows): void {
    if (hint !== undefined) this.#hints.set(from.name, hint)
  }

  #begin(retries: number): void {
    const { clock, machines, isCut } = this.#o
    const speakers = machines.filter(({ core, name }) => core?.me.books !== undefined && !isCut(name))
    if (retries > 0 && speakers.some(machine => machine.core?.isJoined && !machine.isDurable)) {
      return clock.agenda.in(RETRY_MS, () => this.#begin(retries - 1))
    }
    this.start()
    this.#round++
    const rows = new Map<Machine, Row>()
    for (const machine of speakers) {
      const { core, isDurable, name } = machine
      const books = core?.me.books
      if (books === undefined || !isDurable) continue
      const isNews = this.#toldSize.get(name) !== books.size
      if (!isNews && this.#round % IDLE_ROUNDS !== 0) continue
      this.#toldSize.set(name, books.size)
      rows.set(machine, books.row(clock.wall))
    }
    for (const machine of machines) {
      if (machine.core !== undefined && !isCut(machine.name)) this.#bring(machine, rows)
    }
  }

  #bring(machine: Machine, rows: ReadonlyMap<Machine, Row>): void {
    const news: Row[] = []
    let from: string | undefined
    for (const [other, row] of rows) {
      if (other === machine) continue
      from ??= other.name
      news.push(row)
      const hint = this.#hints.get(other.name)
      if (hint !== undefined) machine.core?.trader.hint(other.name, hint, [])
    }
    if (from !== undefined) machine.step({ kind: 'heard', from, message: { kind: 'rows', rows: news } })
  }
}
