// Drift: lens and arm of one gate over the last hour, held against each other early, before the hour is over.
//
// Law: only what both saw while all counters were sound is compared. Which side is unsafe is said: people who came in
// unseen by the arm, and exits that nobody made.

import type { Flow } from './reading.ts'

const HOUR_MS = 3_600_000
const MARK_MS = 60_000
/** Fewer prove nothing. */
const PEOPLE_MIN = 40
const APART_MIN = 3
const RAISE_PER_MILLE = 20
const CLEAR_PER_MILLE = 10
/** As many people who fit far better the other way round were counted the other way round. */
const SWAPPED_PEOPLE_MIN = 10

interface Mark {
  readonly at: number
  readonly optical: Flow
  readonly turnstile: Flow
}

export interface Parting {
  readonly way: 'in' | 'out'
  readonly optical: number
  readonly turnstile: number
  readonly perMille: number
}

export class Drift {
  #marks: Mark[] = []
  #newest: Mark | undefined
  #raised = new Set<'in' | 'out'>()

  /** What was lost makes both sides incomparable. */
  reset(): void {
    this.#marks = []
    this.#newest = undefined
  }

  /** Returns what has parted since the look before, and what is well again. */
  look(mark: Mark): { readonly parted: readonly Parting[]; readonly mended: readonly ('in' | 'out')[] } {
    this.#newest = mark
    const last = this.#marks.at(-1)
    if (last === undefined || mark.at - last.at >= MARK_MS) this.#marks.push(mark)
    while (this.#marks.length > 1 && mark.at - (this.#marks[0] as Mark).at > HOUR_MS) this.#marks.shift()
    const ways = ['in', 'out'] as const
    const all = ways.flatMap(way => this.#parting(way) ?? [])
    const parted = all.filter(({ way, perMille }) => perMille > RAISE_PER_MILLE && !this.#raised.has(way))
    const mended = all.flatMap(({ way, perMille }) =>
      perMille < CLEAR_PER_MILLE && this.#raised.has(way) ? [way] : [],
    )
    for (const { way } of parted) this.#raised.add(way)
    for (const way of mended) this.#raised.delete(way)
    return { parted, mended }
  }

  get raised(): readonly ('in' | 'out')[] {
    return [...this.#raised]
  }

  /** People by lens and arm over the time compared. */
  get compared(): { readonly optical: Flow; readonly turnstile: Flow } {
    const [first, last] = [this.#marks[0], this.#newest]
    const over = (of: (mark: Mark) => Flow) => {
      const [a, b] = [first && of(first), last && of(last)]
      return a === undefined || b === undefined ? { in: 0, out: 0 } : { in: b.in - a.in, out: b.out - a.out }
    }
    return { optical: over(mark => mark.optical), turnstile: over(mark => mark.turnstile) }
  }

  /**
   * Of a thousand exits that the arm tells of, how many the lens saw; 1000 while too few passed to say. A lens that sees
   * nobody at all is covered: what it does not see is unknown.
   */
  get exitsConfirmed(): number {
    const parting = this.#parting('out')
    const { optical } = this.compared
    if (optical.in + optical.out === 0) return 1000
    if (parting === undefined || parting.turnstile - parting.optical < APART_MIN) return 1000
    return Math.floor((Math.max(0, parting.optical) * 1000) / parting.turnstile)
  }

  /** The lens was mounted, or configured, the other way round. */
  get looksSwapped(): boolean {
    const { optical: o, turnstile: t } = this.compared
    const straight = Math.abs(o.in - t.in) + Math.abs(o.out - t.out)
    const crossed = Math.abs(o.in - t.out) + Math.abs(o.out - t.in)
    return straight >= SWAPPED_PEOPLE_MIN && crossed * 5 <= straight
  }

  #parting(way: 'in' | 'out'): Parting | undefined {
    const { optical, turnstile } = this.compared
    const most = Math.max(optical[way], turnstile[way])
    if (most < PEOPLE_MIN) return undefined
    const apart = Math.abs(optical[way] - turnstile[way])
    const perMille = apart < APART_MIN ? 0 : Math.floor((apart * 1000) / most)
    return { way, optical: optical[way], turnstile: turnstile[way], perMille }
  }
}
