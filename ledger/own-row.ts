// Own row: sealed where a ledger rests, and stored with the entries it covers.

import { Fault } from './fault.ts'
import { type Change, noteChange, OWN_ROW } from './record.ts'
import type { Head, StoreOptions } from './store.ts'

/** Nothing where there is no row to be had: the lines must not wait for it, an exit is among them. */
export function ownRow({ seal, onFault }: StoreOptions, head: Head): Change[] {
  try {
    const row = seal?.(head)
    return row === undefined ? [] : [noteChange(OWN_ROW, row)]
  } catch (error) {
    onFault?.(new Fault('ROW_NOT_SEALED', `no row at size ${head.size}`, { cause: error }))
    return []
  }
}
