// Queue: how many people stand before this door, as far as a door can tell that sees only those who ask.
//
// Assumption: whoever is turned away for lack of places, and waits, asks again about every 20 seconds. Those turned away
// within the last 20 seconds are then those who wait, each once. Who gives up is counted for 20 seconds more, and a
// crowd behind the first in line is not seen at all: it is an estimate, for displays only.

interface Look {
  readonly at: number
  readonly turnedAway: number
}

const ASKS_AGAIN_MS = 20_000

export class Queue {
  readonly #looks: Look[] = []

  /** `turnedAway` so far, for lack of places; `waiting` at the arm right now are there for certain. */
  estimate({ turnedAway, waiting, now }: { turnedAway: number; waiting: number; now: number }): number {
    this.#looks.push({ at: now, turnedAway })
    while (now - (this.#looks[0] as Look).at > ASKS_AGAIN_MS) this.#looks.shift()
    return Math.max(waiting, turnedAway - (this.#looks[0] as Look).turnedAway)
  }
}
