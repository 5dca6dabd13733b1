// Door: the edge of a gate, where people and their sensors are. It takes whatever the world sends and hands the core
// only what it can write down.
//
// Laws: an exit is let out before anything is looked at, and nothing here can throw on its way (exits.ts). An entry gets
// exactly one answer; while the gate is not there to give one, the answer is no.

import type { Body, ForcedWhy, Mode, Reject } from '../ledger/entry.ts'
import { Fault } from '../ledger/fault.ts'
import type { Clock } from '../mesh/clock.ts'
import type { Answer } from '../mesh/message.ts'
import type { Contact } from '../mesh/modekeeper.ts'
import type { Core, Shell, Witness } from '../mesh/shell.ts'
import { Alarms } from './alarms.ts'
import { Exits, type Left, perMille } from './exits.ts'
import type { Gate } from './gate.ts'
import type { GateEvent } from './gate-event.ts'
import { Sensors } from './sensors.ts'
import type { Note } from './uncontrolled.ts'

export interface Entered extends Answer {
  readonly id: string
  readonly latencyUs: number
}

/** What became of those who asked: let in, by where the token came from, or turned away, and why. */
export const KINDS = ['local', 'stolen', 'atCapacity', 'noHeadroom', 'emergency', 'fault'] as const
export type Kind = (typeof KINDS)[number]

