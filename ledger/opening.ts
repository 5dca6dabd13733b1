// Opening: the first write of a new epoch's ledger, before it holds any entry.
//
// Order: the ledger, empty and durable, then its mark. A cut before the mark leaves an empty ledger that nobody was told
// of; a cut after it leaves an empty ledger that is intact.

import type { Account } from './account.ts'
import type { Medium, Shelf } from './medium.ts'
import { type Change, formatHead, HEAD, headRecord } from './record.ts'
import type { Head } from './store.ts'
import { Frontier } from './tree.ts'

export interface Opening {
  readonly account: Account
  readonly charterHash: string
  /** the head of a ledger without entries */
  readonly empty: Head
  /** rows and notes that go with it from the epoch before */
  readonly carried: readonly Change[]
}

export async function writeOpening(medium: Medium, shelf: Shelf, opening: Opening): Promise<void> {
  const { account, charterHash, empty, carried } = opening
  const head = formatHead(headRecord(account, charterHash, charterHash, new Frontier()))
  await shelf.write([...carried, [HEAD, head]])
  // Twice, into both slots: with one of them damaged, the mark must not fall back to the epoch before.
  await medium.writeMark({ account, ...empty })
  await medium.writeMark({ account, ...empty })
}
