// Bringing: notes that operators signed, brought by anybody. What comes of them is the same wherever they are brought.
//
// Law: whoever brings a note is nobody. Its authority is in its signatures, and every gate checks them again.

import { originOf } from '../../../ledger/origin.ts'
import { type Brought, STATUS_OF } from '../../approvals/approval.ts'
import { type Answer, type Endpoint, ofMall, type Reply, refusal } from '../endpoint.ts'
import type { Desk } from '../ports.ts'
import { ApiRefusal } from '../refusal.ts'
import { IdPath, MallPath, Moment, NOTE_CHARS_MAX, NoteBody } from '../shape.ts'
import { Type } from '../type.ts'

export type NoteKind = 'policy' | 'mode' | 'recount'

export const NeedsShape = Type.Object({
  signatures: Type.Integer(),
  marshal: Type.Boolean({ description: 'one of them must be a marshal’s' }),
  why: Type.Array(Type.String()),
})

const BroughtShape = Type.Object({
  outcome: Type.Enum(['enacted', 'pending']),
  id: Type.String(),
  kind: Type.Enum(['policy', 'mode']),
  version: Type.Integer({ description: 'of the policy; the epoch of a mode' }),
  needs: NeedsShape,
  signers: Type.Array(Type.String()),
  missing: Type.String({ description: 'what is still missing, in words; empty once enacted' }),
  words: Type.Array(Type.String(), { description: 'what it changes' }),
  expiresAt: Moment,
})

/** A note of a thousand gates, with every character of it escaped at worst. */
const BODY_BYTES_MAX = 2 * NOTE_CHARS_MAX

const REPLIES: Readonly<Record<number, Reply>> = {
  200: { description: 'in force', schema: BroughtShape },
  202: { description: 'waits for another signature', schema: BroughtShape },
  400: refusal(400, 'malformed, wrongly signed, or saying what no number of signatures makes good'),
  403: refusal(403, 'signed by somebody who may not'),
  409: refusal(409, 'does not fit what is in force, or was taken in before'),
  503: refusal(503),
}

const COMMON = {
  method: 'POST',
  replies: REPLIES,
  once: 'optional',
  limit: 'notes',
  bodyBytesMax: BODY_BYTES_MAX,
} as const

export const BRINGING: readonly Endpoint[] = [
  ofMall({
    ...COMMON,
    operation: 'bringPolicy',
    url: '/malls/:mall/policy',
    tag: 'policy',
    summary: 'Brings a policy that operators signed',
    shapes: { path: MallPath, body: NoteBody },
    answer: ({ desk, body }) => brought(desk, body.note, 'policy'),
  }),
  ofMall({
    ...COMMON,
    operation: 'bringMode',
    url: '/malls/:mall/modes',
    tag: 'modes',
    summary: 'Brings a mode that operators signed: a raise, or a re-arm',
    shapes: { path: MallPath, body: NoteBody },
    answer: ({ desk, body }) => brought(desk, body.note, 'mode'),
  }),
  ofMall({
    ...COMMON,
    operation: 'bringRecount',
    url: '/malls/:mall/recounts',
    tag: 'policy',
    summary: 'Brings a policy that takes in a head count',
    shapes: { path: MallPath, body: NoteBody },
    answer: ({ desk, body }) => brought(desk, body.note, 'recount'),
  }),
  ofMall({
    ...COMMON,
    operation: 'bringApproval',
    url: '/malls/:mall/approvals',
    tag: 'approvals',
    summary: 'Brings any note that operators signed',
    shapes: { path: MallPath, body: NoteBody },
    answer: ({ desk, body }) => brought(desk, body.note),
  }),
  ofMall({
    ...COMMON,
    operation: 'signApproval',
    url: '/malls/:mall/approvals/:id/signatures',
    tag: 'approvals',
    summary: 'Adds a signature to what waits for one: the same text, signed by another operator',
    shapes: { path: IdPath, body: NoteBody },
    replies: { ...REPLIES, 404: refusal(404, 'there is no such mall, or no such approval') },
    answer: async ({ desk, path, body }) => answerOf(await desk.approvals.sign(path.id, body.note)),
  }),
]

export async function brought(desk: Desk, note: string, kind?: NoteKind): Promise<Answer> {
  if (kind !== undefined) refuseOther(note, desk.mall, kind)
  return answerOf(await desk.approvals.bring(note))
}

function answerOf(outcome: Brought): Answer {
  if (outcome.outcome !== 'refused') return { status: outcome.outcome === 'enacted' ? 200 : 202, body: outcome }
  throw new ApiRefusal(STATUS_OF[outcome.code], outcome.code, outcome.why)
}

/** What is brought to the wrong address was meant otherwise than it would be understood. */
function refuseOther(note: string, mall: string, kind: NoteKind): void {
  const [head = ''] = note.split('\n', 1)
  const text = note.slice(0, Math.max(0, note.indexOf('\n\n')) + 1)
  const isRecount = /^recount /m.test(text)
  const fits = head === originOf(mall, kind === 'mode' ? 'mode' : 'policy') && (kind !== 'recount' || isRecount)
  if (fits) return
  const what = { policy: 'a policy', mode: 'a mode', recount: 'a policy that takes in a head count' }[kind]
  const message = `not ${what} of this mall: it begins with ${JSON.stringify(head.slice(0, 80))}`
  throw new ApiRefusal(400, 'not-a-note', message, { where: 'body/note' })
}
