// Sensors: how sure this door's sensors are of what they see, in a word for people.
//
// Law: only what they say themselves goes in, the confidence of each passage; whoever says nothing of it is taken to be
// sure. A door that has seen nobody says nothing of its sensors. Saying it can neither fail nor wait: an exit calls it.

export type Health = 'ok' | 'doubtful' | 'poor'

/** Enough that one odd reading is no news, few enough that a cleaned lens shows within minutes. */
const READINGS = 50
/** Of the readings, how many may be below what counts (per mille): a coat before the lens happens. */
const DOUBTFUL_PER_MILLE = 60
const POOR_PER_MILLE = 250

export class Sensors {
  readonly #newest = new Uint16Array(READINGS)
  #seen = 0

  /** From 0 to 1000. */
  saw(confidence: number): void {
    this.#newest[this.#seen++ % READINGS] = confidence
  }

  /** `least`: readings below it are not believed. */
  health(least: number): Health | undefined {
    if (this.#seen === 0) return undefined
    const readings = this.#newest.subarray(0, Math.min(this.#seen, READINGS))
    const doubtful = readings.filter(confidence => confidence < least).length
    const perMille = (doubtful * 1000) / readings.length
    return perMille >= POOR_PER_MILLE ? 'poor' : perMille >= DOUBTFUL_PER_MILLE ? 'doubtful' : 'ok'
  }
}
