// Policy: what is in force, what was, and the modes.

import { isStandby, type Policy, scheduled, standbys } from '../../../ledger/policy.ts'
import { type Endpoint, ofMall, ok, refusal } from '../endpoint.ts'
import type { Desk } from '../ports.ts'
import { ApiRefusal } from '../refusal.ts'
import { Count, Limit, limitOf, MallPath, Mode, Moment, Next, only, PerMille, Signed } from '../shape.ts'
import { Type } from '../type.ts'

const Version = Type.Integer({ minimum: 1, maximum: 2 ** 53 - 1 })
const Before = Type.Optional(
  Type.String({ pattern: '^[1-9][0-9]{0,15}$', description: 'where the page before ended, as it was told there' }),
)
const Recount = Type.Object({ at: Moment, actual: Count, counted: Signed })

const PolicyShape = Type.Object({
  version: Version,
  hash: Type.String(),
  previous: Type.Optional(Type.String()),
  capacities: Type.Array(Type.Object({ from: Moment, capacity: Count })),
  marginPerMille: PerMille,
  correction: Signed,
  recount: Type.Optional(Recount),
  reclaimed: Type.Array(Type.Object({ account: Type.String(), amount: Count })),
  gates: Type.Array(Type.Object({ name: Type.String(), key: Type.String() })),
  maxSharePerMille: Type.Integer(),
  expireAfterMs: Type.Integer(),
  confidenceMin: Type.Integer(),
  reason: Type.String(),
  signers: Type.Array(Type.String()),
  note: Type.Optional(Type.String({ description: 'as it was signed' })),
})

const InForce = Type.Object({
  ...PolicyShape.properties,
  capacity: Type.Integer({ description: 'what the schedule puts in force now, the margin kept back' }),
  next: Type.Optional(Type.Object({ from: Moment, capacity: Count }, { description: 'the next step of the schedule' })),
  reserve: Type.Array(Count, {
    description: 'limits that signals of the building may put in force below the schedule',
  }),
})

const Statement = Type.Object({
  epoch: Type.Integer(),
  mode: Mode,
  by: Type.Array(Type.String()),
  at: Moment,
  reason: Type.String(),
  clears: Type.Optional(Type.Object({ epoch: Type.Integer(), mode: Mode }, { description: 'what a re-arm ended' })),
  note: Type.Optional(Type.String()),
})

export const POLICY: readonly Endpoint[] = [
  ofMall({
    operation: 'getPolicy',
    method: 'GET',
    url: '/malls/:mall/policy',
    tag: 'policy',
    summary: 'The policy in force with its schedule, and those before it, newest first',
    shapes: { path: MallPath, query: only({ cursor: Before, limit: Limit }) },
    replies: {
      200: {
        description: 'a page of the history, and what is in force',
        schema: Type.Object({ inForce: InForce, history: Type.Array(PolicyShape), cursor: Next }),
      },
      404: refusal(404, 'there is no such mall, or no policy is in force yet'),
    },
    answer: ({ desk, query, service }) => {
      const policies = desk.policies()
      const newest = policies.at(-1)
      if (newest === undefined) throw new ApiRefusal(404, 'no-policy', 'no policy is in force yet')
      const { page, cursor } = paged(policies, query)
      return ok({ inForce: inForceOf(newest, service.wall()), history: page, ...cursor })
    },
  }),
  ofMall({
    operation: 'listRecounts',
    method: 'GET',
    url: '/malls/:mall/recounts',
    tag: 'policy',
    summary: 'Head counts that were taken in, newest first, each with its residual',
    shapes: { path: MallPath, query: only({ cursor: Before, limit: Limit }) },
    replies: {
      200: {
        description: 'a page',
        schema: Type.Object({
          recounts: Type.Array(
            Type.Object({
              ...Recount.properties,
              residual: Type.Integer({ description: 'people found minus people counted: the measure of accuracy' }),
              version: Version,
              by: Type.Array(Type.String()),
              reason: Type.String(),
              correction: Signed,
            }),
          ),
          cursor: Next,
        }),
      },
    },
    answer: ({ desk, query }) => {
      const { page, cursor } = paged(
        desk.policies().filter(({ recount }) => recount !== undefined),
        query,
      )
      return ok({ recounts: page.map(recountOf), ...cursor })
    },
  }),
  ofMall({
    operation: 'getModes',
    method: 'GET',
    url: '/malls/:mall/modes',
    tag: 'modes',
    summary: 'The mode in force, who said so, and the re-arm that began its epoch',
    shapes: { path: MallPath },
    replies: {
      200: {
        description: 'now',
        schema: Type.Object({ mode: Mode, statement: Statement, clear: Type.Optional(Statement) }),
      },
      503: refusal(503),
    },
    answer: ({ desk }) => {
      const { effective, statement, clear } = meOf(desk).modes
      return ok({ mode: effective, statement, ...(clear === undefined ? {} : { clear }) })
    },
  }),
]

export function meOf(desk: Desk) {
  const me = desk.me()
  if (me === undefined) throw new ApiRefusal(503, 'starting', 'this mall’s anchor is still starting: ask again')
  return me
}

function inForceOf(policy: Policy, wall: number) {
  const next = policy.capacities.find((step, i) => i > 0 && step.from > wall && !isStandby(step, i))
  const shown = { capacity: scheduled(policy, wall), reserve: standbys(policy) }
  return { ...policy, ...shown, ...(next === undefined ? {} : { next }) }
}

function recountOf({ recount, version, signers, reason, correction }: Policy) {
  const { at, actual, counted } = recount as NonNullable<Policy['recount']>
  return { at, actual, counted, residual: actual - counted, version, by: signers, reason, correction }
}

/** Newest first, from before the version that the cursor names. */
function paged(policies: readonly Policy[], query: { readonly cursor?: string; readonly limit?: number }) {
  const before = query.cursor === undefined ? Number.POSITIVE_INFINITY : Number(query.cursor)
  const rest = policies.filter(({ version }) => version < before).reverse()
  const page = rest.slice(0, limitOf(query))
  const last = page.at(-1)
  return { page, cursor: page.length < rest.length && last !== undefined ? { cursor: String(last.version) } : {} }
}
