// Located: where in which file the line is that a finding is about. Looked for afterwards: what is found is rare.

import { createReadStream } from 'node:fs'
import type { Finding } from '../../ledger/audit/findings.ts'
import type { Bundle } from '../../ledger/audit/folder.ts'

const NEWLINE = 10

export function located(bundle: Bundle, findings: readonly Finding[]): Promise<Finding[]> {
  return Promise.all(findings.map(finding => locate(bundle, finding)))
}

async function locate({ ledgers }: Bundle, finding: Finding): Promise<Finding> {
  const ledger = ledgers.get(finding.account)
  if (ledger === undefined || finding.file !== undefined) return finding
  const { kind, seq, what } = finding
  // a file that is not in order is nobody's
  const account = kind === 'bag' ? '' : finding.account
  if (seq === undefined) return { kind, account, file: ledger.file, what }
  const byte = await startOf(ledger.path, seq - ledger.from).catch(() => undefined)
  return { kind, account, seq, file: ledger.file, ...(byte === undefined ? {} : { byte }), what }
}

/** Where line `n` begins, counted from 0; the end of the file where it has fewer. */
async function startOf(path: string, n: number): Promise<number> {
  let lines = 0
  let bytes = 0
  if (n <= 0) return 0
  for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) {
    for (let i = chunk.indexOf(NEWLINE); i >= 0; i = chunk.indexOf(NEWLINE, i + 1)) {
      if (++lines === n) return bytes + i + 1
    }
    bytes += chunk.length
  }
  return bytes
}
