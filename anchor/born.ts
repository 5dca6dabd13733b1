// Born: the memory, beside the store, that this anchor has opened a ledger once. An anchor without memory mints only at
// the birth of its mall; were its store lost, this file still says that there was one.

import { access, mkdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { writeWhole } from '../mesh/whole-file.ts'

export class Born {
  readonly #path: string
  #is = false
  #writing: Promise<void> | undefined

  constructor(store: string) {
    this.#path = join(dirname(store), 'born')
  }

  /** As it was when it was looked for, or noted since: a disk that hangs must not hold up whoever asks. */
  get is(): boolean {
    return this.#is
  }

  async look(): Promise<void> {
    this.#is ||= await access(this.#path).then(
      () => true,
      () => false,
    )
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
    await this.look()
    if (this.#is) return
    await mkdir(dirname(this.#path), { recursive: true })
    await writeWhole(this.#path, 'the anchor has a ledger\n', 0o644)
    this.#is = true
  }
}
