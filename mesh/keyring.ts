// Keyring: opens what others signed, with the keys that the charters and the newest policy name.
//
// Laws: nothing signed reaches a core before its signature was checked here, by the member that will act on it. A ledger
// belongs to one key. What a key signed before it was replaced stays good; it begins nothing new.

import { ANCHOR, epochOf, nameOf } from '../ledger/account.ts'
import type { Charter, GateKey } from '../ledger/charter.ts'
import type { Charters } from '../ledger/charters.ts'
import { parseCount } from '../ledger/decimal.ts'
import { Fault } from '../ledger/fault.ts'
import { VerifierKey } from '../ledger/key.ts'
import type { ModeStatement } from '../ledger/mode.ts'
import { openMode } from '../ledger/mode-note.ts'
import { parseNote } from '../ledger/note.ts'
import { originOf, within } from '../ledger/origin.ts'
import type { Policy } from '../ledger/policy.ts'
import type { Row } from '../ledger/row.ts'
import { openRow } from '../ledger/row-note.ts'

/** Rows are handed on again and again, each the same text; checking one costs more than all else that is done with it. */
const REMEMBERED_MAX = 2000
/** Everyone one meets tells all of them, and their signers are of the charters, which do not change under us. */
const POLICIES_MAX = 50

interface Last {
  readonly row: Row
  readonly key: VerifierKey
  readonly before: string
  readonly after: string
}

/** What a ring must know of the policies. */
interface Book {
  newest(): Policy | undefined
  /** all so far */
  all(): readonly Policy[]
}

export class Keyring {
  /** the one in force now */
  readonly charter: Charter
  readonly #charters: Charters
  readonly #gates: () => readonly GateKey[]
  readonly #former: () => readonly GateKey[]
  /** whose key an account was opened with: nobody goes on with it under another */
  readonly #bound = new Map<string, VerifierKey>()
  /** the newest epoch that was seen under a key */
  readonly #epochs = new Map<VerifierKey, number>()
  readonly #parsed = new Map<string, VerifierKey>()
  readonly #policies = new Map<string, Policy>()
  /** of each name the row that was last checked, as text around its time */
  readonly #last = new Map<string, Last>()
  readonly #rows = new Map<string, { readonly row: Row; readonly key: VerifierKey | undefined }>()

  /** `gates` is the roster in force, `former` every key that a gate, or the anchor, ever had. */
  constructor(charters: Charters, gates: () => readonly GateKey[], former: () => readonly GateKey[] = () => []) {
    this.charter = charters.newest
    this.#charters = charters
    this.#gates = gates
    this.#former = former
  }

  static of(charters: Charters, book: Book): Keyring {
    const { all, newest } = charters
    const chartered = all.flatMap(({ anchor, gates }) => [{ name: ANCHOR, key: anchor }, ...gates])
    const former = () => [...chartered, ...book.all().flatMap(({ gates }) => gates)]
    return new Keyring(charters, () => book.newest()?.gates ?? newest.gates, former)
  }

