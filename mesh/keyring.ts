// Keyring: opens what others signed, with the keys that the charter and the newest policy name.
//
// Law: nothing signed reaches a core before its signature was checked here, by the member that will act on it.

import { ANCHOR, nameOf } from '../ledger/account.ts'
import type { Charter, GateKey } from '../ledger/charter.ts'
import { parseCount } from '../ledger/decimal.ts'
import { Fault } from '../ledger/fault.ts'
import { VerifierKey } from '../ledger/key.ts'
import type { ModeStatement } from '../ledger/mode.ts'
import { openMode } from '../ledger/mode-note.ts'
import type { Policy } from '../ledger/policy.ts'
import { openPolicy } from '../ledger/policy-note.ts'
import type { Row } from '../ledger/row.ts'
import { openRow } from '../ledger/row-note.ts'

/** Rows are handed on again and again, each the same text; checking one costs more than all else that is done with it. */
const REMEMBERED_MAX = 2000
/** Everyone one meets tells all of them, and their signers are of the charter, which never changes. */
const POLICIES_MAX = 50

interface Last {
  readonly row: Row
  readonly key: VerifierKey
  readonly before: string
  readonly after: string
}

export class Keyring {
  readonly charter: Charter
  readonly #gates: () => readonly GateKey[]
  readonly #former: () => readonly GateKey[]
  /** whose key an account was opened with: nobody goes on with it under another */
  readonly #bound = new Map<string, VerifierKey>()
  readonly #parsed = new Map<string, VerifierKey>()
  readonly #policies = new Map<string, Policy>()
  /** of each name the row that was last checked, as text around its time */
  readonly #last = new Map<string, Last>()
  readonly #rows = new Map<string, { readonly row: Row; readonly key: VerifierKey | undefined }>()

  /** `gates` is the roster in force, `former` every key that a gate ever had. */
  constructor(charter: Charter, gates: () => readonly GateKey[], former: () => readonly GateKey[] = () => []) {
    this.charter = charter
    this.#gates = gates
    this.#former = former
  }

  row(note: string): Row {
    const known = this.#rows.get(note)
    // a gate that was taken off the roster since, or got another key, is not believed because it once was
    if (known !== undefined && this.#keyOf(nameOf(known.row.account)) === known.key) return known.row
    const { row, key } = this.#open(note)
    this.#bound.set(row.account, key)
    if (this.#rows.size >= REMEMBERED_MAX) this.#rows.delete(this.#rows.keys().next().value as string)
    this.#rows.set(note, { row, key })
    if (key === this.#keyOf(nameOf(row.account))) this.#remember(row, note)
    return row
  }

  /**
   * What a gate did before it was taken off, or got another key, stays true: people it let in are inside, and others' rows
   * stand on it. Its own line is cut, so that only members hand it on. A key that was taken off, in wrong hands and with a
   * member that lies for it, is one more lying gate; without such a member it is nothing.
   */
  #open(note: string): { readonly row: Row; readonly key: VerifierKey } {
    let of = ''
    try {
      const row = openRow(note, this.charter.mall, name => {
        of = name
        return this.#keyOf(name)
      })
      return { row, key: this.#keyOf(of) as VerifierKey }
    } catch (error) {
      for (const { name, key: vkey } of this.#former()) {
        const key = name === of ? this.#parse(vkey) : undefined
        const row = key && this.#openedWith(note, key)
        if (row !== undefined && (this.#bound.get(row.account) ?? key) === key) return { row, key: key as VerifierKey }
      }
      throw error
    }
  }

  #openedWith(note: string, key: VerifierKey): Row | undefined {
    try {
      return openRow(note, this.charter.mall, () => key)
    } catch (error) {
      if (error instanceof Fault) return undefined
      throw error
    }
  }

  /**
   * An idle gate repeats its row with a newer time and signs it anew. Where it is the author itself who says it, which the
   * connection has proved, and nothing but the time differs from a row that was checked, that it said so is all there is
   * to check. What is handed on is the note that was checked.
   */
  repeated(note: string, from: string): Row | undefined {
    const last = this.#last.get(from)
    if (last === undefined || this.#keyOf(from) !== last.key || !note.startsWith(last.before)) return undefined
    const end = note.indexOf('\n', last.before.length)
    const at = parseCount(note.slice(last.before.length, end))
    if (at === undefined || at <= last.row.at || !note.startsWith(last.after, end)) return undefined
    return { ...last.row, at }
  }

  #remember(row: Row, note: string): void {
    const from = nameOf(row.account)
    const before = note.indexOf('\nat ') + 4
    const key = this.#keyOf(from)
    if (before < 4 || key === undefined) return
    const after = note.slice(note.indexOf('\n', before), note.indexOf('\n\n') + 2)
    this.#last.set(from, { row, key, before: note.slice(0, before), after })
  }

  policy(note: string): Policy {
    const known = this.#policies.get(note)
    if (known !== undefined) return known
    const policy = openPolicy(note, this.charter)
    if (this.#policies.size >= POLICIES_MAX) this.#policies.delete(this.#policies.keys().next().value as string)
    this.#policies.set(note, policy)
    return policy
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
