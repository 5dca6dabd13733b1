// Roster of the archive: every key that a name ever had. Files outlive gates and their keys, and must be checked with
// the key that was theirs at the time.

import { ANCHOR } from '../../ledger/account.ts'
import type { Charters } from '../../ledger/charters.ts'
import { VerifierKey } from '../../ledger/key.ts'
import { parseNote } from '../../ledger/note.ts'
import type { Policy } from '../../ledger/policy.ts'
import type { Row } from '../../ledger/row.ts'
import { openRow } from '../../ledger/row-note.ts'

export class Roster {
  readonly mall: string
  readonly #keys = new Map<string, VerifierKey[]>()
  readonly #known = new Set<string>()

  constructor(charters: Charters, policies: readonly Policy[]) {
    this.mall = charters.first.mall
    for (const { anchor, gates } of charters.all) {
      this.#add(ANCHOR, anchor)
      for (const { name, key } of gates) this.#add(name, key)
    }
    for (const { gates } of policies) for (const { name, key } of gates) this.#add(name, key)
  }

  /** The row in a note; throws where nobody who was ever on the roster signed it. */
  open(note: string, options: { readonly twice?: boolean } = {}): Row {
    const id = parseNote(note).signatures[0]?.id
    // an id that we do not know may be of a policy that we do not know yet: that is no damage
    const keyOf = (name: string) => this.#keys.get(name)?.find(key => key.id === id)
    return openRow(note, this.mall, keyOf, options)
  }

  #add(name: string, vkey: string): void {
    if (this.#known.has(vkey)) return
    this.#known.add(vkey)
    const keys = this.#keys.get(name)
    if (keys === undefined) this.#keys.set(name, [VerifierKey.parse(vkey)])
    else keys.push(VerifierKey.parse(vkey))
  }
}
