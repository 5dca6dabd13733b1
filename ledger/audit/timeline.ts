// Timelines: what one account had sent to another at each size of its ledger.
//
// Two numbers for each send. Where entries are lost and only rows are left, what is known is the sum at a row's size.

import type { Account } from '../account.ts'

interface Timeline {
  /** ledger sizes, growing */
  readonly sizes: number[]
  /** cumulative amounts at those sizes */
  readonly sums: number[]
}

export class Timelines {
  readonly #pairs = new Map<string, Timeline>()

  sent(from: Account, to: Account, size: number, sum: number): void {
    const key = `${from} ${to}`
    let line = this.#pairs.get(key)
    if (line === undefined) {
      line = { sizes: [], sums: [] }
      this.#pairs.set(key, line)
    }
    line.sizes.push(size)
    line.sums.push(sum)
  }

  /** The sum at `size`; beyond `exact`, where only rows speak, the least sum that a row of that size or more shows. */
  at(from: Account, to: Account, size: number, exact: number): number {
    const line = this.#pairs.get(`${from} ${to}`)
    if (line === undefined) return 0
    const next = firstAbove(line.sizes, size)
    const known = next > 0 ? (line.sums[next - 1] ?? 0) : 0
    if (size <= exact || line.sizes[next - 1] === size) return known
    return line.sums[next] ?? known
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
