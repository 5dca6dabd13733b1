// Gate source: evidence from a running gate, over its own port, with its pass where it has one.
//
// What a gate can show is its own: its ledgers, its copy of the anchor's, policies, and every row it knows. It is asked in
// small portions, one at a time: letting people in and out comes first there.

import { setTimeout as sleep } from 'node:timers/promises'
import { type Account, nameOf } from '../../../ledger/account.ts'
import { Fault } from '../../../ledger/fault.ts'
import type { Inventory, Remark } from '../../../mesh/archive/inventory.ts'
import { ask, errorOf, type Reply, SaysNo } from '../../operator/anchor-client.ts'
import { checkInventory, readRow, type ShownRow, type Source, type Taken, type Wish } from './source.ts'

const WAIT_MS_MAX = 15_000
const AGAIN_MS = 250
const TRIES = 3

export interface GatePlace {
  readonly url: URL
  readonly pass?: string | undefined
}

export class GateSource implements Source {
  readonly kind = 'gate'
  readonly #place: GatePlace
  #name = ''

  constructor(place: GatePlace) {
    this.#place = place
  }

  get gates(): readonly string[] {
    return [this.#name]
  }

  async take(_wish: Wish, say: (line: string) => void): Promise<Taken> {
    const asked = Date.now()
    const told = await this.#settled(say)
    const clockMs = told.at - Math.round((asked + Date.now()) / 2)
    const { mall, name, key, charters, policies, forks } = told
    this.#name = name
    const remarks: Remark[] = []
    const rows = told.rows.flatMap(note => readRow({ note }, mall, remarks))
    const ends = new Map<Account, number>()
    for (const { account, size } of told.ledgers) {
      const covered = sizesOf(account, rows).filter(one => one <= size)
      // of its own, what nobody signed yet is still what happened
      if (covered.length > 0) ends.set(account, Math.max(...covered))
    }
    const from = { what: 'source', kind: 'gate', url: this.#place.url.origin, name, key, clockMs }
    const ledgers = new Map(told.ledgers.map(reach => [reach.account, reach]))
    return { mall, charters, policies, ledgers, ends, rows, forks, remarks: [from, ...told.remarks, ...remarks] }
  }

  async *lines(account: Account, from: number, to: number): AsyncGenerator<string> {
    let until = performance.now() + WAIT_MS_MAX
    for (let next = from; next < to; ) {
      const path = `/evidence/ledger?account=${account}&from=${next}&to=${to}`
      const text = await (performance.now() < until ? this.#ask(path).catch(unlessBusy) : this.#ask(path))
      if (text === undefined) {
        await sleep(AGAIN_MS)
        continue
      }
      until = performance.now() + WAIT_MS_MAX
      const lines = text.split('\n')
      if (lines.pop() !== '' || lines.length === 0) {
        throw new Fault('SOURCE', `${this.#place.url.origin}: ${account} cannot be read from entry ${next} on`)
      }
      yield* lines
      next += lines.length
    }
  }

  async close(): Promise<void> {}

  /** Until it has joined, and has signed for its newest ledger: while it writes, that takes a moment. */
  async #settled(say: (line: string) => void): Promise<Inventory> {
    const until = performance.now() + WAIT_MS_MAX
    for (let isSaid = false; ; isSaid = true) {
      const told = await this.#inventory().catch(unlessBusy)
      const own = told?.ledgers.filter(({ account }) => nameOf(account) === told.name).at(-1)
      const isSigned = told?.rows.some(note => note.startsWith(`gatemesh/${told.mall}/${own?.account}\n`))
      if (told !== undefined && (own === undefined || isSigned)) return told
      if (performance.now() >= until) {
        if (told !== undefined) return told
        throw new Fault('SOURCE', `${this.#place.url.origin}: still starting after ${WAIT_MS_MAX / 1000} s`)
      }
      if (!isSaid) say('waiting until the gate has signed for its ledger')
      await sleep(AGAIN_MS)
    }
  }

  async #inventory(): Promise<Inventory> {
    const text = await this.#ask('/evidence')
    try {
      return checkInventory(JSON.parse(text), this.#place.url.origin)
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error
      throw new Fault('SOURCE', `${this.#place.url.origin} answered what is no JSON: is this a gate?`, { cause: error })
    }
  }

  async #ask(path: string): Promise<string> {
    const { status, text } = await this.#reached(path)
    if (status === 200) return text
    const { message } = errorOf(text)
    const hint = status === 401 ? '; --token takes it' : status === 404 ? '; is this a gate?' : ''
    throw new SaysNo(status, 'refused', `${this.#place.url.origin}: ${message}${hint}`)
  }

  async #reached(path: string): Promise<Reply> {
    const { url, pass } = this.#place
    const headers: Record<string, string> = pass === undefined ? {} : { authorization: `Bearer ${pass}` }
    for (let tries = 1; ; tries++) {
      try {
        return await ask({ url: new URL(path, url).href, method: 'GET', headers, text: undefined })
      } catch (error) {
        if (tries < TRIES) await sleep(AGAIN_MS)
        else throw new Fault('UNREACHED', `no answer from ${url.origin}: ${(error as Error).message}`, { cause: error })
      }
    }
  }
}

/** Undefined where it says to ask again. */
function unlessBusy(error: unknown): undefined {
  if (!(error instanceof SaysNo) || error.status !== 503) throw error
}

function sizesOf(account: Account, rows: readonly ShownRow[]): number[] {
  return rows.filter(({ row }) => row.account === account).map(({ row }) => row.size)
}
