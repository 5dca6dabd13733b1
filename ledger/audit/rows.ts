// Rows: every account's signed statements, and whether those of one account are of one history.
//
// Law: a row counts only if it is signed with a key that its account's name had, and all of an account with the same one.

import { type Account, isAccount, nameOf } from '../account.ts'
import type { Counters } from '../counters.ts'
import { Fault } from '../fault.ts'
import { VerifierKey } from '../key.ts'
import { parseNote } from '../note.ts'
import { accountOfOrigin } from '../origin.ts'
import type { Row } from '../row.ts'
import { openRow, parseRow } from '../row-note.ts'
import type { Findings } from './findings.ts'
import type { NoteFile } from './folder.ts'
import { named } from './notes.ts'
import type { Rules } from './rules.ts'

/** A row whose signature two implementations took, and the key; or why not. */
export type OpenedRow =
  | { readonly row: Row; readonly vkey: string }
  | { readonly claimed: Account; readonly code: string; readonly what: string }

/** A row that was opened. Of a year there are many, and few are looked into again: their text stays where it was. */
export class Stated {
  readonly size: number
  readonly root: string
  readonly at: number
  readonly #note: NoteFile
  readonly #mall: string

  constructor({ size, root, at }: Row, note: NoteFile, mall: string) {
    this.size = size
    this.root = root
    this.at = at
    this.#note = note
    this.#mall = mall
  }

