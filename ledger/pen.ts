// Pen: what writes an account's ledger. The real one is `chain.ts`; the simulator has a cheap one that hashes less.

import type { Body } from './entry.ts'

export interface Written {
  readonly seq: number
  readonly line: string
}

export interface Pen {
  readonly size: number
  write(body: Body): Written
  /** base64 of the tree's root at `size` */
  root(): string
}
