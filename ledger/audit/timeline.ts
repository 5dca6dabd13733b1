// Timelines: what one account had sent to another at each size of its ledger.
//
// Two numbers for each send, forgotten once the taker has cited a later size: sizes cited only grow.

import type { Account } from '../account.ts'

interface Timeline {
  /** ledger sizes, growing */
  sizes: number[]
  /** cumulative amounts at those sizes */
  sums: number[]
  /** how many of them nobody will ask for any more */
  past: number
}

/** Forgetting moves the rest: not for a few. */
const PAST_MAX = 64

export class Timelines {
  readonly #pairs = new Map<string, Timeline>()

  sent(from: Account, to: Account, size: number, sum: number): void {
    const key = `${from} ${to}`
    let line = this.#pairs.get(key)
    if (line === undefined) {
      line = { sizes: [], sums: [], past: 0 }
      this.#pairs.set(key, line)
    }
    line.sizes.push(size)
    line.sums.push(sum)
  }

  /** The sum at `size`; where only a later one is known, that: it is at most as much. */
  at(from: Account, to: Account, size: number, isExact: boolean): number {
    const line = this.#pairs.get(`${from} ${to}`)
    if (line === undefined) return 0
    const next = firstAbove(line.sizes, size)
    const known = next > 0 ? (line.sums[next - 1] ?? 0) : 0
    if (isExact || line.sizes[next - 1] === size) return known
    return line.sums[next] ?? known
  }

  /** Nobody asks for what was sent before `size` any more. */
  forget(from: Account, to: Account, size: number): void {
    const line = this.#pairs.get(`${from} ${to}`)
    if (line === undefined) return
    while (line.past + 1 < line.sizes.length && (line.sizes[line.past + 1] as number) <= size) line.past++
    if (line.past < PAST_MAX) return
    line.sizes = line.sizes.slice(line.past)
    line.sums = line.sums.slice(line.past)
    line.past = 0
  }

  last(from: Account, to: Account): number {
    return this.#pairs.get(`${from} ${to}`)?.sums.at(-1) ?? 0
  }
}

function firstAbove(sizes: readonly number[], size: number): number {
  let low = 0
  let high = sizes.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((sizes[middle] as number) <= size) low = middle + 1
    else high = middle
  }
  return low
}
