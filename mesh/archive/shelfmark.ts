// Shelfmark: under which keys an archive keeps what.
//
//     a/head/ACCOUNT              how far it was collected, without the row
//     a/line/ACCOUNT/SEQ          order, arrival and flags, then the line
//     a/day/ACCOUNT/DAY           size, then the newest row of that day that vouches
//     a/order/ORDER               which entry came as the how manieth
//     a/time/AT/ORDER             by its writer's clock
//     a/type/TYPE/AT/ORDER        the same for types so rare that all others would be in the way
//     a/id/ID/ACCOUNT             its seq
//     a/evidence/ID
//     a/newest                    the largest order there ever was
//
// Law: numbers in keys have as many digits as the largest, so that the order of keys is theirs.

import type { Account } from '../../ledger/account.ts'
import { parseCount } from '../../ledger/decimal.ts'
import type { EntryType } from '../../ledger/entry.ts'
import { Fault } from '../../ledger/fault.ts'
import { parseLine } from '../../ledger/line.ts'
import type { Event, Flag } from './archive.ts'
import type { Span } from './cabinet.ts'

const DIGITS = 16
const FREQUENT: readonly EntryType[] = ['admit', 'exit', 'reject', 'send', 'receive']

/** Where an entry is. */
export interface Spot {
  readonly account: Account
  readonly seq: number
  readonly type: EntryType
}

/** A place in an index by time. */
export interface Moment {
  readonly at: number
  readonly order: number
}

export const KEYS = {
  newest: 'a/newest',
  head: (account: Account) => `a/head/${account}`,
  line: (account: Account, seq: number) => `a/line/${account}/${digits(seq)}`,
  day: (account: Account, day: string) => `a/day/${account}/${day}`,
  order: (order: number) => `a/order/${digits(order)}`,
  time: ({ at, order }: Moment) => `a/time/${digits(at)}/${digits(order)}`,
  type: (type: EntryType, { at, order }: Moment) => `a/type/${type}/${digits(at)}/${digits(order)}`,
  id: (id: string, account: Account) => `a/id/${id}/${account}`,
  evidence: (id: string) => `a/evidence/${id}`,
} as const

export function isRare(type: EntryType): boolean {
  return !FREQUENT.includes(type)
}

/** Every key that an entry has, for whoever writes or forgets it. */
export function keysOf(account: Account, { entry, order }: Pick<Event, 'entry' | 'order'>): string[] {
  const moment = { at: entry.at, order }
  const keys = [
    KEYS.line(account, entry.seq),
    KEYS.order(order),
    KEYS.time(moment),
    KEYS.id(entry.id, account),
    ...(isRare(entry.type) ? [KEYS.type(entry.type, moment)] : []),
  ]
  return keys
}

/** All keys that begin with this, which ends in a slash. */
export function under(prefix: string): Span {
  return { from: prefix, to: `${prefix.slice(0, -1)}0` }
}

export function spotText({ account, seq, type }: Spot): string {
  return `${account} ${seq} ${type}`
}

export function parseSpot(text: string): Spot {
  const [account = '', seq = '', type = ''] = text.split(' ')
  return { account, seq: Number(seq), type: type as EntryType }
}

/** The moment in a key of an index by time. */
export function momentOf(key: string): Moment {
  const [at, order] = key.split('/').slice(-2)
  return { at: Number(at), order: Number(order) }
}

export function recordText({ order, arrivedAt, flags, line }: Omit<Event, 'entry' | 'account'>): string {
  return `${order} ${arrivedAt} ${flags.join(',')}\n${line}`
}

/** The line of a record, unread. */
export function lineOf(text: string): string {
  return text.slice(text.indexOf('\n') + 1)
}

export function parseRecord(account: Account, text: string): Event {
  const end = text.indexOf('\n')
  const [order = '', arrivedAt = '', flags = ''] = text.slice(0, end).split(' ')
  const line = text.slice(end + 1)
  return {
    order: Number(order),
    account,
    entry: parseLine(line),
    line,
    arrivedAt: Number(arrivedAt),
    flags: flags === '' ? [] : (flags.split(',') as Flag[]),
  }
}

/** Where the next page of a query begins, and which order was the newest when the first was asked for. */
export interface Cursor extends Moment {
  readonly newest: number
}

export function cursorText({ newest, at, order }: Cursor): string {
  return Buffer.from(`${newest} ${at} ${order}`).toString('base64url')
}

export function parseCursor(text: string): Cursor {
  const numbers = Buffer.from(text.slice(0, 100), 'base64url').toString('latin1').split(' ').map(parseCount)
  const [newest, at, order, ...rest] = numbers
  if (newest === undefined || at === undefined || order === undefined || rest.length > 0) {
    throw new Fault('CURSOR', 'cursor: none that was given out here')
  }
  const cursor = { newest, at, order }
  if (cursorText(cursor) !== text) throw new Fault('CURSOR', 'cursor: none that was given out here')
  return cursor
}

function digits(n: number): string {
  return String(n).padStart(DIGITS, '0')
}
