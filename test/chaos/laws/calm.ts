// Calm: a gate that was seen to know of an emergency lets nobody in who asks after that, until two people begin to clear it.

import type { Finding } from '../finding.ts'
import type { History } from '../history.ts'

export function calm(history: History): Finding[] {
  const findings: Finding[] = []
  for (const { fault, begin, end } of history.spellsOf('mode')) {
    const knows = new Map<string, number>()
    for (const { member, asked, t, said } of history.polls) {
      if (asked >= begin && t < end && said.mode !== 'NORMAL' && !knows.has(member)) knows.set(member, t)
    }
    // a gate that lost its disk hears of it anew
    for (const wipe of history.spellsOf('wipe')) {
      if (wipe.fault.kind === 'wipe' && wipe.ended > begin && wipe.begin < end) knows.delete(wipe.fault.member)
    }
    for (const { gate, firstAsk, admitted, answers } of history.visits.values()) {
      const since = knows.get(gate) ?? Number.POSITIVE_INFINITY
      if (admitted === undefined || firstAsk < since || admitted >= end) continue
      const what = `${gate} let somebody in who asked at ${firstAsk}, and was seen in ${JSON.stringify(fault)} at ${since}`
      findings.push({ law: 'calm', t: admitted, what, lines: answers })
    }
  }
  return findings
}
