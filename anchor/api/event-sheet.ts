// Event sheet: events as rows of a table, per RFC 4180, for whoever opens them in a spreadsheet.
//
// Laws: the columns are these, in this order, whatever the events are; all that an event says is in `line` too. The last row
// says how many events there are; a file without it broke off.

import { type Account, nameOf } from '../../ledger/account.ts'
import { decisionOf, type Entry } from '../../ledger/entry.ts'
import type { Event } from '../../mesh/archive/archive.ts'
import { type Cell, csvRow } from './csv-row.ts'

/** What an entry says, as far as it fits into columns that all entries have. */
export const ENTRY_COLUMNS = {
  account: ({ account }) => account,
  gate: ({ account }) => nameOf(account),
  seq: ({ entry }) => entry.seq,
  id: ({ entry }) => entry.id,
  at: ({ entry }) => isoOf(entry.at),
  type: ({ entry }) => entry.type,
  decision: ({ entry }) => decisionOf(entry),
  reason: ({ entry }) => textOf(entry, 'reason', 'why', 'detail'),
  source: ({ entry }) => textOf(entry, 'source'),
  confidence: ({ entry }) => numberOf(entry, 'confidence'),
  credited: ({ entry }) => (entry.type === 'exit' ? entry.credited : undefined),
  /** people, or tokens */
  amount: ({ entry }) => numberOf(entry, 'amount', 'count'),
  /** the account that tokens went to or came from */
  other: ({ entry }) => textOf(entry, 'to', 'from'),
  mode: ({ entry }) => textOf(entry, 'mode'),
  by: ({ entry }) => textOf(entry, 'by'),
} as const satisfies Record<string, (of: { readonly account: Account; readonly entry: Entry }) => Cell>

const COLUMNS = {
  order: ({ order }) => order,
  ...ENTRY_COLUMNS,
  flags: ({ flags }) => flags.join(' '),
  arrivedAt: ({ arrivedAt }) => isoOf(arrivedAt),
  line: ({ line }) => line,
} as const satisfies Record<string, (event: Event) => Cell>

export const COLUMN_NAMES = Object.keys(COLUMNS)

export function headRow(): string {
  return csvRow(COLUMN_NAMES)
}

export function eventRow(event: Event): string {
  return csvRow(Object.values(COLUMNS).map(cell => cell(event)))
}

/** As many cells as any other row, so that every reader of tables takes it. */
export function endRow(words: string): string {
  return csvRow(COLUMN_NAMES.map((_, i) => (i === 0 ? `# end: ${words}` : undefined)))
}

/** A clock may say what no calendar knows. */
export function isoOf(ms: number): string {
  const date = new Date(ms)
  return Number.isNaN(date.getTime()) ? String(ms) : date.toISOString()
}

/** The first of these fields that the entry has. */
function fieldOf(entry: Entry, names: readonly string[]): unknown {
  const fields = entry as unknown as Readonly<Record<string, unknown>>
  for (const name of names) if (fields[name] !== undefined) return fields[name]
  return undefined
}

function textOf(entry: Entry, ...names: string[]): string | undefined {
  const value = fieldOf(entry, names)
  return typeof value === 'string' ? value : undefined
}

function numberOf(entry: Entry, ...names: string[]): number | undefined {
  const value = fieldOf(entry, names)
  return typeof value === 'number' ? value : undefined
}
