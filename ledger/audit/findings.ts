// Findings: what an audit found wrong, the first of each kind for each account.
//
// One broken entry breaks everything counted after it; the reader needs the place where it began.

import type { Account } from '../account.ts'

export const FINDING_KINDS = [
  'bag', // files that are not as the folder's own lists or the format have them
  'empty', // nothing to prove: no ledgers, or a ledger without entries
  'charter', // not signed by the owner, or not a charter
  'policy', // a policy that is not valid, or an entry that cites an unknown one
  'roster', // an account or key that no charter or policy names
  'row', // a row that is malformed or whose signature does not verify
  'fork', // two signed rows that cannot be of one history
  'unsigned', // a ledger that no row covers
  'entry', // a line that is not an entry in its one spelling, or one that this account may not write
  'chain', // an entry that is not the one its neighbours were written beside
  'gap', // entries missing in the middle
  'root', // a ledger that is not what a row signed
  'counters', // a row whose counters are not the sum of the entries
  'truncated', // entries known to have been written, and not shown
  'open', // a ledger that does not begin as it must
  'overspent', // admitted or sent more than it held
  'self', // tokens to or from itself
  'receive', // took what the donor had not sent
  'lapse', // took back an admission that was not there, or twice
  'exit', // credited an exit below the policy's confidence
  'budget', // a budget that follows no valid policy, or minted twice
  'reclaim', // put back more than the closed account held
  'checkpoint', // a head that its ledger never had
  'occupancy', // more people than capacity and debts explain
] as const
export type FindingKind = (typeof FINDING_KINDS)[number]

export interface Finding {
  readonly kind: FindingKind
  /** empty for what belongs to the whole mall */
  readonly account: Account
  /** the entry, where there is one to name */
  readonly seq?: number
  /** below the bundle's top, where there is one to name */
  readonly file?: string
  /** where the line begins in it */
  readonly byte?: number
  readonly what: string
}

export class Findings {
  readonly #first = new Map<string, Finding>()

  add(kind: FindingKind, account: Account, seq: number | undefined, what: string, file?: string): void {
    const place = { ...(seq === undefined ? {} : { seq }), ...(file === undefined || file === '' ? {} : { file }) }
    this.take({ kind, account, ...place, what })
  }

  take(finding: Finding): void {
    const { kind, account, seq, file } = finding
    // a file that is not in order has nothing to do with the others
    const key = kind === 'bag' ? `${kind} ${file ?? account}` : `${kind} ${account}`
    const known = this.#first.get(key)
    if (known !== undefined && (known.seq ?? -1) <= (seq ?? -1)) return
    this.#first.set(key, finding)
  }

  has(kinds: readonly FindingKind[], account?: Account): boolean {
    for (const f of this.#first.values()) {
      if (kinds.includes(f.kind) && (account === undefined || f.account === account)) return true
    }
    return false
  }

  list(): Finding[] {
    const rank = (f: Finding) => FINDING_KINDS.indexOf(f.kind)
    const place = (f: Finding) => `${f.account} ${f.file ?? ''}`
    return [...this.#first.values()].sort((a, b) => rank(a) - rank(b) || (place(a) < place(b) ? -1 : 1))
  }
}
