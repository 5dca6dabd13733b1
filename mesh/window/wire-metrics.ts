// Wire metrics: what one member told and heard, and how long those it asked for tokens took to answer.
//
// Law: counting decides nothing and never grows: an ask that nobody answers is given up, and only so many are waited for.

import type { Clock } from '../clock.ts'
import type { Message } from '../message.ts'
import type { Meter } from '../meter.ts'
import { Histogram } from './histogram.ts'
import { type Family, single, tallied } from './prometheus.ts'

/** An answer later than this is of no use to whoever asked: decisions are due within a tenth of it. */
const ANSWER_MS_MAX = 1000
/** A gate asks a few peers at a time; this many only while all of them are silent. */
const ASKS_MAX = 500

class Traffic {
  readonly #messages = new Map<string, number>()
  readonly #bytes = new Map<string, number>()
  #rows = 0

  add(message: Message, bytes: number): void {
    const { kind } = message
    this.#messages.set(kind, (this.#messages.get(kind) ?? 0) + 1)
    this.#bytes.set(kind, (this.#bytes.get(kind) ?? 0) + bytes)
    if (message.kind === 'rows' || message.kind === 'known' || message.kind === 'fork')
      this.#rows += message.rows.length
  }

  families(verb: 'told' | 'heard'): Family[] {
    const by = 'kind'
    return [
      single('counter', `gatemesh_rows_${verb}_total`, `Signed rows ${verb}.`, this.#rows),
      tallied('counter', `gatemesh_messages_${verb}_total`, `Messages ${verb}; one to everyone counts once.`, {
        by,
        values: this.#messages,
      }),
      tallied('counter', `gatemesh_message_bytes_${verb}_total`, `Bytes of messages ${verb}.`, {
        by,
        values: this.#bytes,
      }),
    ]
  }
}

export class WireMetrics implements Meter {
  readonly #clock: Clock
  readonly #told = new Traffic()
  readonly #heard = new Traffic()
  readonly #asks = new Map<string, number>()
  readonly #answers = { tokens: new Histogram(), none: new Histogram() }
  #unanswered = 0
  #refused = 0
  #garbage = 0

  constructor(clock: Clock) {
    this.#clock = clock
  }

  told(to: string, message: Message, bytes: number): void {
    this.#told.add(message, bytes)
    if (message.kind !== 'ask') return
    const now = this.#clock.now()
    this.#giveUp(now)
    this.#asks.set(askKey(to, message.ask.re), now)
  }

  heard(from: string, message: Message, bytes: number): void {
    this.#heard.add(message, bytes)
    if ((message.kind !== 'rows' && message.kind !== 'none') || message.re === undefined) return
    const key = askKey(from, message.re)
    const askedAt = this.#asks.get(key)
    // a second answer, or one that came too late to be waited for
    if (askedAt === undefined) return
    this.#asks.delete(key)
    this.#answers[message.kind === 'rows' ? 'tokens' : 'none'].observe((this.#clock.now() - askedAt) / 1000)
  }

  refused(_from: string, notes: number): void {
    this.#refused += notes
  }

  garbage(): void {
    this.#garbage++
  }

  families(): Family[] {
    this.#giveUp(this.#clock.now())
    const answers = Object.entries(this.#answers).flatMap(([answer, histogram]) => histogram.samples({ answer }))
    return [
      ...this.#told.families('told'),
      ...this.#heard.families('heard'),
      {
        name: 'gatemesh_steal_round_trip_seconds',
        help: 'From an ask for tokens to its answer, by what came.',
        type: 'histogram',
        samples: answers,
      },
      single(
        'counter',
        'gatemesh_steals_unanswered_total',
        'Asks without an answer within a second.',
        this.#unanswered,
      ),
      single(
        'counter',
        'gatemesh_signature_failures_total',
        'Signed notes from others whose signature or text was not what it should be.',
        this.#refused,
      ),
      single('counter', 'gatemesh_garbage_total', 'Messages that could not be read at all.', this.#garbage),
    ]
  }

  /** Asks are kept in the order of time. */
  #giveUp(now: number): void {
    for (const [key, askedAt] of this.#asks) {
      if (now - askedAt <= ANSWER_MS_MAX && this.#asks.size < ASKS_MAX) return
      this.#asks.delete(key)
      this.#unanswered++
    }
  }
}

function askKey(peer: string, re: number): string {
  return `${peer} ${re}`
}
