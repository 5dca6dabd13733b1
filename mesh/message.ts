// Messages between members, and the effects a member asks its shell for.
//
// Everything here arrives verified: the shell checks signatures before a message reaches a core, and fills in who
// signed. Names are of gates and the anchor, not of accounts: a restarted gate is the same peer.

import type { Account } from '../ledger/account.ts'
import type { Body, Mode, Reject, Source } from '../ledger/entry.ts'
import type { ModeStatement } from '../ledger/mode.ts'
import type { Policy } from '../ledger/policy.ts'
import type { Row } from '../ledger/row.ts'

/** How busy a gate says it is. Unsigned and without authority: believing a wrong one costs efficiency, never safety. */
export interface Hint {
  readonly demand: number
  readonly waiting: number
  /** of what it holds, for a crowd of its own: asked for these it says no */
  readonly keeps?: number
  /** it stops: tokens sent there would lie idle until it is back */
  readonly leaving?: true
}

export type Message =
  | Rows
  | { readonly kind: 'ask'; readonly ask: Ask }
  /** `isKept`: not now, but the ask stays in line for those it was made for */
  | { readonly kind: 'none'; readonly re: number; readonly broker?: string; readonly isKept?: true }
  /** tokens that were sent to whom hears this wait for a disk */
  | { readonly kind: 'late'; readonly tokens: number }
  | { readonly kind: 'want'; readonly accounts: readonly Account[] }
  /** `clear` is the re-arm that began the statement's epoch */
  | { readonly kind: 'mode'; readonly statement: ModeStatement; readonly clear?: ModeStatement }
  | { readonly kind: 'policies'; readonly policies: readonly Policy[] }
  | { readonly kind: 'want-policies'; readonly after: number }
  | { readonly kind: 'whois'; readonly name: string }
  | { readonly kind: 'known'; readonly name: string; readonly rows: readonly Row[] }
  /** from a gate without memory: one account please, of this epoch or a later one */
  | { readonly kind: 'enrol'; readonly id: string; readonly epoch: number }
  | { readonly kind: 'enrolled'; readonly id: string; readonly account: Account }
  | { readonly kind: 'fork'; readonly rows: readonly [Row, Row] }
  | { readonly kind: 'extend'; readonly until: number; readonly by: readonly string[] }

/** The `re` of rows that bring tokens nobody asked for. They go the way of answers, so that no later no overtakes them. */
export const UNASKED = 0

/** Rows of anyone. With `re`, the answer to an ask, or tokens; with `mode`, the sender's own regular word. */
export interface Rows {
  readonly kind: 'rows'
  readonly rows: readonly Row[]
  readonly re?: number
  readonly hint?: Hint
  /** the mode the sender knows of, in short: whoever knows better tells it */
  readonly mode?: { readonly epoch: number; readonly mode: Mode }
  /** somebody's regular word that gossip handed on: it is news, and nobody kept it. Never on the wire. */
  readonly isWord?: true
}

/** One that wants nothing, for nobody, takes back what was asked under the same `re`. */
export interface Ask {
  readonly re: number
  readonly account: Account
  /** tokens wanted in all */
  readonly want: number
  /** people standing at the arm right now */
  readonly waiting: number
  /** ms for which an answer is still of use; 0 for a prefetch, which nobody waits for */
  readonly forMs: number
}

export interface Answer {
  readonly decision: 'ADMIT' | Reject
  readonly reason: string
  readonly source?: Source
}

export type Effect =
  | { readonly kind: 'append'; readonly seq: number; readonly line: string; readonly body: Body }
  | { readonly kind: 'tell'; readonly to: string; readonly message: Message; readonly afterSize: number }
  | { readonly kind: 'open'; readonly id: string; readonly afterSize: number }
  | { readonly kind: 'answer'; readonly id: string; readonly answer: Answer; readonly afterSize: number }
  /** an exit: always there, always first, depends on nothing */
  | { readonly kind: 'let-out'; readonly id: string; readonly afterSize: 0 }
  /** FIRE: the entry lane is let go as well */
  | { readonly kind: 'release'; readonly afterSize: 0 }
  /** the grant is too late; the shell answers `withdrawn` if the arm had not moved yet */
  | { readonly kind: 'withdraw'; readonly id: string; readonly afterSize: 0 }
  /** open the ledger of a new epoch, and answer `begun` */
  | { readonly kind: 'begin'; readonly account: Account; readonly afterSize: 0 }
  | { readonly kind: 'keep'; readonly row: Row; readonly afterSize: 0 }
  /** two histories of one ledger, to be kept for good */
  | { readonly kind: 'proof'; readonly rows: readonly [Row, Row]; readonly afterSize: 0 }
  | { readonly kind: 'mode'; readonly mode: Mode; readonly afterSize: 0 }
  | { readonly kind: 'alarm'; readonly code: string; readonly detail: string; readonly afterSize: 0 }

export const EVERYONE = '*'
