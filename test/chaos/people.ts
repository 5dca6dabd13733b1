// People: played visitors who come to hot doors in groups and rushes, ask, are let in or not, stay, and leave by any door.
//
// Laws: who was told ADMIT walks in, and nobody else does. Who got no answer asks again at the same door with the same id, or
// goes home. Who leaves is out at that moment, whatever becomes of telling a gate about it.

import { setTimeout as sleep } from 'node:timers/promises'
import { newId } from '../../mesh/real-clock.ts'
import { Client, type Reply, Unreached } from '../../tools/mall/client.ts'
import { Random } from '../sim/random.ts'
import type { Journal } from './journal.ts'

export interface PeopleOptions {
  readonly seed: number
  readonly gates: readonly string[]
  readonly urlOf: (gate: string) => string
  readonly capacity: number
  readonly journal: Journal
}

/** Arrivals as a share of what keeps the mall full: there are always more people than places. */
const PRESSURE = 2.5
const STAY_MS = 14_000
const GROUP_MAX = 4
const ARRIVALS_PER_SECOND_MAX = 16
/** A door is hot for so long. */
const FASHION_MS = 20_000
const ANSWER_MS_MAX = 6000
const ASKS_MAX = 8
const TELLS_MAX = 30
const AGAIN_MS = 1200

interface Visitor {
  readonly id: string
  readonly gate: string
}

export class People {
  readonly #o: PeopleOptions
  readonly #client = new Client(48, ANSWER_MS_MAX)
  readonly #arrivals: Random
  readonly #doors: Random
  readonly #stays: Random
  readonly #nerves: Random
  readonly #inside = new Map<string, Visitor>()
  readonly #errands = new Set<Promise<void>>()
  readonly decisions = new Map<string, number>()
  exits = 0
  unanswered = 0
  most = 0
  #isOpen = true
  #mayLeave = true

  constructor(options: PeopleOptions) {
    this.#o = options
    const random = new Random(`${options.seed} people`)
    this.#arrivals = random.stream('arrivals')
    this.#doors = random.stream('doors')
    this.#stays = random.stream('stays')
    this.#nerves = random.stream('nerves')
  }

  get inside(): number {
    return this.#inside.size
  }

