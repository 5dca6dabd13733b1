// Duck: DuckDB over the files of a query. It is not needed for anything else, and may be missing.
//
// Laws: whatever is asked, no more than a set amount of memory is used; the rest goes to a temporary folder that is gone
// afterwards. A statement selects and does nothing else: it reads the ledgers that were named and no other file, and no
// network.

import { mkdir, mkdtemp, realpath, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { DuckDBConnection, DuckDBInstance, DuckDBResult } from '@duckdb/node-api'
import { Fault } from '../../../ledger/fault.ts'
import { LINE_BYTES_MAX } from '../../../ledger/line.ts'
import { Usage } from '../../command.ts'
import { entriesView, linkName } from './duck-view.ts'
import { type Filter, literal, mayHold } from './filter.ts'
import type { Piece } from './pieces.ts'
import type { Value } from './sheet.ts'

const CONFIG = {
  threads: '2',
  autoinstall_known_extensions: 'false',
  preserve_insertion_order: 'false',
  // a year is many days, and what waits to be written is held for each of them
  partitioned_write_flush_threshold: '8192',
} as const

/** Fewer rows in a group than usual: all of them are in memory, for each day at once. */
const PARQUET = 'FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE 20480'

type Api = typeof import('@duckdb/node-api')

export interface DuckOptions {
  /** for what DuckDB keeps track of; a sort of long rows takes as much again beside it */
  readonly memoryMb: number
  /** a file or folder that may be written beside what is read */
  readonly writes?: string
}

export class Duck {
  readonly #api: Api
  readonly #dir: string
  readonly #instance: DuckDBInstance
  readonly #connection: DuckDBConnection
  readonly #pieces: readonly Piece[]

  static async open(pieces: readonly Piece[], filter: Filter, { memoryMb, writes }: DuckOptions): Promise<Duck> {
    const api = await load()
    const dir = await mkdtemp(join(tmpdir(), 'gatemesh-query-'))
    try {
      const config = { ...CONFIG, memory_limit: `${memoryMb}MB`, temp_directory: join(dir, 'spill') }
      const instance = await api.DuckDBInstance.create(':memory:', config)
      const read = pieces.filter(piece => mayHold(filter, piece))
      const duck = new Duck(api, dir, instance, await instance.connect(), read)
      await duck.#prepare(filter, writes)
      return duck
    } catch (error) {
      await rm(dir, { recursive: true, force: true })
      throw error
    }
  }

  private constructor(
    api: Api,
    dir: string,
    instance: DuckDBInstance,
    connection: DuckDBConnection,
    pieces: readonly Piece[],
  ) {
    this.#api = api
    this.#dir = dir
    this.#instance = instance
    this.#connection = connection
    this.#pieces = pieces
  }

  /** Rows as they come. */
  async select(sql: string): Promise<Answer> {
    await this.#refuseAllButOne(sql)
    const result = await this.#attempt(() => this.#connection.stream(sql))
    const kinds = result.columnTypes().map(type => type.typeId)
    const { DuckDBTypeId: Id } = this.#api
    const whole: readonly number[] = [Id.BIGINT, Id.UBIGINT, Id.HUGEINT, Id.UHUGEINT]
    const plain = (value: Value, i: number): Value => {
      const kind = kinds[i] as number
      if (typeof value !== 'string') return value
      if (whole.includes(kind)) return Number.isSafeInteger(Number(value)) ? Number(value) : value
      return kind === Id.TIMESTAMP ? isoText(value) : value
    }
    const portions = this.#portions(result, plain)
    return { columns: result.deduplicatedColumnNames(), portions }
  }

  /** How many rows were written. A folder is divided by day. */
  async writeParquet(path: string, sql: string | undefined, byDay: boolean): Promise<number> {
    if (sql !== undefined) {
      await this.#refuseAllButOne(sql)
      await this.#attempt(() => this.#connection.run(`CREATE TEMP VIEW answer AS ${sql}`))
    }
    const from = sql === undefined ? 'entries' : 'answer'
    const parts = byDay ? ', PARTITION_BY (day)' : ''
    const copy = `COPY (SELECT * FROM ${from}) TO ${literal(path)} (${PARQUET}${parts})`
    const result = await this.#attempt(() => this.#connection.runAndReadAll(copy))
    return Number(result.getRowsJson()[0]?.[0] ?? 0)
  }

  async close(): Promise<void> {
    this.#connection.closeSync()
    this.#instance.closeSync()
    await rm(this.#dir, { recursive: true, force: true })
  }

  async #prepare(filter: Filter, writes: string | undefined): Promise<void> {
    const run = (sql: string) => this.#attempt(() => this.#connection.run(sql))
    const files = join(this.#dir, 'files')
    await mkdir(files)
    // under names of our own, for DuckDB takes a star or a bracket in a name for a pattern
    const links: string[] = []
    const real: string[] = []
    for (const piece of this.#pieces) {
      const link = join(files, linkName(piece, links.length))
      await symlink(piece.path, link)
      links.push(link)
      real.push(await realpath(piece.path))
    }
    const written = writes === undefined ? [] : [writes]
    await run(`SET allowed_directories = [${[files, ...written].map(literal).join(', ')}]`)
    await run(`SET allowed_paths = [${[...real, ...written].map(literal).join(', ')}]`)
    await run('SET enable_external_access = false')
    const overlaps = this.#pieces.some(({ skip }) => skip > 0)
    await run(entriesView({ files: links, overlaps, bytesMax: 2 * LINE_BYTES_MAX }, filter))
    await run('SET lock_configuration = true')
  }

  async #refuseAllButOne(sql: string): Promise<void> {
    if (sql.trim() === '') throw new Usage('--sql takes a SELECT, and this is empty')
    const { count } = await this.#asked(sql, () => this.#connection.extractStatements(sql))
    if (count !== 1) throw new Usage(`--sql takes one statement, not ${count}`)
    const prepared = await this.#asked(sql, () => this.#connection.prepare(sql))
    const { statementType, parameterCount } = prepared
    prepared.destroySync()
    if (statementType !== this.#api.StatementType.SELECT)
      throw new Usage('--sql takes a SELECT, and nothing that changes')
    if (parameterCount > 0) throw new Usage('--sql takes no parameters: nobody could give them')
  }

  async *#portions(
    result: DuckDBResult,
    plain: (value: Value, i: number) => Value,
  ): AsyncGenerator<readonly (readonly Value[])[]> {
    const rows = result.yieldRowsJson()
    for (;;) {
      const { value, done } = await this.#attempt(() => rows.next())
      if (done) return
      yield value.map(row => row.map((cell, i) => plain(cell as Value, i)))
    }
  }

  /** What it says of a statement before anything is read is about how it was put. */
  async #asked<T>(sql: string, act: () => Promise<T>): Promise<T> {
    try {
      return await this.#attempt(act)
    } catch (error) {
      const { message } = error as Error
      // SQL has another use for this word, and says so in a way that nobody understands
      const hint =
        message.includes('Parser Error') && /\bat\b/i.test(sql) ? '\n(the time of an entry is the column `time`)' : ''
      throw new Usage(`--sql: ${message}${hint}`, { cause: error })
    }
  }

  /** What DuckDB says goes to whoever asked, with the names they know. */
  async #attempt<T>(act: () => Promise<T>): Promise<T> {
    try {
      return await act()
    } catch (error) {
      const [head = '', ...parts] = (error as Error).message.split(join(this.#dir, 'files/'))
      const named = [head, ...parts.map(part => this.#named(part))].join('')
      const isFull = named.startsWith('Out of Memory')
      const [said = ''] = isFull ? named.split('\n') : [named.trim()]
      const hint = isFull ? '. --memory gives it more; fewer columns in what is sorted, or a LIMIT, take less' : ''
      throw new Fault('SQL', `DuckDB says: ${said}${hint}`, { cause: error })
    }
  }

  /** What begins with the name of a link. */
  #named(text: string): string {
    const [link = '', number] = /^(\d+)~[^.]*\.jsonl(?:\.gz)?/.exec(text) ?? []
    return `${this.#pieces[Number(number)]?.path ?? ''}${text.slice(link.length)}`
  }
}

export interface Answer {
  readonly columns: readonly string[]
  readonly portions: AsyncGenerator<readonly (readonly Value[])[]>
}

/** As `toISOString` has it, where DuckDB says no more than that can hold. */
function isoText(text: string): string {
  const iso = `${text.replace(' ', 'T')}Z`
  const date = /^\d{4}-[^.]*(\.\d{1,3})?Z$/.test(iso) ? new Date(iso) : undefined
  return date === undefined || Number.isNaN(date.getTime()) ? iso : date.toISOString()
}

async function load(): Promise<Api> {
  try {
    return await import('@duckdb/node-api')
  } catch (cause) {
    const why = (cause as NodeJS.ErrnoException).code === 'ERR_MODULE_NOT_FOUND' ? '' : ` (${(cause as Error).message})`
    const message =
      `--sql and --parquet need DuckDB, which is not installed here${why}: run \`npm install @duckdb/node-api\` where ` +
      'gatemesh is. All else in `audit query` works without it'
    throw new Fault('DUCKDB', message, { cause })
  }
}
