// Verify: proves or refutes every law of a mall from its ledgers and signed notes alone. Trusts nothing but the
// owner's key; needs no network, and no memory beyond counters, marks and two numbers for each transfer.
//
// What is proved is in FORMAT.md, "Laws". Nothing shown proves nothing: an empty mall is a finding.

import { type Account, epochOf, isAccount, isAnchor, nameOf } from '../account.ts'
import type { HeadOf } from '../entry.ts'
import type { VerifierKey } from '../key.ts'
import type { Row } from '../row.ts'
import { type Finding, Findings } from './findings.ts'
import { AccountLaws } from './laws.ts'
import { LedgerReader, type Lines } from './ledger.ts'
import { Merge, type Peak } from './merge.ts'
import { type Notes, openNotes } from './notes.ts'
import { entriesOf, leaps, movesTokens, Source, type Step } from './source.ts'

export interface MallShown {
  readonly charter: string
  /** known by other means than these files */
  readonly owner: VerifierKey
  readonly policies: readonly string[]
  /** lines without newlines; each is read once, from its first to its last */
  readonly ledgers: ReadonlyMap<Account, Lines>
  readonly rows: readonly string[]
}

export interface AccountReport {
  readonly account: Account
  /** entries read */
  readonly size: number
  /** how many of them a signed row covers */
  readonly signed: number
  readonly balance: number
  /** people in minus people out by this account */
  readonly inside: number
}

/** Entries `from` up to, not including, `to` are gone. */
export interface Loss {
  readonly account: Account
  readonly from: number
  readonly to: number
}

export interface Report {
  /** no findings */
  readonly ok: boolean
  readonly findings: readonly Finding[]
  /** accounts closed after a loss of memory: what is missing is known, and the next epoch was opened for it */
  readonly lost: readonly Loss[]
  /** how much was checked */
  readonly proved: {
    readonly entries: number
    readonly rows: number
    readonly policies: number
    readonly heads: number
    readonly receives: number
    readonly cuts: number
  }
  readonly maxOccupancy: number
  /** where it was reached */
  readonly peak?: Peak
  readonly accounts: readonly AccountReport[]
}

/** With any of these the sums over the whole mall prove nothing, either way. */
const DAMAGE = ['roster', 'row', 'entry', 'chain', 'gap', 'root', 'truncated'] as const

export async function verifyMall(shown: MallShown): Promise<Report> {
  const findings = new Findings()
  const notes = openNotes(shown, findings)
  if (notes !== undefined) return new Audit(shown, notes, findings).run()
  const proved = { entries: 0, rows: 0, policies: 0, heads: 0, receives: 0, cuts: 0 }
  return { ok: false, findings: findings.list(), lost: [], proved, maxOccupancy: 0, accounts: [] }
}

class Audit {
  readonly #notes: Notes
  readonly #findings: Findings
  readonly #readers = new Map<Account, LedgerReader>()
  /** heads that some entry vouches for */
  readonly #heads = new Set<string>()
  /** the largest size that rows and heads speak of */
  readonly #spoken = new Map<Account, number>()
  readonly #lost: Loss[] = []

