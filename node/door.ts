// Door: the edge of a gate, where people and their sensors are. It takes whatever the world sends and hands the core
// only what it can write down.
//
// Laws: an exit is let out before anything is looked at, and nothing here can throw on its way (exits.ts). An entry gets
// exactly one answer; while the gate is not there to give one, the answer is no.

import type { Body } from '../ledger/entry.ts'
import type { Clock } from '../mesh/clock.ts'
import type { Answer } from '../mesh/message.ts'
import type { Contact } from '../mesh/modekeeper.ts'
import type { Core, Shell, Witness } from '../mesh/shell.ts'
import { Alarms } from './alarms.ts'
import { Exits, type Left, perMille } from './exits.ts'
import type { Gate, GateEvent } from './gate.ts'

export interface Entered extends Answer {
  readonly id: string
  readonly latencyUs: number
}

/** For those who look on: what this door did since the start. */
export interface Tally {
  in: number
  out: number
  rejected: number
  last: { readonly what: string; readonly reason: string; readonly at: number } | undefined
}

/** Counts what happens at a door, for those who watch. */
export interface DoorMeter {
  decided(answer: Answer, latencyUs: number): void
  left(): void
  credited(): void
}

export interface DoorOptions {
  readonly name: string
  readonly clock: Clock
  readonly newId: () => string
  readonly alarm: (code: string, detail: string) => void
  readonly metrics?: DoorMeter
}

interface Asking {
  readonly since: number
  readonly answer: (answer: Answer) => void
}

const AWAY: Answer = { decision: 'REJECT_FAULT', reason: 'away' }

export class Door implements Witness {
  readonly name: string
  readonly startedAt: number
  readonly tally: Tally = { in: 0, out: 0, rejected: 0, last: undefined }
  readonly alarms = new Alarms()
  readonly exits: Exits
  readonly #o: DoorOptions
  readonly #asking = new Map<string, Asking[]>()
  readonly #contacts = new Map<Contact, boolean>()
  #shell: Shell<GateEvent> | undefined
  /** the core that was told what had happened before it came */
  #met: Core<GateEvent> | undefined

  constructor(options: DoorOptions) {
    this.name = options.name
    this.startedAt = options.clock.wall()
    this.#o = options
    this.exits = new Exits({
      newId: options.newId,
      step: exit => this.#step(exit),
      alarm: (code, detail) => this.alarm(code, detail),
      onLeft: () => {
        this.tally.out++
        options.metrics?.left()
      },
      onCredited: () => options.metrics?.credited(),
    })
  }

  set shell(shell: Shell<GateEvent>) {
    this.#shell = shell
    this.#meet()
  }

  get gate(): Gate | undefined {
    return this.#shell?.core as Gate | undefined
  }

  get isBroken(): boolean {
    return this.#shell?.broken !== undefined
  }

  /** `id` is a UUIDv7, or none for a person without one. */
  enter(id: string | undefined, confidence: unknown): Promise<Entered> {
    const { newId, clock, metrics } = this.#o
    const own = id ?? newId()
    const since = clock.now()
    return new Promise(resolve => {
      const answer = (said: Answer) => {
        const latencyUs = Math.round((clock.now() - since) * 1000)
        metrics?.decided(said, latencyUs)
        resolve({ id: own, ...said, latencyUs })
      }
      if (this.gate === undefined) return answer(AWAY)
      this.#asking.set(own, [...(this.#asking.get(own) ?? []), { since, answer }])
      this.#step({ kind: 'asked', id: own, confidence: perMille(confidence) })
    })
  }

  /** Never throws and never waits: the person is out, what is left is counting. */
  leave(id: string | undefined, confidence: unknown): Left {
    return this.exits.leave(id, confidence)
  }

  /** The fire contact or the key switch at this door. Whatever core comes later hears of it too. */
  contact(contact: Contact, closed: boolean): void {
    this.#contacts.set(contact, closed)
    this.#step({ kind: 'contact', contact, closed })
  }

  wrote(body: Body): void {
    this.exits.wrote(body)
    if (body.type === 'exit') {
      this.tally.last = { what: 'EXIT', reason: body.credited ? '' : 'not credited', at: body.at }
    } else if (body.type === 'lapse') this.tally.in--
    else if (body.type === 'admit') this.tally.in++
  }

  answered(id: string, answer: Answer): void {
    const { decision, reason } = answer
    if (decision !== 'ADMIT') this.tally.rejected++
    this.tally.last = { what: decision, reason: reason || (answer.source ?? ''), at: this.#o.clock.wall() }
    const asking = this.#asking.get(id)
    this.#asking.delete(id)
    for (const { answer: give } of asking ?? []) give(answer)
  }

  /** A soft turnstile: the answer is the arm. */
  opened(): void {}

  letOut(): void {}

  /** The first that a core does is to say which mode it is in. */
  mode(): void {
    this.#meet()
  }

  alarm(code: string, detail: string): void {
    this.alarms.add(code, detail, this.#o.clock.wall())
    this.#o.alarm(code, detail)
  }

  restarted(why: string): void {
    this.alarm('RESTARTED', `${this.name}: ${why}`)
    this.dismiss()
  }

  /** Nobody is left to answer those who wait: they stay outside. */
  dismiss(): void {
    for (const id of [...this.#asking.keys()]) this.answered(id, AWAY)
  }

  #step(event: GateEvent): boolean {
    if (this.gate === undefined) return false
    this.#meet()
    this.#shell?.step(event)
    return true
  }

  /** A core that was not there before: it is told which contacts are closed, and who has left meanwhile. */
  #meet(): void {
    const core = this.#shell?.core
    if (core === undefined || core === this.#met) return
    this.#met = core
    for (const [contact, closed] of this.#contacts) if (closed) this.#step({ kind: 'contact', contact, closed })
    this.exits.catchUp()
  }
}
