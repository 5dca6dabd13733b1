// Second opinion: of every mall that is verified on paper, the verifier that lies in bundles must say the same.
//
// It gets the mall as a folder of format 0. So each mall that breaks a law in test/ledger is asked of both, and neither can be
// wrong alone.

import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { Report } from '../../ledger/audit/report.ts'
import type { MallShown } from '../../ledger/audit/verify.ts'
import { agreed, type Told } from './agreed.ts'
import { second } from './second.ts'

/** Fails unless the second verifier finds the same of each account, at the same entries; and proves as much if it is nothing. */
export async function askSecond(shown: MallShown, report: Report): Promise<void> {
  const dir = mkdtempSync(join(tmpdir(), 'gatemesh-second-'))
  try {
    if (!writeFolder(dir, shown)) return
    const told = await second(dir, shown.owner.toString())
    const what = told.findings.map(finding => JSON.stringify(finding)).join('\n')
    assert.deepEqual(findings(told), findings(report), `the second verifier says otherwise:\n${what}`)
    if (report.ok) assert.deepEqual(proved(told), proved(report), 'the second verifier proves something else')
  } finally {
    rmSync(dir, { recursive: true })
  }
}

/** False where it cannot be a folder: lines that come as they are read, two policies of one version, rows of nobody. */
function writeFolder(dir: string, { charter, policies, ledgers, rows }: MallShown): boolean {
  const files = new Map([['charter.note', charter]])
  for (const note of policies) {
    const file = `policies/${/\nversion (\d+)\n/.exec(note)?.[1]}.note`
    if (files.has(file)) return false
    files.set(file, note)
  }
  for (const [account, lines] of ledgers) {
    if (!Array.isArray(lines)) return false
    files.set(`ledgers/${account}.jsonl`, lines.map(line => `${line}\n`).join(''))
  }
  for (const note of rows) {
    const account = /^gatemesh\/[^/\n]+\/([a-z0-9-]+\/\d+)\n/.exec(note)?.[1]
    if (account === undefined) return false
    let file = `rows/${account}.note`
    for (let n = 1; files.has(file); n++) file = `rows/${account}.${n}.note`
    files.set(file, note)
  }
  for (const [file, text] of files) {
    mkdirSync(dirname(join(dir, file)), { recursive: true })
    writeFileSync(join(dir, file), text)
  }
  return true
}

export function findings(told: Told): string[] {
  return told.findings.map(({ kind, account, seq }) => [kind, account, seq ?? ''].join(' ').trim()).sort()
}

/** What is proved where nothing was found. A maximum of nobody has no moment worth agreeing on, nor has one inside a leap. */
function proved(told: Told) {
  const { peak, maxOccupancy, ...rest } = agreed(told)
  const isPlain = (maxOccupancy ?? 0) > 0 && rest.lost.length === 0
  return { ...rest, maxOccupancy: Math.max(0, maxOccupancy ?? 0), peak: isPlain ? peak : null }
}
