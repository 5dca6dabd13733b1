import assert from 'node:assert/strict'
import { Findings } from '../../ledger/audit/findings.ts'
import { readText } from '../../ledger/audit/ledger.ts'
import { MarkList } from '../../ledger/audit/marks.ts'
import { openNotes } from '../../ledger/audit/notes.ts'
import { Reading } from '../../ledger/audit/reading.ts'
import { openAny } from '../../ledger/audit/rows.ts'
import { isText } from '../../ledger/line.ts'
import { formatRow, signRow } from '../../ledger/row-note.ts'
import { suite } from '../suite.ts'
import { after, altered, BrokenMalls, goodDay, shown, withLines, without } from './broken-mall.ts'
import { flips, place } from './flips.ts'
import { MALL, PaperMall, signerOf } from './paper-mall.ts'

const test = suite('ledger/verify damage')
const malls = new BrokenMalls(test)

const laterAt = (line: string) => line.replace(/"at":(\d+)\d\d/, '"at":$101')
const rowOf = (mall: PaperMall, account: string) =>
  mall.rows.find(row => row.startsWith(`gatemesh/${MALL}/${account}\n`)) as string

malls.breaks('nothing at all', 'empty', () => new PaperMall().verify())
malls.breaks('a ledger without entries', 'empty north/1', () => {
  const mall = new PaperMall()
  mall.open('east/1')
  mall.close()
  return mall.verify(withLines(mall, 'north/1', []))
})

malls.breaks("a charter under another owner's key", 'charter', () =>
  goodDay().verify({ owner: signerOf('owner', ' false').verifier }),
)
malls.breaks(
  'a charter altered',
  'charter',
  shown(mall => ({ charter: mall.charterNote.replace('legal-max 40', 'legal-max 400') })),
)

malls.breaks(
  'a row altered',
  'row east/1',
  shown(mall => ({ rows: [...mall.rows, rowOf(mall, 'east/1').replace('admitted 6', 'admitted 5')] })),
)
malls.breaks(
  'a row signed by a stranger',
  'row east/1',
  shown(mall => ({ rows: [...mall.rows, signRow(mall.rowOf('east/1'), MALL, signerOf('east', ' false'))] })),
)
malls.breaks('a row of a gate nobody knows', 'roster south/1', () => {
  const mall = goodDay().close()
  const row = signRow({ ...mall.rowOf('east/1'), account: 'south/1' }, MALL, signerOf('south'))
  return mall.verify({ rows: [...mall.rows, row] })
})
malls.breaks(
  'a ledger of a gate nobody knows',
  'roster south/1',
  shown(mall => withLines(mall, 'south/1', mall.linesOf('east/1'))),
)
malls.breaks(
  'a ledger opened with a key that is not on the roster',
  'roster west/2 0',
  after(mall => {
    const key = signerOf('west', ' new').verifier.toString()
    mall.write('west/2', { type: 'open', mall: MALL, account: 'west/2', key })
  }),
)
malls.breaks(
  'a ledger without a row',
  'unsigned west/1',
  shown(mall => ({ rows: mall.rows.filter(row => row !== rowOf(mall, 'west/1')) })),
)

malls.breaks(
  'two rows of one size that differ',
  'fork east/1 1',
  after(mall => {
    mall.row('east/1', { at: 1 })
    mall.row('east/1', { root: mall.charterHash })
  }),
)
malls.breaks(
  'a counter that shrinks from row to row',
  'fork east/1 8',
  after(mall => {
    mall.row('east/1', { size: 9, root: mall.charterHash })
    mall.admit('east/1')
    mall.open('east/2')
  }),
)

