// Policy: the anchor's current rules. Every version is a signed note that stands alone: who signed it is in the note,
// so that a gate, or an auditor years later, checks the quorum without asking the anchor.
//
// Law: no policy raises capacity above the charter's legal maximum; a move of more than `aloneMovePerMille` in either
// direction from what two operators last agreed on, in however many steps, and whatever else loosens a rule, carries the
// signatures of two operators.

import type { Account } from './account.ts'
import type { Charter, GateKey } from './charter.ts'

export interface Policy {
  readonly version: number
  /** hash of the version before; only the first has none, so that no version can be left out unseen */
  readonly previous?: string
  /** in order of `from` (ms); the first one has been in force since the version began */
  readonly capacities: readonly { readonly from: number; readonly capacity: number }[]
  /** kept back for what sensors miss: what is in force is that much less than the schedule says */
  readonly marginPerMille: number
  readonly correction: number
  /** a head count that this version takes in: people found inside, and people counted at that time */
  readonly recount?: { readonly at: number; readonly actual: number; readonly counted: number }
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

/**
 * The end of time. A step from then on never begins by itself: it is a limit in reserve, signed in advance, which the
 * anchor may put in force below the schedule. Several follow each other by a millisecond.
 */
export const STANDBY_FROM = Date.UTC(9999, 11, 31)

export type PolicyFlaw =
  | 'above-legal-max'
  | 'needs-two'
  | 'version-order'
  | 'bad-schedule'
  | 'bad-recount'
  | 'unknown-signer'

/** What of a policy is signed, before anyone did. */
type Terms = Omit<Policy, 'signers' | 'hash' | 'note'>

/** Of a capacity, what remains when the margin is kept back. */
export function limitOf(capacity: number, marginPerMille: number): number {
  return Math.floor((capacity * (1000 - marginPerMille)) / 1000)
}

export function reclaimedTotal(p: Policy): number {
  let total = 0
  for (const r of p.reclaimed) total += r.amount
  return total
}

/** What the schedule says for `now`, before the margin. */
export function capacityAt(p: Pick<Terms, 'capacities'>, now: number): number {
  let capacity = p.capacities[0]?.capacity ?? 0
  for (const step of p.capacities) if (step.from <= now) capacity = step.capacity
  return capacity
}

/** What the schedule puts in force at `now`, the margin kept back. */
export function scheduled(p: Terms, now: number): number {
  return limitOf(capacityAt(p, now), p.marginPerMille)
}

/** The first step holds from the beginning, whatever its time. */
export function isStandby(step: { readonly from: number }, i: number): boolean {
  return i > 0 && step.from >= STANDBY_FROM
}

/** Capacities in reserve. */
export function standbys(p: Pick<Terms, 'capacities'>): number[] {
  return p.capacities.filter(isStandby).map(step => step.capacity)
}

/** The schedule at `now`, or, if lower, the largest capacity in reserve for at most so many people; before the margin. */
export function restrainedCapacity(p: Pick<Terms, 'capacities'>, now: number, atMost: number): number {
  const fits = standbys(p).filter(capacity => capacity <= atMost)
  return fits.length === 0 ? capacityAt(p, now) : Math.min(capacityAt(p, now), Math.max(...fits))
}

/** The same as a limit, the margin kept back. */
export function restrained(p: Terms, now: number, atMost: number): number {
  return limitOf(restrainedCapacity(p, now, atMost), p.marginPerMille)
}

/** The most that the schedule ever puts in force. */
export function limitMax(p: Terms): number {
  let most = 0
  for (const step of p.capacities) most = Math.max(most, limitOf(step.capacity, p.marginPerMille))
  return most
}

/** The most that an anchor may have minted under this version. */
export function mintable(p: Policy): number {
  return limitMax(p) - p.correction + reclaimedTotal(p)
}

/** `agreed` is the newest version that two operators signed; the one before, where that is it. */
export function flawOf(
  next: Policy,
  before: Policy | undefined,
  charter: Charter,
  agreed = before,
): PolicyFlaw | undefined {
  const flaw = textFlaw(next, before, charter)
  if (flaw !== undefined) return flaw
  const entitled = charter.operators.filter(o => o.role === 'operator' || o.role === 'marshal').map(o => o.name)
  const signers = new Set(next.signers)
  if (signers.size === 0 || [...signers].some(name => !entitled.includes(name))) return 'unknown-signer'
  if (needsTwo(next, before, charter, agreed) && signers.size < 2) return 'needs-two'
  return undefined
}

/** What no number of signatures would make good. */
export function textFlaw(next: Terms, before: Policy | undefined, charter: Charter): PolicyFlaw | undefined {
  if (next.version !== (before?.version ?? 0) + 1 || next.previous !== before?.hash) return 'version-order'
  if (next.capacities.length === 0) return 'bad-schedule'
  for (let i = 1; i < next.capacities.length; i++) {
    if (at(next, i).from <= at(next, i - 1).from) return 'bad-schedule'
  }
  if (next.capacities.some(step => step.capacity < 0 || step.capacity > charter.legalMax)) return 'above-legal-max'
  const { recount } = next
  const corrected = next.correction - (before?.correction ?? 0)
  if (recount !== undefined && recount.actual - recount.counted !== corrected) return 'bad-recount'
  return undefined
}

/** Does what this version changes need two operators? */
export function needsTwo(next: Terms, before: Policy | undefined, charter: Charter, agreed = before): boolean {
  if (before === undefined || agreed === undefined) return true
  if (next.correction !== before.correction || next.recount !== undefined) return true
  if (JSON.stringify(next.reclaimed) !== JSON.stringify(before.reclaimed)) return true
  // a gate taken off, or given another key, is cut off; adding one takes nothing from anybody
  if (before.gates.some(gate => !next.gates.some(kept => kept.name === gate.name && kept.key === gate.key))) return true
  // exits less sure than before would give tokens back; a longer life without the anchor outlives its cuts
  if (next.confidenceMin < before.confidenceMin || next.expireAfterMs > before.expireAfterMs) return true
  return movesFar(next, agreed, charter)
}

/** Held against what two agreed on, at every moment: in many small steps one alone would get anywhere. */
function movesFar(next: Terms, agreed: Terms, charter: Charter): boolean {
  const moments = [0, ...next.capacities, ...agreed.capacities].map(step =>
    typeof step === 'number' ? step : step.from,
  )
  return moments.some(moment => {
    const from = scheduled(agreed, moment)
    return Math.abs(scheduled(next, moment) - from) * 1000 > from * charter.aloneMovePerMille
  })
}

function at(p: Terms, i: number): { from: number; capacity: number } {
  return p.capacities[i] as { from: number; capacity: number }
}
