// Agenda: what happens next, in virtual time. Things due at the same moment happen in the order they were planned.

interface Item {
  readonly at: number
  readonly nth: number
  readonly run: () => void
}

export class Agenda {
  now = 0
  #items: Item[] = []
  #count = 0

  at(time: number, run: () => void): void {
    const item = { at: Math.max(time, this.now), nth: this.#count++, run }
    const items = this.#items
    let i = items.length
    items.push(item)
    while (i > 0) {
      const parent = (i - 1) >> 1
      if (!before(item, items[parent] as Item)) break
      items[i] = items[parent] as Item
      i = parent
    }
    items[i] = item
  }

  in(ms: number, run: () => void): void {
    this.at(this.now + ms, run)
  }

  /** Runs everything due up to `end`. */
  runUntil(end: number): void {
    for (let item = this.#items[0]; item !== undefined && item.at <= end; item = this.#items[0]) {
      this.#takeFirst()
      this.now = item.at
      item.run()
    }
    this.now = end
  }

  #takeFirst(): void {
    const items = this.#items
    const last = items.pop() as Item
    const size = items.length
    if (size === 0) return
    let i = 0
    for (;;) {
      let child = 2 * i + 1
      if (child >= size) break
      if (child + 1 < size && before(items[child + 1] as Item, items[child] as Item)) child++
      if (!before(items[child] as Item, last)) break
      items[i] = items[child] as Item
      i = child
    }
    items[i] = last
  }
}

function before(a: Item, b: Item): boolean {
  return a.at < b.at || (a.at === b.at && a.nth < b.nth)
}
