// Door: the edge of a gate, where people and their sensors are. It takes whatever the world sends and hands the core
// only what it can write down.
//
// Laws: an exit is let out before anything is looked at, and nothing here can throw on its way. An entry gets exactly
// one answer; while the gate is not there to give one, the answer is no.

import type { Body } from '../ledger/entry.ts'
import { isUuid7 } from '../ledger/line.ts'
import type { Clock } from '../mesh/clock.ts'
import type { Answer } from '../mesh/message.ts'
import type { Contact } from '../mesh/modekeeper.ts'
import type { Shell, Witness } from '../mesh/shell.ts'
import type { Gate, GateEvent } from './gate.ts'

export interface Entered extends Answer {
  readonly id: string
  readonly latencyUs: number
}

export interface Left {
  readonly id: string
  readonly credited: boolean
}

/** For those who look on: what this door did since the start. */
export interface Tally {
  in: number
  out: number
  rejected: number
  last: { readonly what: string; readonly reason: string; readonly at: number } | undefined
}

interface Asking {
  readonly since: number
  readonly answer: (answer: Answer) => void
}

const AWAY: Answer = { decision: 'REJECT_FAULT', reason: 'away' }
/** Exits whose answer is remembered, so that the same one again gets the same. */
const EXITS_REMEMBERED = 1000

export class Door implements Witness {
  readonly name: string
  readonly tally: Tally = { in: 0, out: 0, rejected: 0, last: undefined }
  readonly #clock: Clock
  readonly #newId: () => string
  readonly #alarm: (code: string, detail: string) => void
  readonly #asking = new Map<string, Asking[]>()
  readonly #exits = new Map<string, boolean>()
  #shell: Shell<GateEvent> | undefined

  constructor(a: { name: string; clock: Clock; newId: () => string; alarm: (code: string, detail: string) => void }) {
    this.name = a.name
    this.#clock = a.clock
    this.#newId = a.newId
    this.#alarm = a.alarm
  }

  set shell(shell: Shell<GateEvent>) {
    this.#shell = shell
  }

  get gate(): Gate | undefined {
    return this.#shell?.core as Gate | undefined
  }

  get isBroken(): boolean {
    return this.#shell?.broken !== undefined
  }

  /** `id` is a UUIDv7, or none for a person without one. */
  enter(id: string | undefined, confidence: unknown): Promise<Entered> {
    const own = id ?? this.#newId()
    const since = this.#clock.now()
    return new Promise(resolve => {
      const answer = (said: Answer) => {
        resolve({ id: own, ...said, latencyUs: Math.round((this.#clock.now() - since) * 1000) })
      }
      const shell = this.#shell
      if (shell?.core === undefined) return answer(AWAY)
      this.#asking.set(own, [...(this.#asking.get(own) ?? []), { since, answer }])
      shell.step({ kind: 'asked', id: own, confidence: perMille(confidence) })
    })
  }

  /** Never throws and never waits: the person is out, what is left is counting. */
  leave(id: string | undefined, confidence: unknown): Left {
    const own = id !== undefined && isUuid7(id) ? id : this.#newId()
    this.tally.out++
    try {
      this.#shell?.step({ kind: 'left', id: own, confidence: perMille(confidence) })
    } catch (error) {
      this.#alarm('EXIT_UNCOUNTED', `${this.name}: ${error}`)
    }
    return { id: own, credited: this.#exits.get(own) ?? false }
  }

  /** The fire contact or the key switch at this door. */
  contact(contact: Contact, closed: boolean): void {
    this.#shell?.step({ kind: 'contact', contact, closed })
  }

  wrote(body: Body): void {
    if (body.type === 'exit') {
      if (this.#exits.size >= EXITS_REMEMBERED) this.#exits.delete(this.#exits.keys().next().value as string)
      this.#exits.set(body.id, body.credited)
      this.tally.last = { what: 'EXIT', reason: body.credited ? '' : 'not credited', at: body.at }
    } else if (body.type === 'lapse') this.tally.in--
    else if (body.type === 'admit') this.tally.in++
  }

  answered(id: string, answer: Answer): void {
    const { decision, reason } = answer
    if (decision !== 'ADMIT') this.tally.rejected++
    this.tally.last = { what: decision, reason: reason || (answer.source ?? ''), at: this.#clock.wall() }
    const asking = this.#asking.get(id)
    this.#asking.delete(id)
    for (const { answer: give } of asking ?? []) give(answer)
  }

  /** A soft turnstile: the answer is the arm. */
  opened(): void {}

  letOut(): void {}

  mode(): void {}

  alarm(code: string, detail: string): void {
    this.#alarm(code, detail)
  }

  restarted(why: string): void {
    this.#alarm('RESTARTED', `${this.name}: ${why}`)
    this.dismiss()
  }

  /** Nobody is left to answer those who wait: they stay outside. */
  dismiss(): void {
    for (const id of [...this.#asking.keys()]) this.answered(id, AWAY)
  }
}

/** Sensors say what they like; an entry holds whole numbers from 0 to 1000. No word is full confidence, nonsense none. */
export function perMille(confidence: unknown): number {
  if (confidence === undefined) return 1000
  if (typeof confidence !== 'number' || Number.isNaN(confidence)) return 0
  return Math.round(Math.min(1000, Math.max(0, confidence)))
}
