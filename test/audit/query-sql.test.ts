// Ledgers as DuckDB sees them: what it is asked, what it may not do, and what it writes.

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { cpSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { COLUMNS } from '../../tools/audit/query/duck-view.ts'
import { MALL, PaperMall, START, uuid7 } from '../ledger/paper-mall.ts'
import { suite } from '../suite.ts'
import { entriesOf, GOLDEN, inFolder, query, rows, write } from './querying.ts'

const test = suite('audit/query-sql')
const BIN = join(import.meta.dirname, '../../tools/gatemesh.mjs')
/** The largest clock that an entry can have. */
const AT_MAX = Number.MAX_SAFE_INTEGER

test('in SQL every column has a name that needs no quotes, and numbers and times come out right', () =>
  inFolder(async path => {
    const mall = PaperMall.opened()
    for (let i = 0; i < 5; i++) mall.write('east/1', { type: 'forced', count: 1_000_000_000, why: 'fire' })
    mall.write('east/1', { type: 'optical', in: 3, out: 2, at: AT_MAX })
    // names with which a careless reader would read something else, or nothing
    const dir = path("it's [a] *?")
    await write(mall, dir)
    for (const name of Object.keys(COLUMNS)) await rows(dir, '--sql', `select ${name} from entries limit 1`)
    const [sum] = await rows(dir, '--sql', 'select sum(count) people, max(at_ms) newest, max(time) t from entries')
    assert.deepEqual(sum, { people: 5_000_000_000, newest: AT_MAX, t: '287396-10-12T08:59:00.991Z' })
    const [first] = await rows(
      dir,
      '--sql',
      'select mall, account, gate, epoch, time, day, line from entries where seq = 1 and gate = $$east$$',
    )
    assert.deepEqual(first, {
      mall: MALL,
      account: 'east/1',
      gate: 'east',
      epoch: 1,
      time: new Date(JSON.parse(mall.linesOf('east/1')[1] as string).at).toISOString(),
      day: '2025-11-16',
      line: mall.linesOf('east/1')[1],
    })
    const moves = await rows(
      dir,
      '--sql',
      `select type, counterpart, sum(amount) a from entries where amount > 0 group by all order by all`,
    )
    assert.deepEqual(moves.slice(0, 2), [
      { type: 'receive', counterpart: 'anchor/1', a: 15 },
      { type: 'send', counterpart: 'east/1', a: 5 },
    ])
  }))

test('a statement selects from the ledgers and does nothing else', () =>
  inFolder(async path => {
    cpSync(GOLDEN, path('m'), { recursive: true })
    const ledger = path('m/ledgers/east/1.jsonl')
    const before = readFileSync(ledger, 'utf8')
    writeFileSync(path('secret.csv'), 'a,b\n1,2\n')
    const statements: [sql: string, words: RegExp][] = [
      [`select * from '${path('secret.csv')}'`, /DuckDB says: .*Cannot access file/],
      [`select * from read_text('${path('m/charter.note')}')`, /Cannot access file/],
      [`select * from glob('/etc/*')`, /Cannot access file/],
      [`select * from read_csv('http://127.0.0.1:9/x.csv')`, /Cannot access file/],
      [`copy entries to '${path('out.csv')}'`, /Cannot access file|takes a SELECT/],
      [`copy (select 1) to '${ledger}'`, /takes a SELECT/],
      [`explain analyze copy (select 1) to '${ledger}'`, /takes a SELECT/],
      [`attach '${path('x.db')}'`, /Cannot access file|takes a SELECT/],
      ['install httpfs', /Cannot access|takes a SELECT/],
      ['set memory_limit = $$8GB$$', /takes a SELECT/],
      ['create table t as select 1', /takes a SELECT/],
      ['drop view entries', /takes a SELECT/],
      ['select 1; select 2', /one statement, not 2/],
      ['', /this is empty/],
      ['select ?', /takes no parameters/],
      ['select nothing from entries', /DuckDB says: Binder Error: .*"nothing"/],
      ['select at from entries', /Parser Error[\s\S]*the time of an entry is the column `time`/],
    ]
    for (const [sql, words] of statements) {
      const { code, err } = await query(path('m'), '--sql', sql)
      assert.equal(code, 2, `${sql}: ${err}`)
      assert.match(err, words, sql)
    }
    assert.equal(readFileSync(ledger, 'utf8'), before)
    assert.ok(!existsSync(path('out.csv')) && !existsSync(path('x.db')))
    const full = await query(
      path('m'),
      '--sql',
      'select string_agg(repeat(id, 1000000)) from entries',
      '--memory',
      '128',
    )
    assert.deepEqual(
      [full.code, /DuckDB says: Out of Memory.*\. --memory gives it more/.test(full.err)],
      [3, true],
      full.err,
    )
    assert.equal((await query(path('m'), '--memory', '1', '--sql', 'select 1')).code, 2)
    writeFileSync(ledger, `${before}{"seq":\n`)
    const spoilt = await query(path('m'), '--sql', 'select max(seq) from entries')
    assert.equal(spoilt.code, 3)
    assert.match(spoilt.err, /SQL: DuckDB says: .*Malformed JSON in file "[^"]*m\/ledgers\/east\/1\.jsonl"/)
  }))

test('Parquet read back has as many entries, and the same sums, as the lines', () =>
  inFolder(async path => {
    const mall = PaperMall.opened()
    const day = 86_400_000
    for (let i = 0; i < 400; i++) {
      const at = START + i * (day / 100)
      mall.write('east/1', { type: 'forced', count: 999_999_999 - i, why: 'manual', at, id: uuid7(at, i) })
      if (i % 3 === 0)
        mall.write('west/1', { type: 'admit', source: 'local', confidence: i, at: at + 1, id: uuid7(at + 1, i) })
    }
    await write(mall, path('m'))
    const known = entriesOf(path('m'), ['anchor/1', 'east/1', 'north/1', 'west/1'])
    const sums = (name: string) =>
      known.reduce((sum, { entry }) => sum + Number((entry as unknown as Record<string, unknown>)[name] ?? 0), 0)
    const wanted = {
      n: known.length,
      people: sums('count'),
      at: known.reduce((sum, { entry }) => sum + BigInt(entry.at), 0n),
    }
    for (const [out, files] of [
      ['one.parquet', path('one.parquet')],
      ['days', path('days/*/*.parquet')],
    ] as const) {
      const made = await query(path('m'), '--parquet', path(out))
      assert.deepEqual(
        [made.code, made.err],
        [0, `${path(out)}: ${known.length} rows; read, not verified: \`gatemesh audit verify\` does that`],
      )
      const [read] = await parquet(
        `select count(*) n, sum(count) people, sum(at_ms)::varchar ms, sum(epoch_ms(time))::varchar t, min(line) line,
         count(distinct day) d from read_parquet('${files}', hive_partitioning = true)`,
      )
      assert.deepEqual([Number(read?.[0]), Number(read?.[1])], [wanted.n, wanted.people])
      assert.deepEqual([read?.[2], read?.[3]], [String(wanted.at), String(wanted.at)])
      assert.equal(read?.[4], known.map(({ line }) => line).sort()[0])
      assert.equal(Number(read?.[5]), 4)
      const again = await query(path('m'), '--parquet', path(out))
      assert.deepEqual([again.code, /is there already/.test(again.err)], [3, true])
    }
    assert.ok(existsSync(path('days/day=2025-11-19')))
    const picked = await query(
      path('m'),
      '--sql',
      'select gate, sum(count) people from entries group by 1',
      '--parquet',
      path('sum.parquet'),
    )
    assert.equal(picked.code, 0, picked.err)
    assert.equal((await parquet(`select * from '${path('sum.parquet')}'`)).length, 4)
    const failed = await query(
      path('m'),
      '--sql',
      'select error(id) as x from entries',
      '--parquet',
      path('none.parquet'),
    )
    assert.equal(failed.code, 3)
    assert.ok(!existsSync(path('none.parquet')) && !existsSync(path('none.parquet.part')))
  }))

test('without DuckDB all but SQL and Parquet works, and those say what to install', async () => {
  const hide =
    'data:text/javascript,import{registerHooks}from"node:module";registerHooks({resolve(s,c,n){if(s.startsWith("@duckdb/"))' +
    'throw Object.assign(new Error("Cannot find package"),{code:"ERR_MODULE_NOT_FOUND"});return n(s,c)}})'
  const run = (...args: string[]) =>
    new Promise<{ code: number; err: string }>(resolve => {
      const child = execFile(
        process.execPath,
        ['--import', hide, BIN, 'audit', 'query', GOLDEN, ...args],
        (_, __, err) => resolve({ code: child.exitCode ?? -1, err }),
      )
    })
  const [plain, sql] = await Promise.all([run('--type', 'admit'), run('--sql', 'select 1')])
  assert.deepEqual([plain.code, /^6 entries/.test(plain.err)], [0, true])
  assert.equal(sql.code, 3)
  assert.match(sql.err, /DUCKDB: --sql and --parquet need DuckDB, .*npm install @duckdb\/node-api/)
})

async function parquet(sql: string): Promise<readonly (readonly unknown[])[]> {
  const { DuckDBInstance } = await import('@duckdb/node-api')
  const instance = await DuckDBInstance.create(':memory:')
  const connection = await instance.connect()
  try {
    return (await connection.runAndReadAll(sql)).getRowsJson()
  } finally {
    connection.closeSync()
    instance.closeSync()
  }
}

test.run()
