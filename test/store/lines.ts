// Lines that anyone can write again: entry n of a test ledger is the same whoever writes it, so a parent knows what its
// child wrote without being told.

import { toBase64 } from '../../ledger/base64.ts'
import { Chain, type ChainEnd } from '../../ledger/chain.ts'
import type { Body } from '../../ledger/entry.ts'
import { leafHash } from '../../ledger/tree.ts'

export const NAME = 'gate-07'
export const CHARTER = toBase64(leafHash('a charter'))

export function bodyOf(seq: number): Body {
  const id = `01890a5d-ac96-774b-8cce-${seq.toString(16).padStart(12, '0')}`
  const at = 1_763_251_200_000 + seq
  if (seq % 3 === 0) return { id, at, type: 'exit', credited: true, confidence: 990 }
  if (seq % 3 === 1) return { id, at, type: 'admit', source: 'local', confidence: 1000 }
  return { id, at, type: 'reject', code: 'REJECT_NO_HEADROOM', reason: `nobody answered ${seq}`, confidence: 1000 }
}

export class Lines {
  readonly #chain: Chain

  constructor(end?: ChainEnd) {
    this.#chain = new Chain(end ?? CHARTER)
  }

  next(): string {
    return this.#chain.write(bodyOf(this.#chain.size)).line
  }

  take(count: number): string[] {
    return Array.from({ length: count }, () => this.next())
  }

  get size(): number {
    return this.#chain.size
  }

  root(): string {
    return this.#chain.root()
  }
}

export async function gather<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = []
  for await (const item of items) all.push(item)
  return all
}
