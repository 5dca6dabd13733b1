// Rota: whose turn it is to be looked at.
//
// Laws: a board with the fire loop or key switch comes first whenever it is due, and is still never the only one: between
// two of its turns one other that is due has its own. A board that does not answer is asked less often, so that waiting for
// it does not keep the bus from those that do.

/** What a silent board costs the bus is a time-out each; a board that comes back is seen within this. */
const REST_MS_MAX = 1_000

export interface Turn {
  readonly name: string
  readonly everyMs: number
  readonly isFirst: boolean
}

interface Place {
  readonly turn: Turn
  dueAt: number
  failures: number
}

export class Rota {
  readonly #places: readonly Place[]
  #last: Place | undefined

  constructor(turns: readonly Turn[], now: number) {
    this.#places = turns.map(turn => ({ turn, dueAt: now, failures: 0 }))
  }

  /** The board to look at now, or the time at which there is one. */
  next(now: number): { readonly name: string } | { readonly wakeAt: number } {
    const due = this.#places.filter(place => place.dueAt <= now).sort((a, b) => a.dueAt - b.dueAt)
    const others = due.filter(place => place !== this.#last)
    const place = others.find(({ turn }) => turn.isFirst && !this.#last?.turn.isFirst) ?? others[0] ?? due[0]
    if (!place) return { wakeAt: Math.min(...this.#places.map(({ dueAt }) => dueAt)) }
    this.#last = place
    place.dueAt = now + place.turn.everyMs
    return { name: place.turn.name }
  }

  answered(name: string): void {
    const place = this.#place(name)
    if (place) place.failures = 0
  }

  /** The first failure is asked about at once: most are a frame that broke. */
  failed(name: string, now: number): void {
    const place = this.#place(name)
    if (!place) return
    const restMs = place.failures < 3 ? 0 : Math.min(REST_MS_MAX, place.turn.everyMs * 2 ** (place.failures - 2))
    place.failures++
    place.dueAt = now + restMs
  }

  #place(name: string): Place | undefined {
    return this.#places.find(({ turn }) => turn.name === name)
  }
}
