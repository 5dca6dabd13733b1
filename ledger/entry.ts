// Entries: what happened, one kind of object per type.
//
// This file says which types there are and which fields each has, in the order they are written.
// `line.ts` turns an entry into its one spelling and back.

import type { Account } from './account.ts'

export type Mode = 'NORMAL' | 'LOCKDOWN' | 'EVACUATE' | 'FIRE'
export const MODES = ['NORMAL', 'LOCKDOWN', 'EVACUATE', 'FIRE'] as const satisfies readonly Mode[]

export const REJECTS = ['REJECT_AT_CAPACITY', 'REJECT_NO_HEADROOM', 'REJECT_EMERGENCY', 'REJECT_FAULT'] as const
export type Reject = (typeof REJECTS)[number]

/** What was decided about somebody who wanted to come in. */
export const DECISIONS = ['ADMIT', ...REJECTS] as const
export type Decision = (typeof DECISIONS)[number]

export const SOURCES = ['local', 'stolen'] as const
export type Source = (typeof SOURCES)[number]

/** Why tokens moved: answered an ask, pushed toward demand, gathered at the broker, paid a debt, given back at a stop. */
export const SEND_WHYS = ['ask', 'push', 'broker', 'debt', 'stop', 'grant'] as const
export type SendWhy = (typeof SEND_WHYS)[number]

export const FORCED_WHYS = ['tailgate', 'manual', 'fire'] as const
export type ForcedWhy = (typeof FORCED_WHYS)[number]

/** What a policy can change. */
export const CHANGES = [
  'capacity',
  'margin',
  'correction',
  'reclaimed',
  'roster',
  'share',
  'expiry',
  'confidence',
] as const
export type ChangeOf = (typeof CHANGES)[number]

/** How the sensors of a gate were checked: one person each way, a walk of a known count, a count by hand in business. */
export const CHECKS = ['direction', 'walk', 'count'] as const
export type CheckOf = (typeof CHECKS)[number]

/** (account, size, root) of a ledger at some moment. */
export type HeadOf = readonly [account: Account, size: number, root: string]

interface Common {
  readonly id: string
  /** wall clock of the writer, ms; informs, never decides */
  readonly at: number
}

/** First entry of every ledger. `after…` cite the last known row of the epoch before, where there was one. */
export interface Open extends Common {
  readonly type: 'open'
  readonly mall: string
  readonly account: Account
  /** verifier key of the writer, as a C2SP vkey */
  readonly key: string
  readonly after?: Account
  readonly afterSize?: number
  readonly afterRoot?: string
}
export interface Admit extends Common {
  readonly type: 'admit'
  readonly source: Source
  readonly confidence: number
}
export interface Rejected extends Common {
  readonly type: 'reject'
  readonly code: Reject
  readonly reason: string
  readonly confidence: number
}
export interface Exit extends Common {
  readonly type: 'exit'
  readonly credited: boolean
  readonly confidence: number
}
export interface Forced extends Common {
  readonly type: 'forced'
  readonly count: number
  readonly why: ForcedWhy
}
/** An admission taken back: the hardware proved that nobody walked through. */
export interface Lapse extends Common {
  readonly type: 'lapse'
  readonly admit: string
}
export interface Send extends Common {
  readonly type: 'send'
  readonly to: Account
  readonly amount: number
  readonly why: SendWhy
}
/** `size` is the ledger size of the donor's row that shows the tokens. */
export interface Receive extends Common {
  readonly type: 'receive'
  readonly from: Account
  readonly amount: number
  readonly size: number
}
export interface ModeSet extends Common {
  readonly type: 'mode'
  readonly epoch: number
  readonly mode: Mode
  readonly by: string
  readonly reason: string
}
export interface PolicySet extends Common {
  readonly type: 'policy'
  readonly version: number
  readonly hash: string
}
/** Anchor only: what is in force from here on. Its row repeats the newest. */
export interface BudgetSet extends Common {
  readonly type: 'budget'
  readonly capacity: number
  readonly correction: number
  readonly reclaimed: number
  readonly carried: number
  readonly policy: number
}
/** Anchor only: what a policy changed, who signed that, and why; what was in force before it. */
export interface Changed extends Common {
  readonly type: 'change'
  readonly what: ChangeOf
  readonly before: string
  readonly after: string
  readonly by: string
  readonly reason: string
  readonly policy: number
}
/** Anchor only: a head count. The residual, people found less people counted, is how far the sensors were off. */
export interface Recounted extends Common {
  readonly type: 'recount'
  readonly actual: number
  readonly counted: number
  readonly residual: number
  readonly by: string
  readonly reason: string
  readonly policy: number
}
/** Anchor only: a gate without any memory was given this account. */
export interface Enrol extends Common {
  readonly type: 'enrol'
  readonly account: Account
}
export interface Optical extends Common {
  readonly type: 'optical'
  readonly in: number
  readonly out: number
}
/** Somebody walked or counted by hand and held it against the sensors of this gate. */
export interface Checked extends Common {
  readonly type: 'check'
  readonly what: CheckOf
  readonly lane: string
  readonly by: string
  /** people who truly went through, and those that the sensors told of */
  readonly truthIn: number
  readonly truthOut: number
  readonly seenIn: number
  readonly seenOut: number
  readonly ok: boolean
}
/** `count` says how many decisions were refused unlogged while the disk was away. */
export interface FaultSeen extends Common {
  readonly type: 'fault'
  readonly code: string
  readonly detail: string
  readonly count: number
}
export interface ForkSeen extends Common {
  readonly type: 'fork'
  readonly account: Account
  readonly size: number
}
/** Anchor only: the head of every account it knows. */
export interface CheckpointSet extends Common {
  readonly type: 'checkpoint'
  readonly heads: readonly HeadOf[]
}

