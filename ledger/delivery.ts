// Delivery: one write of a ledger: lines that it lacks, and with the last of them its own row and what was kept beside it.

import { type Book, type End, headOf, sizeOf } from './book.ts'
import type { KeptNotes } from './kept-notes.ts'
import { ownRow } from './own-row.ts'
import type { StoreOptions } from './store.ts'
import type { Waiters } from './waiters.ts'

interface Beside {
  readonly kept: KeptNotes
  readonly waiters: Waiters
  readonly options: StoreOptions
}

/** Returns what tells those who wait for the ledger: they are told once its mark is written too. */
export async function deliver(book: Book, to: End, { kept, waiters, options }: Beside): Promise<() => void> {
  const changes = book.changes(to)
  // more is on its way: notes may belong to it, and a row would be of another size
  if (sizeOf(to) < book.size) {
    if (changes.length > 0) await book.shelf.write(changes)
    book.took(to)
    return () => undefined
  }
  const notes = kept.take()
  const syncing = waiters.syncing(sizeOf(to))
  if (changes.length > 0) changes.push(...ownRow(options, headOf(to)))
  changes.push(...notes.changes)
  try {
    if (changes.length > 0) await book.shelf.write(changes)
  } catch (error) {
    notes.giveBack()
    throw error
  }
  notes.written()
  book.took(to)
  return syncing.resolve
}
