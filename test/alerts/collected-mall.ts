// Collected mall: ledgers that a test writes, and an archive that gets of them what the test hands over, when it does.

import { Reconciler } from '../../anchor/reconcile/reconciler.ts'
import { epochOf, nameOf } from '../../ledger/account.ts'
import { toBase64 } from '../../ledger/base64.ts'
import { Chain } from '../../ledger/chain.ts'
import { type Budget, type Counters, noCounters } from '../../ledger/counters.ts'
import type { Body, Entry } from '../../ledger/entry.ts'
import { fold } from '../../ledger/fold.ts'
import { parseLine } from '../../ledger/line.ts'
import type { Row } from '../../ledger/row.ts'
import { leafHash } from '../../ledger/tree.ts'
import { type Arrival, CabinetArchive } from '../../mesh/archive/cabinet-archive.ts'
import { MemoryCabinet } from '../../mesh/archive/memory-cabinet.ts'
import { NO_LOG } from '../../mesh/log.ts'
import { uuid7 } from '../../mesh/uuid7.ts'
import { HandClock } from './hand-clock.ts'

const CHARTER_HASH = toBase64(leafHash('charter'))
export type Draft = Body extends infer T ? (T extends unknown ? Omit<T, 'id' | 'at'> : never) : never

interface Ledger {
  readonly chain: Chain
  readonly lines: string[]
  readonly counters: Counters
  collected: number
  last: string
}

let ids = 0
export function newId(wall = 1_790_000_000_000): string {
  const chance = Buffer.alloc(10)
  chance.writeUInt32BE(++ids, 4)
  return uuid7(wall, chance)
}

export class CollectedMall {
  readonly clock = new HandClock()
  readonly legalMax: number
  cabinet = new MemoryCabinet()
  archive!: CabinetArchive
  reconciler!: Reconciler
  readonly #ledgers = new Map<string, Ledger>()

  static async open(legalMax = 100): Promise<CollectedMall> {
    const mall = new CollectedMall(legalMax)
    await mall.restart()
    return mall
  }

  private constructor(legalMax: number) {
    this.legalMax = legalMax
  }

  /** As after a crash: only what is in the cabinet is left. */
  async restart(): Promise<void> {
    this.cabinet = this.cabinet.reopened()
    const { cabinet, clock, legalMax } = this
    this.archive = await CabinetArchive.open({ cabinet, wall: () => clock.wall() })
    this.reconciler = new Reconciler({
      archive: this.archive,
      cabinet,
      clock,
      log: NO_LOG,
      legalMax,
      rowOf: account => this.row(account),
      accounts: () => this.accounts,
    })
    await this.reconciler.start()
  }

  ledger(account: string): Ledger {
    const known = this.#ledgers.get(account)
    if (known !== undefined) return known
    const fresh: Ledger = {
      chain: new Chain(CHARTER_HASH),
      lines: [],
      counters: noCounters(),
      collected: 0,
      last: CHARTER_HASH,
    }
    this.#ledgers.set(account, fresh)
    return fresh
  }

  get accounts(): string[] {
    return [...this.#ledgers.keys()]
  }

  size(account: string): number {
    return this.ledger(account).lines.length
  }

  write(account: string, draft: Draft, at = this.clock.wall()): void {
    const ledger = this.ledger(account)
    const body = { id: newId(at), at, ...draft } as Body
    ledger.lines.push(ledger.chain.write(body).line)
    fold(ledger.counters, body)
  }

  admit(account: string, n = 1, at?: number): void {
    for (let i = 0; i < n; i++) this.write(account, { type: 'admit', source: 'local', confidence: 1000 }, at)
  }

  exit(account: string, n = 1, at?: number): void {
    for (let i = 0; i < n; i++) this.write(account, { type: 'exit', credited: true, confidence: 1000 }, at)
  }

  budget(capacity: number, over: Partial<Budget> = {}): void {
    this.write('anchor/1', { type: 'budget', capacity, correction: 0, reclaimed: 0, carried: 0, ...over, policy: 1 })
  }

  /** Tokens from one account to another; `taken`: they have arrived. */
  transfer(from: string, to: string, amount: number, taken = true): void {
    this.write(from, { type: 'send', to, amount, why: 'push' })
    if (taken) this.write(to, { type: 'receive', from, amount, size: this.size(from) })
  }

  /** What its owner would sign now. */
  row(account: string): Row | undefined {
    const ledger = this.#ledgers.get(account)
    if (ledger === undefined) return undefined
    const { size } = ledger.chain
    return { account, size, root: ledger.chain.root(), at: this.clock.wall(), counters: ledger.counters }
  }

  /** The archive gets the next entries of a ledger, and the reconciler counts them. */
  async collect(account: string, to = this.size(account)): Promise<void> {
    const ledger = this.ledger(account)
    const arrivals = ledger.lines.slice(ledger.collected, to).map((line): Arrival => {
      const entry: Entry = parseLine(line)
      return { entry, line, arrivedAt: this.clock.wall(), flags: [] }
    })
    const last = ledger.lines[to - 1]
    if (arrivals.length === 0 || last === undefined) return
    ledger.collected = to
    ledger.last = toBase64(leafHash(last))
    const { counters } = ledger
    await this.archive.commit(
      { account, size: to, signed: to, kept: 0, last: ledger.last, peaks: [], counters },
      arrivals,
    )
    await this.reconciler.count()
  }

  async collectAll(): Promise<void> {
    const inOrder = this.accounts.sort((a, b) => nameOf(a).localeCompare(nameOf(b)) || epochOf(a) - epochOf(b))
    for (const account of inOrder) await this.collect(account)
  }
}
