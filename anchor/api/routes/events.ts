// Events: what happened, as the gates and the anchor wrote it down and the anchor collected it.

import { DECISIONS, type EntryType, FIELDS } from '../../../ledger/entry.ts'
import type { Archive, Event, EventQuery } from '../../../mesh/archive/archive.ts'
import { type Endpoint, ofMall, ok, type Reader, refusal, streamed } from '../endpoint.ts'
import { ApiRefusal, ofCursor } from '../refusal.ts'
import { Cursor, GateName, Limit, limitOf, MallPath, Moment, Name, Next, only, type Wanted } from '../shape.ts'
import { Type } from '../type.ts'

const TYPES = Object.keys(FIELDS) as EntryType[]
export const EventId = Type.String({ pattern: '^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$' })

const EventShape = Type.Object({
  order: Type.Integer({ description: 'counts everything collected here; what a stream resumes from' }),
  account: Type.String(),
  entry: Type.Object(
    { seq: Type.Integer(), prev: Type.String(), id: Type.String(), at: Moment, type: Type.Enum(TYPES) },
    { additionalProperties: true, description: 'the entry as it stands in its ledger; its fields depend on its type' },
  ),
  line: Type.String({ description: 'the very bytes that are hashed' }),
  arrivedAt: Moment,
  flags: Type.Array(Type.Enum(['late', 'skew'])),
})

const Filter = {
  gate: Type.Optional(GateName),
  type: Type.Optional(Type.Enum(TYPES)),
}

/** Of these, types that are written seldom have an index of their own; all else is looked for between `from` and `to`. */
export const SEARCH = {
  ...Filter,
  decision: Type.Optional(
    Type.Enum([...DECISIONS], { description: 'what was said to somebody who wanted to come in: one of these entries' }),
  ),
  from: Type.Optional(Moment),
  to: Type.Optional(Moment),
}
export type Search = Wanted<typeof SEARCH>

const Archived = Type.Optional(
  Type.Integer({
    description:
      'ms since 1970: what happened before may lie in archive files, where this does not look; told with the first page ' +
      'of a search that reaches back so far',
  }),
)

export const EVENTS: readonly Endpoint[] = [
  ofMall({
    operation: 'listEvents',
    method: 'GET',
    url: '/malls/:mall/events',
    tag: 'events',
    summary: 'Entries by the clocks of those who wrote them, oldest first',
    shapes: {
      path: MallPath,
      query: only({ ...SEARCH, cursor: Cursor, limit: Limit }),
    },
    replies: {
      200: {
        description:
          'a page. What one request looks through is bounded, so that it never takes long: a page may be short, or empty, ' +
          'and have a cursor all the same; there is no more once there is no cursor',
        schema: Type.Object({ events: Type.Array(EventShape), cursor: Next, archivedUntil: Archived }),
      },
    },
    answer: async ({ desk, query }) => {
      const { events, cursor } = await desk.archive
        .find({ ...query, limit: limitOf(query) } as EventQuery)
        .catch(ofCursor)
      const until = query.cursor === undefined ? await desk.retention.archivedUntil(query.gate) : undefined
      const isBefore = until !== undefined && (query.from ?? 0) <= until
      return ok({
        events,
        ...(cursor === undefined ? {} : { cursor }),
        ...(isBefore ? { archivedUntil: until } : {}),
      })
    },
  }),
  ofMall({
    operation: 'getEvent',
    method: 'GET',
    url: '/malls/:mall/events/:id',
    tag: 'events',
    summary: 'One entry by its id',
    shapes: { path: only({ mall: Name, id: EventId }) },
    replies: {
      200: { description: 'the entry', schema: EventShape },
      404: refusal(404, 'there is no such mall, or no such entry was collected'),
    },
    answer: async ({ desk, path }) => {
      const event = await desk.archive.byId(path.id)
      if (event === undefined) throw new ApiRefusal(404, 'not-found', `no entry ${path.id} was collected`)
      return ok(event)
    },
  }),
  streamed({
    operation: 'streamEvents',
    method: 'GET',
    url: '/malls/:mall/events/stream',
    tag: 'events',
    summary: 'Entries as they are collected, as server-sent events whose ids are `order`',
    shapes: {
      path: MallPath,
      query: only({
        ...Filter,
        after: Type.Optional(
          Type.Integer({ minimum: 0, maximum: 2 ** 53 - 1, description: 'from after this order on; else from now on' }),
        ),
      }),
    },
    replies: {
      200: {
        description: 'events; with `Last-Event-ID` it goes on after that one, without a gap',
        type: 'text/event-stream',
        schema: Type.String(),
      },
    },
    stream: ({ desk, query, lastEventId }, reader) => {
      const resumed = lastEventId === undefined ? undefined : orderOf(lastEventId)
      return follow(desk.archive, { ...query, after: resumed ?? query.after ?? desk.archive.newest }, reader)
    },
  }),
]

const PORTION = 200
const HEARTBEAT_MS = 10_000

/** Reads from the archive at the reader's pace, so that a slow one costs a portion of memory and misses nothing. */
async function follow(
  archive: Archive,
  a: { readonly after: number; readonly gate?: string; readonly type?: EntryType },
  reader: Reader,
): Promise<void> {
  let { after } = a
  let told = after
  const stop = archive.onEvents(() => reader.wake())
  try {
    await reader.write(`retry: 1000\nid: ${after}\n\n`)
    while (!reader.isGone) {
      const events = await archive.since(after, PORTION)
      const wanted = events.filter(event => isWanted(event, a))
      after = events.at(-1)?.order ?? after
      if (wanted.length > 0) {
        told = wanted.at(-1)?.order ?? told
        await reader.write(wanted.map(textOf).join(''))
      }
      if (events.length > 0) continue
      await reader.idle(HEARTBEAT_MS)
      // an id alone is no event: it moves the place to resume from past what was left out
      await reader.write(after === told ? ': \n\n' : `id: ${after}\n\n`)
      told = after
    }
  } finally {
    stop()
  }
}

function textOf(event: Event): string {
  return `id: ${event.order}\ndata: ${JSON.stringify(event)}\n\n`
}

function isWanted({ account, entry }: Event, a: { readonly gate?: string; readonly type?: EntryType }): boolean {
  if (a.gate !== undefined && !account.startsWith(`${a.gate}/`)) return false
  return a.type === undefined || entry.type === a.type
}

function orderOf(lastEventId: string): number {
  const order = /^(0|[1-9][0-9]{0,15})$/.test(lastEventId) ? Number(lastEventId) : Number.NaN
  if (Number.isSafeInteger(order)) return order
  throw new ApiRefusal(400, 'invalid', 'header/last-event-id is not one of ours', { where: 'header/last-event-id' })
}
