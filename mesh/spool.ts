// Spool: lines on their way to the store. That of a person who was turned away is waited for by nobody: it goes to disk
// with the next line that somebody waits for, with the first word that stands on it, or a moment later. A full mall that a
// crowd comes to would wear out its disk otherwise, and keep its gates busy with nothing else.
//
// Law: lines reach the store in the order written, each of them within `SOON_MS`.

import type { Clock } from './clock.ts'

/** Far less than the time between two rows, so that no word waits for it; many times what a write takes. */
const SOON_MS = 20

export class Spool {
  readonly #store: (line: string) => void
  readonly #clock: Clock
  #lines: string[] = []
  #cancel: (() => void) | undefined

  constructor(clock: Clock, store: (line: string) => void) {
    this.#clock = clock
    this.#store = store
  }

  get waiting(): number {
    return this.#lines.length
  }

  put(line: string, isAwaited: boolean): void {
    this.#lines.push(line)
    if (isAwaited) this.flush()
    else this.#cancel ??= this.#clock.in(SOON_MS, () => this.flush())
  }

  flush(): void {
    const lines = this.#lines
    this.drop()
    for (const line of lines) this.#store(line)
  }

  /** The ledger that they were for is gone. */
  drop(): void {
    this.#cancel?.()
    this.#cancel = undefined
    this.#lines = []
  }
}
