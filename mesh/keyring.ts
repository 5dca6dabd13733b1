// Keyring: opens what others signed, with the keys that the charter and the newest policy name.
//
// Law: nothing signed reaches a core before its signature was checked here, by the member that will act on it.

import { ANCHOR, nameOf } from '../ledger/account.ts'
import type { Charter, GateKey } from '../ledger/charter.ts'
import { VerifierKey } from '../ledger/key.ts'
import type { ModeStatement } from '../ledger/mode.ts'
import { openMode } from '../ledger/mode-note.ts'
import type { Policy } from '../ledger/policy.ts'
import { openPolicy } from '../ledger/policy-note.ts'
import type { Row } from '../ledger/row.ts'
import { openRow } from '../ledger/row-note.ts'

/** Rows are handed on again and again, each the same text; checking one costs more than all else that is done with it. */
const REMEMBERED_MAX = 2000

export class Keyring {
  readonly charter: Charter
  readonly #gates: () => readonly GateKey[]
  readonly #parsed = new Map<string, VerifierKey>()
  readonly #rows = new Map<string, { readonly row: Row; readonly key: VerifierKey | undefined }>()

  /** `gates` is the roster in force. */
  constructor(charter: Charter, gates: () => readonly GateKey[]) {
    this.charter = charter
    this.#gates = gates
  }

  row(note: string): Row {
    const known = this.#rows.get(note)
    // a gate that was taken off the roster since, or got another key, is not believed because it once was
    if (known !== undefined && this.#keyOf(nameOf(known.row.account)) === known.key) return known.row
    const row = openRow(note, this.charter.mall, name => this.#keyOf(name))
    if (this.#rows.size >= REMEMBERED_MAX) this.#rows.delete(this.#rows.keys().next().value as string)
    this.#rows.set(note, { row, key: this.#keyOf(nameOf(row.account)) })
    return row
  }

  policy(note: string): Policy {
    return openPolicy(note, this.charter)
  }

  mode(note: string): ModeStatement {
    return openMode(note, this.charter.mall, name => this.#keyOf(name) ?? this.#operator(name))
  }

  #keyOf(name: string): VerifierKey | undefined {
    if (name === ANCHOR) return this.#parse(this.charter.anchor)
    const gate = this.#gates().find(g => g.name === name)
    return gate && this.#parse(gate.key)
  }

  #operator(name: string): VerifierKey | undefined {
    const operator = this.charter.operators.find(o => o.name === name)
    return operator && this.#parse(operator.key)
  }

  #parse(vkey: string): VerifierKey {
    const known = this.#parsed.get(vkey)
    if (known !== undefined) return known
    const key = VerifierKey.parse(vkey)
    this.#parsed.set(vkey, key)
    return key
  }
}