  constructor(shown: MallShown, notes: Notes, findings: Findings) {
    this.#notes = notes
    this.#findings = findings
    for (const [account, lines] of shown.ledgers) {
      if (!isAccount(account) || !notes.roster.has(nameOf(account))) {
        findings.add('roster', account, undefined, 'a ledger of nobody on the roster')
        continue
      }
      const laws = new AccountLaws(account, notes, findings)
      this.#readers.set(account, new LedgerReader(laws, lines, notes.charterHash, findings))
    }
    if (this.#readers.size === 0) findings.add('empty', '', undefined, 'no ledgers')
    for (const [account, rows] of notes.rows) this.#speak(account, rows.at(-1)?.size ?? 0)
  }

  async run(): Promise<Report> {
    for (const reader of this.#readers.values()) await this.#begin(reader)
    const sources: Source[] = []
    // the anchor first and whole: its checkpoints say what to look for in the others
    for (const reader of this.#newestFirst(isAnchor)) {
      sources.push(new Source(reader.account, reader, this.#rowsOf(reader.account), await this.#readAnchor(reader)))
    }
    for (const reader of this.#newestFirst(account => !isAnchor(account))) {
      reader.sortMarks()
      sources.push(new Source(reader.account, reader, this.#rowsOf(reader.account)))
    }
    for (const [account, rows] of this.#notes.rows) {
      if (!this.#readers.has(account)) sources.push(new Source(account, undefined, rows))
    }
    for (const source of sources) await source.advance()
    const merge = new Merge(sources, this.#findings)
    await merge.run()
    this.#lookForMissing()
    this.#lookAtBudget(merge)
    return this.#report(merge, sources)
  }

  async #begin(reader: LedgerReader): Promise<void> {
    for (const row of this.#rowsOf(reader.account)) reader.mark({ size: row.size, root: row.root, row })
    const open = await reader.first()
    if (open?.type !== 'open') return
    const { after, afterSize, afterRoot } = open
    if (after === undefined || afterSize === undefined || afterRoot === undefined) return
    this.#head([after, afterSize, afterRoot], { account: reader.account, seq: 0 })
  }

  async #readAnchor(reader: LedgerReader): Promise<Step[]> {
    const steps: Step[] = []
    reader.sortMarks()
    for await (const entry of entriesOf(reader)) {
      if (movesTokens(entry)) steps.push(entry)
      if (entry.type !== 'checkpoint') continue
      for (const head of entry.heads) {
        // its own head adds nothing to its row
        if (head[0] !== reader.account) this.#head(head, { account: reader.account, seq: entry.seq })
      }
    }
    return [...steps, ...leaps(this.#rowsOf(reader.account), reader)]
  }

  /** Later epochs first, since they cite the earlier. */
  #newestFirst(which: (account: Account) => boolean): LedgerReader[] {
    const chosen = [...this.#readers.values()].filter(reader => which(reader.account))
    return chosen.sort((a, b) => epochOf(b.account) - epochOf(a.account))
  }

  #head([account, size, root]: HeadOf, by: { account: Account; seq: number }): void {
    const key = `${account} ${size} ${root}`
    if (this.#heads.has(key)) return
    this.#heads.add(key)
    this.#speak(account, size)
    this.#readers.get(account)?.mark({ size, root, by })
  }

  #speak(account: Account, size: number): void {
    this.#spoken.set(account, Math.max(size, this.#spoken.get(account) ?? 0))
  }

  /** Entries that others know of and nobody shows: explained where the gate opened a later epoch. */
  #lookForMissing(): void {
    for (const [account, to] of this.#spoken) {
      const reader = this.#readers.get(account)
      const from = reader?.size ?? 0
      if (reader?.isHoled || to <= from) continue
      if (this.#isOutlived(account)) this.#lost.push({ account, from, to })
      else this.#findings.add('truncated', account, from, `ends at size ${from}; others know of size ${to}`)
    }
    for (const reader of this.#readers.values()) {
      const { account, size } = reader
      if (size === 0 && !this.#spoken.has(account)) this.#findings.add('empty', account, undefined, 'no entries')
      if (size > 0 && this.#rowsOf(account).length === 0) {
        this.#findings.add('unsigned', account, undefined, 'no signed row speaks for this ledger')
      }
    }
  }

  #isOutlived(account: Account): boolean {
    for (const other of [...this.#readers.keys(), ...this.#notes.rows.keys()]) {
      if (nameOf(other) === nameOf(account) && epochOf(other) > epochOf(account)) return true
    }
    return false
  }

  #lookAtBudget(merge: Merge): void {
    const { force, overfull } = merge
    if (this.#findings.has(DAMAGE)) return
    if (overfull !== undefined) this.#findings.add('occupancy', overfull.account, overfull.seq, overfull.what)
    if (force === undefined) return
    const before = merge.mintedBefore(epochOf(force.account))
    if (force.budget.carried < before) {
      const what = `carries ${force.budget.carried}, earlier epochs minted ${before}`
      this.#findings.add('budget', force.account, force.seq, what)
    }
    for (const { account, amount } of this.#notes.policies.get(force.version)?.reclaimed ?? []) {
      const held = merge.balanceOf(account) + merge.inFlightTo(account)
      if (amount <= held) continue
      this.#findings.add('reclaim', force.account, force.seq, `${amount} from ${account}, which holds ${held}`)
    }
  }

  #rowsOf(account: Account): readonly Row[] {
    return this.#notes.rows.get(account) ?? []
  }

  #report(merge: Merge, sources: readonly Source[]): Report {
    const findings = this.#findings.list()
    let entries = 0
    for (const reader of this.#readers.values()) entries += reader.size
    let rows = 0
    for (const kept of this.#notes.rows.values()) rows += kept.length
    const { cuts, receives, peak } = merge
    const accounts = sources.map(({ account, exact }) => ({
      account,
      size: exact,
      signed: this.#readers.get(account)?.signed ?? 0,
      balance: merge.balanceOf(account),
      inside: merge.insideOf(account),
    }))
    return {
      ok: findings.length === 0,
      findings,
      lost: this.#lost,
      proved: { entries, rows, policies: this.#notes.policies.size, heads: this.#heads.size, receives, cuts },
      maxOccupancy: peak?.occupancy ?? 0,
      ...(peak === undefined ? {} : { peak }),
      accounts: accounts.sort((a, b) => (a.account < b.account ? -1 : 1)),
    }
  }
}
