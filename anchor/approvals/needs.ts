// Needs: how many must sign a text, who, and why. The rules are the gates' own (`needsTwo`, modekeeper); here they are
// put into words for people.

import type { Charter, Role } from '../../ledger/charter.ts'
import type { ModeText } from '../../ledger/mode-note.ts'
import { needsTwo, type Policy, type PolicyFlaw } from '../../ledger/policy.ts'
import type { PolicyText } from '../../ledger/policy-note.ts'

export interface Needs {
  readonly signatures: 1 | 2
  /** one of them must be a marshal's */
  readonly marshal: boolean
  /** why it takes two; empty where one is enough */
  readonly why: readonly string[]
}

const ONE: Needs = { signatures: 1, marshal: false, why: [] }

/** Those who may sign anything. */
const SIGNING: readonly Role[] = ['operator', 'marshal']

export function maySign(charter: Charter, name: string): boolean {
  return charter.operators.some(o => o.name === name && SIGNING.includes(o.role))
}

export function needsOfPolicy(
  next: PolicyText,
  before: Policy | undefined,
  charter: Charter,
  agreed: Policy | undefined = before,
): Needs {
  if (!needsTwo(next, before, charter, agreed)) return ONE
  return { signatures: 2, marshal: false, why: whyTwo(next, before, charter, agreed) }
}

export function needsOfMode({ mode }: Pick<ModeText, 'mode'>): Needs {
  if (mode !== 'NORMAL') return ONE
  return { signatures: 2, marshal: true, why: ['re-arming takes two people, one of them a marshal'] }
}

/** What is still missing, in words; empty where the signers suffice. */
export function missing(needs: Needs, signers: readonly string[], charter: Charter): string {
  const able = new Set(signers.filter(name => maySign(charter, name)))
  const more = Math.max(0, needs.signatures - able.size)
  const isMarshal = (name: string) => charter.operators.some(o => o.name === name && o.role === 'marshal')
  if (needs.marshal && ![...able].some(isMarshal))
    return more > 1 ? 'two signatures, one of a marshal' : 'a marshal’s signature'
  if (more === 0) return ''
  return more === 1 ? 'one more signature' : 'two signatures'
}

/** Each rule of `needsTwo`, asked alone: with everything else as before, would it still take two? */
function whyTwo(next: PolicyText, before: Policy | undefined, charter: Charter, agreed: Policy | undefined): string[] {
  if (before === undefined || agreed === undefined) return ['the first policy of a mall takes two']
  const { signers: _signers, hash: _hash, note: _note, recount: _recount, ...same } = before
  const takesTwo = (change: Partial<PolicyText>) => needsTwo({ ...same, ...change }, before, charter, agreed)
  const why: string[] = []
  if (next.recount !== undefined) why.push('a head count changes how many may come in')
  else if (takesTwo({ correction: next.correction })) why.push('it changes the correction')
  if (takesTwo({ reclaimed: next.reclaimed })) why.push('it puts tokens of closed accounts back into use')
  if (takesTwo({ gates: next.gates })) why.push('it takes a gate, or its key, off the roster')
  if (takesTwo({ confidenceMin: next.confidenceMin }))
    why.push('exits would be credited that are less sure than before')
  if (takesTwo({ expireAfterMs: next.expireAfterMs })) why.push('entries would go on longer without the anchor')
  const percent = charter.aloneMovePerMille / 10
  const { capacities, marginPerMille } = next
  if (takesTwo({ capacities, marginPerMille }) || why.length === 0) {
    why.push(`it moves the capacity by more than ${percent} % of what two last agreed on`)
  }
  return why
}

const WHY = {
  'above-legal-max': 'it allows more people than the charter',
  'needs-two': 'what it changes needs two operators, and it has the signature of one',
  'version-order': 'it does not stand on the policy in force',
  'bad-schedule': 'its capacities are none, or not in order of time',
  'bad-recount': 'its correction is not the one before it plus what the head count found',
  'unknown-signer': 'it is signed by no operator, or by someone who may not',
} as const satisfies Record<PolicyFlaw, string>

export function whyFlawed(flaw: PolicyFlaw, charter: Charter): string {
  return flaw === 'above-legal-max' ? `${WHY[flaw]}, which allows ${charter.legalMax}` : WHY[flaw]
}
