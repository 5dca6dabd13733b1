// CSV row: cells as a row of a table, per RFC 4180, for whoever opens it in a spreadsheet.
//
// Law: no cell that somebody wrote is a formula: a text that begins like one gets an apostrophe in front.

export type Cell = string | number | boolean | undefined

const NUMBER = /^-?\d+(\.\d+)?$/
const FORMULA = /^[=+\-@\t\r]/

export function csvRow(cells: readonly Cell[]): string {
  return `${cells.map(cellText).join(',')}\r\n`
}

function cellText(cell: Cell): string {
  const text = String(cell ?? '')
  const harmless = FORMULA.test(text) && !NUMBER.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless
}
