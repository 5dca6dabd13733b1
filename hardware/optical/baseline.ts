// Baseline: how many people this gate's lens sees too many where nobody can have followed anybody, in whole per mille.
//
// Laws: it is learned slowly, in quiet times only, where whoever comes in is alone, and never beyond a few per mille: a
// steady stream of people who follow others is never learned away. In busy times it excuses nobody, because lenses see
// fewer then and not more. What it excuses was earned by people who passed, one by one.

/** People who passed in quiet times before it moves by one. */
const STEP_PEOPLE = 200
export const LEARNED_MAX = 3
/** What people counted by hand may prove, until quiet times say less. */
export const PROVED_MAX = 10
/** An excuse that was not needed for long is not kept for a crowd. */
const EXCUSES_MILLI_MAX = 2000
/** Counting by hand proves nothing with fewer. */
const HAND_PEOPLE_MIN = 50

export interface BaselineMemory {
  readonly perMille: number
  readonly people: number
  readonly surplus: number
  readonly excusesMilli: number
}

export class Baseline {
  #perMille: number
  #people: number
  #surplus: number
  #excusesMilli: number

  constructor(memory?: BaselineMemory) {
    this.#perMille = memory?.perMille ?? 0
    this.#people = memory?.people ?? 0
    this.#surplus = memory?.surplus ?? 0
    this.#excusesMilli = memory?.excusesMilli ?? 0
  }

  get memory(): BaselineMemory {
    const [perMille, people, surplus, excusesMilli] = [this.#perMille, this.#people, this.#surplus, this.#excusesMilli]
    return { perMille, people, surplus, excusesMilli }
  }

  get perMille(): number {
    return this.#perMille
  }

  /** People came in by the arm. */
  passed(people: number, isQuiet: boolean): void {
    this.#excusesMilli = Math.min(EXCUSES_MILLI_MAX, this.#excusesMilli + people * this.#perMille)
    if (!isQuiet) return
    this.#people += people
    if (this.#people < STEP_PEOPLE) return
    const seen = Math.floor((this.#surplus * 1000) / this.#people)
    if (seen > this.#perMille && this.#perMille < LEARNED_MAX) this.#perMille++
    else if (seen < this.#perMille) this.#perMille--
    this.#people = 0
    this.#surplus = 0
  }

  /** So many were seen by the lens alone; how many of them are this lens's own. */
  excuse(surplus: number, isQuiet: boolean): number {
    if (!isQuiet) return 0
    this.#surplus += surplus
    const excused = Math.min(surplus, Math.floor(this.#excusesMilli / 1000))
    this.#excusesMilli -= excused * 1000
    return excused
  }

  /** Somebody counted by hand while the lens counted. False where they were too few to say anything. */
  proved(a: { readonly truth: number; readonly seen: number }): boolean {
    if (a.truth < HAND_PEOPLE_MIN) return false
    const perMille = Math.floor(((a.seen - a.truth) * 1000) / a.truth)
    this.#perMille = Math.max(0, Math.min(PROVED_MAX, perMille))
    return true
  }
}
