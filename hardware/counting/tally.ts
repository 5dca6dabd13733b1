// Tally: what the totals of a counter say about people, by their differences.
//
// Laws: the first reading is where counting begins, and nobody. What people cannot have walked is believed only when it
// was read twice: a broken reading is then nothing, and one that stays is a reset or a gap. In doubt more came in and
// nobody gets room back: entries count, exits are told without confidence.

export interface Reading {
  readonly in: number
  readonly out: number
}

/** `odd`: not believed yet. */
export type Story = 'first' | 'plain' | 'odd' | 'gap' | 'reset'

export interface Counted {
  readonly story: Story
  readonly in: number
  readonly out: number
  /** of the exits, from 0 to 1000 */
  readonly confidence: number
  /** ms since the reading before that was believed */
  readonly gapMs: number
}

export interface Start extends Reading {
  /** ms of the clock that never goes back, or an estimate of it from before a restart */
  readonly at: number
}

const WRAP = 2 ** 32
/** Beyond what the rate allows: a group that is through between two looks, and readings that are late. */
const SLACK = 10
/** Nobody looked for longer: somebody may have changed or set the device meanwhile. */
export const UNWATCHED_MS = 10 * 60_000
/** Of what people can walk in the time: more than that no people were, however wrong the rate is. */
const BEYOND = 3
const SURE = 1000

export class Tally {
  readonly #perMinuteMax: number
  #last: Start | undefined
  #odd: Start | undefined
  /** `at` of the last reading is only an estimate: there was a restart in between */
  #isRecalled: boolean

  constructor(a: { readonly perMinuteMax: number; readonly from?: Start }) {
    this.#perMinuteMax = a.perMinuteMax
    this.#last = a.from
    this.#isRecalled = a.from !== undefined
  }

  read(reading: Reading, at: number): Counted {
    const last = this.#last
    const now = { in: reading.in, out: reading.out, at }
    if (last === undefined) return this.#believe(now, { story: 'first', in: 0, out: 0, confidence: SURE, gapMs: 0 })
    const gapMs = Math.max(0, at - last.at)
    const odd = this.#odd
    const isRepeated = odd !== undefined && this.#canWalk(odd, now)
    // back where it was, but by way of a lower number from which people can have walked here as well: that counts more
    const isBack = isRepeated && wentDown(last, odd)
    if (this.#canWalk(last, now) && !isBack) return this.#believe(now, plain(last, now, gapMs))
    this.#odd = now
    if (!isRepeated) return { story: 'odd', in: 0, out: 0, confidence: 0, gapMs }
    const isReset = isBack || wentDown(last, now)
    return this.#believe(now, isReset ? this.#reset(last, now, gapMs) : this.#gap(last, now, gapMs))
  }

  #believe(now: Start, counted: Counted): Counted {
    this.#last = now
    this.#odd = undefined
    this.#isRecalled = false
    return counted
  }

  /** It may have begun at zero again, or this one number did not change: whichever people can have walked, and the more. */
  #reset(last: Start, now: Start, gapMs: number): Counted {
    const most = this.#most(gapMs)
    const since = (now: number, before: number) =>
      Math.max(0, ...[now, now - before].filter(count => count >= 0 && count <= most))
    const [entries, exits] = [since(now.in, last.in), since(now.out, last.out)]
    return { story: 'reset', in: entries, out: exits, confidence: 0, gapMs }
  }

  /** Over a restart the time in between is a guess, and all entries count. */
  #gap(last: Start, now: Start, gapMs: number): Counted {
    const most = BEYOND * this.#most(gapMs)
    const entries = now.in - last.in
    return {
      story: 'gap',
      in: this.#isRecalled ? entries : Math.min(entries, most),
      out: Math.min(now.out - last.out, most),
      confidence: 0,
      gapMs,
    }
  }

  #canWalk(from: Start, to: Start): boolean {
    const most = this.#most(to.at - from.at)
    return ahead(from.in, to.in) <= most && ahead(from.out, to.out) <= most
  }

  /** How many people can have walked one way in so much time. */
  #most(ms: number): number {
    return Math.ceil((Math.max(0, ms) * this.#perMinuteMax) / 60_000) + SLACK
  }
}

function plain(last: Start, now: Start, gapMs: number): Counted {
  const counts = { in: ahead(last.in, now.in), out: ahead(last.out, now.out), gapMs }
  const isUnwatched = gapMs > UNWATCHED_MS && counts.in + counts.out > 0
  return isUnwatched ? { story: 'gap', ...counts, confidence: 0 } : { story: 'plain', ...counts, confidence: SURE }
}

function wentDown(from: Reading, to: Reading): boolean {
  return to.in < from.in || to.out < from.out
}

/** Counters have 32 bits and begin again at zero. */
function ahead(from: number, to: number): number {
  return to >= from ? to - from : to - from + WRAP
}
