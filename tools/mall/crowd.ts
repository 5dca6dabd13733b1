// Crowd: people who come to some doors more than to others, stay a while and leave where they like. Who comes when and
// where follows from the seed; who gets in follows from the mall.

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
  readonly #everyMs: number
  readonly #planned = new Set<() => void>()
  #stopped = false

  constructor(a: { clock: Clock; doors: Doors; capacity: number; kind: CrowdKind; seed: number }) {
    this.#clock = a.clock
    this.#doors = a.doors
    this.#random = new Random(`${a.seed} crowd`)
    const perSecond = Math.min(ARRIVALS_PER_SECOND_MAX, (PRESSURE[a.kind] * a.capacity * 1000) / DWELL_MS)
    this.#everyMs = perSecond > 0 ? 1000 / perSecond : Number.POSITIVE_INFINITY
    let total = 0
    for (let i = 0; i < a.doors.width; i++) {
      total += 1 / (i + 1) ** SKEW
      this.#weights.push(total)
    }
  }

  /** Those already inside, from before a restart, want to go home too. */
  start(inside: number): void {
    if (!Number.isFinite(this.#everyMs)) return
    for (let i = 0; i < inside; i++) this.#stay()
    this.#expect()
  }

  stop(): void {
    this.#stopped = true
    for (const cancel of this.#planned) cancel()
    this.#planned.clear()
  }

  #expect(): void {
    this.#in(this.#random.wait(this.#everyMs), () => {
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
    this.#in(this.#random.wait(DWELL_MS), () => void this.#doors.leave(door, 980))
  }

  #in(ms: number, act: () => void): void {
    if (this.#stopped) return
    const cancel = this.#clock.in(ms, () => {
      this.#planned.delete(cancel)
      act()
    })
    this.#planned.add(cancel)
  }
}
