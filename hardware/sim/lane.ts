// Lane: one played arm with the people before it, one at a time through it, and the contacts that they move.
//
// Laws: whoever leaves needs no leave: they walk as soon as the arm is still. Whoever comes walks in on a pulse, or, being
// bold, where nothing holds the arm. What the contacts show is all that a gate gets to know; what really happened is kept
// beside it.

import type { Signal } from '../io.ts'
import type { PassageRules } from '../passage/rules.ts'
import type { Agenda } from './agenda.ts'
import { Arm } from './arm.ts'
import type { Chance } from './chance.ts'
import { Contact } from './contact.ts'
import { type Walk, walkOf } from './gait.ts'
import type { Body, Outcome, Truth, Way } from './person.ts'

/** From one person at the reader to the next. */
const STEP_UP_MS = [60, 140] as const
/** Between two people, on top of the time in which two passages are taken for one person: nobody is faster. */
const APART_MS = 40
/** Whoever is bold tries the arm so often. */
const TRY_MS = 150

export interface LaneOptions {
  readonly name: string
  readonly rules: PassageRules
  readonly signals: readonly Signal[]
  /** the device keeps cumulative counters as well */
  readonly hasCounters: boolean
  readonly walkMs: number
  readonly agenda: Agenda
  readonly chance: Chance
  /** an input changed; also told while nobody can hear it, which is the wire's affair */
  readonly tell: (signal: Signal, active: boolean) => void
}

export class SimLane {
  readonly name: string
  readonly arm = new Arm()
  readonly #o: LaneOptions
  readonly #contacts: ReadonlyMap<Signal, Contact>
  readonly #queues: Readonly<Record<Way, Body[]>> = { in: [], out: [] }
  readonly #truth = { in: 0, out: 0, unseenIn: 0, unseenOut: 0 }
  /** by sensor: somebody is at it */
  readonly #pressed = new Set<Signal>()
  /** when the next person of a direction may be at the sensors */
  readonly #clearAt = { in: Number.NEGATIVE_INFINITY, out: Number.NEGATIVE_INFINITY }
  #counters: Record<Way, number> = { in: 0, out: 0 }
  #read: Readonly<Record<Way, number>> = { in: 0, out: 0 }
  #asker: Body | undefined
  #loseHeart: (() => void) | undefined
  #walker: Body | undefined
  #isSteppingUp = false
  #askerId: string | undefined
  #leaverId: string | undefined
  /** of the walk under way: the sensors had a chance all the time */
  #isWatched = true
  #isReadable = true

