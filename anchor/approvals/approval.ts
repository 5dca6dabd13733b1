// Approval: one text that operators were asked to sign, and what became of it.
//
// Law: an approval is known by the hash of its text, so that signatures on the same text meet and a text that was
// withdrawn, or whose time ran out, cannot come back with its old signatures.

import { fromBase64 } from '../../ledger/base64.ts'
import { never } from '../../ledger/fault.ts'
import { textHash } from '../../ledger/text-hash.ts'
import type { Needs } from './needs.ts'

export const STATES = ['pending', 'enacted', 'outdated', 'expired', 'withdrawn', 'refused'] as const
export type ApprovalState = (typeof STATES)[number]

export interface Approval {
  /** hash of the text, 64 hex digits */
  readonly id: string
  readonly kind: 'policy' | 'mode'
  readonly state: ApprovalState
  /** what is signed; ends in a newline */
  readonly text: string
  /** the text with the signatures of all who signed so far; none while nobody has */
  readonly note?: string
  /** what it changes, in words */
  readonly words: readonly string[]
  readonly needs: Needs
  /** in order of arrival */
  readonly signers: readonly string[]
  /** of the policy; the epoch of a mode */
  readonly version: number
  readonly broughtAt: number
  readonly expiresAt: number
  readonly endedAt?: number
  /** everything that happened to it, oldest first */
  readonly history: readonly Step[]
}

export interface Step {
  readonly at: number
  /** an operator's name, or `anchor` */
  readonly by: string
  readonly what: 'proposed' | 'signed' | Exclude<ApprovalState, 'pending'>
  readonly why?: string
}

export type RefusalCode =
  /** cannot be read, or is of something else */
  | 'not-a-note'
  | 'bad-signature'
  /** signed by somebody whose role does not allow it, or by no operator */
  | 'may-not'
  | 'above-legal-max'
  | 'bad-schedule'
  | 'bad-recount'
  /** does not stand on what is in force */
  | 'outdated'
  /** was taken in before */
  | 'replayed'
  | 'expired'
  | 'withdrawn'
  | 'changes-nothing'
  /** signed for another text than the one that was asked for */
  | 'other-text'
  | 'unknown'
  /** too many are waiting */
  | 'full'
  /** this anchor cannot take it in yet: try again */
  | 'away'
  /** the anchor did not take it in; what it said is in `why` */
  | 'refused'

/** The status of an HTTP answer that refuses for this. */
export const STATUS_OF = {
  'not-a-note': 400,
  'bad-signature': 400,
  'may-not': 403,
  'above-legal-max': 400,
  'bad-schedule': 400,
  'bad-recount': 400,
  outdated: 409,
  replayed: 409,
  expired: 409,
  withdrawn: 409,
  'changes-nothing': 409,
  'other-text': 400,
  unknown: 404,
  full: 429,
  away: 503,
  refused: 409,
} as const satisfies Record<RefusalCode, number>

export interface Refused {
  readonly outcome: 'refused'
  readonly code: RefusalCode
  readonly why: string
  readonly id?: string
}

/** What came of a note that somebody brought. */
export type Brought =
  | {
      readonly outcome: 'enacted' | 'pending'
      readonly id: string
      readonly kind: Approval['kind']
      readonly version: number
      readonly needs: Needs
      readonly signers: readonly string[]
      /** what is still missing, in words; empty once enacted */
      readonly missing: string
      readonly words: readonly string[]
      readonly expiresAt: number
    }
  | Refused

export function approvalId(text: string): string {
  return (fromBase64(textHash(text)) ?? Buffer.alloc(0)).toString('hex')
}

export function isApprovalId(text: string): boolean {
  return /^[0-9a-f]{64}$/.test(text)
}

/** With one more thing that happened; `state` follows from it. */
export function stepped(approval: Approval, step: Step, change: Partial<Approval> = {}): Approval {
  const state = stateAfter(step)
  const ended = state === 'pending' ? {} : { endedAt: step.at }
  return { ...approval, ...change, ...ended, state, history: [...approval.history, step] }
}

function stateAfter({ what }: Step): ApprovalState {
  switch (what) {
    case 'proposed':
    case 'signed':
      return 'pending'
    case 'enacted':
    case 'outdated':
    case 'expired':
    case 'withdrawn':
    case 'refused':
      return what
    default:
      return never(what)
  }
}

const CODE_OF = {
  pending: 'changes-nothing',
  enacted: 'replayed',
  outdated: 'outdated',
  expired: 'expired',
  withdrawn: 'withdrawn',
  refused: 'refused',
} as const satisfies Record<ApprovalState, RefusalCode>

export function refused(code: RefusalCode, why: string, id?: string): Refused {
  return { outcome: 'refused', code, why, ...(id === undefined ? {} : { id }) }
}

/** What is said to whoever comes with a text that has ended. */
export function ended({ id, state, history }: Approval): Refused {
  const last = history.at(-1)
  const when = new Date(last?.at ?? 0).toISOString()
  const by = last === undefined || last.by === 'anchor' ? '' : ` by ${last.by}`
  const why = last?.why === undefined ? '' : `: ${last.why}`
  return refused(CODE_OF[state], `it was ${state}${by} at ${when}${why}`, id)
}

export function told(approval: Approval, lacks: string): Exclude<Brought, Refused> {
  const { id, kind, version, needs, signers, words, expiresAt } = approval
  return { outcome: 'pending', id, kind, version, needs, signers, missing: lacks, words, expiresAt }
}
