// Reading: the lines of a stretch of a ledger, each checked as it comes, and what they add up to.
//
// Law: a line counts only in its one spelling, in its place, and after the line whose hash it cites. Whether the whole is
// what its owner wrote, the signed root says at the end.

import { fromBase64, toBase64 } from '../../ledger/base64.ts'
import { type Counters, copyCounters } from '../../ledger/counters.ts'
import { Fault } from '../../ledger/fault.ts'
import { fold } from '../../ledger/fold.ts'
import { parseLine } from '../../ledger/line.ts'
import type { Row } from '../../ledger/row.ts'
import { formatRow } from '../../ledger/row-note.ts'
import { Frontier, type Hash, leafHash } from '../../ledger/tree.ts'
import type { Joint } from './proof.ts'

export class Reading {
  readonly #tree: Frontier
  readonly #counters: Counters | undefined
  #last: string
  #oldest = Number.MAX_SAFE_INTEGER
  #newest = 0

  /** `counters` are those at the joint, where they are known; only then are those of the row checked. */
  constructor(joint: Joint, counters?: Counters) {
    this.#tree = frontierOf(joint)
    this.#last = joint.last
    this.#counters = counters && copyCounters(counters)
  }

  get size(): number {
    return this.#tree.size
  }

  get oldest(): number {
    return this.#oldest
  }

  get newest(): number {
    return this.#newest
  }

  get joint(): Joint {
    return { size: this.size, peaks: this.#tree.peaks.map(toBase64), last: this.#last }
  }

  take(line: string): void {
    const seq = this.#tree.size
    const entry = this.#parse(line, seq)
    if (entry.seq !== seq) throw new Fault('SEGMENT', `entry ${seq}: entry ${entry.seq} stands in its place`)
    if (entry.prev !== this.#last) throw new Fault('SEGMENT', `entry ${seq}: is not written after the entry before it`)
    const leaf = leafHash(line)
    this.#tree.append(leaf)
    this.#last = toBase64(leaf)
    this.#oldest = Math.min(this.#oldest, entry.at)
    this.#newest = Math.max(this.#newest, entry.at)
    if (this.#counters !== undefined) fold(this.#counters, entry)
  }

  /** Is this what the owner signed? */
  end(row: Row): Joint {
    const { size } = this
    if (size !== row.size) throw new Fault('SEGMENT', `ends at ${size}, and its row says ${row.size}`)
    const root = toBase64(this.#tree.root())
    if (root !== row.root) throw new Fault('SEGMENT', `the root of ${size} entries is not the one that was signed`)
    if (this.#counters !== undefined && !isSame(row, this.#counters)) {
      throw new Fault('SEGMENT', `the counters signed at size ${size} are not what the entries add up to`)
    }
    return this.joint
  }

  #parse(line: string, seq: number): ReturnType<typeof parseLine> {
    try {
      return parseLine(line)
    } catch (error) {
      if (error instanceof Fault) throw new Fault('SEGMENT', `entry ${seq}: ${error.message}`, { cause: error })
      throw error
    }
  }
}

export function frontierOf({ size, peaks }: Joint): Frontier {
  const hashes = peaks.map(peak => fromBase64(peak, 32))
  if (hashes.includes(undefined)) throw new Fault('SEGMENT', 'before: a peak that is not a hash')
  let ones = 0
  for (let rest = size; rest > 0; rest = Math.floor(rest / 2)) ones += rest % 2
  if (hashes.length !== ones) throw new Fault('SEGMENT', `before: ${ones} peaks make up ${size} entries`)
  return new Frontier(size, hashes as Hash[])
}

/** A row has one text, so two with the same counters do as well. */
function isSame(row: Row, counters: Counters): boolean {
  return formatRow({ ...row, counters }, 'any') === formatRow(row, 'any')
}
