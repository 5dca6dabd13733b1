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
    const callOff = this.#medium.linger(ms, resolve)
    this.#hurry = resolve
    await promise
    this.#hurry = undefined
    callOff()
  }

  hurry(): void {
    this.#hurry?.()
  }
}
