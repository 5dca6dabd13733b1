// Proof: what lies beside the file of a closed day and says what must be in it.
//
// Law: a proof and its file need nothing else to be checked but the charter and the policies: hashed onto the peaks of the
// tree before them, the lines give the root that the account's owner signed. Wrong peaks could not.

import { type Account, isAccount } from '../../ledger/account.ts'
import { isHash64 } from '../../ledger/base64.ts'
import { Fault } from '../../ledger/fault.ts'
import { isName } from '../../ledger/origin.ts'
import { type Day, isDay } from './day.ts'

/** Where a ledger stands between two files. */
export interface Joint {
  readonly size: number
  /** frontier of the tree, base64 */
  readonly peaks: readonly string[]
  /** leaf hash of the newest line, base64; the charter's hash where there is none */
  readonly last: string
}

export interface Proof {
  readonly mall: string
  readonly account: Account
  readonly day: Day
  /** counts the files of one day, from 1: rows that came late make another */
  readonly part: number
  /** the entries [from, to) */
  readonly from: number
  readonly to: number
  readonly before: { readonly peaks: readonly string[]; readonly last: string }
  /** signed by the owner: its size is `to` */
  readonly row: string
  /** by the writer's clock, the first and last moment of what is in the file */
  readonly oldest: number
  readonly newest: number
  /** by the clock of whoever wrote it; one that had to be written again keeps it */
  readonly closedAt: number
  /** of the lines, each with its newline */
  readonly bytes: number
  readonly sha256: string
  /** of the file */
  readonly gzSha256: string
}

const FORMAT = 'gatemesh/segment/1'
const HEX = /^[0-9a-f]{64}$/

/** `2026-11-16`, or `2026-11-16-2` for the second file of that day. */
export function titleOf({ day, part }: Pick<Proof, 'day' | 'part'>): string {
  return part === 1 ? day : `${day}-${part}`
}

export function parseTitle(text: string): Pick<Proof, 'day' | 'part'> | undefined {
  const day = text.slice(0, 10)
  const part = text.length === 10 ? 1 : Number(text.slice(11))
  return isDay(day) && Number.isSafeInteger(part) && titleOf({ day, part }) === text ? { day, part } : undefined
}

export function formatProof(proof: Proof): string {
  return `${JSON.stringify({ format: FORMAT, ...proof }, null, 2)}\n`
}

export function parseProof(text: string): Proof {
  const value = parse(text)
  const field = <T>(name: string, is: (value: unknown) => boolean): T => {
    if (!is(value[name])) throw new Fault('PROOF', `${name}: missing, or not of its kind`)
    return value[name] as T
  }
  field('format', v => v === FORMAT)
  const proof: Proof = {
    mall: field('mall', v => typeof v === 'string' && isName(v)),
    account: field('account', v => typeof v === 'string' && isAccount(v)),
    day: field('day', v => typeof v === 'string' && isDay(v)),
    part: field('part', v => isCount(v) && v > 0),
    from: field('from', isCount),
    to: field('to', isCount),
    before: field('before', isBefore),
    row: field('row', v => typeof v === 'string'),
    oldest: field('oldest', isCount),
    newest: field('newest', isCount),
    closedAt: field('closedAt', isCount),
    bytes: field('bytes', isCount),
    sha256: field('sha256', isHex),
    gzSha256: field('gzSha256', isHex),
  }
  if (proof.to <= proof.from) throw new Fault('PROOF', 'to: not after from')
  return proof
}

export function jointBefore({ from, before }: Proof): Joint {
  return { size: from, ...before }
}

function parse(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === 'object' && value !== null) return value as Record<string, unknown>
  } catch (cause) {
    throw new Fault('PROOF', 'not JSON', { cause })
  }
  throw new Fault('PROOF', 'not a JSON object')
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0
}

function isHex(value: unknown): boolean {
  return typeof value === 'string' && HEX.test(value)
}

function isBefore(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  const { peaks, last } = value as Record<string, unknown>
  const isHash = (text: unknown) => typeof text === 'string' && isHash64(text)
  return Array.isArray(peaks) && peaks.length <= 53 && peaks.every(isHash) && isHash(last)
}
