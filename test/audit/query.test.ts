// Queries over bundles and archive folders, held against the lines themselves.

import assert from 'node:assert/strict'
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { writeSegment } from '../../anchor/retention/segment-file.ts'
import { Chain } from '../../ledger/chain.ts'
import type { Entry } from '../../ledger/entry.ts'
import { Frontier, leafHash } from '../../ledger/tree.ts'
import { writeBundle } from '../../tools/audit/bundle-writer.ts'
import { parseEdge } from '../../tools/audit/edge.ts'
import { parseFilter } from '../../tools/audit/query/filter.ts'
import { openPieces } from '../../tools/audit/query/pieces.ts'
import { type Found, inOrder, type Odd } from '../../tools/audit/query/strands.ts'
import { MALL, PaperMall, START } from '../ledger/paper-mall.ts'
import { suite } from '../suite.ts'
import { contentOf, evidenceMall } from './evidence-mall.ts'
import { entriesOf, GOLDEN, inFolder, query, rows, write } from './querying.ts'

const test = suite('audit/query')

async function found(dirs: readonly string[], values: Parameters<typeof parseFilter>[0] = {}): Promise<Found[]> {
  const odd: Odd = { count: 0, first: undefined }
  const { pieces } = await openPieces(dirs)
  const all: Found[] = []
  for await (const portion of inOrder(pieces, parseFilter(values), odd)) all.push(...portion)
  assert.equal(odd.count, 0)
  return all
}

const ACCOUNTS = ['anchor/1', 'east/1', 'north/1', 'north/2', 'west/1']

/** As the retention of an anchor writes them: two days, the second in two parts. */
async function writeArchive(dir: string, mall: PaperMall, account: string, cuts: readonly number[]): Promise<void> {
  const lines = mall.linesOf(account)
  const chain = new Chain(mall.charterHash)
  const tree = new Frontier()
  let last = mall.charterHash
  let from = 0
  for (const [i, to] of cuts.entries()) {
    const [day, part] = [
      ['2025-11-16', 1],
      ['2025-11-17', 1],
      ['2025-11-17', 2],
    ][i] as [string, number]
    const joint = { size: from, peaks: tree.peaks.map(peak => peak.toString('base64')), last }
    for (const line of lines.slice(from, to)) {
      const { seq: _seq, prev: _prev, ...body } = JSON.parse(line) as Entry
      chain.write(body as Entry)
      tree.append(leafHash(line))
      last = leafHash(line).toString('base64')
    }
    const row = { ...mall.rowOf(account), size: to, root: chain.root() }
    const path = join(dir, MALL, account.replace('/', '-'), part === 1 ? day : `${day}-${part}`)
    const portion = lines.slice(from, to)
    await writeSegment({
      path,
      lines: (async function* () {
        yield* portion
      })(),
      joint,
      row,
      proof: { mall: MALL, account, day, part, closedAt: 0, row: 'not looked at here' },
    })
    from = to
  }
}

test('every entry comes once, in order of time, and each ledger in its own order', async () => {
  const all = await found([GOLDEN])
  const known = entriesOf(GOLDEN, ACCOUNTS)
  assert.deepEqual(all.map(({ line }) => line).sort(), known.map(({ line }) => line).sort())
  for (const account of ACCOUNTS) {
    const own = all.filter(one => one.account === account)
    assert.deepEqual(
      own.map(({ line }) => line),
      known.filter(one => one.account === account).map(({ line }) => line),
    )
  }
  assert.ok(all.every(({ at }, i) => i === 0 || at >= (all[i - 1] as Found).at))
  assert.deepEqual([...new Set(all.map(({ mall }) => mall))], [MALL])
})

test('a clock that went back moves no entry before the one it was written after', async () => {
  const mall = PaperMall.opened()
  mall.write('east/1', { type: 'optical', in: 1, out: 0, at: START + 5000 })
  mall.write('east/1', { type: 'optical', in: 2, out: 0, at: 7 })
  mall.write('west/1', { type: 'optical', in: 3, out: 0, at: START + 4000 })
  await inFolder(async path => {
    await write(mall, path('m'))
    const all = await found([path('m')], { type: ['optical'] })
    assert.deepEqual(
      all.map(({ entry }) => (entry as { in: number }).in),
      [3, 1, 2],
    )
  })
})

