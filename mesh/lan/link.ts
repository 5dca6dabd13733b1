// Link: one connection to one member, with the lines that run over it. It is up once the lines for tokens and rows are.

import type { Connection } from '@libp2p/interface'
import { LINES, type Line, type LineName } from './line.ts'

export class Link {
  readonly name: string
  readonly connection: Connection
  readonly since: number
  readonly #lines = new Map<LineName, Line>()
  /** lines that the far end does not speak */
  readonly refused = new Set<LineName>()
  isUp = false
  /** why we ended it; undefined where the far end did, or the network */
  ended: string | undefined
  /** it called, opened no lines, and was asked for them */
  wasAsked = false
  /** mono ms since when something has been amiss */
  amissSince: number | undefined

  constructor(name: string, connection: Connection, now: number) {
    this.name = name
    this.connection = connection
    this.since = now
  }

  line(name: LineName): Line | undefined {
    const line = this.#lines.get(name)
    return line?.isOpen ? line : undefined
  }

  set(line: Line): void {
    this.#lines.get(line.name)?.end(new Error('replaced by a newer one'))
    this.#lines.set(line.name, line)
  }

  /** Does every line run that both ends speak? */
  get isWhole(): boolean {
    return LINES.every(name => this.refused.has(name) || this.line(name) !== undefined)
  }

  abort(why: string): void {
    this.ended ??= why
    this.connection.abort(new Error(why))
  }
}