/** For those who look on: what this door did since the start. */
export interface Tally extends Record<Kind, number> {
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

/** A gate that joins is asked so often whether it knows by now. */
const LIFE_EVERY_MS = 200
/** Notes that wait for a core: hardware that stammers must not fill the memory. */
const NOTES_MAX = 1000

/** The arm of this door, where software moves one. Called in the middle of a step: take note, and act later. */
export interface Arm {
  /** the admission is on disk: the person may walk */
  open(id: string): void
  mode(mode: Mode): void
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
const KIND_OF = {
  REJECT_AT_CAPACITY: 'atCapacity',
  REJECT_NO_HEADROOM: 'noHeadroom',
  REJECT_EMERGENCY: 'emergency',
  REJECT_FAULT: 'fault',
} as const satisfies Record<Reject, Kind>

export function noTally(): Tally {
  const kinds = { local: 0, stolen: 0, atCapacity: 0, noHeadroom: 0, emergency: 0, fault: 0 }
  return { in: 0, out: 0, rejected: 0, ...kinds, last: undefined }
}

export class Door implements Witness {
  readonly name: string
  readonly startedAt: number
  readonly tally = noTally()
  readonly sensors = new Sensors()
  readonly alarms = new Alarms()
  readonly exits: Exits
  readonly #o: DoorOptions
  readonly #asking = new Map<string, Asking[]>()
  /** people by the ledger since the start, let in or not: what a second sensor is held against */
  readonly passages = { in: 0, out: 0 }
  /** came in while there was no core to count them */
  readonly #uninvited = new Map<ForcedWhy, number>()
  /** said while there was no core to write it down */
  readonly #notes: Note[] = []
  /** contacts that were raised and that no core has heard of: a fire that is over was a fire all the same */
  readonly #unheard = new Set<Contact>()
  #arm: Arm | undefined
  readonly #contacts = new Map<Contact, boolean>()
  /** counted out by mistake, and not in the ledger yet */
  readonly #stayed = new Set<string>()
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
      onWritten: (id, credited) => this.#left(id, credited),
    })
  }

  set shell(shell: Shell<GateEvent>) {
    this.#shell = shell
    this.#meet()
  }

  get gate(): Gate | undefined {
    return this.#shell?.core as Gate | undefined
  }

  set arm(arm: Arm) {
    this.#arm = arm
  }

  get isBroken(): boolean {
    return this.#shell?.broken !== undefined
  }

  /** `id` is a UUIDv7, or none for a person without one. */
  enter(id: string | undefined, confidence: unknown): Promise<Entered> {
    const { newId, clock, metrics } = this.#o
    const own = id ?? newId()
    const since = clock.now()
    this.sensors.saw(perMille(confidence))
    return new Promise(resolve => {
      const answer = (said: Answer) => {
        const latencyUs = Math.round((clock.now() - since) * 1000)
        metrics?.decided(said, latencyUs)
        resolve({ id: own, ...said, latencyUs })
      }
      if (this.gate === undefined) {
        this.#count(AWAY)
        return answer(AWAY)
      }
      const asking = this.#asking.get(own)
      if (asking === undefined) this.#asking.set(own, [{ since, answer }])
      else asking.push({ since, answer })
      this.#step({ kind: 'asked', id: own, confidence: perMille(confidence) })
    })
  }

  /** Never throws and never waits: the person is out, what is left is counting. */
  leave(id: string | undefined, confidence: unknown): Left {
    const left = this.exits.leave(id, confidence)
    this.sensors.saw(perMille(confidence))
    return left
  }

  /** The person of this admission walked in. */
  passed(id: string): void {
    this.#step({ kind: 'passed', id })
  }

  /** Somebody came in whom nobody let in. They are inside, whether there is a core to say so to or not. */
  intruded(count: number, why: ForcedWhy): void {
    if (this.#step({ kind: 'intruded', id: this.#o.newId(), count, why })) return
    this.#uninvited.set(why, (this.#uninvited.get(why) ?? 0) + count)
  }

  /** For the ledger, now or as soon as there is one. */
  note(note: Note): void {
    if (this.#step({ kind: 'noted', note }) || this.#notes.length >= NOTES_MAX) return
    this.#notes.push(note)
  }

  /** Nobody walked in on this admission: its token is back. False where it is too late for that, or was done before. */
  lapse(id: string): boolean {
    const lapsed = () => this.gate?.me.books?.counters.lapsed ?? 0
    const before = lapsed()
    this.#step({ kind: 'lapsed', id })
    return lapsed() > before
  }

  /**
   * Whoever was counted out by this exit is still inside. The exit stays in the ledger; if it gave a token back, somebody
   * came in without a decision, who costs one, if need be one that this gate does not have any more. False where nothing
   * is known of that exit: it is of an earlier life of this gate, or the disk never got it.
   */
  stay(id: string): boolean {
    const credited = this.exits.wasCredited(id)
    if (credited === undefined && this.gate?.me.books !== undefined) return false
    if (credited === undefined) this.#stayed.add(id)
    else if (credited) this.#step({ kind: 'intruded', id: this.#o.newId(), count: 1, why: 'manual' })
    return true
  }

  /** Resolves once all that was told is in the ledger and on disk; rejects where it cannot be, or not yet. */
  async kept(): Promise<void> {
    const isWritten = this.gate?.me.books !== undefined && this.exits.waiting === 0 && this.#uninvited.size === 0
    if (!isWritten || this.isBroken) throw new Fault('AWAY', `${this.name}: there is no ledger to write to yet`)
    await this.#shell?.store.sync()
  }

  /** True once it is known that the ledger is the one this gate had before it started; false: it had to begin anew. */
  async isSameLife(): Promise<boolean> {
    while (this.gate?.isAnew === undefined) await new Promise<void>(resolve => this.#o.clock.in(LIFE_EVERY_MS, resolve))
    return !this.gate.isAnew
  }

  /** The fire contact or the key switch at this door. Whatever core comes later hears of it too. */
  contact(contact: Contact, closed: boolean): void {
    this.#contacts.set(contact, closed)
    if (!this.#step({ kind: 'contact', contact, closed }) && closed) this.#unheard.add(contact)
  }

  wrote(body: Body): void {
    this.exits.wrote(body)
    if (body.type === 'exit') {
      this.passages.out++
      this.tally.last = { what: 'EXIT', reason: body.credited ? '' : 'not credited', at: body.at }
    } else if (body.type === 'forced') this.passages.in += body.count
    else if (body.type === 'lapse') {
      this.passages.in--
      this.tally.in--
    } else if (body.type === 'admit') {
      this.passages.in++
      this.tally.in++
      this.tally[body.source]++
    }
  }

  answered(id: string, answer: Answer): void {
    const { decision, reason } = answer
    this.#count(answer)
    this.tally.last = { what: decision, reason: reason || (answer.source ?? ''), at: this.#o.clock.wall() }
    const asking = this.#asking.get(id)
    this.#asking.delete(id)
    for (const { answer: give } of asking ?? []) give(answer)
  }

  /** Without an arm the answer is the arm. */
  opened(id: string): void {
    this.#arm?.open(id)
  }

  letOut(): void {}

  /** The first that a core does is to say which mode it is in. */
  mode(mode: Mode): void {
    this.#meet()
    this.#arm?.mode(mode)
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

  #left(id: string, credited: boolean): void {
    if (credited) this.#o.metrics?.credited()
    if (this.#stayed.delete(id)) this.stay(id)
  }

  /** Those who were let in are counted when that is written. */
  #count({ decision }: Answer): void {
    if (decision === 'ADMIT') return
    this.tally.rejected++
    this.tally[KIND_OF[decision]]++
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
    for (const [contact, closed] of this.#contacts) {
      if (closed || this.#unheard.has(contact)) this.#step({ kind: 'contact', contact, closed: true })
      if (!closed && this.#unheard.has(contact)) this.#step({ kind: 'contact', contact, closed })
    }
    this.#unheard.clear()
    this.exits.catchUp()
    for (const [why, count] of this.#uninvited) this.intruded(count, why)
    this.#uninvited.clear()
    for (const note of this.#notes.splice(0)) this.note(note)
  }
}
