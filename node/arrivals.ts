// Arrivals: how many people ask at this door, as the three who want to know see it.

import { Demand } from '../mesh/demand.ts'
import type { Limits } from '../mesh/limits.ts'
import { crowdOf, kept } from '../mesh/trade.ts'

/** No party and no bus brings as many at once: fifty within a quarter of a second. */
const FLOOD_LANES = 10

export class Arrivals {
  readonly #limits: Limits
  readonly #lately = new Demand(5000)
  /** what others are told: slow enough that they do not run after every party of four */
  readonly #custom = new Demand(30_000)
  /** as it is right now: what a crowd is about to take is not given away */
  readonly #rush = new Demand(250)

  constructor(limits: Limits) {
    this.#limits = limits
  }

  add(now: number): void {
    this.#lately.add(now)
    this.#custom.add(now)
    this.#rush.add(now)
  }

  /** People a second, over some seconds. */
  lately(now: number): number {
    return this.#lately.perSecond(now)
  }

  /** The same over half a minute. */
  custom(now: number): number {
    return this.#custom.perSecond(now)
  }

  /** As many as a lane can take, or more. */
  isCrowd(now: number): boolean {
    return crowdOf(this.lately(now), this.#limits) === 1
  }

  /** More than a door can be meant for: whoever is there when a token comes gets it, and nobody needs to stand in line. */
  isFlood(now: number): boolean {
    return this.#rush.perSecond(now) > FLOOD_LANES * this.#limits.demandPerSecondMax
  }

  /**
   * Until when whoever comes now waits for a token, and until when where somebody who was asked says nothing. A crowd is
   * told soon: answers are slow because of it. In a flood others take the token of whoever waits long, and as many get in.
   */
  patience(now: number): { readonly until: number; readonly latest: number } {
    const { floodMs, decisionMs, writeMs, patienceMs } = this.#limits
    const isFlood = this.isFlood(now)
    const until = now + (isFlood ? floodMs : decisionMs - writeMs)
    return { until, latest: isFlood || this.isCrowd(now) ? until : now + patienceMs }
  }

  /** How many tokens those take who will be here in a moment. */
  keeps(now: number): number {
    return kept(this.#rush.perSecond(now), this.#limits)
  }
}
