// Crowd: the people of the year. They come by some doors more than by others, are let in or not, stay a while and leave
// where they like, all of them by the time the mall closes. What the sensors make of them is not always what they did.

import { uuid7 } from '../../../mesh/uuid7.ts'
import type { Random } from '../../../test/sim/random.ts'
import { arrival, CLOSE_MS, HOUR_MS } from './calendar.ts'
import type { YearClock } from './clock.ts'
import type { Machine } from './machine.ts'

const MINUTE_MS = 60_000
/** Of those let in, or of those who leave. */
const RATES = { noShow: 0.004, tailgate: 0.002, unseen: 0.0005, manual: 0.0003, doubt: 0.004 } as const
/** Of those turned away, how many try another door. */
const AGAIN = 0.3

interface Person {
  isLeaving: boolean
}

export class Crowd {
  readonly #clock: YearClock
  readonly #random: Random
  readonly #gates: readonly Machine[]
  readonly #entrances: number[] = []
  readonly #exits: number[] = []
  /** by the eyes over each door, since they last said so */
  readonly #seen = new Map<string, { in: number; out: number }>()
  readonly #waiting = new Map<string, number>()
  #ids = 0
  readonly #people = new Set<Person>()
  visitors = 0

  constructor(clock: YearClock, random: Random, gates: readonly Machine[]) {
    this.#clock = clock
    this.#random = random
    this.#gates = gates
    let entrances = 0
    let exits = 0
    gates.forEach((gate, i) => {
      entrances += 1 / (i + 1) ** 0.7
      // the busiest ways out are not the busiest ways in
      exits += 1 / (((i * 7) % gates.length) + 1) ** 0.5
      this.#entrances.push(entrances)
      this.#exits.push(exits)
      this.#seen.set(gate.name, { in: 0, out: 0 })
    })
  }

  /** People inside, whatever anybody counted. */
  get inside(): number {
    return this.#people.size
  }

  newId(): string {
    const chance = Buffer.alloc(10)
    chance.writeUInt32BE(this.#random.int(2 ** 32), 0)
    chance.writeUIntBE(++this.#ids, 4, 6)
    return uuid7(this.#clock.wall, chance)
  }

  /** So many come today. */
  plan(visitors: number): void {
    const times = Array.from({ length: visitors }, () => arrival(this.#random)).sort((a, b) => a - b)
    const next = (i: number) => {
      const time = times[i]
      if (time === undefined) return
      this.#clock.at(time, () => {
        this.visitors++
        this.#arrive(1)
        next(i + 1)
      })
    }
    next(0)
  }

  /** What the optical counter of a door saw since it last said so. */
  look(gate: Machine): { in: number; out: number } {
    const seen = this.#seen.get(gate.name) as { in: number; out: number }
    this.#seen.set(gate.name, { in: 0, out: 0 })
    return seen
  }

  /** An alarm: all leave by one door or another, within a quarter of an hour. */
  clear(): void {
    for (const person of this.#people) {
      person.isLeaving = true
      this.#clock.in(this.#random.next() * 15 * MINUTE_MS, () => this.#leave(person))
    }
  }

  /** The arm is free: somebody walks, or not, or somebody else slips in behind. */
  opened(gate: Machine, id: string): void {
    this.#waiting.delete(id)
    const random = this.#random
    if (random.chance(RATES.noShow)) {
      this.#clock.in(MINUTE_MS, () => gate.step({ kind: 'lapsed', id }))
      return
    }
    this.#walkIn(gate)
    if (random.chance(RATES.tailgate)) this.intrude(gate, 1, 'tailgate')
    else if (random.chance(RATES.manual)) this.intrude(gate, 1 + random.int(3), 'manual')
    // nobody saw this one: whoever counts heads will
    else if (random.chance(RATES.unseen)) this.#walkIn(gate)
  }

  /** People who come in without a decision. */
  intrude(gate: Machine, count: number, why: 'tailgate' | 'manual' | 'fire'): void {
    gate.step({ kind: 'intruded', id: this.newId(), count, why })
    for (let i = 0; i < count; i++) this.#walkIn(gate)
  }

  turnedAway(id: string): void {
    const tries = this.#waiting.get(id)
    this.#waiting.delete(id)
    if (tries === undefined || tries > 2 || !this.#random.chance(AGAIN)) return
    this.#clock.in(this.#random.between(2, 20) * MINUTE_MS, () => this.#arrive(tries + 1))
  }

  #arrive(tries: number): void {
    if (this.#clock.timeOfDay > CLOSE_MS) return
    const gate = this.#pick(this.#entrances)
    // a door that is dark: they go to another one
    if (gate.core === undefined) {
      if (tries < 3) this.#clock.in(2 * MINUTE_MS, () => this.#arrive(tries + 1))
      return
    }
    const id = this.newId()
    this.#waiting.set(id, tries)
    gate.step({ kind: 'asked', id, confidence: 900 + this.#random.int(100) })
  }

  #walkIn(gate: Machine): void {
    const random = this.#random
    this.#see(gate).in++
    const now = this.#clock.timeOfDay
    const dwell = 10 * MINUTE_MS + random.wait(1.2 * HOUR_MS)
    const last = CLOSE_MS - 0.5 * HOUR_MS + random.next() * 0.6 * HOUR_MS
    const leaveAt = Math.min(now + dwell, Math.max(last, now + 5 * MINUTE_MS))
    const person: Person = { isLeaving: false }
    this.#people.add(person)
    this.#clock.at(leaveAt, () => {
      if (!person.isLeaving) this.#leave(person)
    })
  }

  #leave(person: Person): void {
    const random = this.#random
    this.#people.delete(person)
    const gate = this.#pick(this.#exits)
    this.#see(gate).out++
    const isDoubtful = random.chance(RATES.doubt)
    const confidence = isDoubtful ? 200 + random.int(400) : 850 + random.int(150)
    gate.step({ kind: 'left', id: this.newId(), confidence })
  }

  #see(gate: Machine): { in: number; out: number } {
    return this.#seen.get(gate.name) as { in: number; out: number }
  }

  #pick(weights: readonly number[]): Machine {
    const spot = this.#random.next() * (weights[weights.length - 1] as number)
    return this.#gates[weights.findIndex(weight => spot < weight)] as Machine
  }
}
