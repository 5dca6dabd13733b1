// Ending: once healed, all know all again and any door is of use; and a run that stopped half-way proves nothing. Of use is
// a door while a token is left: those of a disk that was wiped, and of people who left by a gate that lost its memory before
// it had a ledger to write that in, are back after the next head count.

import type { Books } from '../books.ts'
import type { Finding } from '../finding.ts'
import type { History } from '../history.ts'

export function ending({ phases, end, lines }: History, { free, audit }: Books): Finding[] {
  const findings: Finding[] = []
  // a fault that could not be done, or undone, is a fault of ours, and a storm that was not played
  for (const line of lines) {
    if (line.is === 'fault' && line.stage === 'failed') {
      findings.push({ law: 'complete', t: line.t, what: `${line.fault.kind} failed: ${line.why}`, lines: [line] })
    }
  }
  const unlike = phases.get('unlike')
  const unserved = phases.get('unserved')
  if (unlike !== undefined) findings.push({ law: 'converge', t: unlike.t, what: unlike.why ?? '', lines: [unlike] })
  // ledgers with something wrong about them excuse nothing
  if (unserved !== undefined && (free > 0 || audit.length > 0))
    findings.push({ law: 'useful', t: unserved.t, what: unserved.why ?? '', lines: [unserved] })
  const over = phases.get('over')
  if (over === undefined || over.why !== undefined) {
    findings.push({ law: 'complete', t: end, what: over?.why ?? 'the journal has no end', lines: over ? [over] : [] })
  }
  return findings
}
