// Severed: members that this one is kept from, for drills: a cable that is pulled on purpose, by a list.
//
// Law: who is on the list is neither called nor let in, and what was open to it is ended. One end of a pair is enough. The
// list is in memory only, so a member that starts again is with everyone.

export class Severed {
  readonly #names = new Set<string>()
  readonly #drop: (name: string) => void

  constructor(drop: (name: string) => void) {
    this.#drop = drop
  }

  get names(): readonly string[] {
    return [...this.#names].sort()
  }

  has(name: string): boolean {
    return this.#names.has(name)
  }

  /** From now on these, and nobody else. */
  set(names: readonly string[]): void {
    this.#names.clear()
    for (const name of names) {
      this.#names.add(name)
      this.#drop(name)
    }
  }
}
