// Verify: proves or refutes every law of a mall from its ledgers and signed notes alone. Trusts nothing but the
// owner's key; needs no network, and no memory beyond counters, marks and transfers under way.
//
// What is proved is in FORMAT.md, "Laws". Nothing shown proves nothing: an empty mall is a finding.

import type { Account } from '../account.ts'
import type { VerifierKey } from '../key.ts'
import { WHOLE } from './about.ts'
import { Audit } from './audit.ts'
import { type Desk, type Lines, LocalDesk } from './desk.ts'
import { Findings } from './findings.ts'
import type { NoteFile } from './folder.ts'
import type { Cut } from './merge.ts'
import { openNotes } from './notes.ts'
import type { Material, Report } from './report.ts'

/** Of a mall of which everything is shown. */
export interface WholeReport extends Report {
  readonly maxOccupancy: number
}

export interface MallShown {
  readonly charter: string
  readonly revisions?: readonly string[]
  /** known by other means than these files */
  readonly owner: VerifierKey
  readonly policies: readonly string[]
  /** lines without newlines; each is read once, from its first to its last */
  readonly ledgers: ReadonlyMap<Account, Lines>
  readonly rows: readonly string[]
}

/** All of a mall that is in memory. */
export async function verifyMall(shown: MallShown): Promise<WholeReport> {
  const { charter, revisions = [], owner, policies, ledgers, rows } = shown
  const notes = (texts: readonly string[]): NoteFile[] => texts.map(note => ({ file: '', note }))
  const material: Material = {
    owner,
    charters: notes([charter, ...revisions]),
    policies: notes(policies),
    rows: notes(rows),
    forks: [],
    scope: WHOLE,
    shown: new Map([...ledgers.keys()].map(account => [account, { from: 0, to: undefined }])),
    starts: new Map(),
    profile: 1,
    flaws: [],
  }
  const report = await verifyMaterial(material, new LocalDesk(ledgers))
  return { ...report, maxOccupancy: report.maxOccupancy ?? 0 }
}

export async function verifyMaterial(
  material: Material,
  desk: Desk,
  onCut?: ((cut: Cut) => void) | undefined,
): Promise<Report> {
  const findings = new Findings()
  for (const { file, what } of material.flaws) findings.add('bag', '', undefined, what, file)
  const rules = openNotes(material, findings)
  if (rules !== undefined) return new Audit({ material, rules, desk, findings, onCut }).run()
  const proved = { entries: 0, rows: 0, policies: 0, heads: 0, receives: 0, cuts: 0 }
  return { ok: false, findings: findings.list(), lost: [], proved, maxOccupancy: null, accounts: [], optical: [] }
}
