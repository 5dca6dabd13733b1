// HTTP: what the anchor answers on its own port: the live page, status, and what operators signed.
//
// Law: whoever brings a note is nobody. Its authority is in its signatures, and every gate checks them again.

import type { Charter } from '../ledger/charter.ts'
import { Fault } from '../ledger/fault.ts'
import { flawOf, type Policy, type PolicyFlaw, scheduled } from '../ledger/policy.ts'
import { openPolicy } from '../ledger/policy-note.ts'
import type { Member } from '../mesh/member.ts'
import type { Commanded } from '../mesh/window/command.ts'
import { type Family, PROMETHEUS_TYPE, prometheusText, single } from '../mesh/window/prometheus.ts'
import type { MallReport } from '../mesh/window/report.ts'
import { json, NOTE_BYTES_MAX, Refusal, type Reply, type Route } from '../mesh/window/route.ts'
import { viewRoutes } from '../mesh/window/views.ts'
import type { AnchorStatus } from './status.ts'

export interface AnchorRoutes {
  readonly charter: Charter
  readonly status: () => AnchorStatus
  readonly report: () => MallReport
  readonly metrics: () => readonly Family[]
  /** or why this anchor may not take a policy yet */
  readonly me: () => Member | string
  readonly decree: (policy: Policy) => void
  readonly command: (note: string) => Commanded
  readonly wall: () => number
}

const WHY = {
  'above-legal-max': 'it allows more people than the charter',
  'needs-two': 'what it changes needs two operators, and it has the signature of one',
  'version-order': 'it does not follow the policy in force',
  'bad-schedule': 'its capacities are none, or not in order of time',
  'bad-recount': 'its correction is not the one before it plus what the head count found',
  'unknown-signer': 'it is signed by no operator, or by someone who may not',
} as const satisfies Record<PolicyFlaw, string>

export function anchorRoutes(a: AnchorRoutes): readonly Route[] {
  return [
    ...viewRoutes(a.report),
    { method: 'GET', path: '/status', answer: () => json(200, a.status()) },
    { method: 'GET', path: '/healthz', answer: () => health(a.status()) },
    { method: 'GET', path: '/metrics', answer: () => metrics(a) },
    {
      method: 'POST',
      path: '/policy',
      bodyBytesMax: NOTE_BYTES_MAX,
      isOpen: true,
      answer: async asked => decreed(a, await asked.body()),
    },
    {
      method: 'POST',
      path: '/modes',
      isOpen: true,
      answer: async asked => commanded(a.command(await asked.body())),
    },
  ]
}

function decreed(a: AnchorRoutes, note: string): Reply {
  const policy = opened(note, a.charter)
  const me = a.me()
  if (typeof me === 'string') throw new Refusal(503, me)
  const { version, hash } = policy
  const inForce = me.policy
  if (me.policies.get(version)?.hash === hash) {
    return json(409, { error: `policy ${version} was taken in before; ${inForce?.version} is the newest`, version })
  }
  const flaw = flawOf(policy, inForce, a.charter)
  if (flaw !== undefined) {
    const newest = inForce === undefined ? 'none is in force yet' : `policy ${inForce.version} is in force`
    throw new Refusal(flaw === 'version-order' ? 409 : 400, `policy ${version} is refused: ${WHY[flaw]}; ${newest}`)
  }
  a.decree(policy)
  if (me.policy?.hash !== hash) throw new Refusal(503, `policy ${version} was not taken in: see the alarms`)
  return json(200, { version, hash, capacity: scheduled(policy, a.wall()) })
}

function opened(note: string, charter: Charter): Policy {
  try {
    return openPolicy(note, charter)
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    throw new Refusal(400, `not a policy of this mall: ${error.message}`, { cause: error })
  }
}

function commanded({ isNews, mode, epoch }: Commanded): Reply {
  if (isNews) return json(200, { mode, epoch })
  return json(409, { error: `it changes nothing: ${mode} is in force, epoch ${epoch}`, mode, epoch })
}

function health({ state, fault }: AnchorStatus): Reply {
  const isWell = state !== 'FAULT'
  return json(isWell ? 200 : 503, { ok: isWell, state, ...(fault === undefined ? {} : { fault }) })
}

function metrics(a: AnchorRoutes): Reply {
  const { balance, peers, policyVersion, occupancy, ledger } = a.status()
  const text = prometheusText([
    single('gauge', 'gatemesh_balance', 'Tokens not handed out; below zero is a debt.', balance),
    single('gauge', 'gatemesh_peers_up', 'Gates heard lately.', peers),
    single('gauge', 'gatemesh_policy_version', 'Version of the policy in force.', policyVersion),
    single('gauge', 'gatemesh_occupancy_count', 'People inside by the rows in view.', occupancy.count),
    single('gauge', 'gatemesh_occupancy_at_most', 'People inside at the very most.', occupancy.atMost),
    single('gauge', 'gatemesh_capacity', 'Capacity in force.', occupancy.capacity),
    single('gauge', 'gatemesh_ledger_size', 'Entries in the ledger.', ledger.size),
    ...a.metrics(),
  ])
  return { status: 200, type: PROMETHEUS_TYPE, text }
}
