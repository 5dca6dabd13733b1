// Keepsakes: the notes of others, and of our own standing, that a member lays down beside its ledger.
//
// Law: a policy lies in the same write as the entry that names it, and a raised mode lies with the re-arm that began its
// epoch: apart they could not be believed at the next start.

import type { Row } from '../ledger/row.ts'
import type { Store } from '../ledger/store.ts'
import type { Member } from './member.ts'
import { NOTE } from './remembrance.ts'
import type { Seal } from './seal.ts'

export class Keepsakes {
  readonly #store: Store
  readonly #seal: Seal
  #policiesKept: number
  #unsaved = false

  constructor(store: Store, seal: Seal, policiesKept: number) {
    this.#store = store
    this.#seal = seal
    this.#policiesKept = policiesKept
  }

  /** True once after something was kept: it goes to disk with the next entry, or needs a write of its own. */
  takeUnsaved(): boolean {
    const unsaved = this.#unsaved
    this.#unsaved = false
    return unsaved
  }

  row(row: Row): void {
    if (row.note !== undefined) this.#store.keepRow(row.account, row.note)
    this.#unsaved = true
  }

  /** Against ourselves there is none to keep: a restart sorts that out, by what others hold. */
  proof(rows: readonly [Row, Row]): void {
    const notes = rows.map(row => row.note)
    if (!notes.includes(undefined)) this.#store.keepNote(NOTE.fork(rows[0].account), JSON.stringify(notes))
    this.#unsaved = true
  }

  policies(me: Member): void {
    const newest = me.policy?.version ?? 0
    if (newest === this.#policiesKept) return
    for (const { version, note } of me.policies.after(this.#policiesKept)) {
      if (note !== undefined) this.#store.keepNote(NOTE.policy(version), note)
    }
    this.#policiesKept = newest
    this.#unsaved = true
  }

  modes({ modes }: Member): void {
    if (modes.statement.epoch + modes.statement.at === 0) return
    const said = [
      [NOTE.mode, modes.statement],
      [NOTE.clear, modes.clear],
    ] as const
    for (const [name, statement] of said) {
      const note = statement && (statement.note ?? this.#seal.mode(statement))
      if (note !== undefined) this.#store.keepNote(name, note)
    }
    this.#unsaved = true
  }
}
