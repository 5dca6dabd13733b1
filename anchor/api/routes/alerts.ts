// Alerts: what people must look at, and who has.

import { SEVERITIES } from '../../alerts/alert.ts'
import { type Endpoint, ofMall, ok, refusal } from '../endpoint.ts'
import { ApiRefusal } from '../refusal.ts'
import { IdPath, Limit, limitOf, MallPath, Moment, Next, only, Reason } from '../shape.ts'
import { Type } from '../type.ts'

const Alert = Type.Object({
  id: Type.String(),
  code: Type.String(),
  subject: Type.String({ description: 'which gate, account, policy …; empty for the mall as a whole' }),
  severity: Type.Enum([...SEVERITIES]),
  detail: Type.String(),
  isOpen: Type.Boolean(),
  raisedAt: Moment,
  clearedAt: Type.Optional(Moment),
  times: Type.Integer({ description: 'how often it came back within minutes of having been cleared' }),
  isLatched: Type.Optional(Type.Boolean({ description: 'it has no end of its own, and stays until somebody saw it' })),
  acknowledged: Type.Optional(Type.Object({ by: Type.String(), at: Moment, note: Type.String() })),
  toldAt: Type.Optional(Moment),
})

const Before = Type.Optional(
  Type.String({ pattern: '^[0-9a-f-]{1,40}$', description: 'where the page before ended, as it was told there' }),
)

export const ALERTS: readonly Endpoint[] = [
  ofMall({
    operation: 'listAlerts',
    method: 'GET',
    url: '/malls/:mall/alerts',
    tag: 'alerts',
    summary: 'Alerts that are open, and the newest that are over, newest first',
    shapes: {
      path: MallPath,
      query: only({
        state: Type.Optional(Type.Enum(['raised', 'cleared'])),
        code: Type.Optional(Type.String({ maxLength: 100 })),
        severity: Type.Optional(Type.Enum([...SEVERITIES])),
      }),
    },
    replies: { 200: { description: 'now', schema: Type.Object({ alerts: Type.Array(Alert) }) } },
    answer: ({ desk, query }) => ok({ alerts: desk.alerts.list(query) }),
  }),
  ofMall({
    operation: 'listAlertHistory',
    method: 'GET',
    url: '/malls/:mall/alerts/history',
    tag: 'alerts',
    summary: 'Every alert ever, newest first',
    shapes: { path: MallPath, query: only({ cursor: Before, limit: Limit }) },
    replies: { 200: { description: 'a page', schema: Type.Object({ alerts: Type.Array(Alert), cursor: Next }) } },
    answer: async ({ desk, query }) => {
      const { alerts, cursor } = await desk.alerts.history({ ...query, limit: limitOf(query) })
      return ok({ alerts, ...(cursor === undefined ? {} : { cursor }) })
    },
  }),
  ofMall({
    operation: 'acknowledgeAlert',
    method: 'POST',
    url: '/malls/:mall/alerts/:id/acknowledgements',
    tag: 'alerts',
    summary: 'Says that somebody with a name looks after it',
    shapes: { path: IdPath, body: only({ note: Type.Optional(Reason) }) },
    replies: {
      200: { description: 'as it is then', schema: Alert },
      404: refusal(404, 'there is no such mall, or no such alert'),
    },
    once: 'required',
    answer: async ({ desk, path, body, caller }) => {
      const alert = await desk.alerts.acknowledge(path.id, caller?.name ?? '', body.note)
      if (alert === undefined) throw new ApiRefusal(404, 'not-found', `there is no alert ${path.id}`)
      return ok(alert)
    },
  }),
]
