// Outbox: effects wait here until the ledger size they depend on is on disk.
//
// Law: nothing leaves before its entry is durable. This is the only way out of a core, so the law is kept in one place.

import { must } from '../ledger/fault.ts'
import type { Effect } from './message.ts'

type Held = Exclude<Effect, { kind: 'append' }>

export class Outbox {
  #held: Held[] = []
  #durable: number
  readonly #release: (effect: Held) => void

  constructor(durable: number, release: (effect: Held) => void) {
    this.#durable = durable
    this.#release = release
  }

  get waiting(): number {
    return this.#held.length
  }

  put(effect: Held): void {
    if (effect.afterSize <= this.#durable) this.#release(effect)
    else this.#held.push(effect)
  }

  /** The ledger is on disk up to `size`. */
  durable(size: number): void {
    must(size >= this.#durable, 'what was durable stays durable')
    this.#durable = size
    if (this.#held.length === 0) return
    const held = this.#held
    this.#held = []
    for (const effect of held) this.put(effect)
  }

  /** Takes back a grant that has not left; false when the arm may have moved already. */
  withdraw(id: string): boolean {
    const before = this.#held.length
    const isGrant = (e: Held) => (e.kind === 'open' || e.kind === 'answer') && e.id === id
    this.#held = this.#held.filter(e => !isGrant(e))
    return this.#held.length < before
  }
}
