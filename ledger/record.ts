// Records: which keys a ledger's store has, and what is under them. Keys sort in the order of the entries.
//
//     line/000000000042   a page: the entries from 42 on that were written together, as they are hashed, one per line
//     head                account, charter hash, size, last leaf hash and frontier after the newest entry
//     row                 the own row that was sealed with the newest entries
//     row/<account>       the newest row of another account
//     note/<name>         charter, policies, modes
//
// Lines and head vouch for each other by hash. Rows and notes carry a checksum over key and text: a signature would
// show the damage too, but only to someone who has the key.

import { hash } from 'node:crypto'
import { type Account, isAccount } from './account.ts'
import { isHash64, toBase64 } from './base64.ts'
import { must } from './fault.ts'
import type { Kept } from './store.ts'
import type { Frontier } from './tree.ts'

export const HEAD = 'head'
export const OWN_ROW = 'row'
export const ROWS = 'row/'
export const NOTES = 'note/'
export const LINES = 'line/'

const SEQ_DIGITS = 12
/** A page is read whole: what piled up while the disk was away becomes several. */
const PAGE_LINES_MAX = 1000

export type Change = readonly [key: string, value: string]

export function lineKey(seq: number): string {
  must(seq < 10 ** SEQ_DIGITS, 'an entry number has a key that sorts')
  return LINES + String(seq).padStart(SEQ_DIGITS, '0')
}

/** One key for all lines of a write: a put for each would cost more than hashing them. */
export function pages(first: number, lines: readonly string[]): Change[] {
  const changes: Change[] = []
  for (let at = 0; at < lines.length; at += PAGE_LINES_MAX) {
    changes.push([lineKey(first + at), lines.slice(at, at + PAGE_LINES_MAX).join('\n')])
  }
  return changes
}

export function linesOf([key, page]: Change): Kept[] {
  const first = Number(key.slice(LINES.length))
  return page.split('\n').map((line, k) => ({ seq: first + k, line }))
}

/** The first key after all that begin with `prefix`. */
export function after(prefix: string): string {
  return `${prefix}\uffff`
}

export interface HeadRecord {
  readonly account: Account
  /** what the first entry's `prev` says */
  readonly charter: string
  readonly size: number
  /** leaf hash of the newest entry; the charter hash where there is none */
  readonly last: string
  readonly peaks: readonly string[]
}

export function headRecord(account: Account, charter: string, last: string, frontier: Frontier): HeadRecord {
  return { account, charter, size: frontier.size, last, peaks: frontier.peaks.map(toBase64) }
}

export function formatHead(head: HeadRecord): string {
  return JSON.stringify(head)
}

/** Undefined where the text is not a head record, whatever happened to it. */
export function parseHead(text: string | undefined): HeadRecord | undefined {
  if (text === undefined) return undefined
  try {
    const { account, charter, size, last, peaks } = JSON.parse(text) ?? {}
    const whole = [account, charter, last].every(part => typeof part === 'string') && Array.isArray(peaks)
    if (!whole || !isAccount(account) || !isHash64(charter) || !isHash64(last)) return undefined
    if (!Number.isSafeInteger(size) || size < 0 || !peaks.every(peak => typeof peak === 'string')) return undefined
    return { account, charter, size, last, peaks }
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

export function formatNote(key: string, text: string): string {
  return `${checksum(key, text)}\n${text}`
}

export function noteChange(key: string, text: string): Change {
  return [key, formatNote(key, text)]
}

/** Undefined where the text is not the one that was kept under this key. */
export function parseNote(key: string, value: string): string | undefined {
  const end = value.indexOf('\n')
  const text = value.slice(end + 1)
  return end >= 0 && value.slice(0, end) === checksum(key, text) ? text : undefined
}

function checksum(key: string, text: string): string {
  return hash('sha256', `${key}\n${text}`, 'base64')
}
