// Boot: what a gate reads back from its disk.

import type { Opened } from '../ledger/books.ts'
import type { ModeStatement } from '../ledger/mode.ts'
import type { Policy } from '../ledger/policy.ts'
import type { Row } from '../ledger/row.ts'
import type { Memory } from '../mesh/joining.ts'
import type { Answer } from '../mesh/message.ts'

export interface Boot {
  readonly memory: Memory
  /** the ledger to go on with, where the memory is intact */
  readonly opened?: Opened
  readonly rows: readonly Row[]
  readonly proofs: readonly (readonly [Row, Row])[]
  readonly policies: readonly Policy[]
  readonly modes: readonly ModeStatement[]
  /** decisions and exits of the last minutes, by the ids they were asked with */
  readonly recent: readonly { readonly id: string; readonly answer: Answer | 'left' }[]
}
