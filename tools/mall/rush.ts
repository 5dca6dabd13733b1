// Rush: many people at one door within a few seconds. Who gets in stays a while, and leaves by any door.

import type { Clock } from '../../mesh/clock.ts'
import { Random } from '../../test/sim/random.ts'
import type { Doors } from './crowd.ts'
import type { RushReport } from './demo-state.ts'

export const PEOPLE_MAX = 500
const WITHIN_MS = 4000
const STAY_MS_MIN = 12_000
const STAY_MS_MAX = 30_000

export interface RushOptions {
  readonly id: number
  readonly clock: Clock
  readonly doors: Doors
  readonly gate: string
  /** the number of that gate's door */
  readonly door: number
  readonly people: number
  readonly seed: number
}

export class Rush {
  readonly #o: RushOptions
  readonly #random: Random
  readonly #planned = new Set<() => void>()
  #admitted = 0
  #turnedAway = 0
  #left = 0

  constructor(options: RushOptions) {
    this.#o = options
    this.#random = new Random(`${options.seed} rush`)
  }

  get report(): RushReport {
    const { id, gate, people } = this.#o
    const { admitted, turnedAway } = { admitted: this.#admitted, turnedAway: this.#turnedAway }
    const isAnswered = admitted + turnedAway === people
    return { id, gate, people, admitted, turnedAway, inside: admitted - this.#left, isAnswered }
  }

  start(): void {
    const { people } = this.#o
    for (let i = 0; i < people; i++) this.#in((i / people) * WITHIN_MS, () => void this.#come())
  }

  /** Nobody comes or leaves any more: those inside are counted as inside. */
  stop(): void {
    for (const cancel of this.#planned) cancel()
    this.#planned.clear()
  }

  async #come(): Promise<void> {
    const { doors, door } = this.#o
    if (!(await doors.enter(door, 990))) {
      this.#turnedAway++
      return
    }
    this.#admitted++
    const out = this.#random.int(doors.width)
    this.#in(this.#random.between(STAY_MS_MIN, STAY_MS_MAX), () => {
      this.#left++
      void doors.leave(out, 980)
    })
  }

  #in(ms: number, act: () => void): void {
    const cancel = this.#o.clock.in(ms, () => {
      this.#planned.delete(cancel)
      act()
    })
    this.#planned.add(cancel)
  }
}
