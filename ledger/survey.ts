// Survey: one ledger read whole from the disk, with everything that is kept beside it.
//
// Nothing is judged here. What cannot be read is damage, a thing to be judged; a disk that says "not now" is thrown.

import { type Account, epochOf } from './account.ts'
import { Fault } from './fault.ts'
import type { Medium, Shelf } from './medium.ts'
import {
  after,
  type Change,
  HEAD,
  type HeadRecord,
  LINES,
  linesOf,
  NOTES,
  OWN_ROW,
  parseHead,
  parseNote,
  ROWS,
} from './record.ts'
import type { Damage, Stored } from './recovery.ts'
import { Scan } from './scan.ts'

export interface Survey {
  /** open, for whoever goes on with the ledger; undefined where it cannot be opened */
  readonly shelf: Shelf | undefined
  readonly stored: Stored
  readonly head: HeadRecord | undefined
  readonly scan: Scan
  readonly damage: Damage | undefined
  readonly rows: ReadonlyMap<Account, string>
  readonly notes: ReadonlyMap<string, string>
}

export interface SurveyOptions {
  readonly account: Account
  /** was this ledger ever opened in full? Then an empty one has lost its head. */
  readonly begun: boolean
  /** sizes whose roots will be asked for */
  readonly wanted: readonly number[]
  readonly onProgress?: ((read: number, of: number) => void) | undefined
}

const NO_HASH = ''

export async function survey(medium: Medium, options: SurveyOptions): Promise<Survey> {
  let shelf: Shelf
  try {
    shelf = await medium.open(epochOf(options.account), 'existing')
  } catch (error) {
    return surveyRemains(medium, options, told(error))
  }
  try {
    return await read(shelf, options)
  } catch (error) {
    await shelf.close()
    throw error
  }
}

/** The ledger is damaged whatever is still found: to be cited, exported and carried over, never continued. */
async function surveyRemains(medium: Medium, options: SurveyOptions, why: string): Promise<Survey> {
  const what = `the ledger cannot be opened (${why})`
  let shelf: Shelf
  try {
    shelf = await medium.salvage(epochOf(options.account))
  } catch (error) {
    told(error)
    const scan = new Scan(NO_HASH, options.wanted)
    const stored = { account: options.account, size: 0, root: scan.root() }
    const nothing = { rows: new Map<Account, string>(), notes: new Map<string, string>() }
    return { shelf: undefined, stored, head: undefined, scan, damage: { seq: 0, what }, ...nothing }
  }
  try {
    const seen = await read(shelf, options)
    return { ...seen, shelf: undefined, damage: { seq: seen.scan.size, what } }
  } finally {
    await shelf.close()
  }
}

async function read(shelf: Shelf, { account, begun, wanted, onProgress }: SurveyOptions): Promise<Survey> {
  let damage: Damage | undefined
  let headText: string | undefined
  try {
    headText = await shelf.get(HEAD)
  } catch (error) {
    damage = { seq: 0, what: `the head cannot be read (${told(error)})` }
  }
  const head = parseHead(headText)
  if (headText !== undefined && head === undefined) damage = { seq: 0, what: 'the head is garbled' }
  if (head !== undefined && head.account !== account) damage = { seq: 0, what: `the head is of ${head.account}` }

  const scan = new Scan(head?.charter ?? NO_HASH, wanted)
  let lines = 0
  try {
    for await (const portion of shelf.read(LINES, after(LINES))) {
      const kept = portion.flatMap(linesOf)
      lines += kept.length
      if (!kept.every(({ seq, line }) => scan.line(seq, line))) break
      onProgress?.(lines, head?.size ?? lines)
    }
    if (head) scan.end(head)
  } catch (error) {
    scan.cut(told(error))
  }
  if (head === undefined && (begun || lines > 0)) damage ??= { seq: 0, what: 'the head is missing' }
  damage ??= scan.damage

  const flaws: string[] = []
  const rows = new Map<Account, string>()
  const notes = new Map<string, string>()
  let row: string | undefined
  const take = ([key, value]: Change) => {
    const text = parseNote(key, value)
    if (text === undefined) flaws.push(key)
    else if (key === OWN_ROW) row = text
    else sort(key, text, { rows, notes })
  }
  try {
    for await (const portion of shelf.read(NOTES, after(NOTES))) portion.forEach(take)
    for await (const portion of shelf.read(OWN_ROW, after(ROWS))) portion.forEach(take)
  } catch (error) {
    // Without its rows the ledger could go on, but not in a store that fails to read its own files.
    damage ??= { seq: scan.size, what: `rows and notes cannot be read (${told(error)})` }
  }
  const stored = { account, size: scan.size, root: scan.root(), flaws, ...(row === undefined ? {} : { row }) }
  return { shelf, stored, head, scan, damage, rows, notes }
}

/** The same with rows and notes that were put back. */
export function withNotes(seen: Survey, changes: readonly Change[]): Survey {
  const [rows, notes] = [new Map(seen.rows), new Map(seen.notes)]
  for (const [key, value] of changes) {
    const text = parseNote(key, value)
    if (text !== undefined) sort(key, text, { rows, notes })
  }
  return { ...seen, rows, notes }
}

function sort(key: string, text: string, into: { rows: Map<Account, string>; notes: Map<string, string> }): void {
  if (key.startsWith(ROWS)) into.rows.set(key.slice(ROWS.length), text)
  else into.notes.set(key.slice(NOTES.length), text)
}

/** What damage says of itself; anything else is not for the survey. */
function told(error: unknown): string {
  if (error instanceof Fault && error.code === 'LEDGER_DAMAGED') return error.message
  throw error
}
