// Turns: whose step comes next, the earliest first; among equals the one with the smaller number.

export interface Turn {
  readonly at: number
  readonly index: number
}

/** A binary heap. */
export class Turns<T extends Turn> {
  readonly #heap: T[] = []

  push(turn: T): void {
    const heap = this.#heap
    let i = heap.push(turn) - 1
    while (i > 0) {
      const parent = (i - 1) >> 1
      if (!isBefore(turn, heap[parent] as T)) break
      heap[i] = heap[parent] as T
      i = parent
    }
    heap[i] = turn
  }

  pop(): T | undefined {
    const heap = this.#heap
    const first = heap[0]
    const last = heap.pop()
    if (last === undefined || heap.length === 0) return first
    let i = 0
    for (;;) {
      let child = 2 * i + 1
      if (child >= heap.length) break
      if (child + 1 < heap.length && isBefore(heap[child + 1] as T, heap[child] as T)) child++
      if (!isBefore(heap[child] as T, last)) break
      heap[i] = heap[child] as T
      i = child
    }
    heap[i] = last
    return first
  }
}

function isBefore(a: Turn, b: Turn): boolean {
  return a.at < b.at || (a.at === b.at && a.index < b.index)
}