test('filters find what somebody with all lines in hand finds', async () => {
  const known = entriesOf(GOLDEN, ACCOUNTS)
  const half = START + 5000
  const id = known[7]?.entry.id as string
  const cases: [values: Parameters<typeof parseFilter>[0], is: (of: (typeof known)[number]) => boolean][] = [
    [{ gate: ['north'] }, ({ account }) => account.startsWith('north/')],
    [{ gate: ['nobody'] }, () => false],
    [{ gate: ['north', 'west'] }, ({ account }) => /^(north|west)/.test(account)],
    [{ account: ['north/2'] }, ({ account }) => account === 'north/2'],
    [{ type: ['admit', 'exit'] }, ({ entry }) => entry.type === 'admit' || entry.type === 'exit'],
    [{ decision: ['ADMIT'] }, ({ entry }) => entry.type === 'admit'],
    [{ decision: ['REJECT'] }, ({ entry }) => entry.type === 'reject'],
    [{ decision: ['REJECT_AT_CAPACITY'] }, () => false],
    [{ decision: ['REJECT_NO_HEADROOM', 'ADMIT'] }, ({ entry }) => /admit|reject/.test(entry.type)],
    [{ id: [id] }, ({ entry }) => entry.id === id],
    [{ from: String(half) }, ({ entry }) => entry.at >= half],
    [{ to: new Date(half).toISOString() }, ({ entry }) => entry.at < half],
    [{ gate: ['east'], type: ['admit'], from: String(half) }, () => false],
  ]
  for (const [values, is] of cases) {
    const lines = (await found([GOLDEN], values)).map(({ line }) => line)
    const wanted = known.filter(is).map(({ line }) => line)
    assert.deepEqual(lines.sort(), wanted.sort(), JSON.stringify(values))
    const args = Object.entries(values).flatMap(([name, value]) =>
      [value].flat().flatMap(one => [`--${name}`, one as string]),
    )
    const [sum] = await rows(GOLDEN, ...args, '--sql', 'select count(*) as n from entries')
    assert.equal(sum?.n, wanted.length, `${JSON.stringify(values)} in SQL`)
  }
})

test('a day is one of this machine’s clock, and what is no time is refused', () => {
  assert.equal(parseEdge('--from', '2026-03-29'), new Date(2026, 2, 29).getTime())
  assert.equal(parseEdge('--to', '2026-03-29'), new Date(2026, 2, 30).getTime())
  assert.equal(parseEdge('--to', '2026-12-31'), new Date(2027, 0, 1).getTime())
  assert.equal(parseEdge('--from', '2026-11-16T18:00:00.5+01:00'), Date.UTC(2026, 10, 16, 17, 0, 0, 500))
  assert.equal(parseEdge('--from', '1763251200000'), START)
  for (const odd of ['2026-02-31', '2026-13-01', 'today', '', '-1', '2026-11-16T25:00', '99999999999999999']) {
    assert.throws(() => parseEdge('--from', odd), /--from takes a day/, odd)
  }
  const wrong = [{ type: ['x'] }, { gate: ['East'] }, { account: ['east'] }, { decision: ['NO'] }, { id: ['1'] }]
  for (const values of wrong) assert.throws(() => parseFilter(values), /takes/)
  assert.throws(() => parseFilter({ from: '5', to: '5' }), /--to is not after --from/)
})

