// Line: one meeting with a peer, and how much of it we put up with.
//
// Law: a peer is reported once per meeting and code, whatever it sends; one that sends too much that is bad is not read
// any more until it is met again or the day turns. Its telemetry is cheap to check and goes on being read.

import type { BoardLimits } from './limits.ts'

export interface LineOptions {
  readonly peer: string
  readonly now: number
  readonly limits: BoardLimits
  send(frame: Uint8Array): void
  alarm(code: string, detail: string): void
}

export class Line {
  readonly peer: string
  readonly #send: (frame: Uint8Array) => void
  readonly #alarm: (code: string, detail: string) => void
  readonly #limits: BoardLimits
  readonly #said = new Set<string>()
  #strikes = 0
  #gaps = 0
  /** our question is under way since then; the meeting began with one */
  #askedAt: number | undefined
  #answers: number
  #answeredAt: number

  constructor({ peer, now, limits, send, alarm }: LineOptions) {
    this.peer = peer
    this.#send = send
    this.#alarm = alarm
    this.#limits = limits
    this.#answers = limits.answersMax
    this.#answeredAt = now
    this.#askedAt = now
  }

  get isMuted(): boolean {
    return this.#strikes >= this.#limits.strikesMax
  }

  /** A stream that closed under our hands is the transport's to report. */
  send(frame: Uint8Array): void {
    try {
      this.#send(frame)
    } catch {
      // the transport parts us from the peer, and the next meeting brings what is lost here
    }
  }

  say(code: string, detail: string): void {
    if (this.#said.has(code)) return
    this.#said.add(code)
    this.#alarm(code, `${this.peer}: ${detail}`)
  }

  strike(code?: string, detail = ''): void {
    this.#strikes++
    if (code !== undefined) this.say(code, detail)
  }

  /** A few are honest: changes that overtook the answer. Each costs us a rehearsal. */
  countGap(): void {
    if (++this.#gaps > this.#limits.gapsMax) this.strike('BOARD_FLOOD', 'updates that build on nothing')
  }

  /** Answers cost a whole document: a burst, then one now and then. */
  mayAnswer(now: number): boolean {
    const { answersMax, answerEveryMs } = this.#limits
    const earned = Math.floor((now - this.#answeredAt) / answerEveryMs)
    this.#answers = Math.min(answersMax, this.#answers + earned)
    this.#answeredAt += earned * answerEveryMs
    if (this.#answers === 0) return false
    this.#answers--
    return true
  }

  /** The answer under way has what is missing, unless it never comes. */
  mayAsk(now: number): boolean {
    if (this.#askedAt !== undefined && now - this.#askedAt < this.#limits.askAgainMs) return false
    this.#askedAt = now
    return true
  }

  answered(): void {
    this.#askedAt = undefined
  }

  /** A new day, for which the question has just been put. */
  forgive(now: number): void {
    this.#strikes = 0
    this.#gaps = 0
    this.#askedAt = now
  }
}
