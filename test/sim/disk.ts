// Disk: one host's storage, as unkind as the real one. Entries become durable as a prefix; a crash keeps some of what
// was not synced, or none; a failed write leaves unknown what is there; images can be taken and put back.

import type { Account } from '../../ledger/account.ts'
import type { Body } from '../../ledger/entry.ts'
import { must } from '../../ledger/fault.ts'
import type { ModeStatement } from '../../ledger/mode.ts'
import type { Policy } from '../../ledger/policy.ts'
import type { Row } from '../../ledger/row.ts'
import type { Random } from './random.ts'

export interface Ledger {
  readonly account: Account
  entries: Body[]
  /** lines, in seeds that run on real hashes */
  lines: string[]
  synced: number
  /** how many of them the oracle was told of */
  seen: number
  damaged: boolean
}

export interface Image {
  readonly account: Account
  readonly size: number
}

export class Disk {
  /** all epochs, oldest first */
  readonly ledgers: Ledger[] = []
  mark: Image | undefined
  readonly rows = new Map<Account, Row>()
  readonly proofs: (readonly [Row, Row])[] = []
  readonly policies = new Map<number, Policy>()
  modes: ModeStatement[] = []
  full = false
  /** the next sync fails, and what it leaves behind is anyone's guess */
  errorNext = false

  get open(): Ledger | undefined {
    return this.ledgers[this.ledgers.length - 1]
  }

  begin(account: Account): void {
    this.ledgers.push({ account, entries: [], lines: [], synced: 0, seen: 0, damaged: false })
    // what a loss left in the ledger before is evidence, and never gone on with
    this.mark = { account, size: 0 }
  }

  write(seq: number, body: Body, line: string): void {
    const ledger = this.open as Ledger
    must(seq === ledger.entries.length, `${ledger.account}: entry ${seq} written after ${ledger.entries.length}`)
    ledger.entries.push(body)
    if (line !== '') ledger.lines.push(line)
  }

  get size(): number {
    return this.open?.entries.length ?? 0
  }

  /** The store first, then the mark, then the acknowledgement. */
  sync(size: number): void {
    const ledger = this.open as Ledger
    ledger.synced = size
    this.mark = { account: ledger.account, size }
  }

  /** The power goes: of what was not synced a prefix may have made it. True when the tail was torn. */
  crash(random: Random): boolean {
    const ledger = this.open
    if (ledger === undefined) return false
    const unsynced = ledger.entries.length - ledger.synced
    const kept = random.chance(0.5) ? 0 : random.int(unsynced + 1)
    this.#cut(ledger, ledger.synced + kept)
    ledger.synced = ledger.entries.length
    return unsynced > 0
  }

  /** An older copy of the store is put back; with the mark, if somebody copied both. */
  rollback(size: number, withMark: boolean): void {
    const ledger = this.open as Ledger
    this.#cut(ledger, size)
    ledger.synced = size
    if (withMark) this.mark = { account: ledger.account, size }
  }

  wipe(): void {
    this.ledgers.length = 0
    this.mark = undefined
    this.rows.clear()
    this.proofs.length = 0
    this.policies.clear()
    this.modes = []
  }

  #cut(ledger: Ledger, size: number): void {
    ledger.entries.length = size
    if (ledger.lines.length > size) ledger.lines.length = size
  }
}
