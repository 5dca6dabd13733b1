// Born: the memory, beside the store, that this anchor has opened a ledger once. An anchor without memory mints only at
// the birth of its mall; were its store lost, this file still says that there was one.

import { existsSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { writeWhole } from '../mesh/whole-file.ts'

export class Born {
  readonly #path: string
  #writing: Promise<void> | undefined

  constructor(store: string) {
    this.#path = join(dirname(store), 'born')
  }

  get is(): boolean {
    return existsSync(this.#path)
  }

  /** Resolves once it is on disk; when it rejects it may be called again. */
  note(): Promise<void> {
    this.#writing ??= this.#write().catch(error => {
      this.#writing = undefined
      throw error
    })
    return this.#writing
  }

  async #write(): Promise<void> {
    if (this.is) return
    await mkdir(dirname(this.#path), { recursive: true })
    await writeWhole(this.#path, 'the anchor has a ledger\n', 0o644)
  }
}
