// A proof of every entry that anybody vouched for, from bundles of both formats and from an anchor.

import assert from 'node:assert/strict'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { EventProof } from '../../ledger/audit/event-proof.ts'
import { checkEventProof } from '../../ledger/audit/proof-check.ts'
import type { Body } from '../../ledger/entry.ts'
import { VerifierKey } from '../../ledger/key.ts'
import { PathMaker } from '../../ledger/path.ts'
import { makeInclusion } from '../../ledger/proof.ts'
import { Frontier, leafHash } from '../../ledger/tree.ts'
import { writeBundle } from '../../tools/audit/bundle-writer.ts'
import { NoProof, proveFromBundle, type Wanted } from '../../tools/audit/proofs/prove-bundle.ts'
import { inRig } from '../api/rig.ts'
import { keyOf } from '../approvals/office.ts'
import { PaperMall } from '../ledger/paper-mall.ts'
import { suite } from '../suite.ts'
import { gatemesh, withKeys } from '../tools/clerk.ts'
import { contentOf, evidenceMall } from './evidence-mall.ts'

const test = suite('audit/prove')
const GOLDEN = join(import.meta.dirname, '../golden/mall')
const OWNER = VerifierKey.parse(readFileSync(join(GOLDEN, 'owner.vkey'), 'utf8').trim())

async function inFolder(act: (path: (name: string) => string) => Promise<void>): Promise<void> {
  const dir = mkdtempSync(join(tmpdir(), 'prove-'))
  try {
    await act(name => join(dir, name))
  } finally {
    rmSync(dir, { recursive: true, force: true })
  }
}

/** Checked with the owner's key: every step holds, and none was left open. */
async function proved(dir: string, wanted: Wanted): Promise<EventProof> {
  const { proof, remarks } = await proveFromBundle(dir, wanted)
  assert.deepEqual(remarks, [])
  const { steps } = checkEventProof(JSON.parse(JSON.stringify(proof)), { owner: OWNER, twice: false })
  const open = steps.filter(({ holds }) => holds !== true).map(({ title, words }) => `${title}: ${words}`)
  assert.deepEqual(open, [])
  return proof
}

const idOf = (line: string) => (JSON.parse(line) as { id: string }).id
const linesIn = (dir: string, account: string) =>
  readFileSync(join(dir, 'ledgers', `${account}.jsonl`), 'utf8')
    .trimEnd()
    .split('\n')

test('a path made while the leaves go by is the one made from all of them, from wherever they begin', () => {
  for (let size = 1; size <= 33; size++) {
    const leaves = Array.from({ length: size }, (_, i) => leafHash(`line ${i}`))
    for (let index = 0; index < size; index++) {
      const before = new Frontier()
      for (const leaf of leaves.slice(0, index)) before.append(leaf)
      const maker = new PathMaker(before, size)
      assert.equal(maker.path(), undefined)
      for (const leaf of [...leaves.slice(index), leafHash('beyond')]) maker.append(leaf)
      assert.deepEqual(
        maker.path(),
        makeInclusion(i => leaves[i] as Buffer, index, size),
      )
    }
  }
})

test('every entry of a bundle of format 0 that a row covers is proved by the smallest row that does', async () => {
  const sizes = { 'anchor/1': [13], 'east/1': [10], 'west/1': [3, 3], 'north/2': [5] }
  for (const [account, rows] of Object.entries(sizes)) {
    for (const [seq, line] of linesIn(GOLDEN, account).entries()) {
      const proof = await proved(GOLDEN, { id: idOf(line), account })
      assert.deepEqual([proof.line, proof.index, proof.account], [line, seq, account])
      assert.equal(
        proof.size,
        rows.find(size => size > seq),
      )
      assert.deepEqual(proof.key.from, 'charter')
      assert.equal(proof.charter.revisions, undefined)
      // the anchor's last word covers all gates, and nothing of its own
      assert.equal(proof.checkpoint?.index, account === 'anchor/1' ? undefined : 12)
    }
  }
})

