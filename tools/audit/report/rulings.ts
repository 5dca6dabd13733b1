// Rulings: what limit was in force when, who signed for it, and what each policy changed.
//
// Law: who and why come from the signed policy itself, never from what the anchor wrote about it. The anchor's `budget`
// entries only say when a policy, a step of its schedule or a limit in reserve came into force; which signal of the
// building that was for is the anchor's word alone, and is told as such.

import { epochOf } from '../../../ledger/account.ts'
import { changesOf } from '../../../ledger/changes.ts'
import type { ChangeOf } from '../../../ledger/entry.ts'
import { limitOf, type Policy, scheduled, standbys } from '../../../ledger/policy.ts'
import type { BudgetTold } from './facts.ts'

/** A limit from when it came into force. */
export interface InForce {
  /** undefined where it was so before anything that is shown */
  readonly at: number | undefined
  readonly limit: number
  readonly correction: number
  readonly policy: number
}

export interface Ruling {
  readonly at: number
  readonly what: ChangeOf | 'limit'
  readonly before: string
  readonly after: string
  readonly by: readonly string[]
  readonly reason: string
  readonly policy: number
}

export interface RecountTold {
  /** when heads were counted, as the policy says */
  readonly at: number
  /** when it came into force */
  readonly inForceAt: number
  readonly actual: number
  readonly counted: number
  readonly residual: number
  readonly correction: number
  readonly by: readonly string[]
  readonly reason: string
  readonly policy: number
}

export interface Rulings {
  /** at the beginning of the period, if one was, then each that came in it */
  readonly inForce: readonly InForce[]
  readonly changes: readonly Ruling[]
  readonly recounts: readonly RecountTold[]
}

export interface RulingsShown {
  readonly period: { readonly from: number; readonly to: number }
  readonly policies: ReadonlyMap<number, Policy>
  readonly budgets: readonly BudgetTold[]
  /** what the row says with which the anchor's ledger begins, where it is shown from the middle */
  readonly first: InForce | undefined
}

export function rulingsOf({ period, policies, budgets, first }: RulingsShown): Rulings {
  const inForce: InForce[] = first === undefined ? [] : [first]
  const changes: Ruling[] = []
  const recounts: RecountTold[] = []
  const sorted = budgets.toSorted((a, b) => epochOf(a.account) - epochOf(b.account) || a.seq - b.seq)
  for (const { at, capacity, correction, policy, signal } of sorted) {
    const before = inForce.at(-1)
    const next = { at, limit: capacity, correction, policy }
    if (at < period.from) inForce.length = 0
    if (at < period.to) inForce.push(next)
    if (at < period.from || at >= period.to) continue
    for (let version = (before?.policy ?? 0) + 1; version <= policy; version++) {
      const signed = policies.get(version)
      if (signed === undefined) continue
      const made = changesOf(signed, policies.get(version - 1))
      for (const one of made) if (one.type === 'change') changes.push({ ...one, at, by: signed.signers })
      recounts.push(...recountOf(signed, at))
    }
    if (before !== undefined && before.limit === capacity) continue
    changes.push(limitChange(before, { ...next, signal }, at, policies.get(policy)))
  }
  return { inForce, changes, recounts }
}

type Told = InForce & Pick<BudgetTold, 'signal'>

function limitChange(before: InForce | undefined, next: Told, at: number, policy: Policy | undefined): Ruling {
  const isStep = before !== undefined && before.policy === next.policy
  return {
    at,
    what: 'limit',
    before: before === undefined ? '' : String(before.limit),
    after: String(next.limit),
    by: policy?.signers ?? [],
    reason: isStep && policy !== undefined ? stepWords(before, next, at, policy) : (policy?.reason ?? ''),
    policy: next.policy,
  }
}

function stepWords(before: InForce, next: Told, at: number, policy: Policy): string {
  const said = next.signal === undefined ? '' : `; the anchor says: ${next.signal}`
  const reserve = standbys(policy).map(capacity => limitOf(capacity, policy.marginPerMille))
  const usual = scheduled(policy, at)
  if (next.limit !== usual && reserve.includes(next.limit)) return `a limit in reserve that was signed${said}`
  if (before.limit < usual && reserve.includes(before.limit)) return `from a limit in reserve to the schedule${said}`
  return 'a step of the schedule that was signed'
}

function recountOf({ recount, correction, signers, reason, version }: Policy, inForceAt: number): RecountTold[] {
  if (recount === undefined) return []
  const { at, actual, counted } = recount
  return [
    { at, inForceAt, actual, counted, residual: actual - counted, correction, by: signers, reason, policy: version },
  ]
}
