// Row: an account's signed statement of its ledger's head and its counters. The only thing gates tell each other
// about tokens: a transfer is the donor's row, which carries the cumulative `sent[taker]`.
//
// `note` is the signed text as it crossed the wire. The core never reads it; it is what is handed on.

import type { Account } from './account.ts'
import type { Budget, Counters } from './counters.ts'

export interface Row {
  readonly account: Account
  readonly size: number
  /** base64 of the tree's root at `size` */
  readonly root: string
  readonly at: number
  readonly counters: Counters
  /** in the anchor's rows only */
  readonly budget?: Budget
  readonly policy?: { readonly version: number; readonly hash: string }
  readonly note?: string
}
