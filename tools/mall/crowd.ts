// Crowd: people who come to some doors more than to others, stay a while and leave where they like. Who comes when and
// where follows from the seed; who gets in follows from the mall. Those who are inside when nobody comes any more still
// go home, each in their own time.

import type { Clock } from '../../mesh/clock.ts'
import { Random } from '../../test/sim/random.ts'

export const CROWDS = ['steady', 'rush', 'evening', 'off'] as const
export type CrowdKind = (typeof CROWDS)[number]

/** The doors as the crowd sees them, by number; both ways may take as long as they take. */
export interface Doors {
  readonly width: number
  enter(door: number, confidence: number): Promise<boolean>
  leave(door: number, confidence: number): Promise<boolean>
}

/** Arrivals as a share of what keeps the mall exactly full: comfortable, too many, going home. */
const PRESSURE = { steady: 0.95, rush: 1.8, evening: 0.3, off: 0 } as const satisfies Record<CrowdKind, number>
const DWELL_MS = 45_000
/** How unevenly people choose their door: 0 is evenly, 1.2 is the study in DESIGN 4. */
const SKEW = 1.0
/** One process plays everybody; beyond this it would be busy with that. */
const ARRIVALS_PER_SECOND_MAX = 60

export class Crowd {
  readonly #clock: Clock
  readonly #doors: Doors
  readonly #random: Random
  readonly #weights: number[] = []
  readonly #capacity: number
  readonly #planned = new Set<() => void>()
  #kind: CrowdKind
  #cancelNext: (() => void) | undefined
  /** inside, and going to leave */
  #staying = 0
  #stopped = false

  constructor(a: { clock: Clock; doors: Doors; capacity: number; kind: CrowdKind; seed: number }) {
    this.#clock = a.clock
    this.#doors = a.doors
    this.#random = new Random(`${a.seed} crowd`)
    this.#capacity = a.capacity
    this.#kind = a.kind
    let total = 0
    for (let i = 0; i < a.doors.width; i++) {
      total += 1 / (i + 1) ** SKEW
      this.#weights.push(total)
    }
  }

  get kind(): CrowdKind {
    return this.#kind
  }

  /** Those already inside, from before a restart, want to go home too. */
  start(inside: number): void {
    this.turn(this.#kind, inside)
  }

  /** Another crowd from now on. Those inside whom nobody waits for are taken for its own, unless nobody is to be here. */
  turn(kind: CrowdKind, inside: number): void {
    this.#kind = kind
    this.#cancelNext?.()
    if (kind === 'off') return
    for (let i = this.#staying; i < inside; i++) this.#stay()
    this.#expect()
  }

  stop(): void {
    this.#stopped = true
    this.#cancelNext?.()
    for (const cancel of this.#planned) cancel()
    this.#planned.clear()
  }

  #expect(): void {
    const perSecond = Math.min(ARRIVALS_PER_SECOND_MAX, (PRESSURE[this.#kind] * this.#capacity * 1000) / DWELL_MS)
    if (perSecond === 0) return
    this.#cancelNext = this.#in(this.#random.wait(1000 / perSecond), () => {
      void this.#arrive()
      this.#expect()
    })
  }

  async #arrive(): Promise<void> {
    const at = this.#random.next() * (this.#weights.at(-1) as number)
    const door = this.#weights.findIndex(weight => at < weight)
    if (await this.#doors.enter(door, 990)) this.#stay()
  }

  #stay(): void {
    const door = this.#random.int(this.#doors.width)
    this.#staying++
    this.#in(this.#random.wait(DWELL_MS), () => {
      this.#staying--
      void this.#doors.leave(door, 980)
    })
  }

  #in(ms: number, act: () => void): (() => void) | undefined {
    if (this.#stopped) return undefined
    const cancel = this.#clock.in(ms, () => {
      this.#planned.delete(cancel)
      act()
    })
    this.#planned.add(cancel)
    return () => {
      this.#planned.delete(cancel)
      cancel()
    }
  }
}
