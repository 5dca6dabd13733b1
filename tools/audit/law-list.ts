// Law list: the laws of FORMAT.md in a line each, with what of a bundle was held against them.

import type { FindingKind } from '../../ledger/audit/findings.ts'
import type { Verification } from './verify-bundle.ts'

export interface LawHeld {
  /** as FORMAT.md numbers them */
  readonly law: number
  readonly says: string
  readonly evidence: string
  /** null where what is shown does not suffice to judge it */
  readonly holds: boolean | null
}

interface Law {
  readonly says: string
  readonly kinds: readonly FindingKind[]
  readonly evidence: (v: Verification) => string
  /** needs everyone's ledger */
  readonly isOfAll?: true
}

const count = (n: number, one: string, many = `${one}s`) => `${n.toLocaleString('en')} ${n === 1 ? one : many}`
const entries = (v: Verification) => count(v.proved.entries, 'entry', 'entries')
const rows = (v: Verification) => `${count(v.proved.rows, 'signed row')}, each signature checked by two implementations`
const policies = (v: Verification) => count(v.proved.policies, 'policy', 'policies')

const LAWS: readonly Law[] = [
  {
    says: 'every line is an entry in its one spelling, of a type its writer may write',
    kinds: ['entry'],
    evidence: entries,
  },
  {
    says: 'no entry is missing or altered: each carries the hash of the one before',
    kinds: ['gap', 'chain'],
    evidence: entries,
  },
  {
    says: "ledgers have the roots and counters that their owners' keys signed",
    kinds: ['unsigned', 'row', 'roster', 'root', 'counters'],
    evidence: rows,
  },
  { says: 'nobody signed two histories', kinds: ['fork'], evidence: rows },
  {
    says: 'every ledger begins with its own opening',
    kinds: ['open', 'empty'],
    evidence: v => count(v.accounts.length, 'ledger'),
  },
  { says: 'nobody let in or sent what it did not hold', kinds: ['overspent'], evidence: entries },
  { says: 'nobody sent tokens to itself', kinds: ['self'], evidence: entries },
  { says: 'admissions were taken back once, and soon', kinds: ['lapse'], evidence: entries },
  { says: 'exits were credited only where the sensor was sure enough', kinds: ['exit'], evidence: entries },
  { says: 'what is in force is what signed policies say', kinds: ['policy', 'budget'], evidence: policies },
  {
    says: 'nothing was received that had not been sent',
    kinds: ['receive'],
    evidence: v => `${count(v.proved.receives, 'transfer')} held against the sender's ledger`,
  },
  {
    says: 'nothing is left out that others know of',
    kinds: ['truncated'],
    evidence: v => count(v.accounts.length, 'ledger'),
  },
  {
    says: "every head the anchor wrote down is that ledger's",
    kinds: ['checkpoint'],
    evidence: v => count(v.proved.heads, 'head'),
  },
  { says: 'charter and policies are signed by those who may', kinds: ['charter', 'policy'], evidence: policies },
  {
    says: 'nothing was minted twice',
    kinds: ['budget'],
    evidence: v => count(v.accounts.length, 'ledger'),
    isOfAll: true,
  },
  { says: 'no more was reclaimed than was held', kinds: ['reclaim'], evidence: policies, isOfAll: true },
  {
    says: 'at no moment more people than the limit and known debts explain',
    kinds: ['occupancy'],
    evidence: v => `${count(v.proved.cuts, 'moment')} of all ledgers together`,
    isOfAll: true,
  },
]

export function lawsHeld(v: Verification): LawHeld[] {
  const isWhole = v.bundle.scope.gates === null
  const isOpened = !v.findings.some(({ kind }) => kind === 'charter') || v.proved.entries > 0
  return LAWS.map(({ says, kinds, evidence, isOfAll }, i) => {
    const isBroken = v.findings.some(({ kind }) => kinds.includes(kind))
    const isJudged = isOpened && (isOfAll === undefined || (isWhole && v.proved.cuts > 0))
    const holds = isBroken ? false : isJudged ? true : null
    return { law: i + 1, says, evidence: isJudged ? evidence(v) : 'not judged: too little is shown', holds }
  })
}
