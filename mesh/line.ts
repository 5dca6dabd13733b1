// Line: people elsewhere for whom somebody asked here and there was no token yet. First come, first served.

import type { Ask } from './message.ts'

export interface Unmet {
  readonly from: string
  readonly ask: Ask
  readonly until: number
  /** it was told that it is in line; else it is told no when its time is over */
  readonly isKept: boolean
  /** it was told that its tokens are late */
  readonly isLate?: true
}

/** Asks that are thought about at the same time, so that nobody's flood is worked through at every step. */
const ASKS_MAX = 100

/** At least one: an ask that stands for nobody, or for fewer, must not make the line longer than it may be. */
export function peopleOf({ waiting }: Ask): number {
  return Math.max(1, waiting)
}

export class Line {
  #unmet: Unmet[] = []

  get isEmpty(): boolean {
    return this.#unmet.length === 0
  }

  get isFull(): boolean {
    return this.#unmet.length >= ASKS_MAX
  }

  /** People who were told that they are in line. */
  get people(): number {
    return this.#unmet.reduce((sum, { ask, isKept }) => sum + (isKept ? peopleOf(ask) : 0), 0)
  }

  /** When the first of those who are not in line is to be told so. */
  get nextAt(): number {
    return this.#unmet.reduce((at, { isKept, until }) => (isKept ? at : Math.min(at, until)), Number.POSITIVE_INFINITY)
  }

  add(unmet: Unmet): void {
    this.#unmet.push(unmet)
  }

  /** Nobody waits for that any more. */
  leave(from: string, re: number): void {
    this.#unmet = this.#unmet.filter(unmet => unmet.from !== from || unmet.ask.re !== re)
  }

  /** Whoever can be served is; those whose time is over are out, and of them `refuse` those who were never in line. */
  serve(now: number, give: (unmet: Unmet) => boolean, refuse: (unmet: Unmet) => void): void {
    const all = this.#unmet
    this.#unmet = []
    for (const unmet of all) {
      if (unmet.until > now) {
        if (!give(unmet)) this.#unmet.push(unmet)
      } else if (!unmet.isKept) refuse(unmet)
    }
  }

  /** The first so many hear that their tokens are late, each once, and wait until then. */
  delay(tokens: number, until: number, tell: (unmet: Unmet) => void): void {
    let left = tokens
    this.#unmet = this.#unmet.map(unmet => {
      left -= peopleOf(unmet.ask)
      if (left < 0 || unmet.isLate) return unmet
      tell(unmet)
      return { ...unmet, until, isLate: true }
    })
  }
}
