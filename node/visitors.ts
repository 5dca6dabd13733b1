// Visitors: who the people at the arms are, where somebody knows. Real hardware does not; a played turnstile does, and so
// the same person asked for twice is one person in the ledger too.

import type { Entered } from './door.ts'
import type { Left } from './exits.ts'

export interface Visitors {
  /** id of whoever stands before this arm, once; undefined where nobody knows */
  asker(lane: string): string | undefined
  answered(lane: string, entered: Entered): void
  /** id of whoever walked out here last, once */
  leaver(lane: string): string | undefined
  left(lane: string, left: Left): void
}
