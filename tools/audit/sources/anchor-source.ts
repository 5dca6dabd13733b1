// Anchor source: evidence from a running anchor, over its API.
//
// Law: what is shown of a mall that goes on is one consistent cut of it. What the anchor knows of and could not collect in
// time is named, and the row that proves it is there is kept: nobody is to take less for all.

import { setTimeout as sleep } from 'node:timers/promises'
import { type Account, isAnchor, nameOf } from '../../../ledger/account.ts'
import { Fault } from '../../../ledger/fault.ts'
import type { Inventory, KeptRow, Remark } from '../../../mesh/archive/inventory.ts'
import type { AnchorClient } from '../../operator/anchor-client.ts'
import { settle } from './cut.ts'
import { checkInventory, readRow, type ShownRow, type Source, type Taken, type Wish } from './source.ts'

/** A gate's entries are collected within seconds; one that is out of reach may take days. */
const WAIT_MS_MAX = 15_000
const PAGE_ROWS = 500
/** Without a single line in between: then nobody is there any more. */
const TRIES = 3
const AGAIN_MS = 500

export class AnchorSource implements Source {
  readonly kind = 'anchor'
  readonly gates = null
  readonly #client: AnchorClient
  readonly #waitMsMax: number

  constructor(client: AnchorClient, waitMsMax = WAIT_MS_MAX) {
    this.#client = client
    this.#waitMsMax = waitMsMax
  }

  async take(wish: Wish, say: (line: string) => void): Promise<Taken> {
    const remarks: Remark[] = []
    const asked = Date.now()
    const first = await this.#inventory()
    const clockMs = first.at - Math.round((asked + Date.now()) / 2)
    let told = first
    let looks = 0
    const cut = await settle({
      look: async () => {
        if (looks++ > 0) told = await this.#inventory()
        return { rows: told.rows.flatMap(note => readRow({ note }, told.mall, remarks)), ledgers: told.ledgers }
      },
      lines: (account, from, to) => this.lines(account, from, to),
      isClosed: wish.to === null && wish.gates === null,
      wants: account => wish.gates === null || isAnchor(account) || wish.gates.includes(nameOf(account)),
      waitMsMax: this.#waitMsMax,
      now: () => performance.now(),
      sleep: ms => sleep(ms),
      onWait: missing => {
        if (missing > 0) say(`waiting until the anchor has collected ${missing} more entries`)
      },
    })
    const ends = new Map([...cut.rows].map(([account, { row }]) => [account, row.size]))
    for (const { account, have, want } of cut.short) {
      const why = `not collected within ${this.#waitMsMax / 1000} s: its gate is out of reach, or banned`
      remarks.push({ what: 'missing', account, from: have, to: want, why })
    }
    const rows = [...cut.rows.values()]
    for (const { account } of told.ledgers) {
      const kept = await this.#rows(account, told.mall, remarks)
      rows.push(...kept.filter(({ row }) => row.size <= (ends.get(account) ?? Number.MAX_SAFE_INTEGER)))
    }
    const { mall, name, key, charters, policies, forks } = told
    const from = { what: 'source', kind: 'anchor', url: new URL(this.#client.url).origin, name, key, clockMs }
    return {
      mall,
      charters,
      policies,
      ledgers: new Map(told.ledgers.map(reach => [reach.account, reach])),
      ends,
      rows,
      forks,
      remarks: [from, ...told.remarks, ...remarks],
    }
  }

  /** Goes on where it broke off, for as long as something comes. */
  async *lines(account: Account, from: number, to: number): AsyncGenerator<string> {
    let next = from
    for (let tries = 0; next < to; tries++) {
      try {
        for await (const line of this.#client.lines(`evidence/ledger?account=${account}&from=${next}&to=${to}`)) {
          yield line
          next++
          tries = 0
        }
        if (next < to) throw new Fault('SOURCE', `${account}: entry ${next} is not there any more`)
      } catch (error) {
        const isGone = error instanceof Fault && error.code === 'UNREACHED'
        if (!isGone || tries + 1 >= TRIES) throw error
        await sleep(AGAIN_MS)
      }
    }
  }

  async close(): Promise<void> {}

  async #inventory(): Promise<Inventory> {
    return checkInventory(await this.#client.get<unknown>('evidence/inventory'), this.#client.url)
  }

  async #rows(account: Account, mall: string, remarks: Remark[]): Promise<ShownRow[]> {
    const found: ShownRow[] = []
    for (let after = 0; ; ) {
      const path = `evidence/rows?account=${account}&after=${after}&limit=${PAGE_ROWS}`
      const { rows } = await this.#client.get<{ rows: readonly KeptRow[] }>(path)
      const last = rows.at(-1)
      if (last === undefined) return found
      if (!(last.size > after)) throw new Fault('SOURCE', `${this.#client.url}: rows of ${account} do not go on`)
      for (const row of rows) found.push(...readRow(row, mall, remarks))
      after = last.size
    }
  }
}
