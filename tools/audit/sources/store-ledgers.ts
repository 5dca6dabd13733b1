// Store ledgers: what the copy of a member's own store holds: every epoch of its ledger, as far as its hash chain goes.
//
// Law: a line counts once the next one, or the head after the last, says its hash. What comes after damage is not shown; where
// the damage is, and what the mark says there should be, is.

import { type Account, account as accountOf, nameOf } from '../../../ledger/account.ts'
import { Fault } from '../../../ledger/fault.ts'
import { LevelMedium } from '../../../ledger/level-store.ts'
import { readAsIs } from '../../../ledger/reading.ts'
import { survey } from '../../../ledger/survey.ts'
import { unshelved } from '../../../ledger/unshelved.ts'
import type { Remark } from '../../../mesh/archive/inventory.ts'

export interface StoreLedgers {
  readonly name: string
  /** account and how many of its entries can be shown */
  readonly sizes: ReadonlyMap<Account, number>
  /** own rows and those of others, as they were signed */
  readonly rows: readonly string[]
  readonly notes: ReadonlyMap<string, string>
  readonly remarks: readonly Remark[]
  lines(account: Account, from: number, to: number): AsyncIterable<string>
  close(): Promise<void>
}

/** Entries that were acknowledged with the mark before the power went, and that the ledger did not get. */
interface Tail {
  readonly from: number
  readonly lines: readonly string[]
}

/** `name` is whose store it is, where that is known already. */
export async function openStoreLedgers(dir: string, name: string | undefined): Promise<StoreLedgers> {
  const medium = new LevelMedium(dir)
  try {
    return await read(medium, name)
  } catch (error) {
    await medium.close()
    throw error
  }
}

async function read(medium: LevelMedium, known: string | undefined): Promise<StoreLedgers> {
  const mark = await medium.readMark()
  const marked = mark === 'garbled' ? undefined : mark
  const remarks: Remark[] = []
  if (mark === 'garbled') remarks.push({ what: 'damage', detail: 'the mark of the newest ledger cannot be read' })
  const name = known ?? (marked === undefined ? undefined : nameOf(marked.account))
  if (name === undefined) throw new Fault('DISK', 'nothing says whose store it is: give its config file instead')
  const sizes = new Map<Account, number>()
  const tails = new Map<Account, Tail>()
  const rows = new Set<string>()
  const notes = new Map<string, string>()
  for (const epoch of await medium.epochs()) {
    const account = accountOf(name, epoch)
    const isMarked = marked?.account === account
    const seen = await survey(medium, { account, begun: true, wanted: [marked?.size ?? 0] })
    await seen.shelf?.close()
    const { scan, damage, stored } = seen
    const missing = isMarked ? unshelved(seen, marked) : undefined
    if (missing !== undefined) tails.set(account, { from: scan.size, lines: missing.lines })
    const size = missing?.head.size ?? scan.size
    if (damage !== undefined) remarks.push({ what: 'damage', account, seq: damage.seq, detail: damage.what })
    if (isMarked && size < marked.size) {
      remarks.push({
        what: 'missing',
        account,
        from: scan.size,
        to: marked.size,
        why: 'the mark says they were written',
      })
    } else if (isMarked && missing === undefined && scan.rootAt(marked.size) !== marked.root) {
      remarks.push({ what: 'damage', account, detail: `not the ${marked.size} entries that the mark speaks of` })
    }
    for (const flaw of stored.flaws ?? [])
      remarks.push({ what: 'damage', account, detail: `${flaw}: failed its checksum` })
    if (size > 0) sizes.set(account, size)
    if (stored.row !== undefined) rows.add(stored.row)
    for (const note of seen.rows.values()) rows.add(note)
    for (const [key, note] of seen.notes) notes.set(key, note)
  }
  if (marked !== undefined && !sizes.has(marked.account) && marked.size > 0) {
    const gone = { from: 0, to: marked.size, why: 'the mark says they were written, and there is no ledger' }
    remarks.push({ what: 'missing', account: marked.account, ...gone })
  }
  return {
    name,
    sizes,
    rows: [...rows],
    notes,
    remarks,
    lines: (account, from, to) => linesOf(medium, account, from, to, tails.get(account)),
    close: () => medium.close(),
  }
}

async function* linesOf(
  medium: LevelMedium,
  account: Account,
  from: number,
  to: number,
  tail: Tail | undefined,
): AsyncGenerator<string> {
  const shelf = await medium.salvage(Number(account.split('/')[1]))
  let next = 0
  try {
    for await (const { seq, line } of readAsIs(shelf)) {
      if (seq >= to) break
      if (seq !== next) break
      next++
      if (seq >= from) yield line
    }
  } finally {
    await shelf.close()
  }
  for (const [k, line] of (tail?.lines ?? []).entries()) {
    const seq = (tail?.from ?? 0) + k
    if (seq !== next || seq >= to) continue
    next++
    if (seq >= from) yield line
  }
  if (next < to) throw new Fault('DISK', `${account}: entry ${next} cannot be read any more`)
}
