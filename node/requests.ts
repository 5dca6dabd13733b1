// Requests: who asked at this door, and what was said.
//
// Law: one request id is one person. It gets one answer, however often it is asked within the memory of the gate, and
// costs one token at most.

import type { Answer } from '../mesh/message.ts'

export interface Waiting {
  readonly id: string
  readonly confidence: number
  readonly askedAt: number
  /** waits for a token until then… */
  readonly until: number
  /** …and until then where somebody who was asked has still not said no */
  readonly latest: number
}

/** Granted and on its way to the disk. */
export interface Opening {
  readonly id: string
  readonly size: number
  readonly until: number
}

interface Said {
  readonly answer: Answer | 'pending' | 'left'
  readonly afterSize: number
  readonly at: number
}

/**
 * Ids remembered, whatever the time: no door of people brings as many in the time that answers are kept. Without an end
 * a sensor gone mad would fill the memory of the gate.
 */
export const REMEMBERED_MAX = 15_000

export class Requests {
  readonly #rememberMs: number
  readonly #said = new Map<string, Said>()
  readonly #waiting: Waiting[] = []
  /** when the first of those who are not in line is to be told so */
  #hopesUntil = Number.POSITIVE_INFINITY
  #openings: Opening[] = []
  /** admitted and not yet seen to pass: only these may lapse, and only once */
  readonly #passing = new Map<string, number>()

  constructor(rememberMs: number) {
    this.#rememberMs = rememberMs
  }

  get waiting(): readonly Waiting[] {
    return this.#waiting
  }

  said(id: string): Said | undefined {
    return this.#said.get(id)
  }

  wait(request: Waiting): void {
    this.#waiting.push(request)
    this.#said.set(request.id, { answer: 'pending', afterSize: 0, at: request.askedAt })
  }

  /** First come, first served. */
  next(): Waiting | undefined {
    return this.#waiting.shift()
  }

  /** All but the first so many, once they have waited so long: there is nothing more to wait for. */
  beyond(count: number, now: number, waitMs: number): Waiting[] {
    const waiting = this.#waiting
    let end = count
    while (end < waiting.length && (waiting[end] as Waiting).askedAt + waitMs <= now) end++
    this.#hopesUntil = (waiting[end]?.askedAt ?? Number.POSITIVE_INFINITY) + waitMs
    return waiting.splice(count, end - count)
  }

  remember(id: string, answer: Answer | 'left', afterSize: number, now: number): void {
    this.#said.delete(id) // so that the map stays in order of time
    this.#said.set(id, { answer, afterSize, at: now })
  }

  grant(opening: Opening, now: number): void {
    this.#openings.push(opening)
    this.#passing.set(opening.id, now)
  }

  /** The disk has it: the arm moves now, the grant cannot be withdrawn any more. */
  durable(size: number): void {
    const openings = this.#openings
    if (openings.length === 0 || (openings[0] as Opening).size > size) return
    this.#openings = openings.filter(opening => opening.size > size)
  }

  /** Grants whose disk was too slow for their deadline. */
  overdue(now: number): Opening[] {
    const late = this.#openings.filter(opening => opening.until <= now)
    if (late.length > 0) this.#openings = this.#openings.filter(opening => opening.until > now)
    return late
  }

  /** All grants still on their way to a disk that failed. */
  abandon(): Opening[] {
    const openings = this.#openings
    this.#openings = []
    return openings
  }

  /** Somebody walked through, or will not be waited for any longer: this admission can lapse no more. */
  passed(id: string): boolean {
    return this.#passing.delete(id)
  }

  forget(now: number, passageMs: number): void {
    for (const [id, said] of this.#said) {
      if (now - said.at <= this.#rememberMs && this.#said.size <= REMEMBERED_MAX) break
      // who still waits is answered before anyone is forgotten
      if (said.answer === 'pending') break
      this.#said.delete(id)
    }
    for (const [id, at] of this.#passing) {
      if (now - at <= passageMs) break
      this.#passing.delete(id)
    }
  }

  /** Where an answer is due whoever waits has until the latest; where none is, whoever should be told by now is told now. */
  nextAt(now: number, isAnswerDue: (one: Waiting) => boolean): number {
    const opening = this.#openings[0]?.until ?? Number.POSITIVE_INFINITY
    const first = this.#waiting[0]
    if (first === undefined) return opening
    const waiting = first.until <= now && isAnswerDue(first) ? first.latest : first.until
    return Math.min(waiting, opening, this.#hopesUntil)
  }
}
