// Marks: heads that somebody vouched for, in the order in which a ledger reaches them.

import type { Account } from '../account.ts'

/** A head that somebody vouched for: the account's own row, or another's entry. */
export interface Mark {
  readonly size: number
  readonly root: string
  /** the account's own row, where it is one: its text and its time */
  readonly row?: string
  readonly at?: number
  /** put aside by whoever gathered the evidence: of another history, if it is not of this one */
  readonly isAside?: true
  /** the entry that says so */
  readonly by?: { readonly account: Account; readonly seq: number }
}

/** A head that the account signed itself. */
export type RowMark = Mark & Required<Pick<Mark, 'row' | 'at'>>

/** The smallest first. */
export interface MarkQueue {
  peek(): Mark | undefined
  pop(): void
  /** Did anybody vouch for this head, as far as is known without looking far? */
  has(size: number, root: string): boolean
}

export class MarkList implements MarkQueue {
  readonly #marks: Mark[] = []
  #isSorted = true

  add(mark: Mark): void {
    this.#marks.push(mark)
    this.#isSorted = false
  }

  peek(): Mark | undefined {
    // last first, so that the next one is popped
    if (!this.#isSorted) this.#marks.sort((a, b) => b.size - a.size)
    this.#isSorted = true
    return this.#marks.at(-1)
  }

  pop(): void {
    this.#marks.pop()
  }

  has(size: number, root: string): boolean {
    return this.#marks.some(mark => mark.size === size && mark.root === root)
  }
}

/** Several queues as one. */
export class MarkMerge implements MarkQueue {
  readonly #queues: readonly MarkQueue[]

  constructor(queues: readonly MarkQueue[]) {
    this.#queues = queues
  }

  peek(): Mark | undefined {
    return this.#next()?.peek()
  }

  pop(): void {
    this.#next()?.pop()
  }

  has(size: number, root: string): boolean {
    return this.#queues.some(queue => queue.has(size, root))
  }

  #next(): MarkQueue | undefined {
    let first: MarkQueue | undefined
    for (const queue of this.#queues) {
      const mark = queue.peek()
      if (mark !== undefined && mark.size < (first?.peek()?.size ?? Number.POSITIVE_INFINITY)) first = queue
    }
    return first
  }
}
