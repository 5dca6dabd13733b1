// Export: what a search finds, as a file, at the pace of whoever reads it.
//
// Laws: one portion is in memory at a time. The last line says that it is the last and how many came before it; a file
// without it broke off, and so did the connection.

import type { Archive, Event, EventQuery } from '../../../mesh/archive/archive.ts'
import { type Endpoint, type Reader, streamed } from '../endpoint.ts'
import { endRow, eventRow, headRow, isoOf } from '../event-sheet.ts'
import type { Desk } from '../ports.ts'
import { ApiRefusal } from '../refusal.ts'
import { MallPath, only } from '../shape.ts'
import { Type } from '../type.ts'
import { SEARCH, type Search } from './events.ts'

const PORTION = 100
/** Each reads through a disk that gates are collected to. */
const AT_ONCE_MAX = 4
/** A download that somebody's line holds up for longer is asked for again. */
const UNREAD_MS_MAX = 60_000

interface Format {
  readonly type: string
  readonly head: string
  readonly line: (event: Event) => string
  readonly end: (count: number, archivedUntil: number | undefined) => string
}

const FORMATS = {
  csv: {
    type: 'text/csv; charset=utf-8; header=present',
    head: headRow(),
    line: eventRow,
    end: (count, until) => {
      const older = until === undefined ? '' : `; what is older than ${isoOf(until)} may be in archive files`
      return endRow(`${count} events${older}`)
    },
  },
  jsonl: {
    type: 'application/x-ndjson; charset=utf-8',
    head: '',
    line: event => `${JSON.stringify(event)}\n`,
    end: (count, archivedUntil) => `${JSON.stringify({ end: true, count, archivedUntil })}\n`,
  },
} as const satisfies Record<string, Format>

const USUAL = 'csv'
const FormatName = Type.Optional(Type.Enum(Object.keys(FORMATS) as (keyof typeof FORMATS)[], { default: USUAL }))

export const EXPORT: readonly Endpoint[] = [
  streamed({
    operation: 'exportEvents',
    method: 'GET',
    url: '/malls/:mall/events/export',
    tag: 'events',
    summary: 'All that a search finds as a file: CSV (RFC 4180, with a header) or one event as JSON to a line',
    shapes: { path: MallPath, query: only({ ...SEARCH, format: FormatName }) },
    replies: {
      200: {
        description:
          'the events oldest first, then an end: in CSV a row whose first cell is `# end: N events`, as JSON ' +
          '`{"end":true,"count":N}`. A file without it broke off. In CSV a text that would be a formula has an apostrophe first.',
        type: ['text/csv', 'application/x-ndjson'],
        schema: Type.String(),
      },
    },
    heading: ({ desk, query }) => ({
      type: FORMATS[query.format ?? USUAL].type,
      file: fileName(desk.mall, query),
      unreadMsMax: UNREAD_MS_MAX,
    }),
    stream: ({ desk, query: { format = USUAL, ...search } }, reader) => {
      return alone(desk.archive, () => pour(desk, search, FORMATS[format], reader))
    },
  }),
]

const underWay = new WeakMap<Archive, number>()

export async function alone(archive: Archive, act: () => Promise<void>): Promise<void> {
  const others = underWay.get(archive) ?? 0
  if (others >= AT_ONCE_MAX) throw new ApiRefusal(503, 'full', 'other exports are under way: try again in a moment')
  underWay.set(archive, others + 1)
  try {
    await act()
  } finally {
    underWay.set(archive, (underWay.get(archive) ?? 1) - 1)
  }
}

async function pour({ archive, retention }: Desk, search: Search, format: Format, reader: Reader): Promise<void> {
  const until = await retention.archivedUntil(search.gate)
  const isBefore = until !== undefined && (search.from ?? 0) <= until
  let count = 0
  // what goes wrong before the first word is told as a refusal
  let page = await archive.find({ ...search, limit: PORTION } as EventQuery)
  await reader.write(format.head)
  for (;;) {
    count += page.events.length
    if (page.events.length > 0) await reader.write(page.events.map(format.line).join(''))
    if (page.cursor === undefined) break
    page = await archive.find({ ...search, limit: PORTION, cursor: page.cursor } as EventQuery)
  }
  await reader.write(format.end(count, isBefore ? until : undefined))
}

/** What was searched for, in letters that every system takes. */
function fileName(mall: string, { format = USUAL, ...search }: Search & { readonly format?: string }): string {
  const { gate, type, decision, from, to } = search
  const time = (ms: number | undefined) => (ms === undefined ? [] : [isoOf(ms).replace(/[:.]/g, '-')])
  const span =
    from === undefined && to === undefined ? [] : [...time(from), 'to', ...(to === undefined ? ['now'] : time(to))]
  const what = [gate, type, decision?.toLowerCase().replaceAll('_', '-')].filter(word => word !== undefined)
  return `${['events', mall, ...what, ...span].join('-')}.${format}`
}
