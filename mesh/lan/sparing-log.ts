// Sparing log: complaints about others, who must not be able to fill our disk with them.
//
// Law: the same thing is said once a minute, and of one kind at most a score of different things, however many names or
// keys somebody thinks up.

import type { Log } from '../log.ts'

const MINUTE_MS = 60_000
const KIND_MAX = 20

interface Kind {
  since: number
  readonly said: Set<string>
}

export class SparingLog {
  readonly #log: Log
  readonly #now: () => number
  readonly #kinds = new Map<string, Kind>()

  constructor(log: Log, now: () => number) {
    this.#log = log
    this.#now = now
  }

  /** `about` tells one thing of this kind from another. */
  warn(event: string, about: string, fields: object): void {
    const { said } = this.#kind(event)
    if (said.has(about) || said.size >= KIND_MAX) return
    said.add(about)
    const isLast = said.size === KIND_MAX
    this.#log.warn(event, isLast ? { ...fields, more: 'not said before the minute is over' } : fields)
  }

  #kind(event: string): Kind {
    const now = this.#now()
    const known = this.#kinds.get(event)
    if (known !== undefined && now - known.since < MINUTE_MS) return known
    const kind: Kind = { since: now, said: new Set() }
    this.#kinds.set(event, kind)
    return kind
  }
}
