// Audit: what an auditor asks for: the charter, the newest checkpoint, evidence, hours, and holds on what is kept.

import { type Endpoint, ofMall, ok, refusal } from '../endpoint.ts'
import { ApiRefusal, broughtWrongly, ofCursor } from '../refusal.ts'
import { GateName, IdPath, Limit, limitOf, MallPath, Moment, Next, only, Reason } from '../shape.ts'
import { Type } from '../type.ts'

const NOTE_TYPE = 'text/plain; charset=utf-8'
const NoteReply = { type: 'text/plain', schema: Type.String() } as const

const Revision = Type.Optional(Type.Integer({ minimum: 1, maximum: 999_999, description: '1 is the first charter' }))

/** It is a place in a cabinet where other things lie too. */
const HourCursor = Type.Optional(Type.String({ pattern: '^reconcile/hour/[a-z0-9/-]{1,100}$' }))

const Flow = Type.Object({ in: Type.Integer(), out: Type.Integer() })
const HourShape = Type.Object({
  hour: Moment,
  gate: Type.String(),
  in: Type.Integer(),
  out: Type.Integer(),
  rejected: Type.Integer(),
  forced: Type.Integer(),
  comparedIn: Type.Integer(),
  comparedOut: Type.Integer(),
  opticalIn: Type.Integer(),
  opticalOut: Type.Integer(),
  drift: Type.Optional(
    Type.Object({
      turnstile: Flow,
      optical: Flow,
      people: Type.Integer(),
      perMille: Type.Number(),
      isTooMuch: Type.Boolean(),
    }),
  ),
})
const Compliance = Type.Object({
  turnstile: Type.Integer(),
  optical: Type.Optional(Type.Integer()),
  figure: Type.Integer({ description: 'the higher of the two: what counts before the law' }),
  capacity: Type.Optional(Type.Integer()),
  legalMax: Type.Integer(),
  overAdmissions: Type.Integer(),
  over: Type.Optional(
    Type.Object(
      {
        at: Moment,
        account: Type.String(),
        count: Type.Integer({ description: 'people inside then, this one included' }),
        limit: Type.Integer(),
        what: Type.Enum(['legal-max', 'capacity']),
      },
      { description: 'the newest of them' },
    ),
  ),
  missing: Type.Array(Type.String()),
})
const LeaseDrift = Type.Object({
  drift: Type.Integer({ description: 'Σ sent − Σ received − Σ in flight: 0, or tokens came from nowhere' }),
  sent: Type.Integer(),
  received: Type.Integer(),
  inFlight: Type.Integer(),
  wrong: Type.Array(Type.String()),
})
const HoldShape = Type.Object({
  id: Type.String(),
  from: Moment,
  to: Moment,
  reason: Type.String(),
  by: Type.String(),
  at: Moment,
  ended: Type.Optional(Type.Object({ at: Moment, by: Type.String(), reason: Type.String() })),
})

