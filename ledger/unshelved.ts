// Unshelved: entries that were acknowledged with a mark, and that the ledger had not got when the power went, with what
// was kept beside it then.
//
// Law: they are taken only where ledger and lines together are exactly what the mark says, by hash. Anything else is for
// the judge to call a loss.

import { fromBase64, toBase64 } from './base64.ts'
import type { Shelf } from './medium.ts'
import { type Change, formatHead, HEAD, type HeadRecord, headRecord, pages } from './record.ts'
import { follows } from './scan.ts'
import type { Mark } from './store.ts'
import { type Survey, withNotes } from './survey.ts'
import { type Hash, leafHash } from './tree.ts'

export interface Unshelved {
  readonly lines: readonly string[]
  readonly head: HeadRecord
  readonly root: string
  readonly notes: readonly Change[]
}

/** Undefined where nothing is missing, or cannot be had from the mark. */
export function unshelved({ stored, head, scan, damage }: Survey, mark: Mark | undefined): Unshelved | undefined {
  if (mark === undefined || head === undefined || damage !== undefined) return undefined
  const { account, size, root, tail = [], notes = [] } = mark
  if (account !== stored.account || stored.size >= size || stored.size < size - tail.length) return undefined
  const lines = tail.slice(stored.size - size)
  const frontier = scan.frontier.copy()
  let { last } = head
  for (const line of lines) {
    if (!follows(line, { seq: frontier.size, prev: last })) return undefined
    last = toBase64(leafHash(line))
    frontier.append(fromBase64(last, 32) as Hash)
  }
  if (toBase64(frontier.root()) !== root) return undefined
  // those of a mark whose lines the ledger has came with them
  const beside = notes.filter(note => note.size > stored.size).map(({ change }) => change)
  return { lines, head: headRecord(account, head.charter, last, frontier), root, notes: beside }
}

/** Writes them into the ledger, and returns it as it is then. */
export async function shelve(seen: Survey, shelf: Shelf, { lines, head, root, notes }: Unshelved): Promise<Survey> {
  const { stored, scan } = seen
  await shelf.write([...pages(stored.size, lines), [HEAD, formatHead(head)], ...notes])
  const flaw = `entries ${stored.size} to ${head.size - 1} were in the mark only and were put back`
  for (const line of lines) scan.frontier.append(leafHash(line))
  const whole = { ...stored, size: head.size, root, flaws: [...(stored.flaws ?? []), flaw] }
  return withNotes({ ...seen, head, stored: whole }, notes)
}
