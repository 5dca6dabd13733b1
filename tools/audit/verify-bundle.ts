// Verify bundle: a bundle on disk, held against every law.

import { mkdtemp } from 'node:fs/promises'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Account } from '../../ledger/account.ts'
import type { Desk } from '../../ledger/audit/desk.ts'
import { FileDesk } from '../../ledger/audit/file-desk.ts'
import type { Finding } from '../../ledger/audit/findings.ts'
import { type Bundle, openBundle } from '../../ledger/audit/folder.ts'
import { MemoryHeads } from '../../ledger/audit/head-store.ts'
import { checkManifests } from '../../ledger/audit/manifest.ts'
import type { Cut } from '../../ledger/audit/merge.ts'
import { Pool } from '../../ledger/audit/pool.ts'
import type { Material, Report } from '../../ledger/audit/report.ts'
import { verifyMaterial } from '../../ledger/audit/verify.ts'
import type { VerifierKey } from '../../ledger/key.ts'
import { located } from './located.ts'

export interface Verification extends Report {
  readonly bundle: Bundle
}

export interface VerifyOptions {
  /** how many threads read and check; 0 for none but this one */
  readonly threads?: number
  /** where there is less to read than this, threads cost more than they save */
  readonly aloneBytesMax?: number
  /** every moment that counts, in the order of the replay */
  readonly onCut?: (cut: Cut) => void
  /** bytes read so far, of how many */
  readonly onProgress?: (done: number, all: number) => void
}

const ALONE_BYTES_MAX = 4 << 20

/** Every core of the machine, and no more than help. */
export const THREADS = Math.min(4, availableParallelism())

export async function verifyBundle(
  dir: string,
  owner: VerifierKey,
  options: VerifyOptions = {},
): Promise<Verification> {
  const bundle = await openBundle(dir)
  const { threads = THREADS, aloneBytesMax = ALONE_BYTES_MAX, onCut, onProgress } = options
  const isBag = bundle.profile > 0
  const all = sum(bundle) * (isBag ? 2 : 1)
  let done = 0
  const onBytes = (bytes: number) => {
    done += bytes
    onProgress?.(Math.min(done, all), all)
  }
  const manifests = isBag ? checkManifests(dir, onBytes) : Promise.resolve([])
  const material = materialOf(bundle, owner)
  const isAlone = threads === 0 || sum(bundle) < aloneBytesMax
  const report = await atDesk(bundle, isAlone ? 0 : threads, onBytes, desk => verifyMaterial(material, desk, onCut))
  const flaws: Finding[] = (await manifests).map(flaw => ({ kind: 'bag', account: '', ...flaw }))
  const findings = await located(bundle, withoutRepeats([...flaws, ...report.findings]))
  return { ...report, ok: findings.length === 0, findings, bundle }
}

async function atDesk<T>(
  bundle: Bundle,
  threads: number,
  onBytes: (bytes: number) => void,
  act: (desk: Desk) => Promise<T>,
): Promise<T> {
  const { ledgers } = bundle
  if (threads === 0) {
    const paths = new Map([...ledgers].map(([account, { path }]) => [account, path]))
    return act(new FileDesk({ paths, heads: new MemoryHeads(), onBytes }))
  }
  const scratch = await mkdtemp(join(tmpdir(), 'gatemesh-audit-'))
  const pool = new Pool({ threads, ledgers, scratch, onBytes })
  try {
    return await act(pool)
  } finally {
    await pool.close()
  }
}

function sum({ ledgers }: Bundle): number {
  let bytes = 0
  for (const ledger of ledgers.values()) bytes += ledger.bytes
  return bytes
}

/** One file, one line: a file that is missing is also one that is listed and not there. */
function withoutRepeats(findings: readonly Finding[]): Finding[] {
  const seen = new Set<string>()
  return findings.filter(({ kind, file }) => {
    if (kind !== 'bag' || file === undefined) return true
    const isNew = !seen.has(file)
    seen.add(file)
    return isNew
  })
}

function materialOf(bundle: Bundle, owner: VerifierKey): Material {
  const { charters, policies, rows, forks, scope, starts, profile, flaws, about, ledgers } = bundle
  const shown = new Map<Account, { from: number; to: number | undefined }>()
  // without bundle.json nobody says from where to where they are shown
  if (profile === 0) for (const [account, { from, to }] of ledgers) shown.set(account, { from, to })
  for (const { account, from, to } of about?.ledgers ?? []) shown.set(account, { from, to })
  return { owner, charters, policies, rows, forks, scope, shown, starts, profile, flaws, about }
}