export const AUDIT: readonly Endpoint[] = [
  ofMall({
    operation: 'getCharter',
    method: 'GET',
    url: '/malls/:mall/charter',
    tag: 'audit',
    summary: 'The charter in force as the owner signed it, or one before it',
    shapes: { path: MallPath, query: only({ revision: Revision }) },
    replies: {
      200: { description: 'a signed note', ...NoteReply },
      404: refusal(404, 'there is no such mall, or no such revision'),
    },
    answer: ({ desk, query }) => {
      const { charterNotes: notes } = desk
      const body = notes[(query.revision ?? notes.length) - 1]
      if (body === undefined) throw new ApiRefusal(404, 'no-charter', `the newest revision is ${notes.length}`)
      return { status: 200, body, headers: { 'content-type': NOTE_TYPE } }
    },
  }),
  ofMall({
    operation: 'getCheckpoint',
    method: 'GET',
    url: '/malls/:mall/checkpoints/latest',
    tag: 'audit',
    summary: 'The newest row of the anchor’s ledger, which covers the newest checkpoint of all accounts',
    shapes: { path: MallPath },
    replies: {
      200: { description: 'a signed note, a C2SP checkpoint', ...NoteReply },
      404: refusal(404, 'there is no such mall, or no checkpoint yet'),
    },
    answer: ({ desk }) => {
      const body = desk.checkpoint()
      if (body === undefined) throw new ApiRefusal(404, 'no-checkpoint', 'there is no checkpoint yet')
      return { status: 200, body, headers: { 'content-type': NOTE_TYPE } }
    },
  }),
  ofMall({
    operation: 'listEvidence',
    method: 'GET',
    url: '/malls/:mall/evidence',
    tag: 'audit',
    summary: 'What contradicts what was collected, with both sides of it',
    shapes: { path: MallPath },
    replies: {
      200: {
        description: 'all there is',
        schema: Type.Object({
          evidence: Type.Array(
            Type.Object({
              id: Type.String(),
              account: Type.String(),
              at: Moment,
              what: Type.String(),
              detail: Type.String(),
              rows: Type.Array(Type.String()),
              lines: Type.Array(Type.String()),
            }),
          ),
        }),
      },
    },
    answer: async ({ desk }) => ok({ evidence: await desk.archive.evidence() }),
  }),
  ofMall({
    operation: 'listReconciliation',
    method: 'GET',
    url: '/malls/:mall/reconciliation',
    tag: 'audit',
    summary: 'Turnstile against optical counter, gate by gate and hour by hour, and what it all adds up to now',
    shapes: {
      path: MallPath,
      query: only({
        gate: Type.Optional(GateName),
        from: Type.Optional(Moment),
        to: Type.Optional(Moment),
        cursor: HourCursor,
        limit: Limit,
      }),
    },
    replies: {
      200: {
        description: 'a page of hours',
        schema: Type.Object({
          compliance: Compliance,
          leaseDrift: LeaseDrift,
          hours: Type.Array(HourShape),
          cursor: Next,
        }),
      },
    },
    answer: async ({ desk, query }) => {
      const { reconciler } = desk
      const { hours, cursor } = await reconciler.hours({ ...query, limit: limitOf(query) }).catch(ofCursor)
      const now = { compliance: reconciler.compliance(), leaseDrift: reconciler.leaseDrift() }
      return ok({ ...now, hours, ...(cursor === undefined ? {} : { cursor }) })
    },
  }),
  ofMall({
    operation: 'listHolds',
    method: 'GET',
    url: '/malls/:mall/holds',
    tag: 'audit',
    summary: 'Legal holds, ended ones too, oldest first',
    shapes: { path: MallPath },
    replies: { 200: { description: 'all there are', schema: Type.Object({ holds: Type.Array(HoldShape) }) } },
    answer: ({ desk }) => ok({ holds: desk.retention.holds() }),
  }),
  ofMall({
    operation: 'createHold',
    method: 'POST',
    url: '/malls/:mall/holds',
    tag: 'audit',
    summary: 'Keeps what happened in a stretch of time, whatever the rules of retention say',
    shapes: { path: MallPath, body: only({ from: Moment, to: Moment, reason: Reason }) },
    replies: {
      201: { description: 'held from now on', schema: HoldShape },
      422: refusal(422, 'it ends before it begins, or the idempotency key was used for something else'),
    },
    once: 'required',
    answer: async ({ desk, body, caller }) => {
      const by = caller?.name ?? ''
      const hold = await desk.retention.hold({ ...body, by }).catch(error => broughtWrongly(error, 'hold', 'HOLD'))
      return { status: 201, body: hold }
    },
  }),
  ofMall({
    operation: 'endHold',
    method: 'DELETE',
    url: '/malls/:mall/holds/:id',
    tag: 'audit',
    summary: 'Ends a hold; it stays on record as ended, with this reason',
    shapes: { path: IdPath, query: only({ reason: Reason }) },
    replies: {
      200: { description: 'as it is then', schema: HoldShape },
      404: refusal(404, 'there is no such mall, or no such hold'),
    },
    once: 'required',
    answer: async ({ desk, path, query, caller }) => {
      const a = { by: caller?.name ?? '', reason: query.reason }
      const hold = await desk.retention.endHold(path.id, a).catch(error => broughtWrongly(error, 'hold', 'HOLD'))
      if (hold === undefined) throw new ApiRefusal(404, 'not-found', `there is no hold ${path.id}`)
      return ok(hold)
    },
  }),
]
