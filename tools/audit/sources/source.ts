// Source: where evidence is taken from, as the export sees it. An anchor, a gate and a disk all say the same: what there is,
// and the lines of a ledger.

import { type Account, isAccount } from '../../../ledger/account.ts'
import type { BundleSource } from '../../../ledger/audit/about.ts'
import { Fault } from '../../../ledger/fault.ts'
import { parseNote } from '../../../ledger/note.ts'
import { isName } from '../../../ledger/origin.ts'
import type { Row } from '../../../ledger/row.ts'
import { parseRow } from '../../../ledger/row-note.ts'
import type { Inventory, KeptRow, Reach, Remark } from '../../../mesh/archive/inventory.ts'

/** A row as it was signed, and the frontier of the tree at its size where somebody knew it. Nothing is verified here. */
export interface ShownRow {
  readonly row: Row
  readonly note: string
  readonly peaks?: readonly string[]
}

export interface Taken {
  readonly mall: string
  readonly charters: readonly string[]
  readonly policies: readonly { readonly version: number; readonly note: string }[]
  readonly ledgers: ReadonlyMap<Account, Reach>
  /** where each ledger is to end; as far as it is here where nothing is said */
  readonly ends: ReadonlyMap<Account, number>
  readonly rows: readonly ShownRow[]
  readonly forks: Inventory['forks']
  /** for the custody log: where it was taken from, and what was found there */
  readonly remarks: readonly Remark[]
}

/** What is asked for; it decides how much there is to wait for. */
export interface Wish {
  readonly from: number | null
  readonly to: number | null
  readonly gates: readonly string[] | null
}

export interface Source {
  readonly kind: BundleSource
  /** Whose ledgers it can show whole; null for everyone's. Known once it was taken. */
  readonly gates: readonly string[] | null
  take(wish: Wish, say: (line: string) => void): Promise<Taken>
  /** [from, to) of what `take` said is there; throws where fewer come. */
  lines(account: Account, from: number, to: number): AsyncIterable<string>
  close(): Promise<void>
}

/** A row that cannot be read is named, and is no row. */
export function readRow(kept: Pick<KeptRow, 'note' | 'peaks'>, mall: string, remarks: Remark[]): ShownRow[] {
  const { note, peaks } = kept
  try {
    const row = parseRow(parseNote(note).text, mall)
    return [{ row, note, ...(peaks === undefined ? {} : { peaks }) }]
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    remarks.push({
      what: 'unreadable',
      kind: 'row',
      detail: `${note.slice(0, 80).split('\n', 1)[0]}: ${error.message}`,
    })
    return []
  }
}

/** What another machine told must be an inventory before anything is done with it. */
export function checkInventory(value: unknown, where: string): Inventory {
  const told = value as Inventory
  const bad = (what: string) => new Fault('SOURCE', `${where}: ${what}; is it of another version than this command?`)
  if (typeof told !== 'object' || told === null) throw bad('no inventory')
  const isText = (one: unknown) => typeof one === 'string'
  if (typeof told.mall !== 'string' || !isName(told.mall)) throw bad('mall: not the name of one')
  if (!isText(told.name) || !isText(told.key) || !Number.isSafeInteger(told.at)) throw bad('does not say who tells it')
  for (const list of ['charters', 'policies', 'ledgers', 'rows', 'forks', 'remarks'] as const) {
    if (!Array.isArray(told[list])) throw bad(`${list}: not a list`)
  }
  if (!told.charters.every(isText) || !told.rows.every(isText)) throw bad('charters, rows: not notes')
  if (!told.policies.every(one => Number.isSafeInteger(one?.version) && isText(one.note)))
    throw bad('policies: not notes')
  if (!told.ledgers.every(isReach)) throw bad('ledgers: not of accounts')
  if (
    !told.forks.every(one => isAccount(String(one?.account)) && Array.isArray(one.notes) && one.notes.every(isText))
  ) {
    throw bad('forks: not of accounts')
  }
  return told
}

function isReach({ account, first, size, peaks }: Reach): boolean {
  const isCount = (n: number) => Number.isSafeInteger(n) && n >= 0
  return isAccount(String(account)) && isCount(first) && isCount(size) && first <= size && Array.isArray(peaks)
}
