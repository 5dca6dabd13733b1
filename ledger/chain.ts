// Chain: the pen that writes a real ledger. Each line carries the leaf hash of the line before; the first carries the
// charter's, so that a ledger belongs to one mall.
//
// Law: entry n is leaf n of the tree; `seq` starts at 0, and size is how many entries there are.

import { toBase64 } from './base64.ts'
import type { Body } from './entry.ts'
import { must } from './fault.ts'
import { encodeEntry } from './line.ts'
import type { Pen, Written } from './pen.ts'
import { Frontier, type Hash, leafHash } from './tree.ts'

/** Where a ledger that has entries goes on. */
export interface ChainEnd {
  readonly size: number
  readonly lastLeaf: Hash
  readonly frontier: Frontier
}

export interface Head {
  readonly size: number
  readonly root: string
}

export class Chain implements Pen {
  readonly #frontier: Frontier
  /** base64, as the next line will say it */
  #prev: string
  #root: string | undefined

  /** `start` is the charter's hash for a new ledger, or the end of an old one. */
  constructor(start: string | ChainEnd) {
    if (typeof start === 'string') {
      this.#frontier = new Frontier()
      this.#prev = start
      return
    }
    must(start.size > 0 && start.frontier.size === start.size, 'a ledger goes on where its tree ends')
    this.#frontier = start.frontier.copy()
    this.#prev = toBase64(start.lastLeaf)
  }

  get size(): number {
    return this.#frontier.size
  }

  get frontier(): Frontier {
    return this.#frontier.copy()
  }

  write(body: Body): Written & { readonly leaf: Hash } {
    const seq = this.#frontier.size
    const line = encodeEntry(body, seq, this.#prev)
    const leaf = leafHash(line)
    this.#frontier.append(leaf)
    this.#prev = toBase64(leaf)
    this.#root = undefined
    return { seq, line, leaf }
  }

  /** base64; worked out once per size, since rows are repeated while nothing happens */
  root(): string {
    this.#root ??= toBase64(this.#frontier.root())
    return this.#root
  }

  head(): Head {
    return { size: this.size, root: this.root() }
  }
}
