// Confidence: how much of what a lane says is believed, from 0 to 1000, in whole numbers.
//
// Laws: it falls at once and rises slowly. What a lane does all day long (two edges per person) cannot bring it below
// what that alone is worth: each reason has a floor. It is rounded down.

export const REASONS = {
  /** contacts moved and nobody was there */
  noise: { by: 20, floor: 300 },
  /** a sensor that fires twice per person is a nuisance and still counts people */
  double: { by: 5, floor: 850 },
  /** contacts settle after a power cut, and nobody knows who walked meanwhile */
  power: { by: 450, floor: 100 },
  stuck: { by: 300, floor: 100 },
  /** what happened meanwhile nobody saw */
  link: { by: 100, floor: 400 },
  /** two sensors tell different stories, and nobody knows which one is right */
  disagreement: { by: 250, floor: 100 },
  /** a person who may have been none: not believed anyway, and no reason to doubt all the others */
  doubt: { by: 20, floor: 800 },
} as const satisfies Record<string, { by: number; floor: number }>
export type Reason = keyof typeof REASONS

const FULL = 1000
/** From nothing to full in twenty minutes: long enough that a bad hour shows, short enough that a mended lane counts. */
const RISE_PER_MINUTE = 50
const MINUTE_MS = 60_000

export class Confidence {
  #value = FULL
  #at = 0

  at(now: number): number {
    const risen = Math.floor(((now - this.#at) * RISE_PER_MINUTE) / MINUTE_MS)
    return Math.min(FULL, this.#value + Math.max(0, risen))
  }

  lower(reason: Reason, now: number): void {
    const { by, floor } = REASONS[reason]
    const value = this.at(now)
    // Many small steps must not eat the minutes in between: the time moves only with a step that counts.
    if (value <= floor) return
    this.#value = Math.max(floor, value - by)
    this.#at = now
  }
}
