// Finding: one line of what the doctor saw. Whatever is wrong says what to do about it.

export const VERDICTS = ['fine', 'doubt', 'wrong', 'unknown'] as const
/** unknown: could not be looked at from here, and the line says why */
export type Verdict = (typeof VERDICTS)[number]

export interface Finding {
  readonly about: string
  readonly verdict: Verdict
  readonly what: string
  /** what mends it */
  readonly todo?: string
}

export function fine(about: string, what: string): Finding {
  return { about, verdict: 'fine', what }
}

export function unknown(about: string, what: string, todo?: string): Finding {
  return { about, verdict: 'unknown', what, ...(todo === undefined ? {} : { todo }) }
}

export function doubt(about: string, what: string, todo: string): Finding {
  return { about, verdict: 'doubt', what, todo }
}

export function wrong(about: string, what: string, todo: string): Finding {
  return { about, verdict: 'wrong', what, todo }
}

const SIGNS = { fine: 'ok   ', doubt: 'doubt', wrong: 'WRONG', unknown: '  ?  ' } as const satisfies Record<
  Verdict,
  string
>

/** One line each. */
export function findingLines(findings: readonly Finding[]): string[] {
  const width = Math.max(...findings.map(({ about }) => about.length))
  return findings.map(({ about, verdict, what, todo }) => {
    return `${SIGNS[verdict]}  ${about.padEnd(width)}  ${what}${todo === undefined ? '' : ` → ${todo}`}`
  })
}

/** As in `14 looked at: 1 wrong, 2 in doubt, 1 unknown`. */
export function summaryLine(findings: readonly Finding[]): string {
  const count = (verdict: Verdict) => findings.filter(one => one.verdict === verdict).length
  const parts = [
    [count('wrong'), 'wrong'],
    [count('doubt'), 'in doubt'],
    [count('unknown'), 'unknown'],
  ] as const
  const told = parts.filter(([n]) => n > 0).map(([n, words]) => `${n} ${words}`)
  return `${findings.length} looked at: ${told.length === 0 ? 'all is well' : told.join(', ')}`
}
