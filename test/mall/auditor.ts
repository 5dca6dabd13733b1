// What an auditor finds in the folder of a mall that has stopped, or was killed: nothing but files and the owner's key.

import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Account } from '../../ledger/account.ts'
import { verifyMall, type WholeReport } from '../../ledger/audit/verify.ts'
import { VerifierKey } from '../../ledger/key.ts'
import { openLevelStore } from '../../ledger/level-store.ts'
import { parseLine } from '../../ledger/line.ts'

export interface Audited {
  readonly report: WholeReport
  /** ids of everyone whose admission is on disk */
  readonly admitted: ReadonlySet<string>
}

/** `also`: folders of stores that somebody put aside, and whose they were. */
export async function auditFolder(dir: string, also: ReadonlyMap<string, string> = new Map()): Promise<Audited> {
  const admitted = new Set<string>()
  const ledgers = new Map<Account, string[]>()
  const rows = new Set<string>()
  const policies = new Map<string, string>()
  const members = readdirSync(join(dir, 'keys')).map(file => file.replace(/\.key$/, ''))
  // a member has a store; people, and keys that came later, have none
  const own = members.filter(member => existsSync(join(dir, member)))
  for (const [folder, name] of [...own.map(member => [member, member] as const), ...also]) {
    const store = await openLevelStore({ dir: join(dir, folder), name })
    try {
      for (const account of await store.accounts()) {
        const lines: string[] = []
        for await (const { line } of store.salvage(account)) {
          lines.push(line)
          const entry = parseLine(line)
          if (entry.type === 'admit') admitted.add(entry.id)
        }
        ledgers.set(account, lines)
      }
      if (store.found.kind === 'intact' && store.found.row !== undefined) rows.add(store.found.row)
      for (const note of store.rows().values()) rows.add(note)
      for (const [key, note] of store.notes()) if (key.startsWith('policy-')) policies.set(key, note)
    } finally {
      await store.close()
    }
  }
  const owner = VerifierKey.parse(readFileSync(join(dir, 'owner.vkey'), 'utf8').trim())
  const charter = readFileSync(join(dir, 'charter.note'), 'utf8')
  const revisions = readdirSync(dir)
    .filter(file => /^charter\.\d+\.note$/.test(file))
    .sort()
    .map(file => readFileSync(join(dir, file), 'utf8'))
  const shown = { charter, revisions, owner, policies: [...policies.values()], ledgers, rows: [...rows] }
  const report = await verifyMall(shown)
  return { report, admitted }
}
