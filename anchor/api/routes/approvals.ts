// Approvals: texts for people to sign, and what waits for a second signature.

import { formatMode } from '../../../ledger/mode-note.ts'
import { formatPolicy } from '../../../ledger/policy-note.ts'
import { type Approval, approvalId, STATES, STATUS_OF } from '../../approvals/approval.ts'
import { draftMode, draftPolicy } from '../../approvals/draft.ts'
import { needsOfMode, needsOfPolicy } from '../../approvals/needs.ts'
import { agreedOf } from '../../approvals/proposal.ts'
import type { ModeWish, Wish } from '../../approvals/wish.ts'
import { wordsOf } from '../../pages/wording.js'
import { type Endpoint, ofMall, ok, refusal } from '../endpoint.ts'
import type { Desk } from '../ports.ts'
import { ApiRefusal, broughtWrongly, ofCursor } from '../refusal.ts'
import {
  AccountName,
  Count,
  Cursor,
  IdPath,
  Limit,
  limitOf,
  MallPath,
  Moment,
  Name,
  Next,
  only,
  PerMille,
  Reason,
  Signed,
} from '../shape.ts'
import { Type } from '../type.ts'
import { NeedsShape } from './bringing.ts'
import { meOf } from './policy.ts'

const kind = <const K extends string>(name: K) => Type.Literal(name)
const Reclaim = Type.Optional(
  Type.Array(only({ account: AccountName, amount: Type.Integer({ minimum: 1, maximum: 1_000_000_000 }) }), {
    maxItems: 1000,
  }),
)

const WishShape = Type.Union([
  only({ kind: kind('capacity'), capacity: Count, from: Type.Optional(Moment) }),
  only({
    kind: kind('schedule'),
    steps: Type.Array(only({ from: Moment, capacity: Count }), { minItems: 1, maxItems: 1000 }),
  }),
  only({ kind: kind('standby'), capacities: Type.Array(Count, { maxItems: 100 }) }),
  only({ kind: kind('margin'), perMille: PerMille }),
  only({ kind: kind('recount'), actual: Count, counted: Signed, at: Moment, reclaim: Reclaim }),
  only({ kind: kind('gate-add'), key: Type.String({ minLength: 1, maxLength: 200 }) }),
  only({ kind: kind('gate-rotate'), name: Name, key: Type.String({ minLength: 1, maxLength: 200 }) }),
  only({ kind: kind('gate-remove'), name: Name, reclaim: Reclaim }),
  only({ kind: kind('share'), perMille: PerMille }),
  only({
    kind: kind('rules'),
    expireAfterMs: Type.Optional(Type.Integer({ minimum: 0, maximum: 1_000_000_000_000 })),
    confidenceMin: Type.Optional(PerMille),
  }),
  only({ kind: kind('raise'), mode: Type.Enum(['LOCKDOWN', 'EVACUATE', 'FIRE']) }),
  only({ kind: kind('clear') }),
])

const ApprovalShape = Type.Object({
  id: Type.String({ description: 'hash of the text, in hex' }),
  kind: Type.Enum(['policy', 'mode']),
  state: Type.Enum([...STATES]),
  text: Type.String({ description: 'what is signed' }),
  note: Type.Optional(Type.String({ description: 'the text with all signatures so far' })),
  words: Type.Array(Type.String(), { description: 'what it changes' }),
  needs: NeedsShape,
  signers: Type.Array(Type.String()),
  version: Type.Integer(),
  broughtAt: Moment,
  expiresAt: Moment,
  endedAt: Type.Optional(Moment),
  history: Type.Array(
    Type.Object({ at: Moment, by: Type.String(), what: Type.String(), why: Type.Optional(Type.String()) }),
  ),
})

const GONE = refusal(404, 'there is no such mall, or no such approval')

