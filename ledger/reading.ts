// Reading lines from a shelf: checked, for those who rely on them, or as they are, for those who look into damage.

import type { Account } from './account.ts'
import { toBase64 } from './base64.ts'
import { Fault } from './fault.ts'
import type { Shelf } from './medium.ts'
import { after, LINES, lineKey, linesOf } from './record.ts'
import { placeOf } from './scan.ts'
import type { Kept } from './store.ts'
import { leafHash } from './tree.ts'

/** The lines in [from, to), all of them; each must follow the one before it. */
export async function* readChecked(shelf: Shelf, account: Account, from: number, to: number): AsyncGenerator<string> {
  if (from >= to) return
  const floor = await shelf.floor(lineKey(from))
  const page = floor?.startsWith(LINES) ? floor : lineKey(from)
  let next: number | undefined
  let last: string | undefined
  for await (const portion of shelf.read(page, lineKey(to))) {
    for (const { seq, line } of portion.flatMap(linesOf)) {
      const place = placeOf(line)
      const follows = seq === (next ?? seq) && place?.seq === seq && (last === undefined || place.prev === last)
      if (!follows) throw new Fault('LEDGER_DAMAGED', `${account}: entry ${next ?? seq} is not the one written`)
      last = toBase64(leafHash(line))
      next = seq + 1
      if (seq >= from && seq < to) yield line
    }
  }
  if (next === undefined || next < to) throw new Fault('LEDGER_DAMAGED', `${account}: entry ${next ?? from} is missing`)
}

export async function* readAsIs(shelf: Shelf): AsyncGenerator<Kept> {
  for await (const portion of shelf.read(LINES, after(LINES))) {
    yield* portion.flatMap(linesOf)
  }
}
