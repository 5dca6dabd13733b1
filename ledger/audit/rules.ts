// Rules: what the signed notes of a mall say that one ledger is judged by. Plain values, so that another thread can have
// them.

import type { Policy } from '../policy.ts'

export interface Rules {
  readonly mall: string
  /** of the first charter, base64 */
  readonly charterHash: string
  /** the valid ones by version */
  readonly policies: ReadonlyMap<number, Policy>
  /** every key a name ever had, as vkeys */
  readonly keys: ReadonlyMap<string, readonly string[]>
  /** format 0 is judged without the laws that came after it */
  readonly profile: 0 | 1
}
