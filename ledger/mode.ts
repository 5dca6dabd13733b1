// Modes: NORMAL < LOCKDOWN < EVACUATE < FIRE, joined like everything else here.
//
// Law: join is commutative, associative and idempotent. A higher epoch wins; within an epoch the more severe mode wins,
// so raising needs nobody's permission to spread and clearing (epoch + 1, NORMAL) is the only way down.

import type { Charter } from './charter.ts'
import { MODES, type Mode } from './entry.ts'

export interface ModeStatement {
  readonly epoch: number
  readonly mode: Mode
  /** who said so: a gate, the anchor, or operators; verified by whoever parsed the note */
  readonly by: readonly string[]
  readonly at: number
  readonly reason: string
  /** a clearing statement names the epoch and mode that it clears */
  readonly clears?: { readonly epoch: number; readonly mode: Mode }
  readonly note?: string
  /** whose operators may say so, where that is not the charter in force: it was said before that came */
  readonly under?: Charter
}

export function severity(mode: Mode): number {
  return MODES.indexOf(mode)
}

export const CALM: ModeStatement = { epoch: 0, mode: 'NORMAL', by: [], at: 0, reason: 'opening' }

/** Which of the two is in force; ties go to the earlier, then to the smaller name, so that all replicas agree. */
export function joinModes(a: ModeStatement, b: ModeStatement): ModeStatement {
  if (a.epoch !== b.epoch) return a.epoch > b.epoch ? a : b
  if (a.mode !== b.mode) return severity(a.mode) > severity(b.mode) ? a : b
  if (a.at !== b.at) return a.at < b.at ? a : b
  return tieKey(a) <= tieKey(b) ? a : b
}

function tieKey(s: ModeStatement): string {
  return `${s.by.join(',')} ${s.reason}`
}

export function outranks(a: ModeStatement, b: ModeStatement): boolean {
  return a.epoch > b.epoch || (a.epoch === b.epoch && severity(a.mode) > severity(b.mode))
}

export function moreSevere(a: Mode, b: Mode): Mode {
  return severity(a) >= severity(b) ? a : b
}
