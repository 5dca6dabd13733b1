// Cabinet: keys and values in order, on a disk. All that an anchor keeps beside its own ledger lies in one of these:
// what it collected, pending approvals, alerts, tokens. This file is the port; `level-cabinet.ts` is the disk,
// `memory-cabinet.ts` its twin for tests, and one contract suite runs on both.
//
// Law: a write is all or nothing, and on disk when it resolves. One that rejected may have happened. Keys are in the order
// of their UTF-8 bytes, and a reading sees what was there when it began.

/** A value of undefined removes the key. */
export type Edit = readonly [key: string, value: string | undefined]
/** No key is less than this. */
export const KEY_MIN = ' '
export type Item = readonly [key: string, value: string]

export interface Span {
  /** keys at or after this one */
  readonly from: string
  /** and before this one */
  readonly to: string
  /** last first */
  readonly reverse?: boolean
  readonly limit?: number
}

export interface Cabinet {
  get(key: string): Promise<string | undefined>
  /** In order of keys, in portions. */
  read(span: Span): AsyncIterable<readonly Item[]>
  write(edits: readonly Edit[]): Promise<void>
  /** Safe to repeat. */
  close(): Promise<void>
}
