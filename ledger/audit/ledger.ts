// One ledger read from its first line to its last: spelling, chain, tree, and what others signed about it.
//
// Law: an entry counts only if it hashes to what the next one says, and the tree over all of them has the root that was
// signed. Where one line was altered its neighbours tell which, and the tree is mended with the hash they cite, so that
// one altered line is one finding.

import type { Account } from '../account.ts'
import { fromBase64, toBase64 } from '../base64.ts'
import type { Entry } from '../entry.ts'
import { Fault } from '../fault.ts'
import { encodeEntry, parseLine } from '../line.ts'
import { Frontier, type Hash, leafHash } from '../tree.ts'
import { fromUtf8 } from '../utf8.ts'
import type { FindingKind, Findings } from './findings.ts'
import type { AccountLaws } from './laws.ts'
import type { Mark, MarkQueue, RowMark } from './marks.ts'
import { quickEntry } from './quick.ts'

/** A line that was read, its hash, and what it says or why it says nothing. */
export interface Line {
  /** base64 */
  readonly leaf: string
  readonly entry?: Entry
  readonly flaw?: string
}

export interface ReaderOptions {
  readonly laws: AccountLaws
  readonly findings: Findings
  readonly marks: MarkQueue
  /** base64: of the charter's text */
  readonly charterHash: string
  /** the tree over the entries before those that are shown */
  readonly start?: Frontier | undefined
  /** no more are shown than up to this size; undefined where nothing says so */
  readonly to?: number | undefined
  /** what stands, in order, its own laws looked at */
  readonly onEntry: (entry: Entry) => void
}

export class LedgerReader {
  readonly account: Account
  readonly #laws: AccountLaws
  readonly #findings: Findings
  readonly #marks: MarkQueue
  readonly #onEntry: (entry: Entry) => void
  readonly #to: number
  readonly #tree: Frontier
  /** undefined where the line before is not shown */
  #prev: string | undefined
  /** size up to which a signed root was met */
  #signed = 0
  #damaged = false
  #holed = false
  #isOver = false
  // a line is judged by the two that follow it
  readonly #ahead: Line[] = []

  constructor(o: ReaderOptions) {
    this.account = o.laws.account
    this.#laws = o.laws
    this.#findings = o.findings
    this.#marks = o.marks
    this.#onEntry = o.onEntry
    this.#to = o.to ?? Number.MAX_SAFE_INTEGER
    this.#tree = o.start ?? new Frontier()
    this.#prev = o.start === undefined ? o.charterHash : undefined
    if (o.start !== undefined) this.#signed = o.start.size
  }

  get size(): number {
    return this.#tree.size
  }

  get signed(): number {
    return this.#signed
  }

  /** Found altered or with a hole: what stands after that proves nothing. */
  get damaged(): boolean {
    return this.#damaged
  }

  /** Reading stopped at entries that are missing in the middle. */
  get isHoled(): boolean {
    return this.#holed
  }

  /** Nothing more is wanted. */
  get isOver(): boolean {
    return this.#isOver
  }

