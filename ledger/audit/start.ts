// Start: where a ledger is shown from the middle, the tree over the entries before that.

import { type Account, isAccount } from '../account.ts'
import { fromBase64, toBase64 } from '../base64.ts'
import { Fault } from '../fault.ts'
import { Frontier, type Hash } from '../tree.ts'

export interface Start {
  readonly account: Account
  readonly size: number
  /** roots of the perfect subtrees, largest first, base64 */
  readonly peaks: readonly string[]
}

export function formatStart({ account, size, peaks }: Start): string {
  return `${JSON.stringify({ account, size, peaks })}\n`
}

export function parseStart(text: string): Start {
  let start: Start
  try {
    start = JSON.parse(text)
  } catch (cause) {
    throw new Fault('BUNDLE', 'not JSON', { cause })
  }
  const isOne = typeof start === 'object' && start !== null && Array.isArray(start.peaks)
  if (!isOne || typeof start.account !== 'string' || !isAccount(start.account)) throw new Fault('BUNDLE', 'no start')
  frontierAt(start)
  if (formatStart(start) !== text) throw new Fault('BUNDLE', 'not in its one spelling')
  return start
}

export function frontierAt({ size, peaks }: Start): Frontier {
  if (!Number.isSafeInteger(size) || size < 1) throw new Fault('BUNDLE', 'size: not a size')
  const hashes = peaks.map(peak => (typeof peak === 'string' ? fromBase64(peak, 32) : undefined))
  if (hashes.includes(undefined)) throw new Fault('BUNDLE', 'peaks: one that is not a hash')
  let ones = 0
  for (let rest = size; rest > 0; rest = Math.floor(rest / 2)) ones += rest % 2
  if (hashes.length !== ones) throw new Fault('BUNDLE', `peaks: ${ones} make up ${size} entries`)
  return new Frontier(size, hashes as Hash[])
}

export function startOf(account: Account, frontier: Frontier): Start {
  return { account, size: frontier.size, peaks: frontier.peaks.map(toBase64) }
}
