// Strands: the entries of many ledgers in one order of time, read a little of each at once.
//
// Laws: every ledger keeps its own order, whatever its clock says; between ledgers the one whose next entry has the smallest
// time goes first, among equals that of the bytewise smallest account. In memory is a portion of each ledger and no more. A
// line that is no entry is counted and passed over: nothing is verified here.

import type { Account } from '../../../ledger/account.ts'
import type { Entry } from '../../../ledger/entry.ts'
import { type Filter, type Head, mayHold, passes } from './filter.ts'
import { portionsOf } from './line-file.ts'
import type { Piece } from './pieces.ts'

export interface Found extends Head {
  readonly mall: string
  readonly account: Account
  readonly entry: Entry
  readonly line: string
}

/** Lines that are no entries. */
export interface Odd {
  count: number
  /** the first of them */
  first: string | undefined
}

/** For all strands together; each gets its share. */
const MEMORY_BYTES = 4 << 20
const CHUNK_BYTES_MAX = 1 << 17
const CHUNK_BYTES_MIN = 1 << 13
/** Handed on at once. */
const PORTION = 500

const PLACE = '^\\{"seq":(\\d{1,16}),"prev":"[A-Za-z0-9+/=]{44}","id":"([0-9a-f-]{36})"'
const HEAD = new RegExp(`${PLACE},"at":(\\d{1,16}),"type":"([a-z]+)"(?:,"code":"([A-Z_]+)")?`)

export async function* inOrder(pieces: readonly Piece[], filter: Filter, odd: Odd): AsyncGenerator<readonly Found[]> {
  const ledgers = Map.groupBy(
    pieces.filter(piece => mayHold(filter, piece)),
    ({ mall, account }) => `${mall} ${account}`,
  )
  const share = Math.floor(MEMORY_BYTES / Math.max(1, ledgers.size))
  const chunkBytes = Math.min(CHUNK_BYTES_MAX, Math.max(CHUNK_BYTES_MIN, share))
  const strands = [...ledgers.values()].map(files => new Strand(foundIn(files, filter, odd, chunkBytes)))
  try {
    yield* merged(strands)
  } finally {
    for (const strand of strands) await strand.end()
  }
}

async function* merged(strands: readonly Strand[]): AsyncGenerator<readonly Found[]> {
  const waiting: Strand[] = []
  for (const strand of strands) {
    await strand.advance()
    if (strand.next !== undefined) insert(waiting, strand)
  }
  let portion: Found[] = []
  for (let strand = waiting.pop(); strand !== undefined; strand = waiting.pop()) {
    portion.push(strand.next as Found)
    const more = strand.advance()
    if (more !== undefined) await more
    if (strand.next !== undefined) insert(waiting, strand)
    if (portion.length < PORTION) continue
    yield portion
    portion = []
  }
  if (portion.length > 0) yield portion
}

/** The one that goes next is the last. */
function insert(waiting: Strand[], strand: Strand): void {
  let low = 0
  let high = waiting.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (isBefore(strand.next as Found, (waiting[middle] as Strand).next as Found)) low = middle + 1
    else high = middle
  }
  waiting.splice(low, 0, strand)
}

function isBefore(a: Found, b: Found): boolean {
  if (a.at !== b.at) return a.at < b.at
  return a.account === b.account ? a.mall < b.mall : a.account < b.account
}

class Strand {
  readonly #portions: AsyncGenerator<readonly Found[]>
  #portion: readonly Found[] = []
  #at = 0

  constructor(portions: AsyncGenerator<readonly Found[]>) {
    this.#portions = portions
  }

  get next(): Found | undefined {
    return this.#portion[this.#at]
  }

  /** Nothing to wait for where the portion has more. */
  advance(): Promise<void> | undefined {
    return ++this.#at < this.#portion.length ? undefined : this.#refill()
  }

  async end(): Promise<void> {
    await this.#portions.return(undefined)
  }

  async #refill(): Promise<void> {
    const { value, done } = await this.#portions.next()
    this.#portion = done ? [] : value
    this.#at = 0
  }
}

/** What passes of one ledger, in its order; no portion is empty. */
async function* foundIn(
  pieces: readonly Piece[],
  filter: Filter,
  odd: Odd,
  chunkBytes: number,
): AsyncGenerator<readonly Found[]> {
  for (const { mall, account, path, skip } of pieces) {
    let number = 0
    for await (const lines of portionsOf(path, chunkBytes)) {
      const found: Found[] = []
      for (const bytes of lines) {
        number++
        const line = bytes.toString('utf8')
        const head = headOf(line)
        const isWanted = head !== undefined && head.seq >= skip && passes(filter, head)
        if (head !== undefined && !isWanted) continue
        const entry = head === undefined ? undefined : entryOf(line)
        if (head === undefined || entry === undefined) {
          odd.count++
          odd.first ??= `${path}, line ${number}`
        } else found.push({ mall, account, ...head, entry, line })
      }
      if (found.length > 0) yield found
    }
  }
}

function headOf(line: string): Head | undefined {
  const match = HEAD.exec(line)
  if (match === null) return undefined
  const [, seq, id = '', at, type = '', code] = match
  const decision = type === 'admit' ? 'ADMIT' : type === 'reject' ? code : undefined
  return { seq: Number(seq), id, at: Number(at), type, decision }
}

function entryOf(line: string): Entry | undefined {
  try {
    return JSON.parse(line) as Entry
  } catch {
    return undefined
  }
}