  constructor(options: LaneOptions) {
    this.name = options.name
    this.#o = options
    const { agenda, chance, tell } = options
    this.#contacts = new Map(
      options.signals.map(signal => [signal, new Contact({ agenda, chance, tell: active => tell(signal, active) })]),
    )
  }

  get truth(): Truth {
    return this.#truth
  }

  /** How many stand before it or are in it. */
  get waiting(): number {
    const { in: ins, out: outs } = this.#queues
    return ins.length + outs.length + (this.#asker === undefined ? 0 : 1) + (this.#walker === undefined ? 0 : 1)
  }

  /** Id of whoever stands before the arm; once, so that nobody else is let in by it. */
  takeAsker(): string | undefined {
    const id = this.#askerId
    this.#askerId = undefined
    return id
  }

  /** Id of whoever walks out, or did so last; once. */
  takeLeaver(): string | undefined {
    const id = this.#leaverId
    this.#leaverId = undefined
    return id
  }

  shown(signal: Signal): boolean {
    return this.#contacts.get(signal)?.shown ?? false
  }

  come(body: Body): void {
    this.#queues[body.way].push(body)
    this.look()
  }

  /** Whoever stands there was told no. */
  sendAway(): void {
    if (this.#asker !== undefined && !this.arm.isOpen(this.#o.agenda.now)) this.#leaves('sent-away')
  }

  power(isOn: boolean): void {
    if (isOn === this.arm.isPowered) return
    this.arm.isPowered = isOn
    this.#watch()
    for (const signal of this.#contacts.keys()) if (signal !== 'ask') this.#set(signal)
    this.look()
  }

  /** Whether anybody can hear what the contacts say. */
  set isReadable(is: boolean) {
    this.#isReadable = is
    this.#watch()
  }

  stick(signal: Signal, at: boolean | undefined): void {
    this.#contacts.get(signal)?.stick(at)
    this.#watch()
  }

  spike(signal: Signal, forMs: number): void {
    if (this.arm.isPowered) this.#contacts.get(signal)?.spike(forMs)
  }

  /** What the device says of all passages ever, now that somebody reads it. */
  readCounters(): { readonly in: number; readonly out: number } {
    this.#read = { ...this.#counters }
    return this.#read
  }

  /** A device that starts again from nothing. Whom nobody had read of, nobody ever will. */
  resetCounters(): void {
    if (this.#o.hasCounters) {
      this.#truth.unseenIn += this.#counters.in - this.#read.in
      this.#truth.unseenOut += this.#counters.out - this.#read.out
    }
    this.#counters = { in: 0, out: 0 }
    this.#read = { in: 0, out: 0 }
  }

  /** Nobody gets any further. */
  close(): void {
    const { in: ins, out: outs } = this.#queues
    const all = [this.#asker, this.#walker, ...ins.splice(0), ...outs.splice(0)]
    this.#asker = undefined
    this.#walker = undefined
    for (const body of all) body?.end(this.#outcome('stopped'))
  }

  /** Something changed: whoever can go, goes. */
  look(): void {
    const { agenda } = this.#o
    if (this.#walker !== undefined || agenda.isOver) return
    const { now } = agenda
    if (this.#asker !== undefined && this.arm.isOpen(now)) this.#goIn(this.#asker)
    else if (this.#queues.out.length > 0) this.#walk(this.#queues.out.shift() as Body)
    else if (this.#asker?.isBold === true && !this.arm.isHeld(now)) this.#goIn(this.#asker)
    else this.#stepUp()
  }

  #stepUp(): void {
    if (this.#asker !== undefined || this.#isSteppingUp || this.#queues.in.length === 0) return
    const { agenda, chance } = this.#o
    this.#isSteppingUp = true
    agenda.in(chance.between(...STEP_UP_MS), () => {
      this.#isSteppingUp = false
      const body = this.#queues.in.shift() as Body
      this.#asker = body
      this.#askerId = body.id
      this.#press('ask', true)
      this.#loseHeart = agenda.in(body.patienceMs, () => this.#leaves('gave-up'))
      this.look()
      if (body.isBold) this.#tryAgain(body)
    })
  }

  /** Nobody is told when a hold runs out; whoever leans on the arm finds out. */
  #tryAgain(body: Body): void {
    if (this.#asker !== body) return
    this.#o.agenda.in(TRY_MS, () => {
      this.look()
      this.#tryAgain(body)
    })
  }

  #goIn(body: Body): void {
    this.#loseHeart?.()
    this.#asker = undefined
    if (body.turnsRound) this.#turnsRound(body)
    else {
      this.arm.use()
      this.#walk(body)
    }
  }

  #leaves(why: Outcome['why']): void {
    const body = this.#asker
    this.#loseHeart?.()
    this.#asker = undefined
    this.#press('ask', false)
    body?.end(this.#outcome(why))
    this.look()
  }

  #turnsRound(body: Body): void {
    const { agenda, signals, walkMs, chance } = this.#o
    this.#walker = body
    const walk = walkOf('back', { signals, walkMs, chance })
    this.#play(walk, () => {
      this.#press('ask', false)
      this.#walker = undefined
      body.end(this.#outcome('turned-round'))
      agenda.in(0, () => this.look())
    })
  }

  /** Not before the one ahead is clear of the sensors. */
  #walk(body: Body): void {
    const { agenda, signals, walkMs, chance } = this.#o
    this.#walker = body
    agenda.in(Math.max(0, this.#clearAt[body.way] - agenda.now), () => {
      this.#isWatched = true
      this.#watch()
      if (body.way === 'in') this.#press('ask', false)
      else this.#leaverId = body.id
      const walk = walkOf(body.way, { signals, walkMs, chance })
      this.#play(walk, () => this.#walked(body))
      agenda.in(walk.throughMs, () => this.#isThrough(body.way))
    })
  }

  /** Once the sensors had no chance, they had none for the whole walk. A device that counts has it without being read. */
  #watch(): void {
    const isStuck = [...this.#contacts].some(([signal, contact]) => signal !== 'ask' && contact.isStuck)
    const isSeen = this.#o.hasCounters || (this.#isReadable && !isStuck)
    if (!this.arm.isPowered || !isSeen) this.#isWatched = false
  }

  #isThrough(way: Way): void {
    this.#truth[way]++
    if (!this.#isWatched) this.#truth[way === 'in' ? 'unseenIn' : 'unseenOut']++
    if (this.arm.isPowered) this.#counters[way]++
  }

  #walked(body: Body): void {
    const { agenda, rules } = this.#o
    const { way } = body
    this.#clearAt[way] = agenda.now + rules.doubleMs + APART_MS
    this.#walker = undefined
    const follower = way === 'in' && body.isFollowed ? this.#followed(body) : undefined
    body.end({ ...this.#outcome('walked'), followers: follower === undefined ? 0 : 1 })
    if (follower !== undefined) this.#walk(follower)
    else agenda.in(0, () => this.look())
  }

  /** The arm is still on its way back: one more slips through, and nobody asked. */
  #followed(body: Body): Body {
    return { ...body, id: undefined, isFollowed: false, end: () => undefined }
  }

  #play({ steps, tookMs }: Walk, then: () => void): void {
    const { agenda } = this.#o
    for (const { atMs, signal, isPressed } of steps) agenda.in(atMs, () => this.#press(signal, isPressed))
    agenda.in(tookMs, then)
  }

  #press(signal: Signal, isPressed: boolean): void {
    if (isPressed) this.#pressed.add(signal)
    else this.#pressed.delete(signal)
    this.#set(signal)
  }

  /** Contacts of an arm without power are open, which looks like somebody in it. */
  #set(signal: Signal): void {
    const isDead = signal !== 'ask' && !this.arm.isPowered
    this.#contacts.get(signal)?.set(isDead || this.#pressed.has(signal))
  }

  #outcome(why: Outcome['why']): Outcome {
    return { lane: this.name, walked: why === 'walked', why, followers: 0 }
  }
}
