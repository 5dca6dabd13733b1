// Rows as an aligned table: words to the left, numbers to the right, columns in the order they first appear.

type Cell = string | number

export function table(rows: readonly Readonly<Record<string, Cell>>[]): string {
  const columns = [...new Set(rows.flatMap(row => Object.keys(row)))]
  const text = (cell: Cell | undefined) => (typeof cell === 'number' ? cell.toLocaleString('en') : (cell ?? ''))
  const layout = columns.map(column => ({
    column,
    width: Math.max(column.length, ...rows.map(row => text(row[column]).length)),
    numeric: rows.every(row => typeof (row[column] ?? 0) === 'number'),
  }))
  const line = (cell: (column: string) => string) =>
    layout
      .map(({ column, width, numeric }) => (numeric ? cell(column).padStart(width) : cell(column).padEnd(width)))
      .join('  ')
      .trimEnd()
  return [line(column => column), ...rows.map(row => line(column => text(row[column])))].join('\n')
}
