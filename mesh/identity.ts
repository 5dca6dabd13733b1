// Identity: who a member is, and the rules it was given.

import type { Charter, CharterLine } from '../ledger/charter.ts'
import type { Limits } from './limits.ts'

export interface Identity {
  readonly name: string
  /** in force now */
  readonly charter: Charter
  /** and those before it, where there are any */
  readonly charters?: CharterLine
  readonly limits: Limits
  /** this member's vkey, written into the first entry of its ledgers */
  readonly key: string
  /** UUIDv7s for entries that no event brought one for */
  readonly newId: () => string
}