test('what a ledger shown from the middle holds is proved with the peaks, and with the charter as revised', async () => {
  const mall = evidenceMall()
  await inFolder(async path => {
    const content = contentOf(mall, { from: mall.morning, to: mall.evening })
    await writeBundle(path('b'), content)
    const begins = content.about.ledgers.filter(({ from, to }) => from > 0 && to > from)
    assert.ok(begins.length >= 2)
    let seen = 0
    for (const { account, from, to } of content.about.ledgers) {
      const lines = from === to ? [] : linesIn(path('b/data'), account)
      for (const [i, line] of lines.entries()) {
        const rows = content.rows.filter(row => row.account === account && row.size > from + i)
        const proof = await proved(path('b'), { id: idOf(line), account })
        assert.deepEqual([proof.index, proof.size], [from + i, Math.min(...rows.map(({ size }) => size))])
        assert.equal(proof.charter.revisions?.length, 1)
        if (proof.checkpoint !== undefined) seen++
      }
    }
    assert.ok(seen > 5)
  })
})

test('of several checkpoints the first that covers the entry is taken, and the smallest row over that', async () => {
  const mall = PaperMall.opened()
  const see = () => mall.write('anchor/1', { type: 'checkpoint', heads: [mall.headOf('east/1')] })
  const early = see()
  const seq = mall.admit('east/1')
  mall.row('east/1')
  const first = see()
  mall.row('anchor/1')
  const size = mall.sizeOf('anchor/1')
  see()
  mall.exit('east/1')
  mall.close()
  await inFolder(async path => {
    await write(mall, path('m'))
    const proof = await proved(path('m'), { id: idOf(mall.linesOf('east/1')[seq] as string) })
    assert.ok(early < first)
    assert.deepEqual([proof.size, proof.checkpoint?.index, proof.checkpoint?.size], [seq + 1, first, size])
    const bare = await proved(path('m'), { id: proof.id, isBare: true })
    assert.equal(bare.checkpoint, undefined)
  })
})

test('a key that came by a policy comes with that policy', async () => {
  const mall = new PaperMall({ gates: [] })
  mall.open('anchor/1')
  mall.policy({ gates: [] })
  const { gates } = new PaperMall().charter
  mall.policy({ gates }, ['alma', 'bruno'])
  mall.open('east/1')
  mall.close()
  await inFolder(async path => {
    await write(mall, path('m'))
    const proof = await proved(path('m'), { id: idOf(mall.linesOf('east/1')[0] as string) })
    assert.deepEqual([proof.key.from, proof.key.policy?.version], ['policy', 2])
    assert.deepEqual(checkEventProof(proof, { owner: OWNER }).signers, ['alma', 'bruno'])
  })
})

test('where there is nothing to prove it with, that is said and why', async () => {
  const mall = PaperMall.opened()
  const twice = '019a89f6-20fa-7000-8000-0000000000ff'
  mall.admit('east/1', twice)
  mall.admit('west/1', twice)
  mall.admit('west/1', twice)
  mall.close()
  const late = mall.admit('north/1')
  await inFolder(async path => {
    await write(mall, path('m'))
    const refused = (wanted: Wanted, words: RegExp, dir = 'm') =>
      assert.rejects(proveFromBundle(path(dir), wanted), error => {
        assert.ok(error instanceof NoProof, String(error))
        assert.match(error.message, words)
        return true
      })
    await refused({ id: twice }, /more than once: entry 2 of east\/1, entry 2 of west\/1, entry 3 of west\/1/)
    await refused({ id: twice, account: 'west/1' }, /entry 2 of west\/1, entry 3 of west\/1\. --account and --seq/)
    assert.equal((await proved(path('m'), { id: twice, account: 'east/1' })).index, 2)
    assert.equal((await proved(path('m'), { id: twice, account: 'west/1', seq: 3 })).index, 3)
    await refused({ id: '019a89f6-20fa-7000-8000-0000000000fe' }, /no entry .* is in what the bundle shows/)
    await refused({ id: twice, account: 'south/1' }, /shows no entries of south\/1/)
    const unsigned = idOf(mall.linesOf('north/1')[late] as string)
    await refused({ id: unsigned }, /no signed row .* covers entry 2 of north\/1: its rows reach 2 entries/)

    const [, line = ''] = mall.linesOf('east/1')
    const spoil = (from: string, to: string) => {
      cpSync(path('m'), path('spoilt'), { recursive: true })
      const file = path('spoilt/ledgers/east/1.jsonl')
      writeFileSync(file, readFileSync(file, 'utf8').replace(from, to))
    }
    spoil('"source":"local"', '"source":"stolen"')
    await refused({ id: idOf(line) }, /does not prove it: The way up to the root/, 'spoilt')
    spoil(`${mall.linesOf('east/1')[2]}\n`, '')
    await refused({ id: idOf(line) }, /east\/1 ends before the 3 entries of the row/, 'spoilt')
  })
})

