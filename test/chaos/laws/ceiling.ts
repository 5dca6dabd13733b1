// Ceiling: nobody is let in beyond what may be inside.
//
// Law: tokens are only ever spent by whoever holds them, so the people inside are never more than the largest capacity that
// can have been in force when the last of them asked. A cut counts from when every gate was seen to know of it: each pays
// its debt before it admits again. Before that, a gate that had not heard may spend what it held.

import type { Finding } from '../finding.ts'
import type { Decree, History } from '../history.ts'

/** From when a status showed that a gate knows of a cut, until it has paid for it. */
const SETTLE_MS = 2000

export function ceiling(history: History): Finding[] {
  const known = knownToAll(history)
  const inside = new Set<string>()
  for (const line of history.lines) {
    if (line.is === 'left') inside.delete(line.id)
    if (line.is !== 'answer' || line.decision !== 'ADMIT' || inside.has(line.id)) continue
    const visit = history.visits.get(line.id)
    if (visit?.admitted !== line.t) continue
    inside.add(line.id)
    const lawful = lawfulAt(history.decrees, known, visit.firstAsk, line.t)
    if (inside.size <= lawful) continue
    const what = `${inside.size} inside after ${line.gate} let ${line.id} in, who asked at ${visit.firstAsk}; lawful ${lawful}`
    return [{ law: 'ceiling', t: line.t, what, lines: [...about(history, visit.firstAsk, line.t), line] }]
  }
  return []
}

/** The largest capacity that can have been in force between somebody's asking and their answer. */
export function lawfulAt(
  decrees: readonly Decree[],
  known: ReadonlyMap<Decree, number>,
  asked: number,
  t: number,
): number {
  const from = decrees.findLastIndex(decree => (known.get(decree) ?? Number.POSITIVE_INFINITY) <= asked)
  return Math.max(
    ...decrees
      .slice(Math.max(0, from))
      .filter(decree => decree.asked <= t)
      .map(({ to }) => to),
  )
}

/** From when on each decree, or a later one, was known at every gate and paid for. */
export function knownToAll({ decrees, polls, mall }: History): Map<Decree, number> {
  const known = new Map<Decree, number>()
  const versions = new Map<string, number>()
  for (const { member, t, said } of polls) {
    // one that joins may forget again what it was told: only what it decides by counts
    if (!mall.gates.includes(member) || said.state === 'JOINING' || said.account === '') continue
    versions.set(member, said.policyVersion)
    const least = Math.min(...mall.gates.map(gate => versions.get(gate) ?? 0))
    for (const decree of decrees) {
      if (decree.version !== undefined && decree.version <= least && !known.has(decree))
        known.set(decree, t + SETTLE_MS)
    }
  }
  return known
}

function about({ lines }: History, from: number, to: number) {
  return lines
    .filter(line => line.is === 'capacity' || (line.is === 'ask' && line.t >= from && line.t <= to))
    .slice(-12)
}
