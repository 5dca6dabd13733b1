// quiet: waits
// As a stranger would: takes the commands out of the README.txt of a bundle, puts the owner's key in, and runs them in that
// folder with nothing of ours on the way.

import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Scope } from '../../ledger/audit/about.ts'
import { signRow } from '../../ledger/row-note.ts'
import { writeBundle } from '../../tools/audit/bundle-writer.ts'
import { needs } from '../debian.ts'
import { MALL, PaperMall, signerOf } from '../ledger/paper-mall.ts'
import { suite } from '../suite.ts'
import { Copy } from './copy.ts'
import { contentOf, type EvidenceMall, evidenceMall } from './evidence-mall.ts'

const test = suite('audit/by hand')

const lacking = [await needs('jq', 'jq'), await needs('openssl', 'openssl'), await needs('basenc', 'coreutils')]
const why = lacking.find(reason => reason !== undefined)
const folder = mkdtempSync(join(tmpdir(), 'gatemesh-by-hand-'))
const evidence = evidenceMall()
const owner = evidence.mall.owner.verifier.toString()
/** the blocks about one book */
const BOOK = [6, 7, 8, 9, 10, 11, 12]
let bundles = 0

test.after(() => rmSync(folder, { recursive: true }))

async function bundle(scope: Partial<Scope> = {}, from: EvidenceMall = evidence): Promise<Copy> {
  const dir = join(folder, String(++bundles))
  await writeBundle(dir, contentOf(from, scope))
  return new Copy(dir, join(folder, `${bundles}.copy`))
}

interface Hand {
  /** the blocks after the first two, which only set up; all of them if left out */
  readonly blocks?: readonly number[]
  readonly key?: string
  readonly account?: string
}

/** What the blocks print, a line each. */
function hand(dir: string, { blocks, key = owner, account }: Hand = {}): string[] {
  const readme = readFileSync(join(dir, 'data/README.txt'), 'utf8')
  const all = [...readme.matchAll(/^-- copy from here --\n([\s\S]*?)^-- to here --$/gm)].map(
    match => match[1] as string,
  )
  const [setting = '', tools = '', ...checks] = all
  const set = setting
    .replace(/^OWNER='.*'$/m, `OWNER='${key}'`)
    .replace(/^ACCOUNT='(.*)'$/m, (line, given) => (account === undefined ? line : line.replace(given, account)))
  const chosen = checks.filter((_, i) => blocks === undefined || blocks.includes(i + 3))
  const options = { cwd: dir, encoding: 'utf8', timeout: 60_000 } as const
  return execFileSync('bash', ['-c', [set, tools, ...chosen].join('\n')], options)
    .trimEnd()
    .split('\n')
}

/** The lines that say so. */
function refused(dir: string, options: Hand): string {
  const said = hand(dir, options).filter(line => line.startsWith('NOT OK'))
  assert.ok(said.length > 0, 'nothing was found')
  return said.join('\n')
}

function swap(text: string | RegExp, by: string): (before: string) => string {
  return before => before.replace(text, by)
}

