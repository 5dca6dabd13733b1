// Siren: alarms for people, one a minute for each code and subject, however often it goes wrong meanwhile.

import type { Clock } from './clock.ts'

export interface Alarm {
  readonly code: string
  readonly subject: string
  readonly detail: string
  /** how many of the same kind were not passed on since the last one */
  readonly unsaid: number
}

const AGAIN_MS = 60_000
/** Subjects may be a stranger's words: no more of them are remembered than this. */
const SUBJECTS_MAX = 1000

export class Siren {
  readonly #clock: Clock
  readonly #hear: (alarm: Alarm) => void
  readonly #last = new Map<string, { readonly at: number; unsaid: number }>()

  constructor(clock: Clock, hear: (alarm: Alarm) => void) {
    this.#clock = clock
    this.#hear = hear
  }

  /** `detail` opens with its subject and a colon. */
  sound(code: string, detail: string): void {
    const colon = detail.indexOf(': ')
    const subject = colon === -1 ? '' : detail.slice(0, colon)
    const key = `${code} ${subject}`
    const now = this.#clock.now()
    const last = this.#last.get(key)
    if (last !== undefined && now - last.at < AGAIN_MS) {
      last.unsaid++
      return
    }
    if (this.#last.size >= SUBJECTS_MAX) this.#last.clear()
    this.#last.set(key, { at: now, unsaid: 0 })
    this.#hear({ code, subject, detail, unsaid: last?.unsaid ?? 0 })
  }
}