test('archive files and a bundle show an entry once between them, whichever comes first', () =>
  inFolder(async path => {
    const mall = evidenceMall()
    await writeBundle(path('b'), contentOf(mall, { from: mall.morning }))
    const lines = mall.mall.linesOf('east/1')
    await writeArchive(path('archive'), mall.mall, 'east/1', [4, 9, 12])
    const whole = await found([path('archive')])
    assert.deepEqual(
      whole.map(({ line }) => line),
      lines.slice(0, 12),
    )
    for (const dirs of [
      [path('archive'), path('b')],
      [path('b'), path('archive')],
      [path('b'), path('archive'), path('archive')],
    ]) {
      const both = await found(dirs, { account: ['east/1'] })
      assert.deepEqual(
        both.map(({ line }) => line),
        lines,
      )
      const [sum] = await rows(...dirs, '--account', 'east/1', '--sql', 'select count(*) n, sum(seq) s from entries')
      assert.deepEqual(sum, { n: lines.length, s: (lines.length * (lines.length - 1)) / 2 })
    }
    // one mall, or one ledger, of an archive is a source as well
    assert.equal((await found([path(`archive/${MALL}`)])).length, 12)
    assert.equal((await found([path(`archive/${MALL}/east-1`)])).length, 12)
    rmSync(path(`archive/${MALL}/east-1/2025-11-17.proof.json`))
    const { err, text } = await query(path('archive'), '--format', 'jsonl')
    assert.match(err, /note: .*2025-11-17\.jsonl\.gz was left out: no proof lies beside it/)
    assert.equal(text.trimEnd().split('\n').length, 7)
  }))

test('as CSV no cell is a formula, as lines of JSON every line is the ledger’s, and all say that nothing was verified', () =>
  inFolder(async path => {
    const mall = PaperMall.opened()
    mall.write('east/1', { type: 'mode', epoch: 1, mode: 'FIRE', by: '=cmd()', reason: '@Küche, 2' })
    await write(mall, path('m'))
    const csv = await query(path('m'), '--type', 'mode', '--format', 'csv')
    const [head, row, end] = csv.text.split('\r\n')
    assert.match(head ?? '', /^mall,account,gate,seq,id,at,type,decision,reason,.*,line$/)
    assert.match(row ?? '', /^paper,east\/1,east,2,.*,mode,,"'@Küche, 2",.*,FIRE,'=cmd\(\),"\{""seq"":2,/)
    assert.match(end ?? '', /^"# end: 1 entries; read, not verified: `gatemesh audit verify` does that",+$/)
    const json = await query(path('m'), '--gate', 'east', '--format', 'jsonl')
    assert.equal(
      json.text,
      mall
        .linesOf('east/1')
        .map(line => `{"mall":"paper","account":"east/1","entry":${line}}\n`)
        .join(''),
    )
    const table = await query(path('m'), '--limit', '2')
    assert.match(table.text, /^at \(UTC\) +ledger +entry +id +type +what\n2025-11-16T00:00:00.250Z {2}anchor\/1 +0 /)
    for (const { err } of [csv, json, table])
      assert.match(err, /read, not verified: `gatemesh audit verify` does that$/)
    assert.match(table.err, /^the first 2 entries, there are more/)
    const sql = await query(path('m'), '--sql', `select '=1+1' as f, 'a' as f`, '--format', 'csv')
    assert.match(sql.text, /^f,f:1\r\n'=1\+1,a\r\n"# end: 1 rows/)
  }))

test('lines that are no entries are counted and named, and the rest is shown', () =>
  inFolder(async path => {
    cpSync(GOLDEN, path('m'), { recursive: true })
    const file = path('m/ledgers/east/1.jsonl')
    const lines = readFileSync(file, 'utf8').split('\n')
    writeFileSync(file, [lines[0], 'no entry', lines[1]?.slice(0, 150), ...lines.slice(2)].join('\n'))
    const { code, text, err } = await query(path('m'), '--account', 'east/1', '--format', 'jsonl')
    assert.deepEqual([code, text.trimEnd().split('\n').length], [0, 9])
    assert.match(err, /note: 2 lines are no entries and were left out, the first is .*east\/1\.jsonl, line 2/)
    writeFileSync(file, `${'x'.repeat(500_000)}\n`)
    const long = await query(path('m'))
    assert.deepEqual([long.code, /east\/1\.jsonl: a line of more than 131072 bytes/.test(long.err)], [3, true])
    const none = await query(path('nothing'))
    assert.deepEqual([none.code, /there is no such folder/.test(none.err)], [3, true])
    mkdirSync(path('empty'))
    assert.match((await query(path('empty'))).err, /no ledgers are in there/)
    for (const wrong of [
      [],
      [GOLDEN, '--format', 'xml'],
      [GOLDEN, '--limit', '0'],
      [GOLDEN, '--limit', '1', '--parquet', 'x'],
    ]) {
      assert.equal((await query(...wrong)).code, 2, wrong.join(' '))
    }
  }))

test.run()
