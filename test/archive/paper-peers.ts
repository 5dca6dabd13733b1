// Paper peers: the members of a paper mall, answering for their ledgers as a test wishes: honestly, half, never, wrongly.

import assert from 'node:assert/strict'
import type { Account } from '../../ledger/account.ts'
import type { Row } from '../../ledger/row.ts'
import { openRow } from '../../ledger/row-note.ts'
import { CabinetArchive } from '../../mesh/archive/cabinet-archive.ts'
import { Collector, type CollectorOptions } from '../../mesh/archive/collector.ts'
import { MemoryCabinet } from '../../mesh/archive/memory-cabinet.ts'
import { MALL, PaperMall, signerOf } from '../ledger/paper-mall.ts'
import { gather } from '../store/lines.ts'
import { HandClock } from './hand-clock.ts'

export interface Question {
  readonly account: Account
  readonly from: number
  readonly to: number
}

/** How a peer answers; `honest` gives the lines as they are. */
export type Answer = (question: Question, honest: () => string[]) => AsyncIterable<string>

export async function* gives(lines: Iterable<string>): AsyncGenerator<string> {
  for (const line of lines) yield line
}

export async function* breaksOff(lines: Iterable<string>): AsyncGenerator<string> {
  yield* lines
  throw new Error('the answer broke off')
}

export async function* hangs(lines: Iterable<string>): AsyncGenerator<string> {
  yield* lines
  await new Promise(() => undefined)
}

export class PaperPeers {
  readonly mall = PaperMall.opened()
  readonly clock = new HandClock()
  readonly rows = new Map<Account, Row>()
  readonly banned = new Map<string, readonly Row[]>()
  readonly up = new Set<string>()
  readonly answers = new Map<string, Answer>()
  readonly asked: string[] = []
  readonly alarms: string[] = []
  readonly logged: string[] = []
  cabinet = new MemoryCabinet()
  #most = 0
  #open = 0

  /** how many ranges were being answered at once */
  get most(): number {
    return this.#most
  }

  /** Signs the newest row of an account, and lets everyone see it. */
  tell(account: Account): Row {
    const row = this.rowOf(account)
    this.rows.set(account, row)
    return row
  }

  rowOf(account: Account, change: Partial<Row> = {}): Row {
    return openRow(this.mall.row(account, change), MALL, name => signerOf(name).verifier)
  }

  fill(account: Account, count: number): void {
    for (let n = 0; n < count; n++) n % 2 === 0 ? this.mall.admit(account) : this.mall.exit(account)
  }

  async collector(change: Partial<CollectorOptions> = {}): Promise<{ collector: Collector; archive: CabinetArchive }> {
    const archive = await CabinetArchive.open({ cabinet: this.cabinet, wall: () => this.clock.wall() })
    const log = (event: string, fields?: object) => this.logged.push(`${event} ${JSON.stringify(fields)}`)
    const collector = new Collector({
      archive,
      charterHash: this.mall.charterHash,
      clock: this.clock,
      log: { info: log, warn: log, error: log },
      wants: () => true,
      rows: () => this.rows.values(),
      banned: () => this.banned,
      peers: () => this.up,
      range: (peer, question) => this.#range(peer, question),
      alarm: (code, detail) => this.alarms.push(`${code} ${detail}`),
      ...change,
    })
    await collector.start()
    return { collector, archive }
  }

  /** As a process that starts again: what it had committed is there. */
  restarted(): void {
    this.cabinet = this.cabinet.reopened()
  }

  async *#range(peer: string, question: Question): AsyncGenerator<string> {
    const { account, from, to } = question
    this.asked.push(`${peer} ${account} ${from}-${to}`)
    if (!this.up.has(peer)) throw new Error(`${peer} is not in reach`)
    const honest = () => this.mall.linesOf(account).slice(from, to)
    const mine = () => (account.startsWith(`${peer}/`) ? gives(honest()) : breaksOff([]))
    this.#open++
    this.#most = Math.max(this.#most, this.#open)
    try {
      yield* this.answers.get(peer)?.(question, honest) ?? mine()
    } finally {
      this.#open--
    }
  }
}

const GATES = ['east', 'north', 'west']

export function opened(): PaperPeers {
  const peers = new PaperPeers()
  for (const gate of GATES) {
    peers.up.add(gate)
    peers.fill(`${gate}/1`, 20)
    peers.tell(`${gate}/1`)
  }
  return peers
}

/** Everything up to the newest row is there, once, and vouched for. */
export async function isComplete(
  peers: PaperPeers,
  archive: CabinetArchive,
  accounts = [...peers.rows.keys()],
): Promise<void> {
  for (const account of accounts) {
    const size = peers.rows.get(account)?.size ?? 0
    assert.deepEqual(
      await gather(archive.range(account, 0, size + 1000)),
      peers.mall.linesOf(account).slice(0, size),
      account,
    )
    assert.equal(archive.head(account)?.signed, size, account)
  }
  const events = await everything(archive)
  assert.equal(new Set(events.map(({ account, entry }) => `${account} ${entry.seq}`)).size, events.length)
}

async function everything(archive: CabinetArchive) {
  const events = []
  for (let order = 0; ; ) {
    const some = await archive.since(order, 1000)
    if (some.length === 0) return events
    events.push(...some)
    order = some.at(-1)?.order ?? order
  }
}

/** Another line that is spelled well. */
export function altered(line: string): string {
  return line.replace(/"at":(\d+)/, (_, at) => `"at":${Number(at) + 1}`)
}