  /** Until `close`. */
  async come(): Promise<void> {
    const { capacity } = this.#o
    const perSecond = Math.min(ARRIVALS_PER_SECOND_MAX, (PRESSURE * capacity * 1000) / STAY_MS)
    const groupSize = (1 + GROUP_MAX) / 2
    while (this.#isOpen) {
      await sleep(this.#arrivals.wait((1000 * groupSize) / perSecond))
      if (this.#isOpen) this.group(1 + this.#arrivals.int(GROUP_MAX))
    }
  }

  group(size: number, gate = this.#door()): void {
    for (let i = 0; i < size; i++) this.#do(this.#visit(gate))
  }

  /** Many at once at every door: whatever happens next happens to gates that are busy. */
  rush(perDoor: number): void {
    for (const gate of this.#o.gates) this.swap(perDoor, gate)
  }

  /** So many leave by this door, and as many who waited for that come in: there is somebody in every write of its disk. */
  swap(count: number, gate: string): void {
    for (const visitor of [...this.#inside.values()].slice(0, count)) this.#do(this.#leave(visitor, gate))
    this.group(count, gate)
  }

  /** Somebody at this door, once; true: let in. Leaves again at once where that is wanted. */
  async tries(gate: string): Promise<boolean> {
    const visitor = { id: newId(), gate }
    const isIn = await this.#ask(visitor)
    if (isIn) await this.#leave(visitor, gate)
    return isIn
  }

  /** Nobody comes any more; who is inside stays there until `goHome`. Resolves once nobody is at a door. */
  async close(): Promise<void> {
    this.#isOpen = false
    this.#mayLeave = false
    while (this.#errands.size > 0) await Promise.allSettled([...this.#errands])
  }

  /** So many of those inside leave, each by a door of their own choice. */
  async goHome(count: number): Promise<void> {
    const leaving = [...this.#inside.values()].slice(0, count)
    for (const visitor of leaving) await this.#leave(visitor, this.#stays.pick(this.#o.gates))
  }

  end(): void {
    this.#client.close()
  }

  #do(errand: Promise<void>): void {
    const done = errand.finally(() => this.#errands.delete(done))
    this.#errands.add(done)
  }

  /** One door is in fashion for a while, and takes half of them. */
  #door(): string {
    const { gates, seed, journal } = this.#o
    const hot = gates[(Math.floor(journal.now / FASHION_MS) + seed) % gates.length] as string
    return this.#doors.chance(0.5) ? hot : this.#doors.pick(gates)
  }

  async #visit(gate: string): Promise<void> {
    const again = this.#nerves.int(3)
    for (let tries = 0; tries <= again && this.#isOpen; tries++) {
      const visitor = { id: newId(), gate }
      if (await this.#ask(visitor)) return this.#stay(visitor)
      await this.#pause(this.#nerves.between(500, 2500))
    }
  }

  async #stay(visitor: Visitor): Promise<void> {
    const ms = Math.min(60_000, this.#stays.wait(STAY_MS))
    const gate = this.#stays.pick(this.#o.gates)
    await this.#pause(ms)
    if (this.#mayLeave) await this.#leave(visitor, gate)
  }

  /** Sleeps in slices, so that nobody is waited for when the doors close. */
  async #pause(ms: number): Promise<void> {
    const until = performance.now() + ms
    for (let left = ms; left > 0 && this.#isOpen; left = until - performance.now()) await sleep(Math.min(left, 500))
  }

  /** True: inside. */
  async #ask(visitor: Visitor): Promise<boolean> {
    const { journal, urlOf } = this.#o
    const { id, gate } = visitor
    for (let asks = 0; asks < ASKS_MAX; asks++) {
      const since = journal.write({ is: 'ask', id, gate })
      try {
        const { status, json } = await this.#client.post(`${urlOf(gate)}/turnstile/entry`, { id })
        if (status !== 200) throw new Error(`${gate} answered ${status}`)
        const { decision, reason } = json as { decision: string; reason: string }
        const t = journal.write({ is: 'answer', id, gate, decision, reason, ms: took(since, journal.now) })
        this.#count(decision)
        if (decision !== 'ADMIT') return false
        this.#inside.set(id, visitor)
        this.most = Math.max(this.most, this.inside)
        return t >= 0
      } catch (error) {
        this.#silence(id, 'in', gate, since, error)
        // nobody heard it: home, or another door with another id
        if (error instanceof Unreached && asks === 0) return false
        if (this.#nerves.chance(0.1)) return false
        await sleep(this.#nerves.between(200, AGAIN_MS))
      }
    }
    return false
  }

  async #leave({ id }: Visitor, gate: string): Promise<void> {
    const { journal, urlOf } = this.#o
    if (!this.#inside.delete(id)) return
    const exit = newId()
    journal.write({ is: 'left', id, exit, gate })
    for (let tells = 0; tells < TELLS_MAX; tells++) {
      const since = journal.write({ is: 'tell', exit, gate })
      try {
        const reply: Reply = await this.#client.post(`${urlOf(gate)}/turnstile/exit`, { id: exit })
        const { status, json } = reply
        const credited = json?.credited === true
        journal.write({ is: 'told', exit, gate, status, credited, ms: took(since, journal.now) })
        this.exits++
        return
      } catch (error) {
        this.#silence(exit, 'out', gate, since, error)
        // a guard who saw it tells later, or never
        if (this.#nerves.chance(0.03)) return
        await sleep(this.#nerves.between(300, 2 * AGAIN_MS))
      }
    }
  }

  #silence(of: string, way: 'in' | 'out', gate: string, since: number, error: unknown): void {
    const { journal } = this.#o
    this.unanswered++
    journal.write({ is: 'silence', of, way, gate, refused: error instanceof Unreached, ms: took(since, journal.now) })
  }

  #count(decision: string): void {
    this.decisions.set(decision, (this.decisions.get(decision) ?? 0) + 1)
  }
}

function took(since: number, now: number): number {
  return Math.round(now - since)
}
