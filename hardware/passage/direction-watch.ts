// Direction watch: are the contacts of this lane wired the right way round?
//
// Laws: where somebody is let in, somebody walks in. Whoever walks out instead, again and again, came in by contacts that
// are swapped, and every such exit would hand out a token for a person who is inside. So an exit is believed less at the
// moments when it could be an entry: while a grant is open and the lane has not shown lately that it knows in from out,
// and at the start of a day, when nobody can leave yet.

/** A lane that saw nobody for so long slept: its next person begins a day. */
const NIGHT_MS = 4 * 3_600_000
/** So many grants on which somebody walked out instead are no accident. */
const CROSSED_MAX = 3
const OF_LAST = 8
/** So many who walked in as they should, one after the other, prove the contrary. */
const RIGHT_IN_A_ROW = 3
/** At the start of a day so many exits are not believed. A lane that lets nobody in is a way out after that. */
const DAWN_EXITS = 3

export class DirectionWatch {
  readonly #hasBoth: boolean
  /** of the last grants that told something: walked in as they should, or not */
  readonly #right: boolean[] = []
  #lastAt: number | undefined
  #isDay = false
  #day = { in: 0, out: 0, grants: 0 }
  isSuspect = false

  constructor(a: { hasBoth: boolean }) {
    this.#hasBoth = a.hasBoth
  }

  granted(): void {
    this.#day.grants++
  }

  /** Somebody came in, on a grant or not. */
  in(now: number, isGranted: boolean): void {
    this.#dawn(now)
    this.#day.in++
    if (isGranted) this.#tell(true)
  }

  /** A grant ended on which somebody had walked out, and nobody in. */
  crossed(): void {
    this.#tell(false)
  }

  /** Somebody walked out: is that to be believed? */
  out(now: number, isGrantOpen: boolean): boolean {
    if (!this.#hasBoth) return true
    this.#dawn(now)
    this.#day.out++
    const { in: ins, out, grants } = this.#day
    const isEarly = this.#isDay && ins === 0 && (out <= DAWN_EXITS || grants > 0)
    if (isEarly && out >= DAWN_EXITS && grants > 0) this.isSuspect = true
    return !this.isSuspect && !isEarly && (!isGrantOpen || this.#right.at(-1) === true)
  }

  #dawn(now: number): void {
    if (this.#lastAt !== undefined && now - this.#lastAt >= NIGHT_MS) {
      this.#isDay = true
      // Nobody knows who worked on the wires at night.
      this.#right.length = 0
      this.#day = { in: 0, out: 0, grants: 0 }
    }
    this.#lastAt = now
  }

  #tell(isRight: boolean): void {
    this.#right.push(isRight)
    if (this.#right.length > OF_LAST) this.#right.shift()
    const last = this.#right.slice(-RIGHT_IN_A_ROW)
    if (last.length === RIGHT_IN_A_ROW && last.every(one => one)) {
      this.isSuspect = false
      return
    }
    const wrong = this.#right.filter(one => !one).length
    if (wrong >= CROSSED_MAX && wrong > this.#right.length - wrong) this.isSuspect = true
  }
}
