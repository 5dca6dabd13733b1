// Sheet: what a query found, as a table for people, as CSV for a spreadsheet, or as a line of JSON each.
//
// Law: nothing that somebody wrote into a ledger moves a terminal's cursor or is a formula.

import { type Cell, csvRow } from '../../../anchor/api/csv-row.ts'
import { ENTRY_COLUMNS, isoOf } from '../../../anchor/api/event-sheet.ts'
import { asText } from '../../../ledger/line.ts'
import type { Found } from './strands.ts'

export const SHEETS = ['table', 'csv', 'jsonl'] as const
export type SheetName = (typeof SHEETS)[number]

export interface Sheet<T> {
  readonly head: string
  row(of: T): string
  end(words: string): string
}

/** Of entries. `accounts` are all that may occur: columns are as wide as they need. */
export function entrySheet(name: SheetName, accounts: readonly string[]): Sheet<Found> {
  if (name === 'jsonl') {
    return { head: '', row: ({ mall, account, line }) => `${jsonHead(mall, account)}${line}}\n`, end: () => '' }
  }
  if (name === 'csv') {
    const columns = ['mall', ...Object.keys(ENTRY_COLUMNS), 'line']
    const cells = Object.values(ENTRY_COLUMNS)
    return {
      head: csvRow(columns),
      row: found => csvRow([found.mall, ...cells.map(cell => cell(found)), found.line]),
      end: words => csvRow(columns.map((_, i) => (i === 0 ? `# end: ${words}` : undefined))),
    }
  }
  const width = Math.max('ledger'.length, ...accounts.map(account => account.length))
  const line = (at: string, account: string, seq: string, id: string, type: string, what: string) =>
    `${at.padEnd(24)}  ${account.padEnd(width)}  ${seq.padStart(9)}  ${id.padEnd(36)}  ${type.padEnd(10)}  ${what}`.trimEnd()
  return {
    head: `${line('at (UTC)', 'ledger', 'entry', 'id', 'type', 'what')}\n`,
    row: ({ at, account, seq, id, type, entry }) =>
      `${line(isoOf(at), account, String(seq), id, type, detail(entry))}\n`,
    end: () => '',
  }
}

/** Of whatever a statement selects. The first rows say how wide the columns of a table are. */
export function resultSheet(
  name: SheetName,
  columns: readonly string[],
  first: readonly (readonly Value[])[],
): Sheet<readonly Value[]> {
  if (name === 'jsonl') {
    const row = (values: readonly Value[]) => JSON.stringify(Object.fromEntries(columns.map((c, i) => [c, values[i]])))
    return { head: '', row: values => `${row(values)}\n`, end: () => '' }
  }
  if (name === 'csv') {
    return {
      head: csvRow(columns),
      row: values => csvRow(values.map(cellOf)),
      end: words => csvRow(columns.map((_, i) => (i === 0 ? `# end: ${words}` : undefined))),
    }
  }
  const shown = (value: Value | undefined) => asText(String(cellOf(value ?? null) ?? ''))
  const widths = columns.map((column, i) => Math.max(column.length, ...first.map(row => shown(row[i]).length)))
  const isNumber = columns.map((_, i) => first.every(row => typeof (row[i] ?? 0) === 'number'))
  const line = (cells: readonly string[]) =>
    `${cells
      .map((cell, i) => (isNumber[i] ? cell.padStart(widths[i] as number) : cell.padEnd(widths[i] as number)))
      .join('  ')
      .trimEnd()}\n`
  return { head: line(columns.map(asText)), row: values => line(values.map(shown)), end: () => '' }
}

export type Value = string | number | boolean | null | readonly Value[] | { readonly [name: string]: Value }

function cellOf(value: Value): Cell {
  if (value === null) return undefined
  return typeof value === 'object' ? JSON.stringify(value) : value
}

/** The line itself is JSON already. */
function jsonHead(mall: string, account: string): string {
  return `${JSON.stringify({ mall, account }).slice(0, -1)},"entry":`
}

const EVERYWHERE = ['seq', 'prev', 'id', 'at', 'type']

function detail(entry: Found['entry']): string {
  const fields = Object.entries(entry).filter(([name]) => !EVERYWHERE.includes(name))
  return asText(fields.map(([name, value]) => `${name}=${spelled(value)}`).join(' '))
}

function spelled(value: unknown): string {
  if (Array.isArray(value)) return `[${value.length}]`
  return typeof value === 'string' && /[ "=]/.test(value) ? JSON.stringify(value) : String(value)
}
