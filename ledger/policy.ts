// Policy: the anchor's current rules. Every version is a signed note that stands alone: who signed it is in the note,
// so that a gate, or an auditor years later, checks the quorum without asking the anchor.
//
// Law: no policy raises capacity above the charter's legal maximum; a move of more than `aloneMovePerMille` in either
// direction, and any change of correction or reclaimed tokens, carries the signatures of two operators.

import type { Account } from './account.ts'
import type { Charter, GateKey } from './charter.ts'

export interface Policy {
  readonly version: number
  /** hash of the version before; only the first has none, so that no version can be left out unseen */
  readonly previous?: string
  /** in order of `from` (ms); the first one has been in force since the version began */
  readonly capacities: readonly { readonly from: number; readonly capacity: number }[]
  readonly correction: number
  /** tokens of closed accounts put back into use, cumulative over versions */
  readonly reclaimed: readonly { readonly account: Account; readonly amount: number }[]
  readonly gates: readonly GateKey[]
  /** share of the capacity one gate may hold */
  readonly maxSharePerMille: number
  readonly expireAfterMs: number
  /** exits below this sensor confidence (per mille) are not credited */
  readonly confidenceMin: number
  readonly reason: string
  /** names of the operators whose signatures the note carries, verified by whoever parsed it */
  readonly signers: readonly string[]
  readonly hash: string
  readonly note?: string
}

export type PolicyFlaw = 'above-legal-max' | 'needs-two' | 'version-order' | 'bad-schedule' | 'unknown-signer'

export function reclaimedTotal(p: Policy): number {
  let total = 0
  for (const r of p.reclaimed) total += r.amount
  return total
}

/** The capacity that the schedule puts in force at `now`. */
export function scheduled(p: Policy, now: number): number {
  let capacity = p.capacities[0]?.capacity ?? 0
  for (const step of p.capacities) if (step.from <= now) capacity = step.capacity
  return capacity
}

export function capacityMax(p: Policy): number {
  let most = 0
  for (const step of p.capacities) most = Math.max(most, step.capacity)
  return most
}

/** The most that an anchor may have minted under this version. */
export function mintable(p: Policy): number {
  return capacityMax(p) - p.correction + reclaimedTotal(p)
}

export function flawOf(next: Policy, before: Policy | undefined, charter: Charter): PolicyFlaw | undefined {
  if (next.version !== (before?.version ?? 0) + 1 || next.previous !== before?.hash) return 'version-order'
  if (next.capacities.length === 0) return 'bad-schedule'
  for (let i = 1; i < next.capacities.length; i++) {
    if (at(next, i).from <= at(next, i - 1).from) return 'bad-schedule'
  }
  if (next.capacities.some(step => step.capacity < 0 || step.capacity > charter.legalMax)) return 'above-legal-max'
  const entitled = charter.operators.filter(o => o.role === 'operator' || o.role === 'marshal').map(o => o.name)
  const signers = new Set(next.signers)
  if (signers.size === 0 || [...signers].some(name => !entitled.includes(name))) return 'unknown-signer'
  if (needsTwo(next, before, charter) && signers.size < 2) return 'needs-two'
  return undefined
}

function needsTwo(next: Policy, before: Policy | undefined, charter: Charter): boolean {
  if (before === undefined) return true
  if (next.correction !== before.correction) return true
  if (JSON.stringify(next.reclaimed) !== JSON.stringify(before.reclaimed)) return true
  // a gate taken off, or given another key, is cut off; adding one takes nothing from anybody
  if (before.gates.some(gate => !next.gates.some(kept => kept.name === gate.name && kept.key === gate.key))) return true
  const steps = [...before.capacities.slice(-1), ...next.capacities]
  for (let i = 1; i < steps.length; i++) {
    const from = steps[i - 1]?.capacity ?? 0
    const to = steps[i]?.capacity ?? 0
    if (Math.abs(to - from) * 1000 > from * charter.aloneMovePerMille) return true
  }
  return false
}

function at(p: Policy, i: number): { from: number; capacity: number } {
  return p.capacities[i] as { from: number; capacity: number }
}
