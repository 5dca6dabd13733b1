// Reading: one ledger judged line by line, whoever brings the lines. What it finds, and the steps it leaves for the replay,
// are plain values.

import { type Account, nameOf } from '../account.ts'
import type { Entry, HeadOf } from '../entry.ts'
import type { Row } from '../row.ts'
import { Findings } from './findings.ts'
import { AccountLaws } from './laws.ts'
import { LedgerReader, type Line } from './ledger.ts'
import { type Mark, MarkList, MarkMerge, type MarkQueue } from './marks.ts'
import type { Rules } from './rules.ts'
import type { ReadEnd } from './source.ts'
import { frontierAt, type Start } from './start.ts'
import { type Portion, StepWriter } from './steps.ts'

export interface ReadTask {
  readonly account: Account
  readonly rules: Rules
  /** its rows, and what later epochs say of it */
  readonly marks: readonly Mark[]
  /** where it is shown from, if that is not its beginning */
  readonly start?: { readonly tree: Start; readonly row: Row } | undefined
  /** size at which it should end; undefined where nothing says so */
  readonly to?: number | undefined
  /** the key of its rows */
  readonly vkey?: string | undefined
}

/** Heads that an anchor's checkpoint names. */
export type HeadSink = (head: HeadOf, by: { readonly account: Account; readonly seq: number }) => void

export class Reading {
  readonly #task: ReadTask
  readonly #findings = new Findings()
  readonly #laws: AccountLaws
  readonly #reader: LedgerReader
  readonly #steps = new StepWriter()
  readonly #onHead: HeadSink
  readonly #spoken = new Map<Account, number>()
  #heads = 0
  #oldest = Number.MAX_SAFE_INTEGER
  #newest = -1

  constructor(task: ReadTask, heads: MarkQueue, onHead: HeadSink) {
    this.#task = task
    this.#onHead = onHead
    const { account, rules, start } = task
    this.#laws = new AccountLaws(account, rules, this.#findings, start?.row)
    const own = new MarkList()
    for (const mark of task.marks) own.add(mark)
    this.#reader = new LedgerReader({
      laws: this.#laws,
      findings: this.#findings,
      marks: new MarkMerge([own, heads]),
      charterHash: rules.charterHash,
      start: start && frontierAt(start.tree),
      to: task.to,
      onEntry: entry => this.#see(entry),
    })
  }

  /** Nothing more is wanted. */
  get isOver(): boolean {
    return this.#reader.isOver
  }

  push(line: Line): void {
    this.#reader.push(line)
  }

  /** Steps that are ready to be taken; all of them at the end. */
  take(isEnd: boolean): Portion[] {
    return this.#steps.take(isEnd)
  }

  end(): ReadEnd {
    this.#reader.end()
    const { size, signed, damaged, isHoled } = this.#reader
    const period = this.#newest < 0 ? undefined : { from: this.#oldest, to: this.#newest }
    const { optical } = this.#laws
    const spoken = this.#spoken
    return {
      size,
      signed,
      damaged,
      isHoled,
      findings: this.#findings.list(),
      period,
      optical,
      spoken,
      heads: this.#heads,
    }
  }

  #see(entry: Entry): void {
    if (entry.at < this.#oldest) this.#oldest = entry.at
    if (entry.at > this.#newest) this.#newest = entry.at
    this.#steps.add(entry)
    if (entry.type === 'checkpoint') this.#meet(entry.heads, entry.seq)
    if (entry.type === 'open') this.#opens(entry.key)
    if (entry.type === 'fork') this.#hearOfFork(entry.account, entry.size, entry.seq)
  }

  /** Whoever shows the mall may have left out what proves it. */
  #hearOfFork(forker: Account, size: number, seq: number): void {
    if (this.#task.rules.profile === 0) return
    const what = `entry ${seq} of ${this.#task.account} says that two histories of it were seen`
    this.#findings.add('fork', forker, size - 1, what)
  }

  #opens(key: string): void {
    const { account, vkey, rules } = this.#task
    // a key of nobody's has been found already
    const isKnown = rules.keys.get(nameOf(account))?.includes(key)
    if (rules.profile === 0 || vkey === undefined || vkey === key || !isKnown) return
    this.#findings.add('row', account, undefined, 'its rows are signed with another key than it was opened with')
  }

  #meet(heads: readonly HeadOf[], seq: number): void {
    const { account } = this.#task
    for (const head of heads) {
      // its own head adds nothing to its row
      if (head[0] === account) continue
      this.#heads++
      if (head[1] > (this.#spoken.get(head[0]) ?? 0)) this.#spoken.set(head[0], head[1])
      this.#onHead(head, { account, seq })
    }
  }
}