  get text(): string {
    // by way of bytes: a row is ASCII, and a part of a note with its dash would take twice the memory
    return Buffer.from(parseNote(this.#note.note).text, 'latin1').toString('latin1')
  }

  read(): Row {
    return parseRow(this.text, this.#mall)
  }
}

/** What rows say of one account. */
export interface Statements {
  /** in order of size, one for each size */
  readonly rows: readonly Stated[]
  /** of another history, or of this one: whoever gathered the evidence put them aside */
  readonly aside: readonly Stated[]
  /** the one key they are signed with */
  readonly vkey: string
}

/** Takes a while: two implementations look at the signature. */
export function openAny(note: string, { mall, keys }: Pick<Rules, 'mall' | 'keys'>): OpenedRow {
  try {
    let used: VerifierKey | undefined
    const find = (name: string) => (used = keyOf(keys.get(name) ?? [], note))
    const { note: _, ...row } = openRow(note, mall, find, { twice: true })
    return { row, vkey: String(used) }
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    return { claimed: claimedBy(note, mall), code: error.code, what: error.message }
  }
}

/** Whose row a file should hold. */
export function accountOfNote({ file, note }: NoteFile, mall: string): Account {
  return accountOfFile(file) ?? claimedBy(note, mall)
}

/** Whose row a note claims to be; empty for nobody's. */
function claimedBy(note: string, mall: string): Account {
  return accountOfOrigin(mall, note.slice(0, 200).split('\n', 1)[0] ?? '') ?? ''
}

export class RowBook {
  readonly #rules: Rules
  readonly #findings: Findings
  readonly #rows = new Map<Account, Stated[]>()
  readonly #aside = new Map<Account, Stated[]>()
  readonly #vkeys = new Map<Account, string>()
  readonly #last = new Map<Account, Row>()
  /** accounts whose rows did not come in order of size */
  readonly #jumbled = new Set<Account>()

  constructor(rules: Rules, findings: Findings) {
    this.#rules = rules
    this.#findings = findings
  }

  take(note: NoteFile, opened: OpenedRow, isAside: boolean): void {
    const { file } = note
    if ('code' in opened) {
      const account = accountOfFile(file) ?? opened.claimed
      this.#findings.add(opened.code === 'ROSTER' ? 'roster' : 'row', account, undefined, opened.what, file)
      return
    }
    const { row, vkey } = opened
    const number = isAside ? (/\.([0-9]+)\.note$/.exec(file)?.[1] ?? '1') : row.size
    named(file, `${isAside ? 'forks' : 'rows'}/${row.account}.${number}.note`, this.#findings)
    const known = this.#vkeys.get(row.account)
    if (known === undefined) this.#vkeys.set(row.account, vkey)
    else if (known !== vkey && this.#rules.profile === 1) {
      this.#findings.add('row', row.account, undefined, 'rows of one account are signed with two keys', file)
    }
    const into = isAside ? this.#aside : this.#rows
    const stated = new Stated(row, note, this.#rules.mall)
    const list = into.get(row.account)
    if (!isAside) this.#follow(row)
    if (list === undefined) into.set(row.account, [stated])
    else list.push(stated)
  }

  /** In order of size, as they mostly come, each is held against the one before without being read again. */
  #follow(row: Row): void {
    const before = this.#last.get(row.account)
    if (before !== undefined && row.size <= before.size) this.#jumbled.add(row.account)
    else if (before !== undefined) lookForLess(before, row, this.#findings)
    this.#last.set(row.account, row)
  }

  /** By account; what contradicts has been found. */
  close(): Map<Account, Statements> {
    const found = new Map<Account, Statements>()
    for (const account of new Set([...this.#rows.keys(), ...this.#aside.keys()])) {
      const aside = this.#aside.get(account) ?? []
      // all of them are held against each other, and only those not put aside speak for the ledger
      const all = this.#rows.get(account) ?? []
      const rows = this.#jumbled.has(account) ? oneHistory(account, all, this.#findings) : all
      if (aside.length > 0) oneHistory(account, [...rows, ...aside], this.#findings)
      found.set(account, { rows, aside, vkey: this.#vkeys.get(account) as string })
    }
    return found
  }
}

/** Whose row should be in a file, by its name. */
function accountOfFile(file: string): Account | undefined {
  const account = /^data\/(?:rows|forks)\/(.+)\.[0-9]+\.note$/.exec(file)?.[1]
  return account !== undefined && isAccount(account) ? account : undefined
}

/** A name may have had several keys over the years; the id in the signature says which one to check with. */
function keyOf(vkeys: readonly string[], note: string): VerifierKey | undefined {
  const keys = vkeys.map(vkey => VerifierKey.parse(vkey))
  if (keys.length < 2) return keys[0]
  const id = parseNote(note).signatures[0]?.id
  return keys.find(key => key.id === id) ?? keys[0]
}

function oneHistory(account: Account, rows: Stated[], findings: Findings): Stated[] {
  const kept: Stated[] = []
  let before: Row | undefined
  for (const stated of rows.sort((a, b) => a.size - b.size || a.at - b.at)) {
    const last = kept.at(-1)
    if (last === undefined || last.size < stated.size) {
      const row = stated.read()
      if (before !== undefined) lookForLess(before, row, findings)
      kept.push(stated)
      before = row
    } else if (timeless(stated) !== timeless(last)) {
      findings.add('fork', account, stated.size - 1, `two signed rows of size ${stated.size} say different things`)
    }
  }
  return kept
}

function lookForLess(before: Row, { account, size, counters }: Row, findings: Findings): void {
  const shrunk = shrinks(before.counters, counters)
  if (shrunk === undefined) return
  findings.add('fork', account, size - 1, `${shrunk} is less at size ${size} than at size ${before.size}`)
}

/** An idle gate says the same again with a newer time. */
function timeless({ text }: Stated): string {
  return text.replace(/^at [0-9]+\n/m, '')
}

function shrinks(a: Counters, b: Counters): string | undefined {
  for (const name of ['admitted', 'forced', 'exited', 'lapsed'] as const) if (b[name] < a[name]) return name
  for (const name of ['sent', 'received'] as const) {
    for (const other in a[name]) if ((b[name][other] ?? 0) < (a[name][other] ?? 0)) return `${name} ${other}`
  }
  return undefined
}

/** Every gate and the anchor: whoever has a key. */
export function isOnRoster(account: Account, { keys }: Rules): boolean {
  return keys.has(nameOf(account))
}
