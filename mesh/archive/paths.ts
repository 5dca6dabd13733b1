// Paths: from one entry of a collected ledger up to the root that its owner signed, for whoever wants to see that the
// entry is in there and nothing else.
//
// Law: a path is worked out from the lines that are kept and from the peaks over those that were pruned. A subtree to the
// left of an entry that is kept is such a peak whenever all of its lines are gone, so a path never needs what is gone.
//
// Roots of full blocks never change. They are remembered, so that the second path of a ledger costs two blocks and not
// all of it.

import type { Account } from '../../ledger/account.ts'
import { fromBase64 } from '../../ledger/base64.ts'
import { Fault, must } from '../../ledger/fault.ts'
import { type Hash, leafHash, nodeHash } from '../../ledger/tree.ts'
import type { Cabinet } from './cabinet.ts'
import { KEYS, lineOf } from './shelfmark.ts'

export interface Wanted {
  readonly account: Account
  readonly index: number
  /** of the tree whose root it leads to */
  readonly size: number
  /** entries before this one were pruned */
  readonly kept: number
  /** frontier of the tree over those, base64 */
  readonly peaks: readonly string[]
}

/** Leaves under one root that is remembered. */
const BLOCK = 256
/** A few MB: more than ten million entries. */
const BLOCKS_MAX = 50_000

export class Paths {
  readonly #cabinet: Cabinet
  readonly #blocks = new Map<string, Hash>()
  #before: Promise<unknown> = Promise.resolve()

  constructor(cabinet: Cabinet) {
    this.#cabinet = cabinet
  }

  /** Sibling hashes from the leaf up. One at a time: whoever comes second finds the blocks that the first one read. */
  find(wanted: Wanted): Promise<Hash[]> {
    const found = this.#before.then(() => this.#find(wanted))
    this.#before = found.catch(() => undefined)
    return found
  }

  async #find(wanted: Wanted): Promise<Hash[]> {
    const { index, size, kept } = wanted
    must(kept <= index && index < size, 'an entry is proved in a ledger that has it')
    const peaks = peaksOf(wanted)
    const path: Hash[] = []
    let from = 0
    let to = size
    // from the root down; the path is told from the leaf up
    while (to - from > 1) {
      const middle = from + splitOf(to - from)
      const isLeft = index < middle
      path.push(await (isLeft ? this.#root(wanted, peaks, middle, to) : this.#root(wanted, peaks, from, middle)))
      if (isLeft) to = middle
      else from = middle
    }
    return path.reverse()
  }

  async #root(wanted: Wanted, peaks: Peaks, from: number, to: number): Promise<Hash> {
    const peak = peaks.get(spanOf(from, to))
    if (peak !== undefined) return peak
    if (to - from > BLOCK) {
      const middle = from + splitOf(to - from)
      return nodeHash(await this.#root(wanted, peaks, from, middle), await this.#root(wanted, peaks, middle, to))
    }
    const name = `${wanted.account} ${from}`
    const isFull = to - from === BLOCK
    const known = isFull ? this.#blocks.get(name) : undefined
    if (known !== undefined) return known
    const root = rootOf(peaks, await this.#leaves(wanted, from, to), from, to)
    if (isFull) this.#remember(name, root)
    return root
  }

  #remember(name: string, root: Hash): void {
    if (this.#blocks.size >= BLOCKS_MAX) this.#blocks.clear()
    this.#blocks.set(name, root)
  }

  /** By index; as far as they are kept. */
  async #leaves({ account, kept }: Wanted, from: number, to: number): Promise<ReadonlyMap<number, Hash>> {
    const leaves = new Map<number, Hash>()
    let next = Math.max(from, kept)
    const span = { from: KEYS.line(account, next), to: KEYS.line(account, to) }
    for await (const portion of this.#cabinet.read(span)) {
      for (const [key, record] of portion) {
        if (key !== KEYS.line(account, next)) break
        leaves.set(next++, leafHash(lineOf(record)))
      }
    }
    if (next < to) throw new Fault('ARCHIVE_DAMAGED', `entry ${next} of ${account} is missing in the archive`)
    return leaves
  }
}

/** Roots of perfect subtrees by what they span. */
type Peaks = ReadonlyMap<string, Hash>

function peaksOf({ account, kept, peaks }: Wanted): Peaks {
  const spans = new Map<string, Hash>()
  let from = 0
  for (const text of peaks) {
    const width = widthOf(kept - from)
    const hash = fromBase64(text, 32)
    if (hash === undefined || from >= kept) break
    spans.set(spanOf(from, from + width), hash)
    from += width
  }
  if (from !== kept) throw new Fault('ARCHIVE', `${account}: it is not known what the tree was at entry ${kept}`)
  return spans
}

function rootOf(peaks: Peaks, leaves: ReadonlyMap<number, Hash>, from: number, to: number): Hash {
  const known = peaks.get(spanOf(from, to)) ?? (to - from === 1 ? leaves.get(from) : undefined)
  if (known !== undefined) return known
  must(to - from > 1, 'what is gone has a peak over it')
  const middle = from + splitOf(to - from)
  return nodeHash(rootOf(peaks, leaves, from, middle), rootOf(peaks, leaves, middle, to))
}

function spanOf(from: number, to: number): string {
  return `${from} ${to}`
}

/** The largest power of two that is not larger. */
function widthOf(size: number): number {
  let width = 1
  while (width * 2 <= size) width *= 2
  return width
}

/** Where RFC 6962 splits a tree: the largest power of two smaller than its size. */
function splitOf(size: number): number {
  return widthOf(size - 1)
}