  row(note: string): Row {
    const known = this.#rows.get(note)
    // a gate that was taken off the roster since, or got another key, is not believed because it once was
    if (known !== undefined && this.#keyOf(nameOf(known.row.account)) === known.key) return known.row
    const { row, key } = this.#open(note)
    this.#bound.set(row.account, key)
    this.#epochs.set(key, Math.max(epochOf(row.account), this.#epochs.get(key) ?? 0))
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
      const key = this.#keyOf(of) as VerifierKey
      if ((this.#bound.get(row.account) ?? key) === key) return { row, key }
    } catch (error) {
      const opened = this.#openedBefore(note, of)
      if (opened !== undefined) return opened
      throw this.#isStrange(note) ? new Fault('ROSTER', `signed with a key that is not known here: ${of}`) : error
    }
    throw new Fault('ROW', `${of} goes on under a new key with a ledger that an earlier one began`)
  }

  #openedBefore(note: string, of: string): { readonly row: Row; readonly key: VerifierKey } | undefined {
    // every policy names every gate: what is signed badly must not be checked with one key again and again
    const vkeys = new Set(this.#former().flatMap(({ name, key }) => (name === of ? [key] : [])))
    for (const vkey of vkeys) {
      const key = this.#parse(vkey)
      const row = attempt(() => openRow(note, this.charter.mall, () => key))
      if (row === undefined || (this.#bound.get(row.account) ?? key) !== key) continue
      // who has the old key begins no epoch with it once the new one has
      if (epochOf(row.account) > this.#newestEpoch(of)) continue
      // what an old key of the anchor may have minted is known and carried: no policy made since may add to that
      if (of === ANCHOR && row.policy !== undefined && this.#charters.of(row.policy.version).anchor !== vkey) continue
      return { row, key }
    }
    return undefined
  }

  #newestEpoch(name: string): number {
    const key = this.#keyOf(name)
    return (key && this.#epochs.get(key)) ?? Number.POSITIVE_INFINITY
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
    const policy = this.#openPolicy(note)
    if (this.#policies.size >= POLICIES_MAX) this.#policies.delete(this.#policies.keys().next().value as string)
    this.#policies.set(note, policy)
    return policy
  }

  #openPolicy(note: string): Policy {
    try {
      return this.#charters.openPolicy(note)
    } catch (error) {
      if (!this.#isStrange(note)) throw error
      throw new Fault('ROSTER', `a policy signed with a key that is not known here: ${(error as Error).message}`)
    }
  }

  /**
   * Who raises or clears now does so with a key that counts now. `isVouched` is for what is in force already, by our own
   * disk or by the anchor's word: an alarm must not end, nor an epoch be unknown, because its signer was replaced since.
   */
  mode(note: string, isVouched = false): ModeStatement {
    const { mall } = this.charter
    try {
      return openMode(note, mall, name => this.#keyOf(name) ?? this.#operator(name, this.charter))
    } catch (error) {
      for (const under of isVouched ? this.#charters.all.toReversed() : []) {
        const statement = attempt(() => openMode(note, mall, (name, id) => this.#keyThen(name, id, under)))
        if (statement !== undefined) return { ...statement, under }
      }
      throw this.#isStrange(note) ? new Fault('ROSTER', (error as Error).message) : error
    }
  }

  #keyThen(name: string, id: string, charter: Charter): VerifierKey | undefined {
    const one = this.#former().find(({ name: of, key }) => of === name && this.#parse(key).id === id)
    return one === undefined ? this.#operator(name, charter) : this.#parse(one.key)
  }

  /**
   * Is it signed with a key that nobody here has heard of? It may be of a policy, or of a revision of the charter, that we
   * have not got yet: whoever hands it on is not to blame.
   */
  #isStrange(note: string): boolean {
    const { mall } = this.charter
    const { signatures } = attempt(() => parseNote(note)) ?? { signatures: [] }
    const operators = this.#charters.all.flatMap(charter => charter.operators)
    const known = [...this.#former(), ...this.#gates(), ...operators, { name: ANCHOR, key: this.charter.anchor }]
    const ids = new Set(known.map(({ name, key }) => `${originOf(mall, name)}+${this.#parse(key).id}`))
    return signatures.some(({ name, id }) => within(mall, name) !== undefined && !ids.has(`${name}+${id}`))
  }

  #keyOf(name: string): VerifierKey | undefined {
    if (name === ANCHOR) return this.#parse(this.charter.anchor)
    const gate = this.#gates().find(g => g.name === name)
    return gate && this.#parse(gate.key)
  }

  #operator(name: string, charter: Charter): VerifierKey | undefined {
    const operator = charter.operators.find(o => o.name === name)
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

/** Undefined where it does not open. */
function attempt<T>(open: () => T): T | undefined {
  try {
    return open()
  } catch (error) {
    if (error instanceof Fault) return undefined
    throw error
  }
}
