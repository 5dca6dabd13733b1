// Medium: what the keeper needs of a disk. Level and a file on one side, memory with faults on the other.
//
// Law: a write that rejected may have happened, in part or in full, and so may have ended everything that is written
// after it through the same shelf. Only closing and reading again tells.

import type { Change } from './record.ts'
import type { Mark } from './store.ts'

/**
 * Rejections are Faults with one of these codes:
 *   LEDGER_LOCKED    another process has it
 *   LEDGER_EXISTS    asked to create what is there
 *   LEDGER_DAMAGED   what is there cannot be read, and trying again will not help
 *   STORE_IO         the disk said no; it may work later
 */
export interface Medium {
  /** The newest, with the lines that lead up to it as far as marks still hold them. */
  readMark(): Promise<Mark | 'garbled' | undefined>
  /** Durable when it resolves. When it rejects, the mark before it can still be read. */
  writeMark(mark: Mark): Promise<void>
  /** Epochs that have a ledger here, ascending. */
  epochs(): Promise<number[]>
  /** A `create` that rejects leaves nothing. */
  open(epoch: number, how: 'existing' | 'create'): Promise<Shelf>
  /** For reading only: whatever can be got out of a ledger, damaged or not. */
  salvage(epoch: number): Promise<Shelf>
  /** Removes a ledger that never held an entry. */
  discard(epoch: number): Promise<void>
  /** Ms of a clock that never goes back, to tell how long writes take; a medium without one has none to tell of. */
  now?(): number
  /** Calls back after this time, in which more may come for the next write, unless it is called off by what it returns. A
   *  medium without it does not wait for more. */
  linger?(ms: number, over: () => void): () => void
  /** Ends early when the signal says so. */
  wait(ms: number, signal: AbortSignal): Promise<void>
  /** Lets go of the mark; shelves are closed by who opened them. */
  close(): Promise<void>
}

export interface Shelf {
  get(key: string): Promise<string | undefined>
  /** The largest key at or below this one. */
  floor(key: string): Promise<string | undefined>
  /** Key and value in order of keys, in portions. */
  read(from: string, to: string): AsyncIterable<Change[]>
  /** All or nothing. Durable when it resolves. */
  write(changes: readonly Change[]): Promise<void>
  close(): Promise<void>
}
