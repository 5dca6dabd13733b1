// Waiters: who waits for the disk, for an acknowledgement or until all is in the ledger.

interface Syncing extends PromiseWithResolvers<void> {
  /** what was appended when it was asked for */
  readonly size: number
}

export class Waiters {
  /** one promise for all who wait for one write: what is in flight or failed, then what gathers for the next */
  readonly #appends: PromiseWithResolvers<number>[] = []
  #gathering: PromiseWithResolvers<number> | undefined
  #syncs: Syncing[] = []
  #isHurried = false

  get isEmpty(): boolean {
    return this.#appends.length === 0
  }

  /** Resolves with the durable size once all that was appended so far is part of it. */
  appended(when: 'now' | 'soon'): Promise<number> {
    if (when === 'now') this.#isHurried = true
    if (!this.#gathering) {
      this.#gathering = Promise.withResolvers()
      this.#appends.push(this.#gathering)
    }
    return this.#gathering.promise
  }

  /** Those who come from now on wait for the next write. Returns how many writes' worth wait by now. */
  gathered(): number {
    this.#gathering = undefined
    this.#isHurried = false
    return this.#appends.length
  }

  acknowledge(count: number, size: number): void {
    for (const append of this.#appends.splice(0, count)) append.resolve(size)
  }

  /** Somebody who waits cannot wait longer than the disk takes. */
  get isHurried(): boolean {
    return this.#isHurried
  }

  get isSyncing(): boolean {
    return this.#syncs.length > 0
  }

  synced(size: number): Promise<void> {
    const syncing = { ...Promise.withResolvers<void>(), size }
    this.#syncs.push(syncing)
    return syncing.promise
  }

  /** Those who only wait for the ledger to have so much, and the notes of now. */
  syncing(size: number): { readonly count: number; resolve(): void } {
    const some = this.#syncs.filter(sync => sync.size <= size)
    const resolve = () => {
      this.#syncs = this.#syncs.filter(sync => !some.includes(sync))
      for (const sync of some) sync.resolve()
    }
    return { count: some.length, resolve }
  }

  giveUp(fault: Error): void {
    this.#gathering = undefined
    for (const append of this.#appends.splice(0)) append.reject(fault)
    for (const sync of this.#syncs.splice(0)) sync.reject(fault)
  }
}
