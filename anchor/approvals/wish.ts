// Wish: what an operator wants changed, before it is the text that they sign.

import { type Account, isAccount } from '../../ledger/account.ts'
import type { Mode } from '../../ledger/entry.ts'
import { Fault } from '../../ledger/fault.ts'

export interface Step {
  /** ms since 1970 */
  readonly from: number
  readonly capacity: number
}

/** Tokens of an account that is closed for good: a lost ledger's, or of a gate that is gone. */
export interface Reclaim {
  readonly account: Account
  readonly amount: number
}

export type Wish =
  /** from then on, or at once; nothing that was scheduled for later stays */
  | { readonly kind: 'capacity'; readonly capacity: number; readonly from?: number }
  | { readonly kind: 'schedule'; readonly steps: readonly Step[] }
  /** limits in reserve, which signals of the building may put in force; none takes them away */
  | { readonly kind: 'standby'; readonly capacities: readonly number[] }
  /** per mille of the capacity kept back for what sensors miss */
  | { readonly kind: 'margin'; readonly perMille: number }
  /** people found at a head count, and people counted at that time, correction included */
  | {
      readonly kind: 'recount'
      readonly actual: number
      readonly counted: number
      readonly at: number
      readonly reclaim?: readonly Reclaim[]
    }
  | { readonly kind: 'gate-add'; readonly key: string }
  /** the same gate with another key; what it holds under the old one must have been given away before */
  | { readonly kind: 'gate-rotate'; readonly name: string; readonly key: string }
  | { readonly kind: 'gate-remove'; readonly name: string; readonly reclaim?: readonly Reclaim[] }
  /** per mille of the capacity that one gate may hold */
  | { readonly kind: 'share'; readonly perMille: number }
  | { readonly kind: 'rules'; readonly expireAfterMs?: number; readonly confidenceMin?: number }

export type ModeWish =
  | { readonly kind: 'raise'; readonly mode: Exclude<Mode, 'NORMAL'> }
  /** re-arm: ends what is in force */
  | { readonly kind: 'clear' }

/** `gate-07/1=18`, as people write it. */
export function parseReclaim(text: string): Reclaim {
  const [account = '', amountText = '', ...rest] = text.split('=')
  const amount = /^[1-9][0-9]{0,8}$/.test(amountText) ? Number(amountText) : 0
  if (isAccount(account) && amount > 0 && rest.length === 0) return { account, amount }
  throw new Fault('WISH', `an account and how many of its tokens, as in gate-07/1=18, not ${JSON.stringify(text)}`)
}
