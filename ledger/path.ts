// Path: the inclusion path of one entry, made while the leaves go by.
//
// Law: nothing is held but what the path is made of. To the left of an entry stand the peaks of the tree before it; to its
// right one subtree after the other is built up to its root. So a ledger of any length takes as many hashes as it is deep.

import { must } from './fault.ts'
import { splitOf } from './proof.ts'
import { Frontier, type Hash } from './tree.ts'

export class PathMaker {
  readonly #index: number
  readonly #size: number
  /** from the leaf up; undefined where a subtree to the right is not built yet */
  readonly #path: (Hash | undefined)[]
  /** what is to be built on the right, in the order the leaves come */
  readonly #waiting: { readonly place: number; readonly to: number }[]
  #next: number
  #subtree = new Frontier()

  /** `before` is the tree over the entries before the one to be proved; `size` is that of the ledger it is proved in. */
  constructor(before: Frontier, size: number) {
    must(before.size < size, 'an entry is proved in a ledger that has it')
    this.#index = before.size
    this.#size = size
    this.#next = before.size
    const peaks = [...before.peaks]
    const down: ({ readonly hash: Hash } | { readonly to: number })[] = []
    let from = 0
    let to = size
    while (to - from > 1) {
      const middle = from + splitOf(to - from)
      if (this.#index < middle) {
        down.push({ to })
        to = middle
      } else {
        down.push({ hash: peaks.shift() as Hash })
        from = middle
      }
    }
    const up = down.reverse()
    this.#path = up.map(step => ('hash' in step ? step.hash : undefined))
    this.#waiting = up.flatMap((step, place) => ('to' in step ? [{ place, to: step.to }] : []))
  }

  get index(): number {
    return this.#index
  }

  get size(): number {
    return this.#size
  }

  /** Beyond the size of the ledger leaves are passed over. */
  append(leaf: Hash): void {
    const seq = this.#next++
    const [now] = this.#waiting
    if (seq === this.#index || now === undefined) return
    this.#subtree.append(leaf)
    if (this.#next < now.to) return
    this.#path[now.place] = this.#subtree.root()
    this.#waiting.shift()
    this.#subtree = new Frontier()
  }

  /** Sibling hashes from the leaf up; undefined until the ledger has been seen up to its size. */
  path(): readonly Hash[] | undefined {
    return this.#next < this.#size ? undefined : (this.#path as Hash[])
  }
}
