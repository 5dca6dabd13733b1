// Querying: the command `audit query` in this process, and malls for it to read.

import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Entry } from '../../ledger/entry.ts'
import type { PaperMall } from '../ledger/paper-mall.ts'
import { gatemesh, type Said } from '../tools/clerk.ts'

export const GOLDEN = join(import.meta.dirname, '../golden/mall')

export async function inFolder(act: (path: (name: string) => string) => Promise<void>): Promise<void> {
  const dir = mkdtempSync(join(tmpdir(), 'query-'))
  try {
    await act(name => join(dir, name))
  } finally {
    rmSync(dir, { recursive: true, force: true })
  }
}

/** The command, and what it wrote at its reader's pace. */
export async function query(...args: string[]): Promise<Said & { readonly text: string }> {
  const { write } = process.stdout
  let text = ''
  process.stdout.write = ((part: string, done?: (error?: Error) => void) => {
    text += part
    done?.()
    return true
  }) as typeof write
  try {
    return { ...(await gatemesh('audit', 'query', ...args)), text }
  } finally {
    process.stdout.write = write
  }
}

export async function rows(...args: string[]): Promise<Record<string, unknown>[]> {
  const { code, text, err } = await query(...args, '--format', 'jsonl')
  assert.equal(code, 0, err)
  return text === ''
    ? []
    : text
        .trimEnd()
        .split('\n')
        .map(line => JSON.parse(line))
}

/** Every entry of a bundle of format 0 or of its payload, ledger by ledger. */
export function entriesOf(dir: string, accounts: readonly string[]): { account: string; entry: Entry; line: string }[] {
  return accounts.flatMap(account =>
    readFileSync(join(dir, 'ledgers', `${account}.jsonl`), 'utf8')
      .trimEnd()
      .split('\n')
      .map(line => ({ account, entry: JSON.parse(line) as Entry, line })),
  )
}

/** As a bundle of format 0, as far as a query reads one. */
export async function write(mall: PaperMall, dir: string): Promise<void> {
  mkdirSync(dir, { recursive: true })
  writeFileSync(join(dir, 'charter.note'), mall.charterNote)
  for (const [account, { lines }] of mall.ledgers) {
    mkdirSync(join(dir, 'ledgers', account, '..'), { recursive: true })
    writeFileSync(join(dir, 'ledgers', `${account}.jsonl`), lines.map(line => `${line}\n`).join(''))
  }
}