export type Body =
  | Open
  | Admit
  | Rejected
  | Exit
  | Forced
  | Lapse
  | Send
  | Receive
  | ModeSet
  | PolicySet
  | BudgetSet
  | Enrol
  | Optical
  | Checked
  | FaultSeen
  | ForkSeen
  | CheckpointSet
  | Changed
  | Recounted

export type EntryType = Body['type']

/** Undefined for all that is no decision. */
export function decisionOf(body: Body): Decision | undefined {
  if (body.type === 'admit') return 'ADMIT'
  return body.type === 'reject' ? body.code : undefined
}

/** A body with its place in the chain. */
export type Entry = Body & { readonly seq: number; readonly prev: string }

/** What a value may be; `line.ts` holds the checks, FORMAT.md says them in words. */
export type Kind =
  | 'account'
  | 'bool'
  | 'count' // 0 … 10^9
  | 'amount' // 1 … 10^9
  | 'signed' // −10^9 … 10^9
  | 'size' // of a ledger that has entries: 1 … 2^53 − 1
  | 'perMille' // 0 … 1000
  | 'hash' // 32 bytes in base64
  | 'text' // up to 400 characters, no control characters
  | 'id' // UUIDv7, lower case
  | 'heads' // sorted by account, each account once
  | readonly string[]

export interface Field {
  readonly name: string
  readonly kind: Kind
  readonly optional?: true
}

const f = (name: string, kind: Kind): Field => ({ name, kind })
const maybe = (name: string, kind: Kind): Field => ({ name, kind, optional: true })

/** The fields of every type after `seq`, `prev`, `id`, `at`, `type`, in the order they are written. */
export const FIELDS = {
  open: [
    f('mall', 'text'),
    f('account', 'account'),
    f('key', 'text'),
    maybe('after', 'account'),
    maybe('afterSize', 'size'),
    maybe('afterRoot', 'hash'),
  ],
  admit: [f('source', SOURCES), f('confidence', 'perMille')],
  reject: [f('code', REJECTS), f('reason', 'text'), f('confidence', 'perMille')],
  exit: [f('credited', 'bool'), f('confidence', 'perMille')],
  forced: [f('count', 'amount'), f('why', FORCED_WHYS)],
  lapse: [f('admit', 'id')],
  send: [f('to', 'account'), f('amount', 'amount'), f('why', SEND_WHYS)],
  receive: [f('from', 'account'), f('amount', 'amount'), f('size', 'size')],
  mode: [f('epoch', 'count'), f('mode', MODES), f('by', 'text'), f('reason', 'text')],
  policy: [f('version', 'amount'), f('hash', 'hash')],
  budget: [
    f('capacity', 'count'),
    f('correction', 'signed'),
    f('reclaimed', 'count'),
    f('carried', 'count'),
    f('policy', 'amount'),
  ],
  enrol: [f('account', 'account')],
  optical: [f('in', 'count'), f('out', 'count')],
  check: [
    f('what', CHECKS),
    f('lane', 'text'),
    f('by', 'text'),
    f('truthIn', 'count'),
    f('truthOut', 'count'),
    f('seenIn', 'count'),
    f('seenOut', 'count'),
    f('ok', 'bool'),
  ],
  fault: [f('code', 'text'), f('detail', 'text'), f('count', 'count')],
  fork: [f('account', 'account'), f('size', 'size')],
  checkpoint: [f('heads', 'heads')],
  change: [
    f('what', CHANGES),
    f('before', 'text'),
    f('after', 'text'),
    f('by', 'text'),
    f('reason', 'text'),
    f('policy', 'amount'),
  ],
  recount: [
    f('actual', 'count'),
    f('counted', 'signed'),
    f('residual', 'signed'),
    f('by', 'text'),
    f('reason', 'text'),
    f('policy', 'amount'),
  ],
} as const satisfies Record<EntryType, readonly Field[]>
