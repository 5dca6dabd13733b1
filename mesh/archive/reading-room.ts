// Reading room: how an archive's cabinet is read.
//
// Law: one question looks through so many keys, and opens so many records, at most; what is not answered by then is for
// the next one.

import type { Account } from '../../ledger/account.ts'
import { nameOf } from '../../ledger/account.ts'
import { decisionOf } from '../../ledger/entry.ts'
import type { CollectedHead, DayRow, Event, EventPage, EventQuery } from './archive.ts'
import type { Cabinet, Item, Span } from './cabinet.ts'
import {
  type Cursor,
  cursorText,
  isRare,
  KEYS,
  type Moment,
  momentOf,
  parseCursor,
  parseRecord,
  parseSpot,
  type Spot,
  under,
} from './shelfmark.ts'

/** A fraction of a second on a small disk. */
export const SCAN_MAX = 10_000
/** As long: a record is found one by one. */
export const OPEN_MAX = 2000

export interface PageBounds {
  /** the newest order there is */
  readonly newest: number
  readonly eventsMax: number
  readonly bytesMax: number
}

export async function all(cabinet: Cabinet, span: Span): Promise<Item[]> {
  const items: Item[] = []
  for await (const portion of cabinet.read(span)) items.push(...portion)
  return items
}

/** A page of what there was when the first page was asked for. What came since is not in it, wherever it would belong. */
export async function findIn(cabinet: Cabinet, query: EventQuery, bounds: PageBounds): Promise<EventPage> {
  const { type, to = Number.MAX_SAFE_INTEGER } = query
  const cursor = query.cursor === undefined ? undefined : parseCursor(query.cursor)
  const start: Cursor = cursor ?? { newest: bounds.newest, at: query.from ?? 0, order: 0 }
  const key = (moment: Moment) => (type !== undefined && isRare(type) ? KEYS.type(type, moment) : KEYS.time(moment))
  const first = query.from !== undefined && query.from > start.at ? { at: query.from, order: 0 } : start
  const span = { from: key(first), to: key({ at: to, order: 0 }), limit: SCAN_MAX }
  const events: Event[] = []
  let bytes = 0
  let scanned = 0
  let opened = 0
  let last: Moment | undefined
  for await (const portion of cabinet.read(span)) {
    for (const [at, text] of portion) {
      scanned++
      last = momentOf(at)
      const spot = parseSpot(text)
      if (last.order > start.newest || !isMeant(query, spot)) continue
      const event = await opening(cabinet, spot)
      opened++
      if (event !== undefined && isDecided(query, event)) {
        events.push(event)
        bytes += event.line.length
      }
      const isFull = events.length >= Math.min(query.limit, bounds.eventsMax) || bytes >= bounds.bytesMax
      if (isFull || opened >= OPEN_MAX) return { events, cursor: after(last, start.newest) }
    }
  }
  if (last === undefined || scanned < SCAN_MAX) return { events }
  return { events, cursor: after(last, start.newest) }
}

/** As far as an index can tell. */
function isMeant({ gate, type, decision }: EventQuery, spot: Spot): boolean {
  if (type !== undefined && spot.type !== type) return false
  if (decision !== undefined && spot.type !== (decision === 'ADMIT' ? 'admit' : 'reject')) return false
  return gate === undefined || nameOf(spot.account) === gate
}

function isDecided({ decision }: EventQuery, { entry }: Event): boolean {
  return decision === undefined || decisionOf(entry) === decision
}

/** Undefined where it was pruned since the index was read. */
async function opening(cabinet: Cabinet, { account, seq }: Spot): Promise<Event | undefined> {
  const record = await cabinet.get(KEYS.line(account, seq))
  return record === undefined ? undefined : parseRecord(account, record)
}

function after({ at, order }: Moment, newest: number): string {
  return cursorText({ newest, at, order: order + 1 })
}

export async function readHeads(
  cabinet: Cabinet,
): Promise<{ heads: Map<Account, CollectedHead>; days: Map<Account, string> }> {
  const heads = new Map<Account, CollectedHead>()
  const days = new Map<Account, string>()
  for (const [, text] of await all(cabinet, under('a/head/'))) {
    const head: CollectedHead = JSON.parse(text)
    const { account } = head
    const [newest] = await all(cabinet, { ...under(`a/day/${account}/`), reverse: true, limit: 1 })
    if (newest !== undefined) days.set(account, parseDay(newest).day)
    heads.set(account, newest === undefined ? head : { ...head, row: parseDay(newest).note })
  }
  return { heads, days }
}

export function parseDay([key, text]: Item): DayRow {
  const end = text.indexOf('\n')
  return { day: key.slice(key.lastIndexOf('/') + 1), size: Number(text.slice(0, end)), note: text.slice(end + 1) }
}

/**
 * The UTC day of a row by its writer's clock; but never before one that an earlier row had, so that larger sizes are of
 * later days, and never one that has not come.
 */
export function dayOfRow(note: string, a: { readonly notBefore: string | undefined; readonly wall: number }): string {
  const at = Number(/^at ([0-9]+)$/m.exec(note)?.[1] ?? a.wall)
  const day = dayOf(Math.min(at, a.wall))
  return a.notBefore !== undefined && a.notBefore > day ? a.notBefore : day
}

function dayOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10)
}
