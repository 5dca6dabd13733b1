// Troubles: what is wrong with the optical counters of a gate, told when it begins and when it is over.
//
// Law: each kind at most once a minute, so that a counter that stammers fills neither the ledger nor anybody's ears.

import type { FaultCode } from '../../hardware/turnstile.ts'
import { asText } from '../../ledger/line.ts'
import type { Clock } from '../../mesh/clock.ts'
import type { Note } from '../uncontrolled.ts'

export interface TroubleOptions {
  readonly gate: string
  readonly clock: Clock
  readonly alarm: (code: string, detail: string) => void
  readonly tell: (note: Note) => void
}

const ALARM = 'OPTICAL'
const EVERY_MS = 60_000
const DETAIL_MAX = 300

export class Troubles {
  readonly #o: TroubleOptions
  readonly #raised = new Map<string, FaultCode>()
  readonly #toldAt = new Map<string, number>()

  constructor(options: TroubleOptions) {
    this.#o = options
  }

  get codes(): readonly FaultCode[] {
    return [...new Set(this.#raised.values())].sort()
  }

  of(subject: string): readonly FaultCode[] {
    return [...this.#raised].flatMap(([key, code]) => (key === `${subject} ${code}` ? [code] : []))
  }

  /** It lasts until it is said to be over. */
  raise(subject: string, code: FaultCode, detail: string): void {
    const key = `${subject} ${code}`
    if (this.#raised.has(key)) return
    this.#raised.set(key, code)
    this.happened(subject, code, detail)
  }

  over(subject: string, code: FaultCode, detail: string): void {
    const key = `${subject} ${code}`
    if (this.#raised.delete(key) && this.#isDue(`${key} over`))
      this.#note(code, this.#words(subject, `well again: ${detail}`))
  }

  /** It has happened, and does not last. */
  happened(subject: string, code: FaultCode, detail: string): void {
    if (!this.#isDue(`${subject} ${code}`)) return
    const words = this.#words(subject, detail)
    this.#o.alarm(ALARM, `${words} (${code})`)
    this.#note(code, words)
  }

  #isDue(key: string): boolean {
    const now = this.#o.clock.now()
    if (now - (this.#toldAt.get(key) ?? Number.NEGATIVE_INFINITY) < EVERY_MS) return false
    this.#toldAt.set(key, now)
    return true
  }

  #words(subject: string, detail: string): string {
    return `${this.#o.gate}/${subject}: ${detail}`.slice(0, DETAIL_MAX)
  }

  #note(code: FaultCode, detail: string): void {
    this.#o.tell({ type: 'fault', code, detail: asText(detail), count: 0 })
  }
}
