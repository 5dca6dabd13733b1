// Reopening: a ledger whose disk failed, opened again and read whole.

import { type Book, headOf } from './book.ts'
import type { Medium } from './medium.ts'
import { quietly } from './quietly.ts'
import { judge } from './recovery.ts'
import type { Found, StoreOptions } from './store.ts'
import { survey } from './survey.ts'

/** The book goes on with it; or returns what was found, where that is less than the ledger took, or something else. */
export async function reopen(book: Book, medium: Medium, { onProgress }: StoreOptions): Promise<Found | undefined> {
  // While the process lives its memory is the better mark: it knows what the ledger took, and has all that came after.
  // The ledger may be ahead of that, by a write that failed after it had arrived.
  const mark = { account: book.account, ...headOf(book.shelved) }
  const wanted = { account: book.account, begun: true, wanted: [mark.size], onProgress }
  const { stored, scan, damage, shelf } = await survey(medium, wanted)
  const found = judge({ mark, stored, rootAt: size => scan.rootAt(size), damage })
  if (shelf && found.kind === 'intact' && book.goOn(shelf, found)) return undefined
  await quietly(shelf?.close())
  return found.kind === 'lost' ? found : judge({ mark, stored, rootAt: () => undefined })
}
