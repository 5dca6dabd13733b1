// Agreed: what every verifier says alike of a bundle (FORMAT.md, section 11), whatever words it has for it.

interface Told {
  readonly ok: boolean
  readonly findings: readonly { readonly kind: string; readonly account: string; readonly seq?: number | undefined }[]
  readonly lost: readonly { readonly account: string; readonly from: number; readonly to: number }[]
  readonly proved: Readonly<Record<'entries' | 'rows' | 'policies' | 'receives', number>>
  readonly maxOccupancy: number | null
  readonly peak?: Peak | null | undefined
  readonly accounts: readonly AccountTold[]
}

interface Peak {
  readonly occupancy: number
  readonly capacity: number
  readonly account: string
  readonly seq: number
  readonly at: number
}

interface AccountTold {
  readonly account: string
  readonly from: number
  readonly size: number
  readonly signed: number
  readonly balance: number
  readonly inside: number
}

export type { Told }

export function agreed({ ok, findings, lost, proved, maxOccupancy, peak, accounts }: Told) {
  const { entries, rows, policies, receives } = proved
  return {
    ok,
    findings: findings.map(({ kind, account, seq }) => ({ kind, account, ...(seq === undefined ? {} : { seq }) })),
    lost: lost.map(({ account, from, to }) => ({ account, from, to })),
    proved: { entries, rows, policies, receives },
    maxOccupancy,
    peak: peak ? peakOf(peak) : null,
    accounts: accounts.map(({ account, from, size, signed, balance, inside }) => {
      return { account, from, size, signed, balance, inside }
    }),
  }
}

function peakOf({ occupancy, capacity, account, seq, at }: Peak) {
  return { occupancy, capacity, account, seq, at }
}
