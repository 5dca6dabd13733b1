// Listed: who is a gate of this mall, by the list in force, as a member with one name and one key may count on it.

import type { GateKey } from '../ledger/charter.ts'

export class Listed {
  readonly #name: string
  readonly #key: string
  /** the list that the names were read from: it is asked for at every step and changes a few times a year */
  #gates: readonly GateKey[] = []
  #names: ReadonlySet<string> = new Set()

  constructor(name: string, key: string) {
    this.#name = name
    this.#key = key
  }

  in(gates: readonly GateKey[]): ReadonlySet<string> {
    if (gates === this.#gates) return this.#names
    // under a key that was replaced since it is none: its tokens may be given to others by now
    const are = gates.filter(gate => gate.name !== this.#name || gate.key === this.#key)
    this.#gates = gates
    this.#names = new Set(are.map(gate => gate.name))
    return this.#names
  }
}
