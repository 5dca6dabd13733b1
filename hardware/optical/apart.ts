// Apart: by how many people two counts of the same passages differ for good.
//
// Law: a difference is one that lasted for the settling time without touching zero: a person who is between lens and arm
// makes none. Of what lasted, the least is taken. So somebody who followed is found at the first lull, and what the lens
// missed does not hide whoever follows later: it is settled too, and forgotten. Where the arm's count goes down later, by
// an admission that nobody walked through, that person was what the lens had missed, and nobody followed.

export interface Look {
  /** people by the lens, ever growing */
  readonly optical: number
  /** people by the arm */
  readonly turnstile: number
  readonly now: number
  readonly settleMs: number
  /** the lens was heard just now: only then it is known not to have seen somebody */
  readonly isHeard: boolean
}

export interface Settled {
  /** seen by the lens alone */
  readonly surplus: number
  /** counted by the arm alone */
  readonly missed: number
}

interface Run {
  readonly since: number
  /** nearest to zero while it lasted */
  readonly least: number
}

const NONE: Settled = { surplus: 0, missed: 0 }
/** An admission is taken back by then, by the arm or by a guard's hand. */
const LAPSE_MS = 300_000

export class Apart {
  #shift = 0
  #above: Run | undefined
  #below: Run | undefined
  #last = 0
  #turnstile = 0
  /** settled as missed, not long ago */
  #forgotten = { people: 0, at: Number.NEGATIVE_INFINITY }

  /** Not settled yet: positive where the lens saw more. */
  get open(): number {
    return this.#last
  }

  /** Begins again with this difference still to be settled. */
  reset(optical: number, turnstile: number, open = 0): void {
    this.#shift = open - (optical - turnstile)
    this.#last = open
    this.#turnstile = turnstile
    this.#forgotten = { people: 0, at: Number.NEGATIVE_INFINITY }
    this.#above = undefined
    this.#below = undefined
  }

  /** The arm's count is raised for people who were settled already. */
  follow(people: number): void {
    this.#shift += people
    this.#turnstile += people
  }

  look({ optical, turnstile, now, settleMs, isHeard }: Look): Settled {
    this.#lapse(this.#turnstile - turnstile, optical - turnstile + this.#shift, now)
    this.#turnstile = turnstile
    const apart = optical - turnstile + this.#shift
    this.#last = apart
    this.#above = apart > 0 ? run(this.#above, apart, now) : undefined
    if (apart >= 0) this.#below = undefined
    else if (isHeard) this.#below = run(this.#below, -apart, now)
    if (this.#above !== undefined && now - this.#above.since >= settleMs) {
      const surplus = this.#above.least
      this.#settle(-surplus)
      this.#above = this.#last > 0 ? { since: now, least: this.#last } : undefined
      return { surplus, missed: 0 }
    }
    if (isHeard && this.#below !== undefined && now - this.#below.since >= settleMs) {
      const missed = this.#below.least
      this.#settle(missed)
      this.#forgotten = { people: this.#forgotten.people + missed, at: now }
      this.#below = this.#last < 0 ? { since: now, least: -this.#last } : undefined
      return { surplus: 0, missed }
    }
    return NONE
  }

  #lapse(people: number, apart: number, now: number): void {
    if (now - this.#forgotten.at > LAPSE_MS) this.#forgotten = { people: 0, at: now }
    const back = Math.min(people, apart, this.#forgotten.people)
    if (back <= 0) return
    this.#shift -= back
    this.#forgotten = { ...this.#forgotten, people: this.#forgotten.people - back }
  }

  #settle(people: number): void {
    this.#shift += people
    this.#last += people
  }
}

function run(before: Run | undefined, apart: number, now: number): Run {
  return { since: before?.since ?? now, least: Math.min(before?.least ?? apart, apart) }
}
