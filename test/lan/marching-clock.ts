// Marching clock: real time, but those who share one tick in step, each a few ms after the beat, and can be moved
// forward together. So two members can be made to call each other at the same moment, as they would by rare chance.

import type { Clock } from '../../mesh/clock.ts'
import { PULSE } from '../../mesh/lan/pulse.ts'

export class MarchingClock {
  #aheadMs = 0

  /** Everyone's patience is over, and so is everyone's old age. */
  jump(ms: number): void {
    this.#aheadMs += ms
  }

  clock(behindMs: () => number): Clock {
    return {
      now: () => performance.now() + this.#aheadMs,
      wall: () => Date.now(),
      in: (ms, act) => {
        const beat = PULSE.tickMs
        const inStep = beat - (performance.now() % beat) + behindMs()
        const timer = setTimeout(act, Math.ceil(ms === beat ? inStep : ms))
        return () => clearTimeout(timer)
      },
    }
  }
}
