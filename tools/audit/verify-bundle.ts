// Verify bundle: a bundle on disk, held against every law.

import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline'
import type { Account } from '../../ledger/account.ts'
import { type Bundle, type LedgerFile, openBundle } from '../../ledger/audit/folder.ts'
import type { Lines } from '../../ledger/audit/ledger.ts'
import { type Report, verifyMall } from '../../ledger/audit/verify.ts'
import type { VerifierKey } from '../../ledger/key.ts'

export interface Verification extends Report {
  readonly bundle: Bundle
}

export async function verifyBundle(dir: string, owner: VerifierKey): Promise<Verification> {
  const bundle = await openBundle(dir)
  const notes = (files: readonly { readonly note: string }[]) => files.map(file => file.note)
  const ledgers = new Map<Account, Lines>([...bundle.ledgers].map(([account, file]) => [account, linesOf(file)]))
  const [charter = ''] = notes(bundle.charters)
  const shown = { charter, owner, policies: notes(bundle.policies), ledgers, rows: notes(bundle.rows) }
  return { ...(await verifyMall(shown)), bundle }
}

function linesOf({ path }: LedgerFile): Lines {
  return createInterface({ input: createReadStream(path, 'utf8') })
}
