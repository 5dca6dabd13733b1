// Outbox: effects wait here until the ledger size they depend on is on disk.
//
// Law: nothing leaves before its entry is durable. This is the only way out of a core, so the law is kept in one place.

import { must } from '../ledger/fault.ts'
import type { Effect } from './message.ts'

type Held = Exclude<Effect, { kind: 'append' }>

export class Outbox {
  #held: Held[] = []
  /** those of them that let somebody in, by whom; a crowd that is taken back must not be looked for one by one */
  readonly #grants = new Map<string, Held[]>()
  readonly #withdrawn = new Set<Held>()
  #durable: number
  readonly #release: (effect: Held) => void

  constructor(durable: number, release: (effect: Held) => void) {
    this.#durable = durable
    this.#release = release
  }

  get waiting(): number {
    return this.#held.length - this.#withdrawn.size
  }

  put(effect: Held): void {
    if (effect.afterSize <= this.#durable) return this.#release(effect)
    this.#held.push(effect)
    if (effect.kind !== 'open' && effect.kind !== 'answer') return
    const grants = this.#grants.get(effect.id)
    if (grants === undefined) this.#grants.set(effect.id, [effect])
    else grants.push(effect)
  }

  /** The ledger is on disk up to `size`. */
  durable(size: number): void {
    must(size >= this.#durable, 'what was durable stays durable')
    this.#durable = size
    if (this.#held.length === 0) return
    const held = this.#held
    this.#held = []
    this.#grants.clear()
    const left = this.#withdrawn.size === 0 ? held : held.filter(effect => !this.#withdrawn.has(effect))
    this.#withdrawn.clear()
    for (const effect of left) this.put(effect)
  }

  /** Takes back a grant that has not left; false when the arm may have moved already. */
  withdraw(id: string): boolean {
    const grants = this.#grants.get(id)
    if (grants === undefined) return false
    for (const grant of grants) this.#withdrawn.add(grant)
    return this.#grants.delete(id)
  }
}