export const APPROVALS: readonly Endpoint[] = [
  ofMall({
    operation: 'createDraft',
    method: 'POST',
    url: '/malls/:mall/drafts',
    tag: 'approvals',
    summary: 'The text to sign for a wish; nothing changes, and whoever signs checks that it says what they wish',
    shapes: { path: MallPath, body: only({ wish: WishShape, reason: Reason }) },
    replies: {
      200: {
        description: 'the text, its hash, and how many must sign it',
        schema: Type.Object({
          text: Type.String(),
          hash: Type.String({ description: 'in hex; the id of its approval' }),
          needs: NeedsShape,
          words: Type.Array(Type.String()),
        }),
      },
      409: refusal(409, 'no policy is in force yet: the first one comes from `charter new`'),
      422: refusal(422, 'the wish cannot be fulfilled; the message says why'),
      503: refusal(503),
    },
    answer: ({ desk, body, service }) => {
      try {
        return ok(draft(desk, body.wish as Wish | ModeWish, body.reason, service.wall()))
      } catch (error) {
        return broughtWrongly(error, 'wish')
      }
    },
  }),
  ofMall({
    operation: 'listApprovals',
    method: 'GET',
    url: '/malls/:mall/approvals',
    tag: 'approvals',
    summary: 'What operators brought and what became of it, newest first',
    shapes: {
      path: MallPath,
      query: only({ state: Type.Optional(Type.Enum([...STATES])), cursor: Cursor, limit: Limit }),
    },
    replies: {
      200: { description: 'a page', schema: Type.Object({ approvals: Type.Array(ApprovalShape), cursor: Next }) },
    },
    answer: async ({ desk, query }) => {
      const { approvals, cursor } = await desk.approvals.list({ ...query, limit: limitOf(query) }).catch(ofCursor)
      return ok({ approvals, ...(cursor === undefined ? {} : { cursor }) })
    },
  }),
  ofMall({
    operation: 'getApproval',
    method: 'GET',
    url: '/malls/:mall/approvals/:id',
    tag: 'approvals',
    summary: 'One of them',
    shapes: { path: IdPath },
    replies: { 200: { description: 'as it is now', schema: ApprovalShape }, 404: GONE },
    answer: async ({ desk, path }) => ok(await approvalOf(desk, path.id)),
  }),
  ofMall({
    operation: 'withdrawApproval',
    method: 'DELETE',
    url: '/malls/:mall/approvals/:id',
    tag: 'approvals',
    summary: 'Withdraws what waits, by one of those who signed it',
    shapes: { path: IdPath },
    replies: {
      200: { description: 'withdrawn', schema: ApprovalShape },
      403: refusal(403, 'the token does not allow this, or its holder has not signed it'),
      404: GONE,
    },
    once: 'required',
    answer: async ({ desk, path, caller }) => {
      if (caller?.kind !== 'person') throw new ApiRefusal(403, 'forbidden', 'only a person withdraws, not a program')
      const outcome = await desk.approvals.withdraw(path.id, caller.name)
      if ('outcome' in outcome) throw new ApiRefusal(STATUS_OF[outcome.code], outcome.code, outcome.why)
      return ok(outcome)
    },
  }),
]

async function approvalOf(desk: Desk, id: string): Promise<Approval> {
  const approval = await desk.approvals.get(id)
  if (approval === undefined) throw new ApiRefusal(404, 'unknown', `there is no approval ${id}`)
  return approval
}

function draft(desk: Desk, wish: Wish | ModeWish, reason: string, at: number) {
  const { mall, charter } = desk
  const policies = desk.policies()
  const before = policies.at(-1)
  if (wish.kind === 'raise' || wish.kind === 'clear') {
    const said = draftMode({ wish, current: meOf(desk).modes.statement, at, reason })
    const text = formatMode(said, mall)
    return { text, hash: approvalId(text), needs: needsOfMode(said), words: wordsOf(text) }
  }
  if (before === undefined) throw new ApiRefusal(409, 'no-policy', 'no policy is in force yet')
  const agreed = agreedOf(policies)
  const policy = draftPolicy({ charter, before, wish, reason, at, ...(agreed === undefined ? {} : { agreed }) })
  const text = formatPolicy(policy, mall)
  const needs = needsOfPolicy(policy, before, charter, agreed)
  return { text, hash: approvalId(text), needs, words: wordsOf(text, formatPolicy(before, mall), { now: at }) }
}
