// Hall: the wire of a mall that lives in one process, for tests that break its disks. Every message crosses it as the
// text that a network would carry, with a small delay, in order; nobody shares an object with anybody.

import { EVERYONE } from '../../mesh/message.ts'
import type { Transport } from '../../mesh/shell.ts'

export interface Listener {
  readonly name: string
  hear(from: string, text: string): unknown
  meet(peer: string): void
}

interface Letter {
  readonly from: string
  readonly to: string
  readonly text: string
}

/** About a switch and two network stacks. */
const DELAY_MS = 1

export class Hall {
  readonly #present = new Map<string, Listener>()
  #letters: Letter[] = []
  #timer: NodeJS.Timeout | undefined
  carried = 0

  wireOf(from: string): Transport {
    return {
      send: (to, text) => {
        if (to !== EVERYONE) return this.#post({ from, to, text })
        for (const name of this.#present.keys()) if (name !== from) this.#post({ from, to: name, text })
      },
    }
  }

  enter(listener: Listener): void {
    this.#present.set(listener.name, listener)
  }

  /** Everyone meets everyone, as on new connections. */
  introduce(): void {
    const all = [...this.#present.values()]
    for (const one of all) for (const other of all) if (one !== other) one.meet(other.name)
  }

  leave(name: string): void {
    this.#present.delete(name)
  }

  get isQuiet(): boolean {
    return this.#letters.length === 0
  }

  #post(letter: Letter): void {
    this.#letters.push(letter)
    this.#timer ??= setTimeout(() => this.#deliver(), DELAY_MS)
  }

  #deliver(): void {
    const letters = this.#letters
    this.#letters = []
    this.#timer = undefined
    this.carried += letters.length
    for (const { from, to, text } of letters) this.#present.get(to)?.hear(from, text)
  }
}