malls.breaks(
  'a space in a line',
  'entry east/1 4',
  shown(mall => altered(mall, 'east/1', 4, line => line.replace(',"at"', ', "at"'))),
)
malls.breaks(
  'an entry altered in the middle',
  'chain east/1 4',
  shown(mall => altered(mall, 'east/1', 4, laterAt)),
)
malls.breaks(
  'a `prev` altered in the middle',
  'chain east/1 4',
  shown(mall =>
    altered(mall, 'east/1', 4, line => line.replace(/("prev":")(.)/, (_, head, c) => head + (c === 'A' ? 'B' : 'A'))),
  ),
)
malls.breaks(
  'a `prev` altered in the last entry',
  'chain east/1 9',
  shown(mall =>
    altered(mall, 'east/1', 9, line => line.replace(/("prev":")(.)/, (_, head, c) => head + (c === 'A' ? 'B' : 'A'))),
  ),
)
malls.breaks(
  'a `seq` altered',
  'chain east/1 4',
  shown(mall => altered(mall, 'east/1', 4, line => line.replace('"seq":4', '"seq":7'))),
)
malls.breaks(
  'two entries swapped',
  'gap east/1 3',
  shown(mall => {
    const lines = mall.linesOf('east/1')
    return withLines(mall, 'east/1', [...lines.slice(0, 3), lines[4] ?? '', lines[3] ?? '', ...lines.slice(5)])
  }),
)
malls.breaks(
  'an entry said twice',
  'chain east/1 4',
  shown(mall => withLines(mall, 'east/1', mall.linesOf('east/1').toSpliced(4, 0, mall.linesOf('east/1')[3] ?? ''))),
)
malls.breaks(
  'a ledger of another mall',
  'chain east/1 0',
  shown(mall => altered(mall, 'east/1', 0, line => line.replace(mall.charterHash, mall.policies[0]?.hash ?? ''))),
)
malls.breaks(
  'an entry left out',
  'gap east/1 4',
  shown(mall => without(mall, 'east/1', 4, 1)),
)
malls.breaks(
  'a ledger without its beginning',
  'gap east/1 0',
  shown(mall => without(mall, 'east/1', 0, 2)),
)
malls.breaks(
  'the last entry altered',
  'root east/1 9',
  shown(mall => altered(mall, 'east/1', 9, laterAt)),
)
malls.breaks('a ledger written anew from the middle', 'root east/1 4', () => {
  const [signed, other] = [PaperMall.opened(), PaperMall.opened()]
  for (const mall of [signed, other])
    for (let i = 0; i < 3; i++)
      mall.admit('east/1', i === 1 && mall === other ? '01890a5d-ac96-774b-8cce-000000000000' : undefined)
  return signed.close().verify(withLines(signed, 'east/1', other.linesOf('east/1')))
})

malls.breaks(
  'the end cut off',
  'truncated east/1 7',
  shown(mall => without(mall, 'east/1', 7, 9)),
)
malls.breaks('an end that only a checkpoint remembers', 'truncated east/1 2', () => {
  const mall = PaperMall.opened().close()
  mall.admit('east/1')
  mall.write('anchor/1', { type: 'checkpoint', heads: [mall.headOf('east/1')] })
  mall.row('anchor/1')
  return mall.verify(without(mall, 'east/1', 2, 1))
})
malls.breaks('an end that only a taker remembers', 'truncated east/1 3', () => {
  const mall = PaperMall.opened()
  mall.send('east/1', 'west/1', 1)
  mall.row('east/1')
  mall.receive('west/1', 'east/1', 1, 5)
  for (const account of ['anchor/1', 'north/1', 'west/1']) mall.row(account)
  return mall.verify()
})
malls.breaks('a whole ledger left out', 'truncated east/1 0', () => {
  const mall = goodDay().close()
  const ledgers = new Map(mall.shown().ledgers)
  ledgers.delete('east/1')
  return mall.verify({ ledgers })
})

test('every bit of a ledger turned over is found, with the entry it is in', async () => {
  const mall = goodDay().close()
  const { owner, charter, policies, rows } = mall.shown()
  const notes = (texts: readonly string[]) => texts.map(note => ({ file: '', note }))
  const rules = openNotes({ owner, charters: notes([charter]), policies: notes(policies), profile: 1 }, new Findings())
  assert.ok(rules !== undefined)
  const lines = mall.linesOf('east/1').map(line => Buffer.from(line, 'utf8'))
  const row = rows.map(note => openAny(note, rules)).find(one => 'row' in one && one.row.account === 'east/1')
  assert.ok(row !== undefined && 'row' in row && row.row.size === lines.length)
  const { size, root } = row.row
  let turned = 0
  for (const [seq, line] of lines.entries()) {
    for (const flipped of flips(line)) {
      // decoded as kindly as Node does it: the worst case
      const spoilt = lines.map((l, i) => (i === seq ? flipped : l).toString('utf8'))
      const reading = new Reading(
        { account: 'east/1', rules, marks: [{ size, root, at: row.row.at, row: formatRow(row.row, MALL) }] },
        new MarkList(),
        () => {},
      )
      for (const text of spoilt) reading.push(readText(text))
      const { findings } = reading.end()
      assert.deepEqual(
        findings.map(f => f.seq),
        [seq],
        `entry ${seq}, ${place(line, flipped)}`,
      )
      turned++
    }
  }
  assert.ok(turned > 10_000)
})

test('what a finding says is one line', async () => {
  const { findings } = await goodDay()
    .close()
    .verify({ rows: ['\n\u0007'.repeat(9), `gatemesh/${MALL}/east/1\n`] })
  assert.ok(findings.length > 0)
  for (const { what } of findings) assert.ok(isText(what), JSON.stringify(what))
})

malls.cover([
  'bag',
  'policy',
  'open',
  'overspent',
  'self',
  'receive',
  'lapse',
  'exit',
  'budget',
  'reclaim',
  'checkpoint',
  'occupancy',
  'counters',
])

test.run()
