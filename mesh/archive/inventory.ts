// Inventory: what a member can show of the mall's ledgers, told to whoever takes evidence away.
//
// Law: the rows in it are those of one moment. Entries up to them may still be on their way; what is here says how far
// they are.

import type { Account } from '../../ledger/account.ts'

/** What can be read of an account: the entries [first, size). */
export interface Reach {
  readonly account: Account
  readonly first: number
  /** frontier of the tree at `first`, base64; none where it is 0 */
  readonly peaks: readonly string[]
  readonly size: number
}

/** A row that is kept, and the frontier of the tree at its size where that is known without reading. */
export interface KeptRow {
  readonly size: number
  readonly note: string
  readonly peaks?: readonly string[]
}

/** Something that whoever reads the evidence should know: what was held, removed, or contradicts what was collected. */
export interface Remark {
  readonly what: string
  readonly [field: string]: unknown
}

export interface Inventory {
  readonly mall: string
  /** who tells it, and its vkey */
  readonly name: string
  readonly key: string
  /** its wall clock, ms */
  readonly at: number
  /** the first charter and its revisions, as they were signed */
  readonly charters: readonly string[]
  readonly policies: readonly { readonly version: number; readonly note: string }[]
  readonly ledgers: readonly Reach[]
  /** the newest of every account in view, as they were signed */
  readonly rows: readonly string[]
  /** signed rows that contradict each other, two or more of an account */
  readonly forks: readonly { readonly account: Account; readonly notes: readonly string[] }[]
  readonly remarks: readonly Remark[]
}

/** Every note of an account once. */
export function gatherForks(
  proofs: Iterable<{ readonly account: Account; readonly notes: readonly (string | undefined)[] }>,
): Inventory['forks'] {
  const found = new Map<Account, Set<string>>()
  for (const { account, notes } of proofs) {
    const all = found.get(account) ?? new Set()
    for (const note of notes) if (note !== undefined) all.add(note)
    found.set(account, all)
  }
  return [...found].filter(([, notes]) => notes.size > 1).map(([account, notes]) => ({ account, notes: [...notes] }))
}