const claims: Readonly<Record<string, () => Promise<void>>> = {
  'a true bundle is found true, whole, of a day, and of one gate': async () => {
    const day = { from: evidence.morning, to: evidence.evening }
    for (const [scope, account, oks, blocks] of [
      [{}, 'east/1', 39],
      [{}, 'north/1', 8, BOOK],
      [day, 'east/1', 10, BOOK],
      [day, 'anchor/2', 7, BOOK],
      [{ gates: ['north'] }, 'north/2', 9, BOOK],
    ] as const) {
      const { dir } = await bundle(scope)
      const said = hand(dir, { account, ...(blocks === undefined ? {} : { blocks }) })
      assert.deepEqual(
        said.filter(line => !/^(ok {6}|seal {4}| {8})/.test(line)),
        [],
      )
      assert.equal(said.filter(line => line.startsWith('ok')).length, oks, said.join('\n'))
    }
  },

  'a file altered, removed or added shows in the manifests': async () => {
    const copy = await bundle()
    copy.edit('data/ledgers/west/1.jsonl', swap('"confidence":1000', '"confidence":999'))
    assert.match(refused(copy.dir, { blocks: [3] }), /every file is as it was packed/)
    copy.mend()
    copy.remove('data/rows/east/1.10.note')
    assert.match(refused(copy.dir, { blocks: [3] }), /every file[\s\S]*no file is missing/)
    copy.mend()
    copy.write('data/rows/east/1.11.note', 'row')
    assert.match(refused(copy.dir, { blocks: [3] }), /none was added/)
    copy.mend()
    copy.edit('bag-info.txt', swap('paper', 'other'))
    assert.match(refused(copy.dir, { blocks: [3] }), /labels/)
    copy.seal()
    assert.doesNotMatch(hand(copy.dir, { blocks: [3] }).join('\n'), /NOT OK/)
  },

  "a charter altered, or another owner's, fails under the owner's key": async () => {
    const copy = await bundle()
    assert.match(refused(copy.dir, { blocks: [4], key: signerOf('owner', ' thief').verifier.toString() }), /signed by/)
    copy.edit('data/charter.note', swap('legal-max 40', 'legal-max 400'))
    copy.seal()
    const said = refused(copy.dir, { blocks: [4] })
    assert.match(said, /charter\.note is signed by the owner/)
    assert.match(said, /charter\.2\.note follows/)
  },

  'a policy altered, or signed by somebody else, fails': async () => {
    const copy = await bundle()
    copy.edit('data/policies/2.note', swap('capacity 0 17', 'capacity 0 39'))
    copy.seal()
    assert.match(refused(copy.dir, { blocks: [5] }), /2\.note is signed by anchor[\s\S]*3\.note follows/)
    copy.mend()
    copy.edit('data/policies/2.note', swap(/— gatemesh\/paper\/bruno .*\n/, ''))
    copy.edit('data/policies/2.note', note => note.replaceAll('paper/alma', 'paper/vera'))
    copy.seal()
    assert.match(refused(copy.dir, { blocks: [5] }), /2\.note is signed by vera/)
  },

  'a row altered, or of another book, fails': async () => {
    const copy = await bundle()
    copy.edit('data/rows/east/1.16.note', swap('admitted 8', 'admitted 7'))
    copy.seal()
    assert.match(refused(copy.dir, { blocks: [6] }), /1\.16\.note is signed by east/)
    copy.mend()
    copy.write('data/rows/east/1.16.note', copy.bytes('data/rows/west/1.6.note'))
    copy.seal()
    assert.match(refused(copy.dir, { blocks: [6] }), /1\.16\.note is of this book/)
  },

  'a line altered or missing shows in the chain, and at the end in the root': async () => {
    const copy = await bundle()
    const ledger = 'data/ledgers/east/1.jsonl'
    copy.edit(ledger, swap('"confidence":1000', '"confidence":999'))
    copy.seal()
    assert.match(refused(copy.dir, { blocks: [7] }), /are one chain/)
    copy.mend()
    copy.writeLines(ledger, copy.lines(ledger).slice(0, -1))
    copy.seal()
    assert.match(refused(copy.dir, { blocks: [7, 8] }), /up to 16 are here[\s\S]*the root/)
    copy.mend()
    copy.writeLines(ledger, copy.lines(ledger).with(-1, (copy.lines(ledger).at(-1) as string).replace('950', '951')))
    copy.seal()
    assert.doesNotMatch(hand(copy.dir, { blocks: [7] }).join('\n'), /NOT OK/)
    assert.match(refused(copy.dir, { blocks: [7, 8] }), /the root of east\/1 at 16/)
  },

  'a gate that signs sums which are not those of its book is found': async () => {
    const copy = await bundle()
    const row = evidence.mall.rowOf('east/1')
    const false1 = { ...row, counters: { ...row.counters, admitted: row.counters.admitted - 1 } }
    copy.write('data/rows/east/1.16.note', signRow(false1, MALL, signerOf('east')))
    copy.seal()
    assert.doesNotMatch(hand(copy.dir, { blocks: [6] }).join('\n'), /NOT OK/)
    assert.match(refused(copy.dir, { blocks: [7, 9] }), /1\.16\.note says is what the lines add up to/)
  },

  'a gate that admits without a place is found': async () => {
    const mall = PaperMall.opened()
    for (let i = 0; i < 6; i++) mall.admit('east/1')
    const { dir } = await bundle({}, { ...evidence, mall: mall.close(), charters: [mall.charterNote] })
    assert.match(refused(dir, { blocks: BOOK }), /^NOT OK {2}east\/1 spent only what it held, and holds -1 at the end$/)
  },

  'a gate that wrote its book anew is found by the checkpoint of the anchor': async () => {
    const [seen, anew] = [PaperMall.opened(), PaperMall.opened()]
    for (const mall of [seen, anew]) {
      mall.admit('east/1', mall === anew ? '01890a5d-ac96-774b-8cce-000000000000' : undefined)
      mall.write('anchor/1', { type: 'checkpoint', heads: [seen.headOf('east/1')] })
      mall.close()
    }
    const { dir } = await bundle({}, { ...evidence, mall: anew, charters: [anew.charterNote] })
    assert.match(refused(dir, { blocks: BOOK }), /^NOT OK {2}the anchor saw the same book at size 3$/)
  },
}

for (const [claim, check] of Object.entries(claims)) {
  const name = `with the commands of its README, ${claim}`
  if (why === undefined) test(name, check)
  else test.skip(name, why)
}

test('the programs are called as the README says, and answer', async () => {
  const copy = await bundle()
  const readme = copy.text('data/README.txt')
  const ours = fileURLToPath(new URL('../../tools/gatemesh.mjs', import.meta.url))
  const ways = [...readme.matchAll(/^ {4}(node data\/verify\.mjs|gatemesh audit verify) (.*)$/gm)]
  assert.equal(ways.length, 2)
  for (const [, program, args = ''] of ways) {
    const called = program === 'gatemesh audit verify' ? `"$NODE" "$GATEMESH" audit verify` : '"$NODE" data/verify.mjs'
    const env = { ...process.env, NODE: process.execPath, GATEMESH: ours }
    const call = (key: string) =>
      spawnSync('bash', ['-c', `${called} ${args.replace("'KEY'", `'${key}'`)}`], {
        cwd: copy.dir,
        env,
        timeout: 60_000,
      })
    assert.equal(call(owner).status, 0)
    assert.equal(call(signerOf('owner', ' thief').verifier.toString()).status, 1)
  }
})

test.run()