test('a checkpoint that states another history is left out, and that is said', async () => {
  const mall = PaperMall.opened()
  const [account, size] = mall.headOf('east/1')
  mall.write('anchor/1', { type: 'checkpoint', heads: [[account, size, mall.headOf('west/1')[2]]] })
  mall.close()
  await inFolder(async path => {
    await write(mall, path('m'))
    const { proof, remarks } = await proveFromBundle(path('m'), { id: idOf(mall.linesOf('east/1')[0] as string) })
    assert.equal(proof.checkpoint, undefined)
    assert.match(remarks.join(), /the anchor’s checkpoint was left out, for it does not fit/)
    assert.ok(checkEventProof(proof, { owner: OWNER }).holds)
  })
})

test('the command writes a proof where nothing is yet, and one that the other command takes', () =>
  inFolder(async path => {
    const id = idOf(linesIn(GOLDEN, 'east/1')[4] as string)
    const prove = (...more: string[]) => gatemesh('audit', 'prove', id, '--bundle', GOLDEN, ...more)
    const printed = await prove()
    assert.deepEqual([printed.code, printed.json.index], [0, 4])
    assert.match(printed.err, /^entry 4 of east\/1, by its row of 10 entries; the anchor had seen it at 2025-11-16T/)
    assert.equal((await prove('--out', path('p.json'))).code, 0)
    assert.deepEqual(JSON.parse(readFileSync(path('p.json'), 'utf8')), printed.json)
    const again = await prove('--out', path('p.json'))
    assert.deepEqual([again.code, /is there already/.test(again.err)], [3, true])
    const checked = await gatemesh('audit', 'check', path('p.json'), '--charter-key', join(GOLDEN, 'owner.vkey'))
    assert.equal(checked.code, 0, checked.out)
    const none = await gatemesh('audit', 'prove', id, '--bundle', GOLDEN, '--account', 'west/1')
    assert.deepEqual([none.code, /^no proof: no entry/.test(none.err)], [1, true])
    for (const wrong of [['x'], [id, '--account', 'x'], [id, id], [id, '--anchor', 'http://127.0.0.1:1'], []]) {
      assert.equal((await gatemesh('audit', 'prove', '--bundle', GOLDEN, ...wrong)).code, 2, wrong.join(' '))
    }
  }))

test('an anchor is asked for the same, and believed no more than a file', () =>
  withKeys(['aud'], path =>
    inRig(async rig => {
      rig.office.wall = Date.now()
      const [body] = rig.admits(1)
      await rig.collect('east/1', [body as Body, ...rig.admits(6)])
      const prove = (id: string) =>
        gatemesh('audit', 'prove', id, '--anchor', rig.url, '--key', path('aud.key'), '--account', 'east/1')
      const early = await prove(body?.id ?? '')
      assert.deepEqual([early.code, /no signed row covers entry 0/.test(early.err)], [1, true])
      await rig.vouch('east/1')
      const { code, json, err } = await prove(body?.id ?? '')
      assert.equal(code, 0, err)
      const owner = keyOf('owner').verifier
      assert.ok(checkEventProof(json, { owner }).holds)
      assert.ok(!checkEventProof(json, { owner: keyOf('ann').verifier }).holds)
      const unknown = await prove('019a89f6-20fa-7000-8000-0000000000fe')
      assert.deepEqual([unknown.code, /no entry/.test(unknown.err)], [1, true])
    }),
  ))

/** As a bundle of format 0. */
async function write(mall: PaperMall, dir: string): Promise<void> {
  const put = (file: string, text: string) => {
    mkdirSync(join(dir, file, '..'), { recursive: true })
    writeFileSync(join(dir, file), text)
  }
  put('charter.note', mall.charterNote)
  for (const { version, note } of mall.policies) put(`policies/${version}.note`, note as string)
  for (const [account, { lines }] of mall.ledgers) put(`ledgers/${account}.jsonl`, lines.map(l => `${l}\n`).join(''))
  for (const [i, note] of mall.rows.entries()) {
    const account = note.slice(0, note.indexOf('\n')).replace('gatemesh/paper/', '')
    put(`rows/${account}.${i + 1}.note`, note)
  }
}

test.run()
