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
import type { Row } from '../row.ts'
import { Frontier, type Hash, leafHash } from '../tree.ts'
import type { FindingKind, Findings } from './findings.ts'
import type { AccountLaws } from './laws.ts'

export type Lines = Iterable<string> | AsyncIterable<string>

/** A head that somebody vouched for: the account's own row, or another's entry. */
export interface Mark {
  readonly size: number
  readonly root: string
  readonly row?: Row
  /** the entry that says so */
  readonly by?: { readonly account: Account; readonly seq: number }
}

interface Line {
  readonly text: string
  readonly leaf: Hash
  readonly entry?: Entry
  readonly flaw?: string
}

export class LedgerReader {
  readonly account: Account
  readonly laws: AccountLaws
  readonly #findings: Findings
  readonly #lines: Iterator<string> | AsyncIterator<string>
  #marks: Mark[] = []
  #prev: string
  #tree = new Frontier()
  /** size up to which a signed root was met */
  #signed = 0
  #damaged = false
  #holed = false
  #drained = false
  // a line is judged by the two that follow it
  readonly #ahead: Line[] = []

  constructor(laws: AccountLaws, lines: Lines, charterHash: string, findings: Findings) {
    this.account = laws.account
    this.laws = laws
    this.#lines = Symbol.asyncIterator in lines ? lines[Symbol.asyncIterator]() : lines[Symbol.iterator]()
    this.#prev = charterHash
    this.#findings = findings
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

  /** The first entry, before anything is judged. */
  async first(): Promise<Entry | undefined> {
    await this.#fill()
    return this.#ahead[0]?.entry
  }

  /** To be called before reading. */
  mark(mark: Mark): void {
    this.#marks.push(mark)
  }

  /** Reading stopped at entries that are missing in the middle. */
  get isHoled(): boolean {
    return this.#holed
  }

  /** To be called when all marks are made. */
  sortMarks(): void {
    // last first, so that the next one is popped
    this.#marks.sort((a, b) => b.size - a.size)
  }

  /** The next entry that stands, its laws looked at; undefined at the end. */
  async next(): Promise<Entry | undefined> {
    for (;;) {
      await this.#fill()
      const line = this.#ahead[0]
      if (line === undefined) return undefined
      const entry = this.#judge(line)
      this.#ahead.shift()
      const rows = this.#meetMarks()
      if (entry === undefined || this.#damaged) continue
      this.laws.take(entry)
      for (const row of rows) this.laws.compare(row)
      return entry
    }
  }

  #judge(line: Line): Entry | undefined {
    const seq = this.size
    const { entry } = line
    const next = this.#ahead[1]?.entry
    // what the next line says this one hashed to, if it stands in its place
    const cited = next?.seq === seq + 1 ? next.prev : undefined
    if (entry === undefined) {
      this.#damage('entry', line.flaw ?? '')
      this.#append(cited ?? line.leaf)
      return undefined
    }
    if (entry.prev !== this.#prev && entry.seq > seq) {
      this.#damage('gap', `entries ${seq} to ${entry.seq - 1} are missing`)
      this.#stop()
      return undefined
    }
    if (entry.seq !== seq || entry.prev !== this.#prev) {
      this.#damage('chain', seq === 0 ? 'does not begin at this charter' : 'is not written after the entry before it')
      this.#append(cited ?? leafHash(encodeEntry(entry, seq, this.#prev)))
      return undefined
    }
    if (cited !== undefined && cited !== toBase64(line.leaf) && !this.#nextIsAltered(line.leaf)) {
      this.#damage('chain', 'is not the entry that the next one was written after')
      this.#append(cited)
      return undefined
    }
    this.#append(line.leaf)
    return entry
  }

  /** Lines n and n+1 disagree. If n+1 with the right `prev` is what was signed, or what n+2 cites, then n stands. */
  #nextIsAltered(leaf: Hash): boolean {
    const [, next, third] = this.#ahead
    if (next?.entry === undefined) return false
    const mended = leafHash(encodeEntry(next.entry, this.size + 1, toBase64(leaf)))
    if (third !== undefined) return third.entry?.prev === toBase64(mended)
    const tree = this.#tree.copy()
    tree.append(leaf)
    tree.append(mended)
    const root = toBase64(tree.root())
    return this.#marks.some(mark => mark.size === tree.size && mark.root === root)
  }

  #append(leaf: Hash | string): void {
    const hash = typeof leaf === 'string' ? (fromBase64(leaf, 32) as Hash) : leaf
    this.#tree.append(hash)
    this.#prev = toBase64(hash)
  }

  /** Are the roots at this size those that were vouched for? The rows among them are still to be compared. */
  #meetMarks(): Row[] {
    const rows: Row[] = []
    let root: string | undefined
    for (let mark = this.#marks.at(-1); mark !== undefined && mark.size <= this.size; mark = this.#marks.at(-1)) {
      this.#marks.pop()
      root ??= toBase64(this.#tree.root())
      if (mark.root !== root) {
        this.#refute(mark)
      } else if (mark.row !== undefined) {
        this.#signed = mark.size
        rows.push(mark.row)
      }
    }
    return rows
  }

  #refute({ size, by }: Mark): void {
    // a ledger known to be altered contradicts everybody after that, and accuses nobody
    if (this.#damaged) return
    if (by !== undefined) {
      // whose word it is against: a fork of this account or a lie of the other, and that entry is where to look
      this.#findings.add(
        'checkpoint',
        by.account,
        by.seq,
        `the head of ${this.account} at size ${size} is not its ledger's`,
      )
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
    this.#holed = true
    this.#drained = true
    this.#ahead.length = 0
    this.#marks = []
  }

  async #fill(): Promise<void> {
    while (!this.#drained && this.#ahead.length < 3) {
      const step = this.#lines.next()
      const { done, value } = step instanceof Promise ? await step : step
      if (done) this.#drained = true
      else this.#ahead.push(read(value))
    }
  }
}

function read(text: string): Line {
  const leaf = leafHash(text)
  try {
    return { text, leaf, entry: parseLine(text) }
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    return { text, leaf, flaw: error.message }
  }
}
