// `gatemesh audit query SOURCE…`: looks something up in bundles and archive folders. Verifies nothing.

import { lstat, rename, rm } from 'node:fs/promises'
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { Fault } from '../../../ledger/fault.ts'
import { EXIT, Usage, wholeNumber } from '../../command.ts'
import { Duck } from '../query/duck.ts'
import { COLUMNS } from '../query/duck-view.ts'
import { FILTER_OPTIONS, type Filter, parseFilter } from '../query/filter.ts'
import { openPieces, type Piece } from '../query/pieces.ts'
import { entrySheet, resultSheet, SHEETS, type Sheet, type SheetName, type Value } from '../query/sheet.ts'
import { inOrder, type Odd } from '../query/strands.ts'

export const summary = 'search bundles and archive folders, with filters or SQL'

export const help = `
gatemesh audit query SOURCE… [filters] [--format table|csv|jsonl] [--limit N]
gatemesh audit query SOURCE… [filters] --sql TEXT [--format …] [--limit N]
gatemesh audit query SOURCE… [filters] [--sql TEXT] --parquet OUT

A SOURCE is a bundle, or an archive folder of closed days (of all malls, of one, or of one ledger). An entry that several of
them show is shown once.

  --gate NAME      written by this gate, or by anchor
  --account NAME/N in this ledger
  --type TYPE      admit, reject, exit, …
  --decision CODE  ADMIT, REJECT (any), REJECT_AT_CAPACITY, …
  --id ID          the event of this id
  --from TIME      at this time or later, and --to TIME before it: a day (2026-11-16, here; --to includes it), a time
                   (2026-11-16T18:00, with Z or +01:00 for another clock than this machine's), or ms since 1970
                   Those but for the times may be given more than once: one of them must fit.
  --format NAME    table (the usual), csv, or jsonl
  --limit N        no more than the first N

Entries come in order of time, all ledgers together; each ledger keeps its own order, whatever its clock said.

  --sql TEXT       one SELECT, over the view \`entries\`; needs DuckDB (npm install @duckdb/node-api)
  --parquet OUT    write Parquet: one file where OUT ends in .parquet, otherwise a folder with one part for each day (UTC)
  --memory MB      what DuckDB may use, 256 unless said otherwise; the rest goes to a temporary folder as far as it can

Columns of \`entries\`:
${Object.entries(COLUMNS)
  .map(([name, { means }]) => `  ${name.padEnd(12)} ${means}`.trimEnd())
  .join('\n')}

Nothing that is printed was verified: \`gatemesh audit verify\` does that.
`

const UNVERIFIED = 'read, not verified: `gatemesh audit verify` does that'
/** Rows that say how wide the columns of a table are. */
const LOOK_MAX = 200
const WRITE_CHARACTERS = 1 << 16
const MEMORY_MB_MIN = 128
const MEMORY_MB_MAX = 1 << 20

export async function run(args: string[]): Promise<number> {
  const options = {
    ...FILTER_OPTIONS,
    format: { type: 'string', default: 'table' },
    limit: { type: 'string' },
    sql: { type: 'string' },
    parquet: { type: 'string' },
    memory: { type: 'string', default: '256' },
  } as const
  const { values, positionals, tokens } = parseArgs({ args, options, allowPositionals: true, tokens: true })
  if (positionals.length === 0) throw new Usage('takes at least one bundle or archive folder')
  const format = SHEETS.find(name => name === values.format)
  if (format === undefined) throw new Usage(`--format takes one of ${SHEETS.join(', ')}, not ${values.format}`)
  const limit = values.limit === undefined ? Number.POSITIVE_INFINITY : wholeNumber('--limit', values.limit, 1)
  const isSaid = (name: string) => tokens.some(token => token.kind === 'option' && token.name === name)
  const odd = ['format', 'limit'].find(name => values.parquet !== undefined && isSaid(name))
  if (odd !== undefined) throw new Usage(`--${odd} does not go with --parquet`)
  const memoryMb = wholeNumber('--memory', values.memory, MEMORY_MB_MIN, MEMORY_MB_MAX)
  const filter = parseFilter(values)
  if (values.parquet !== undefined) await refuseThere(values.parquet)
  const { pieces, remarks } = await openPieces(positionals)
  for (const remark of remarks) console.error(`note: ${remark}`)
  const asked = { pieces, filter, format, limit, memoryMb }
  if (values.parquet !== undefined) return exportParquet(asked, values.parquet, values.sql)
  return values.sql === undefined ? search(asked) : select(asked, values.sql)
}

