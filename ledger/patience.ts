// Patience: waiting a while for more to come, unless somebody is in a hurry.

import type { Medium } from './medium.ts'

export class Patience {
  readonly #medium: Medium
  #hurry: (() => void) | undefined

  constructor(medium: Medium) {
    this.#medium = medium
  }

  async wait(ms: number): Promise<void> {
    if (!this.#medium.linger) return
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#hurry = resolve
    await Promise.race([promise, this.#medium.linger(ms)])
    this.#hurry = undefined
  }

  hurry(): void {
    this.#hurry?.()
  }
}
