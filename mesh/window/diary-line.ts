// Diary line: a minute of the trend, or a mark that a gate's day is counted from, as one line of the file that keeps them.
//
//     ["m", at, count, atMost, capacity, "NORMAL", entries, exits, rejects]
//     ["d", day, "gate-01/1", in, out, 0 or 1 (its day was not seen to begin)]

import { isAccount } from '../../ledger/account.ts'
import { MODES, type Mode } from '../../ledger/entry.ts'
import { type Minute, STEP_MS } from './minutes.ts'
import type { Mark } from './today.ts'

export type DiaryLine = { readonly minute: Minute } | { readonly mark: Mark }

export function formatMinute({ at, count, atMost, capacity, mode, entries, exits, rejects }: Minute): string {
  return JSON.stringify(['m', at, count, atMost, capacity, mode, entries, exits, rejects])
}

export function formatMark({ day, account, in: entered, out, isPart }: Mark): string {
  return JSON.stringify(['d', day, account, entered, out, isPart ? 1 : 0])
}

/** Undefined: it is none. */
export function parseDiaryLine(line: string): DiaryLine | undefined {
  let fields: unknown
  try {
    fields = JSON.parse(line)
  } catch {
    return undefined
  }
  if (!Array.isArray(fields)) return undefined
  const [kind, ...rest] = fields
  if (kind === 'm') return minuteOf(rest)
  return kind === 'd' ? markOf(rest) : undefined
}

function minuteOf(fields: readonly unknown[]): DiaryLine | undefined {
  const [at, count, atMost, capacity, mode, entries, exits, rejects] = fields
  const isWhole = [at, count, atMost, capacity, entries, exits, rejects].every(isCount)
  if (fields.length !== 8 || !isWhole || (at as number) % STEP_MS !== 0 || !isMode(mode)) return undefined
  return { minute: { at, count, atMost, capacity, mode, entries, exits, rejects } as Minute }
}

function markOf(fields: readonly unknown[]): DiaryLine | undefined {
  const [day, account, entered, out, part] = fields
  if (fields.length !== 5 || !isCount(day) || typeof account !== 'string' || !isAccount(account)) return undefined
  if (!Number.isSafeInteger(entered) || !isCount(out) || (part !== 0 && part !== 1)) return undefined
  return { mark: { day, account, in: entered as number, out, isPart: part === 1 } }
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0
}

function isMode(value: unknown): value is Mode {
  return MODES.some(mode => mode === value)
}