interface Asked {
  readonly pieces: readonly Piece[]
  readonly filter: Filter
  readonly format: SheetName
  readonly limit: number
  readonly memoryMb: number
}

async function search({ pieces, filter, format, limit }: Asked): Promise<number> {
  const odd: Odd = { count: 0, first: undefined }
  const accounts = pieces.map(({ account }) => account)
  const { count, isCut } = await print(entrySheet(format, accounts), inOrder(pieces, filter, odd), limit, 'entries')
  if (odd.count > 0)
    console.error(`note: ${odd.count} lines are no entries and were left out, the first is ${odd.first}`)
  console.error(`${told(count, isCut, 'entries')}; ${UNVERIFIED}`)
  return EXIT.fine
}

async function select({ pieces, filter, format, limit, memoryMb }: Asked, sql: string): Promise<number> {
  const duck = await Duck.open(pieces, filter, { memoryMb })
  try {
    const { columns, portions } = await duck.select(sql)
    const { value: first = [] } = await portions.next()
    const sheet = resultSheet(format, columns, (first as Value[][]).slice(0, LOOK_MAX))
    const { count, isCut } = await print(sheet, after(first, portions), limit, 'rows')
    console.error(`${told(count, isCut, 'rows')}; ${UNVERIFIED}`)
    return EXIT.fine
  } finally {
    await duck.close()
  }
}

async function exportParquet(
  { pieces, filter, memoryMb }: Asked,
  out: string,
  sql: string | undefined,
): Promise<number> {
  const isFile = out.endsWith('.parquet')
  if (!isFile && sql !== undefined)
    throw new Usage('--parquet takes a file that ends in .parquet where --sql says what is in it')
  const part = `${resolve(out)}.part`
  await refuseThere(part)
  const duck = await Duck.open(pieces, filter, { memoryMb, writes: part })
  try {
    const count = await duck.writeParquet(part, sql, !isFile)
    await refuseThere(out)
    await rename(part, resolve(out))
    console.error(`${out}: ${count} rows; ${UNVERIFIED}`)
    return EXIT.fine
  } finally {
    await duck.close()
    await rm(part, { recursive: true, force: true })
  }
}

async function* after<T>(first: readonly T[], rest: AsyncGenerator<readonly T[]>): AsyncGenerator<readonly T[]> {
  yield first
  yield* rest
}

interface Printed {
  readonly count: number
  /** there was more than the limit */
  readonly isCut: boolean
}

/** At the pace of whoever reads. */
async function print<T>(
  sheet: Sheet<T>,
  portions: AsyncGenerator<readonly T[]>,
  limit: number,
  what: string,
): Promise<Printed> {
  let text = sheet.head
  let count = 0
  let isCut = false
  for await (const portion of portions) {
    for (const one of portion) {
      if (count === limit) isCut = true
      if (isCut) break
      text += sheet.row(one)
      count++
      if (text.length < WRITE_CHARACTERS) continue
      await write(text)
      text = ''
    }
    if (isCut) break
  }
  await write(text + sheet.end(`${told(count, isCut, what)}; ${UNVERIFIED}`))
  return { count, isCut }
}

function told(count: number, isCut: boolean, what: string): string {
  return isCut ? `the first ${count} ${what}, there are more` : `${count} ${what}`
}

function write(text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    if (text === '') resolve()
    else process.stdout.write(text, error => (error ? reject(error) : resolve()))
  })
}

async function refuseThere(path: string): Promise<void> {
  const isThere = await lstat(path).then(
    () => true,
    () => false,
  )
  if (isThere) throw new Fault('QUERY', `${path}: is there already, and nothing is written over`)
}
