// Verdict: what a message deserves after it was heard, in the three values that gossip knows.
//
// Law: a gap is nobody's fault, a fork is somebody's. Only what the sender itself got wrong costs it anything.

import { nameOf } from '../ledger/account.ts'
import type { Member } from './member.ts'
import type { Message } from './message.ts'

/** Told on, let drop, or a fault of whoever sent it. */
export type Verdict = 'accept' | 'ignore' | 'reject'

/** To be asked once the member has heard the message. */
export function verdictOn(from: string, message: Message, me: Member): Verdict {
  if (me.banned.has(from)) return 'reject'
  if (message.kind !== 'rows') return 'accept'
  const isNews = message.rows.some(row => me.view.get(row.account)?.row === row)
  return isNews ? 'accept' : 'ignore'
}

/** How busy a gate is and which mode it knows, only it can say: from another's mouth that is left out. */
export function firstHand(from: string, message: Message): Message {
  if (message.kind !== 'rows' || (message.hint === undefined && message.mode === undefined)) return message
  if (message.rows.length === 1 && message.rows.every(row => nameOf(row.account) === from)) return message
  const { rows, re, mode } = message
  if (re !== undefined) return { kind: 'rows', rows, re }
  return mode !== undefined && rows.length === 1 ? { kind: 'rows', rows, isWord: true } : { kind: 'rows', rows }
}
