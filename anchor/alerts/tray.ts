// Tray: what is to be written down, until it is. One per mall, so that an alert and the word of it go in one write.
//
// Law: a write that failed is tried again with whatever came meanwhile; the newest value of a key wins. Nobody waits for
// it to tell others: a disk that is full is one of the things they must be told of.

import type { Cabinet, Edit } from '../../mesh/archive/cabinet.ts'

const EDITS_MAX = 1000

export class Tray {
  readonly #cabinet: Cabinet
  readonly #edits = new Map<string, { readonly value: string | undefined }>()
  #writing: Promise<void> = Promise.resolve()

  constructor(cabinet: Cabinet) {
    this.#cabinet = cabinet
  }

  get cabinet(): Cabinet {
    return this.#cabinet
  }

  /** A value of undefined removes the key. */
  put(key: string, value: string | undefined): void {
    this.#edits.set(key, { value })
  }

  /** Resolves once all that was put before is on disk. */
  flush(): Promise<void> {
    this.#writing = this.#writing.catch(() => undefined).then(() => this.#write())
    return this.#writing
  }

  async #write(): Promise<void> {
    while (this.#edits.size > 0) {
      const portion = [...this.#edits].slice(0, EDITS_MAX)
      await this.#cabinet.write(portion.map(([key, { value }]): Edit => [key, value]))
      for (const [key, edit] of portion) if (this.#edits.get(key) === edit) this.#edits.delete(key)
    }
  }
}
