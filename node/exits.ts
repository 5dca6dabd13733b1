// Exits: how people leave by this door. Read it in a minute: nothing in it waits, asks or refuses.
//
// Law: whoever leaves is out when `leave` returns, and it always returns. What comes after is counting: by the core, in
// the same breath, where there is one; otherwise as soon as there is. (What the core does is in uncontrolled.ts.)

import type { Body } from '../ledger/entry.ts'
import { isUuid7 } from '../ledger/line.ts'

export interface Left {
  readonly id: string
  readonly credited: boolean
}

export interface Exit {
  readonly kind: 'left'
  readonly id: string
  readonly confidence: number
}

export interface ExitOptions {
  readonly newId: () => string
  /** a step of the core; false while there is none */
  readonly step: (exit: Exit) => boolean
  readonly alarm: (code: string, detail: string) => void
  readonly onLeft?: () => void
  /** it is in the ledger now, with a token given back for it or without */
  readonly onWritten?: (id: string, credited: boolean) => void
}

/** Exits that wait for a core: a day of a busy door. Later ones are only counted, so that memory has an end. */
const WAITING_MAX = 20_000
/** Exits whose answer is remembered, so that the same one again gets the same. */
const ANSWERS_MAX = 1000

export class Exits {
  readonly #o: ExitOptions
  readonly #waiting: Exit[] = []
  readonly #answers = new Map<string, boolean>()
  /** let out, and never to be found in a ledger */
  uncounted = 0

  constructor(options: ExitOptions) {
    this.#o = options
  }

  /** Let out before there was a core to count it. */
  get waiting(): number {
    return this.#waiting.length
  }

  leave(id: string | undefined, confidence: unknown): Left {
    const own = id !== undefined && isUuid7(id) ? id : this.#o.newId()
    this.#count({ kind: 'left', id: own, confidence: perMille(confidence) })
    return { id: own, credited: this.#answers.get(own) ?? false }
  }

  /** Did this exit give a token back? Undefined where it is in no ledger yet, or was long ago. */
  wasCredited(id: string): boolean | undefined {
    return this.#answers.get(id)
  }

  /** A core is there: it counts those who left before it came. */
  catchUp(): void {
    for (const exit of this.#waiting.splice(0)) this.#count(exit, true)
  }

  /** The core has written an entry. */
  wrote(body: Body): void {
    if (body.type !== 'exit') return
    if (this.#answers.size >= ANSWERS_MAX) this.#answers.delete(this.#answers.keys().next().value as string)
    this.#answers.set(body.id, body.credited)
    this.#o.onWritten?.(body.id, body.credited)
  }

  #count(exit: Exit, again = false): void {
    try {
      if (!again) this.#o.onLeft?.()
      if (this.#o.step(exit)) return
      if (this.#waiting.length < WAITING_MAX) this.#waiting.push(exit)
      else this.#giveUp('no ledger was there to write them to')
    } catch (error) {
      this.#giveUp(String(error))
    }
  }

  #giveUp(why: string): void {
    this.uncounted++
    try {
      this.#o.alarm('EXIT_UNCOUNTED', `exits let out and not in a ledger: ${why}`)
    } catch {
      // whoever listens for alarms broke; the person is out all the same
    }
  }
}

/** Sensors say what they like; an entry holds whole numbers from 0 to 1000. No word is full confidence, nonsense none. */
export function perMille(confidence: unknown): number {
  if (confidence === undefined) return 1000
  if (typeof confidence !== 'number' || Number.isNaN(confidence)) return 0
  return Math.round(Math.min(1000, Math.max(0, confidence)))
}
