// Ledgers: what the disks hold afterwards against what people were told.
//
// Laws: whoever was told ADMIT is on exactly one ledger, unless a disk was wiped after that; an admission that nobody was
// told of is one whose answer was lost or taken back; exits are counted once; and the auditor finds nothing.

import { nameOf } from '../../../ledger/account.ts'
import type { Books, Kept } from '../books.ts'
import type { Finding } from '../finding.ts'
import type { History, Visit } from '../history.ts'

export function ledgers(history: History, books: Books): Finding[] {
  if (books.epochs.length === 0) return verified(history, books)
  return [...told(history, books), ...admitted(history, books), ...exited(history, books), ...verified(history, books)]
}

function told(history: History, { admits }: Books): Finding[] {
  const findings: Finding[] = []
  for (const visit of history.visits.values()) {
    if (visit.admitted === undefined || admits.has(visit.id)) continue
    if (wipedAfter(history, visit.gate, visit.firstAsk)) continue
    const what = `${visit.id} was told ADMIT at ${visit.gate}, and no ledger knows`
    findings.push({ law: 'durable', t: visit.admitted, what, lines: visit.answers })
  }
  return findings
}

function admitted(history: History, { admits, lapses }: Books): Finding[] {
  const findings: Finding[] = []
  for (const [id, kept] of admits) {
    const visit = history.visits.get(id)
    const t = visit?.firstAsk ?? 0
    const where = kept.map(({ account, seq }) => `${account} ${seq}`).join(', ')
    const complain = (law: Finding['law'], what: string) =>
      findings.push({ law, t, what: `${id} (${where}): ${what}`, lines: visit?.answers ?? [] })
    if (visit === undefined) {
      complain('invented', 'admitted, and never asked')
      continue
    }
    if (kept.some(({ account }) => nameOf(account) !== visit.gate)) complain('invented', `asked at ${visit.gate}`)
    if (kept.length > 1 && !wipedAfter(history, visit.gate, t)) complain('once', 'admitted twice')
    if (!isExplained(visit) && !lapses.has(id)) complain('invented', 'admitted, and was told something else')
  }
  return findings
}

/** Told so, or nobody was told, or the gate said that it could not open for it. */
function isExplained({ admitted, silences, answers }: Visit): boolean {
  if (admitted !== undefined || silences > 0) return true
  return answers.length === 0 || answers.some(({ decision }) => ['REJECT_FAULT', 'REJECT_EMERGENCY'].includes(decision))
}

function exited(history: History, { exits }: Books): Finding[] {
  const findings: Finding[] = []
  for (const [exit, kept] of exits) {
    const leaving = history.leavings.get(exit)
    const t = leaving?.left ?? 0
    const where = kept.map(({ account, seq }: Kept) => `${account} ${seq}`).join(', ')
    const lines = leaving?.told === undefined ? [] : [leaving.told]
    if (leaving === undefined)
      findings.push({ law: 'invented', t, what: `an exit that nobody made: ${exit} (${where})`, lines })
    else if (kept.length > 1 && !wipedAfter(history, leaving.gate, leaving.left)) {
      findings.push({ law: 'once', t, what: `exit ${exit} counted twice (${where})`, lines })
    }
  }
  return findings
}

function verified({ end }: History, { audit }: Books): Finding[] {
  return audit.map(what => ({ law: 'verified', t: end, what, lines: [] }))
}

export function wipedAfter(history: History, gate: string, t: number): boolean {
  return history
    .spellsOf('wipe')
    .some(({ fault, ended }) => fault.kind === 'wipe' && fault.member === gate && ended >= t)
}
