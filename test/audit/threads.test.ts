// Threads may change how long an audit takes, and nothing else.

import assert from 'node:assert/strict'
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Cut } from '../../ledger/audit/merge.ts'
import type { Report } from '../../ledger/audit/report.ts'
import { VerifierKey } from '../../ledger/key.ts'
import { verifyBundle } from '../../tools/audit/verify-bundle.ts'
import { suite } from '../suite.ts'

const test = suite('audit/threads')

const golden = join(import.meta.dirname, '../golden')
const owner = VerifierKey.parse(readFileSync(join(golden, 'mall/owner.vkey'), 'utf8').trim())

async function withCopy(name: string, act: (dir: string) => Promise<void>): Promise<void> {
  const dir = mkdtempSync(join(tmpdir(), 'threads-'))
  try {
    cpSync(join(golden, name), dir, { recursive: true })
    await act(dir)
  } finally {
    rmSync(dir, { recursive: true, force: true })
  }
}

/** What is said with no thread, one and three, and each moment of the replay. */
async function said(dir: string): Promise<string[]> {
  const all: string[] = []
  for (const threads of [0, 1, 3]) {
    const cuts: Cut[] = []
    const { bundle: _, ...report } = await verifyBundle(dir, owner, {
      threads,
      aloneBytesMax: 0,
      onCut: cut => cuts.push(cut),
    })
    all.push(JSON.stringify({ report, cuts }))
  }
  return all
}

test('one, three or none of them say the same of a true bundle', () =>
  withCopy('mall', async dir => {
    const [none = '', one, three] = await said(dir)
    assert.deepEqual([one, three], [none, none])
    assert.equal(JSON.parse(none).report.ok, true)
    assert.ok(JSON.parse(none).cuts.length > 10)
  }))

for (const [file, from, to] of [
  ['ledgers/east/1.jsonl', '"confidence":1000', '"confidence":999'],
  ['ledgers/anchor/1.jsonl', '"amount":', '"amount":1'],
  ['rows/west/1.note', 'sent', 'Sent'],
  ['policies/2.note', 'repairs', 'Repairs'],
] as const) {
  test(`they say the same where ${file} was altered`, () =>
    withCopy('mall', async dir => {
      const text = readFileSync(join(dir, file), 'utf8')
      assert.ok(text.includes(from))
      writeFileSync(join(dir, file), text.replace(from, to))
      const [none = '', one, three] = await said(dir)
      assert.deepEqual([one, three], [none, none])
      assert.equal(JSON.parse(none).report.ok, false)
    }))
}

test('a ledger that is gone is missed, with and without them', () =>
  withCopy('mall', async dir => {
    rmSync(join(dir, 'ledgers/east/1.jsonl'))
    const [none = '', one, three] = await said(dir)
    assert.deepEqual([one, three], [none, none])
    const { findings } = JSON.parse(none).report as Report
    assert.ok(findings.some(({ kind, account }) => kind === 'truncated' && account === 'east/1'))
  }))

test.run()
