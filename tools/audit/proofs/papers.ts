// Papers: the signed notes of a bundle as a proof needs them: rows by account, and for every row whose key it was signed with
// and what says so.
//
// Law: nothing is proved here. A row that no known key signed is passed over; what is made of the others is held together by
// whoever checks the proof.

import { type Account, nameOf } from '../../../ledger/account.ts'
import type { ShownKey } from '../../../ledger/audit/event-proof.ts'
import type { Bundle } from '../../../ledger/audit/folder.ts'
import { readCharters } from '../../../ledger/audit/proof-check.ts'
import type { Charters } from '../../../ledger/charters.ts'
import { Fault } from '../../../ledger/fault.ts'
import { VerifierKey } from '../../../ledger/key.ts'
import { openNote, parseNote } from '../../../ledger/note.ts'
import { originOf } from '../../../ledger/origin.ts'
import { parsePolicy } from '../../../ledger/policy-note.ts'
import type { Row } from '../../../ledger/row.ts'
import { parseRow } from '../../../ledger/row-note.ts'
import { textHash } from '../../../ledger/text-hash.ts'

export interface SignedRow extends Pick<Row, 'account' | 'size' | 'root'> {
  readonly note: string
  readonly key: ShownKey
}

export class Papers {
  readonly mall: string
  readonly charters: Charters
  readonly notes: readonly string[]
  readonly #bundle: Bundle
  readonly #rows = new Map<Account, readonly SignedRow[]>()

  constructor(bundle: Bundle) {
    this.#bundle = bundle
    this.notes = bundle.charters.map(({ note }) => note)
    if (this.notes.length === 0) throw new Fault('BUNDLE', `${bundle.dir}: has no charter`)
    try {
      this.charters = readCharters(this.notes)
    } catch (error) {
      throw new Fault('BUNDLE', `${bundle.dir}: the charter: ${(error as Error).message}`, { cause: error })
    }
    this.mall = this.charters.first.mall
  }

  /** The smallest row that covers this entry. */
  rowOver(account: Account, seq: number): SignedRow | undefined {
    return this.rowsOf(account).find(({ size }) => size > seq)
  }

  /** In order of size. */
  rowsOf(account: Account): readonly SignedRow[] {
    let rows = this.#rows.get(account)
    if (rows === undefined) {
      const head = `${originOf(this.mall, account)}\n`
      const notes = this.#bundle.rows.map(({ note }) => note).filter(note => note.startsWith(head))
      rows = notes.flatMap(note => this.#opened(note)).sort((a, b) => a.size - b.size)
      this.#rows.set(account, rows)
    }
    return rows
  }

  #opened(note: string): SignedRow[] {
    try {
      const { text, signatures } = parseNote(note)
      const { account, size, root } = parseRow(text, this.mall)
      const key = this.#keyOf(account, signatures[0]?.id ?? '')
      if (key === undefined || signatures.length !== 1) return []
      openNote(note, [VerifierKey.parse(key.vkey)])
      return [{ account, size, root, note, key }]
    } catch (error) {
      if (error instanceof Fault) return []
      throw error
    }
  }

  #keyOf(account: Account, id: string): ShownKey | undefined {
    const name = nameOf(account)
    const born = this.charters.keysOf(name).find(key => key.id === id)
    if (born !== undefined) return { vkey: born.toString(), from: 'charter' }
    for (const { version, hash, note, gates } of this.#policies()) {
      const added = gates.find(gate => gate.name === name && VerifierKey.parse(gate.key).id === id)
      if (added !== undefined) return { vkey: added.key, from: 'policy', policy: { version, hash, note } }
    }
    return undefined
  }

  /** Those that read as one, by version. */
  #policies() {
    const read = this.#bundle.policies.flatMap(({ note }) => {
      try {
        const { text } = parseNote(note)
        return [{ ...parsePolicy(text, this.mall), hash: textHash(text), note }]
      } catch (error) {
        if (error instanceof Fault) return []
        throw error
      }
    })
    return read.sort((a, b) => a.version - b.version)
  }
}