  push(line: Line): void {
    if (this.#isOver) return
    this.#ahead.push(line)
    if (this.#ahead.length === 3) this.#next()
  }

  end(): void {
    while (this.#ahead.length > 0 && !this.#isOver) this.#next()
  }

  #next(): void {
    const line = this.#ahead[0] as Line
    const entry = this.#judge(line)
    this.#ahead.shift()
    const rows = this.#meetMarks()
    if (entry === undefined || this.#damaged) return
    this.#laws.take(entry)
    if (rows !== undefined) for (const row of rows) this.#laws.compare(row)
    this.#onEntry(entry)
  }

  #judge(line: Line): Entry | undefined {
    const seq = this.size
    const { entry } = line
    if (seq >= this.#to) {
      this.#findings.add('bag', this.account, seq, `more entries than the ${this.#to} that bundle.json says`)
      this.#stop()
      return undefined
    }
    const next = this.#ahead[1]?.entry
    // what the next line says this one hashed to, if it stands in its place
    const cited = next?.seq === seq + 1 ? next.prev : undefined
    if (entry === undefined) {
      this.#damage('entry', line.flaw ?? '')
      this.#append(cited ?? line.leaf)
      return undefined
    }
    const isAfter = this.#prev === undefined || entry.prev === this.#prev
    if (entry.seq > seq && (!isAfter || this.#prev === undefined)) {
      this.#damage('gap', `entries ${seq} to ${entry.seq - 1} are missing`)
      this.#holed = true
      this.#stop()
      return undefined
    }
    if (entry.seq !== seq || !isAfter) {
      this.#damage('chain', seq === 0 ? 'does not begin at this charter' : 'is not written after the entry before it')
      this.#append(cited ?? toBase64(leafHash(encodeEntry(entry, seq, this.#prev ?? entry.prev))))
      return undefined
    }
    if (cited !== undefined && cited !== line.leaf && !this.#nextIsAltered(line.leaf)) {
      this.#damage('chain', 'is not the entry that the next one was written after')
      this.#append(cited)
      return undefined
    }
    this.#append(line.leaf)
    return entry
  }

  /** Lines n and n+1 disagree. If n+1 with the right `prev` is what was signed, or what n+2 cites, then n stands. */
  #nextIsAltered(leaf: string): boolean {
    const [, next, third] = this.#ahead
    if (next?.entry === undefined) return false
    const mended = leafHash(encodeEntry(next.entry, this.size + 1, leaf))
    if (third !== undefined) return third.entry?.prev === toBase64(mended)
    const tree = this.#tree.copy()
    tree.append(fromBase64(leaf, 32) as Hash)
    tree.append(mended)
    return this.#marks.has(tree.size, toBase64(tree.root()))
  }

  #append(leaf: string): void {
    this.#tree.append(Buffer.from(leaf, 'base64'))
    this.#prev = leaf
  }

  /** Are the roots at this size those that were vouched for? The rows among them are still to be compared. */
  #meetMarks(): RowMark[] | undefined {
    let rows: RowMark[] | undefined
    let root: string | undefined
    for (let mark = this.#marks.peek(); mark !== undefined && mark.size <= this.size; mark = this.#marks.peek()) {
      this.#marks.pop()
      // before what is shown
      if (mark.size < this.size) continue
      root ??= toBase64(this.#tree.root())
      if (mark.root !== root) {
        this.#refute(mark)
      } else if (mark.row !== undefined && mark.isAside === undefined) {
        this.#signed = mark.size
        rows ??= []
        rows.push(mark as RowMark)
      }
    }
    return rows
  }

  #refute({ size, by, isAside }: Mark): void {
    // a ledger known to be altered contradicts everybody after that, and accuses nobody
    if (this.#damaged) return
    if (isAside) {
      this.#findings.add('fork', this.account, size - 1, `a signed row of size ${size} is of another history`)
      return
    }
    if (by !== undefined) {
      // whose word it is against: a fork of this account or a lie of the other, and that entry is where to look
      const what = `the head of ${this.account} at size ${size} is not its ledger's`
      this.#findings.add('checkpoint', by.account, by.seq, what)
      return
    }
    const from = this.#signed === size - 1 ? '' : `, or one from ${this.#signed} on,`
    this.#damage('root', `the entry${from} is not what the row of size ${size} signed`, size - 1)
  }

  #damage(kind: FindingKind, what: string, seq = this.size): void {
    this.#damaged = true
    this.#findings.add(kind, this.account, seq, what)
  }

  #stop(): void {
    this.#isOver = true
    this.#ahead.length = 0
  }
}

/** `bytes` is a line with one byte before it, which is written over. */
export function readBytes(bytes: Buffer, leafOf: (bytes: Buffer) => string): Line {
  bytes[0] = 0
  const leaf = leafOf(bytes)
  const quick = quickEntry(bytes.toString('latin1', 1))
  if (quick !== undefined) return { leaf, entry: quick }
  const text = fromUtf8(bytes.subarray(1))
  return text === undefined ? { leaf, flaw: 'not valid UTF-8' } : { leaf, ...parsed(text) }
}

export function readText(text: string): Line {
  const leaf = toBase64(leafHash(text))
  const quick = quickEntry(text)
  return quick === undefined ? { leaf, ...parsed(text) } : { leaf, entry: quick }
}

function parsed(text: string): { entry: Entry } | { flaw: string } {
  try {
    return { entry: parseLine(text) }
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    return { flaw: error.message }
  }
}
