// Book: the ledger that is open, between what was appended, what was acknowledged and what its shelf has.
//
//     shelved   in the ledger itself
//     durable   acknowledged: shelved, or in marks that are kept
//     end       appended
//
// Law: every line from the shelved size on is in memory, so whatever fails can be written again.

import type { Account } from './account.ts'
import { fromBase64, toBase64 } from './base64.ts'
import type { ChainEnd, Head } from './chain.ts'
import { must } from './fault.ts'
import type { Shelf } from './medium.ts'
import { readAsIs, readChecked } from './reading.ts'
import { type Change, formatHead, HEAD, headRecord, pages } from './record.ts'
import { follows } from './scan.ts'
import { fitsSlot } from './slot.ts'
import { type Kept, STORE_LIMITS } from './store.ts'
import { Frontier, type Hash, leafHash } from './tree.ts'

/** How far a ledger goes. */
export interface End {
  readonly frontier: Frontier
  /** leaf hash of the newest entry; the charter hash where there is none */
  readonly last: string
}

/** Two fewer than there are: a write that failed may have cost one, and the newest is never written over. */
const TAILS_MAX = STORE_LIMITS.marks - 2

export class Book {
  readonly account: Account
  readonly charter: string
  shelf: Shelf
  /** after every line appended, durable or not */
  readonly #frontier: Frontier
  #last: string
  #durable: End
  #shelved: End
  /** the entries from the shelved size on */
  readonly #lines: string[] = []
  /** marks whose lines the ledger does not have yet, and what came with them */
  #tails: { readonly size: number; readonly notes: readonly Change[] }[] = []

  constructor(account: Account, charter: string, shelf: Shelf, end: End) {
    this.account = account
    this.charter = charter
    this.shelf = shelf
    this.#frontier = end.frontier.copy()
    this.#last = end.last
    this.#durable = end
    this.#shelved = end
  }

  static empty(account: Account, charter: string, shelf: Shelf): Book {
    return new Book(account, charter, shelf, { frontier: new Frontier(), last: charter })
  }

  get size(): number {
    return this.#frontier.size
  }

  get durable(): End {
    return this.#durable
  }

  get shelved(): End {
    return this.#shelved
  }

  /** Appended and not acknowledged. */
  get waiting(): number {
    return this.size - sizeOf(this.#durable)
  }

  get isShelved(): boolean {
    return sizeOf(this.#shelved) >= sizeOf(this.#durable)
  }

  /** Nothing was appended that the ledger does not have. */
  get isAtRest(): boolean {
    return this.#lines.length === 0
  }

  /** The ledger should catch up before marks have to wait for it. */
  get isBehind(): boolean {
    return this.#tails.length >= TAILS_MAX / 2
  }

  /** Another mark might cost one whose lines are nowhere else. */
  get isFarBehind(): boolean {
    return this.#tails.length >= TAILS_MAX
  }

  get end(): End {
    return { frontier: this.#frontier.copy(), last: this.#last }
  }

  get chainEnd(): ChainEnd | undefined {
    if (this.size === 0) return undefined
    return { size: this.size, lastLeaf: fromBase64(this.#last, 32) as Hash, frontier: this.#frontier.copy() }
  }

  append(line: string): void {
    must(!line.includes('\n'), 'what is appended is one line')
    must(follows(line, { seq: this.size, prev: this.#last }), 'a line follows the one appended before it')
    const { lineBytesMax } = STORE_LIMITS
    must(3 * line.length <= lineBytesMax || Buffer.byteLength(line) <= lineBytesMax, 'a line is within its limit')
    const leaf = leafHash(line)
    this.#frontier.append(leaf)
    this.#last = toBase64(leaf)
    this.#lines.push(line)
  }

  /** What was appended and not acknowledged, for a mark; undefined where it is too long for one. */
  tail(): readonly string[] | undefined {
    const lines = this.#lines.slice(sizeOf(this.#durable) - sizeOf(this.#shelved))
    return fitsSlot(lines) ? lines : undefined
  }

  acknowledged(end: End, notes: readonly Change[] = []): void {
    this.#durable = end
    if (sizeOf(end) > sizeOf(this.#shelved)) this.#tails.push({ size: sizeOf(end), notes })
    else must(notes.length === 0, 'notes are in a mark only with lines that the ledger has not got')
  }

  /** What the shelf has to take to go as far as this. */
  changes(to: End): Change[] {
    const from = sizeOf(this.#shelved)
    if (sizeOf(to) === from) return []
    const beside = this.#tails.filter(({ size }) => size <= sizeOf(to)).flatMap(({ notes }) => notes)
    return [...pages(from, this.#lines.slice(0, sizeOf(to) - from)), this.headChange(to), ...beside]
  }

  headChange({ frontier, last }: End): Change {
    return [HEAD, formatHead(headRecord(this.account, this.charter, last, frontier))]
  }

  took(end: End): void {
    this.#lines.splice(0, sizeOf(end) - sizeOf(this.#shelved))
    this.#shelved = end
    this.#tails = this.#tails.filter(({ size }) => size > sizeOf(end))
  }

  /** Goes on with a shelf that was found with these entries. False where they are not the ones that were written. */
  goOn(shelf: Shelf, found: Head): boolean {
    const end = this.#endAt(found.size)
    if (end === undefined || headOf(end).root !== found.root) return false
    this.took(end)
    this.shelf = shelf
    return true
  }

  /** Acknowledged lines in [from, to). */
  range(from: number, to: number): AsyncIterable<string> {
    const [durable, shelved] = [sizeOf(this.#durable), sizeOf(this.#shelved)]
    const until = Math.min(to, durable)
    const rest = until > shelved ? this.#lines.slice(Math.max(from - shelved, 0), until - shelved) : []
    return joined(readChecked(this.shelf, this.account, from, Math.min(until, shelved)), rest)
  }

  /** As the shelf has them, unchecked, and then those that it has not got yet. */
  async *kept(): AsyncGenerator<Kept> {
    const first = sizeOf(this.#shelved)
    const rest = this.#lines.slice(0, Math.max(0, sizeOf(this.#durable) - first))
    let next = 0
    for await (const kept of readAsIs(this.shelf)) {
      next = kept.seq + 1
      yield kept
    }
    // what was shelved meanwhile has been read by now
    for (const [k, line] of rest.entries()) if (first + k >= next) yield { seq: first + k, line }
  }

  /** Where the ledger should be at a size between what it took and what was appended. */
  #endAt(size: number): End | undefined {
    const from = sizeOf(this.#shelved)
    if (size < from || size > from + this.#lines.length) return undefined
    const frontier = this.#shelved.frontier.copy()
    let { last } = this.#shelved
    for (const line of this.#lines.slice(0, size - from)) {
      const leaf = leafHash(line)
      frontier.append(leaf)
      last = toBase64(leaf)
    }
    return { frontier, last }
  }
}

export function sizeOf({ frontier }: End): number {
  return frontier.size
}

export function headOf({ frontier }: End): Head {
  return { size: frontier.size, root: toBase64(frontier.root()) }
}

async function* joined(first: AsyncIterable<string>, rest: readonly string[]): AsyncGenerator<string> {
  yield* first
  yield* rest
}
