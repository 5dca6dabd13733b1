// Changes: what one policy changes of the one before it, as the anchor writes it down: one entry each, with who and why.

import type { Body, ChangeOf } from './entry.ts'
import { isStandby, type Policy, reclaimedTotal } from './policy.ts'

/** An entry without its id and time. */
export type Change = Extract<Unplaced, { type: 'change' | 'recount' }>
type Unplaced = Body extends infer T ? (T extends Body ? Omit<T, 'id' | 'at'> : never) : never

const TEXT_MAX = 400

export function changesOf(next: Policy, before: Policy | undefined): Change[] {
  const signed = { by: next.signers.join(','), reason: next.reason, policy: next.version }
  const changes: Change[] = []
  const say = (what: ChangeOf, was: string, is: string) => {
    if (was !== is) changes.push({ type: 'change', what, before: cut(was), after: cut(is), ...signed })
  }
  for (const [what, tell] of TOLD) say(what, before === undefined ? '' : tell(before), tell(next))
  const names = new Set([...(before?.gates ?? []), ...next.gates].map(gate => gate.name))
  // the first roster is the charter's
  if (before !== undefined) for (const name of [...names].sort()) say('roster', keyOf(before, name), keyOf(next, name))
  if (next.recount !== undefined) {
    const { actual, counted } = next.recount
    changes.push({ type: 'recount', actual, counted, residual: actual - counted, ...signed })
  }
  return changes
}

const TOLD: readonly (readonly [ChangeOf, (policy: Policy) => string])[] = [
  ['capacity', scheduleText],
  ['margin', p => `${p.marginPerMille} per mille`],
  ['correction', p => String(p.correction)],
  ['reclaimed', p => String(reclaimedTotal(p))],
  ['share', p => `${p.maxSharePerMille} per mille`],
  ['expiry', p => `${p.expireAfterMs} ms`],
  ['confidence', p => `${p.confidenceMin} per mille`],
]

function scheduleText({ capacities }: Policy): string {
  return capacities
    .map((step, i) => {
      if (isStandby(step, i)) return `${step.capacity} in reserve`
      return i === 0 ? String(step.capacity) : `${step.capacity} from ${new Date(step.from).toISOString()}`
    })
    .join('; ')
}

function keyOf(policy: Policy, name: string): string {
  return policy.gates.find(gate => gate.name === name)?.key ?? ''
}

function cut(text: string): string {
  return text.length <= TEXT_MAX ? text : `${text.slice(0, TEXT_MAX - 1)}…`
}
