// Feed: a ledger that is read as far as its steps are asked for.

import type { Line } from './ledger.ts'
import type { Reading } from './reading.ts'
import type { Feed, ReadEnd } from './source.ts'
import type { Portion } from './steps.ts'

export interface Pulled {
  /** Hands over some lines; false where there are no more. */
  pull(take: (line: Line) => void): Promise<boolean>
  /** Nothing more is wanted. */
  close(): Promise<void>
}

export class PulledFeed implements Feed {
  readonly #reading: Reading
  readonly #lines: Pulled
  #portions: Portion[] = []
  #end: ReadEnd | undefined

  constructor(reading: Reading, lines: Pulled) {
    this.#reading = reading
    this.#lines = lines
  }

  get end(): ReadEnd {
    return this.#end as ReadEnd
  }

  async next(): Promise<Portion | undefined> {
    while (this.#portions.length === 0 && this.#end === undefined) {
      const goesOn = !this.#reading.isOver && (await this.#lines.pull(line => this.#reading.push(line)))
      if (!goesOn) {
        this.#end = this.#reading.end()
        await this.#lines.close()
      }
      this.#portions = this.#reading.take(!goesOn)
    }
    return this.#portions.shift()
  }
}
