// Exits and life: a gate that runs answers every exit at once, never with no; and no member ends or falls silent by itself.

import type { Finding } from '../finding.ts'
import type { History } from '../history.ts'

/** Of a gate on a machine that others use too. A person who pushes the bar has left long before; this is the counting. */
export const EXIT_MS_MAX = 4000
/**
 * A gate that is just back sets up its connections with cold code, while everyone who waited connects anew: Node takes one
 * new connection in a turn of its loop, and on a machine with seven starting at once a turn takes long.
 */
const WARM_MS = 10_000
/** So many questions in a row without an answer are no accident of one connection. */
const UNSEEN_MAX = 4

export function exitFree(history: History): Finding[] {
  const findings: Finding[] = []
  const away = awayOf(history)
  for (const line of history.lines) {
    if (line.is === 'told' && line.status !== 200) {
      const what = `${line.gate} answered an exit with ${line.status}`
      findings.push({ law: 'exitFree', t: line.t, what, lines: [line] })
    }
    const isSlow = line.is === 'told' && line.ms > EXIT_MS_MAX
    const isUnheard = line.is === 'silence' && line.way === 'out'
    // an answer that lay there while we did not look was not late
    if ((isSlow || (isUnheard && !line.refused)) && history.attended(line.t - line.ms, line.t) < EXIT_MS_MAX) continue
    if (!(isSlow || isUnheard) || away(line.gate, line.t - line.ms - WARM_MS, line.t)) continue
    const how = isSlow ? `answered an exit after ${line.ms} ms` : `did not answer an exit for ${line.ms} ms`
    findings.push({ law: 'exitFree', t: line.t, what: `${line.gate}, which ran, ${how}`, lines: [line] })
  }
  return findings
}

export function alive(history: History): Finding[] {
  const findings: Finding[] = []
  const away = awayOf(history)
  const unseen = new Map<string, number>()
  for (const line of history.lines) {
    if (line.is === 'death')
      findings.push({ law: 'alive', t: line.t, what: `${line.member}: ${line.why}`, lines: [line] })
    if (line.is === 'status') unseen.set(line.member, 0)
    if (line.is !== 'unseen') continue
    const isExcused =
      away(line.member, line.asked, line.t) || history.attended(line.asked, line.t) < line.t - line.asked
    const count = isExcused ? 0 : (unseen.get(line.member) ?? 0) + 1
    unseen.set(line.member, count)
    if (count !== UNSEEN_MAX) continue
    const what = `${line.member} does not answer, and nobody did anything to it: ${line.why}`
    findings.push({ law: 'alive', t: line.t, what, lines: [line] })
  }
  return findings
}

function awayOf(history: History): (member: string, from: number, to: number) => boolean {
  const times = new Map(history.members.map(member => [member, history.awayTimes(member)]))
  return (member, from, to) => times.get(member)?.some(away => away.from <= to && away.to >= from) ?? false
}
