// Grants: who was let in and has not walked yet.
//
// Laws: one grant opens the arm at a time. It lapses only where the hardware said that the arm had opened, was well and
// watched until the passage window and the guard time were over, and saw nobody on the way. A grant of doubt never lapses:
// its person is presumed inside. A lane that sees nobody walk again and again may be blind, and is not believed either.

import type { PassageRules } from './rules.ts'

/** Nobody walked on so many grants in a row… */
const LAPSES_IN_A_ROW = 3
/** …or on so many of the last few: a sensor that misses people would hand their tokens out again. */
const LAPSES_MAX = 6
const LAPSES_OF = 16
/** How much longer to wait for the counters to be read once more. */
const LOOK_MS = 5_000

interface Open {
  readonly id: string
  /** when the arm was told to open */
  readonly at: number
  /** when the hardware said that it had */
  confirmedAt: number | undefined
  isDoubtful: boolean
  /** somebody walked out on it */
  isCrossed: boolean
}

interface Late {
  readonly id: string
  readonly isCrossed: boolean
  /** a look at the counters after this settles it */
  readonly after: number
}

export type Settled =
  | { readonly kind: 'open'; readonly id: string }
  | { readonly kind: 'lapsed'; readonly id: string }
  | { readonly kind: 'presumed'; readonly id: string; readonly isCrossed: boolean }

export class Grants {
  readonly #rules: PassageRules
  readonly #hasCounters: boolean
  #open: Open | undefined
  readonly #waiting: string[] = []
  /** no longer open; the counters are still to say whether their people walked */
  #late: Late[]
  #lookedAt = Number.NEGATIVE_INFINITY
  /** of the last grants that the hardware watched, whether somebody walked */
  readonly #walked: boolean[] = []

  constructor(a: { rules: PassageRules; hasCounters: boolean; pending: readonly string[] }) {
    this.#rules = a.rules
    this.#hasCounters = a.hasCounters
    this.#late = a.pending.map(id => ({ id, isCrossed: false, after: Number.NEGATIVE_INFINITY }))
  }

  add(id: string): void {
    if (!this.pending.includes(id)) this.#waiting.push(id)
  }

  opened(id: string, isConfirmed: boolean, now: number): void {
    const open = this.#open
    if (open?.id !== id) return
    if (isConfirmed) open.confirmedAt = now
    else open.isDoubtful = true
  }

  /** Somebody walked in, who began to at `since` or later: on which grant? */
  walk(since: number): string | undefined {
    const late = this.#late.shift()
    if (late) return late.id
    const open = this.#open
    if (open === undefined || since < open.at) return undefined
    this.#open = undefined
    this.#remember(true)
    return open.id
  }

  /** Somebody walked in on no grant: the sensors see people. */
  saw(): void {
    this.#remember(true)
  }

  /** Something is wrong, or unclear: nothing that is open now will lapse. */
  doubt(): void {
    if (this.#open) this.#open.isDoubtful = true
  }

  /** Somebody walked out while a grant was open: perhaps its person, by contacts that are swapped. */
  cross(): void {
    if (!this.#open) return
    this.#open.isCrossed = true
    this.#open.isDoubtful = true
  }

  /** The counters were read, and what they showed was told. */
  look(now: number): void {
    this.#lookedAt = now
  }

  tick(now: number, isQuiet: boolean): readonly Settled[] {
    const settled: Settled[] = []
    // What the counters did not show when they were read, they will not show later.
    const isSettled = (late: Late) => !this.#hasCounters || this.#lookedAt > late.after
    for (const { id, isCrossed } of this.#late.filter(isSettled)) settled.push({ kind: 'presumed', id, isCrossed })
    this.#late = this.#late.filter(late => !isSettled(late))
    const open = this.#open
    if (open && isQuiet && now >= this.#dueAt(open)) {
      this.#open = undefined
      const isLookedAt = !this.#hasCounters || this.#lookedAt >= this.#windowEnd(open)
      const isSure = isLookedAt && open.confirmedAt !== undefined && !open.isDoubtful
      if (!isLookedAt) this.#late.push({ id: open.id, isCrossed: open.isCrossed, after: now })
      else if (isSure && !this.isBlind) settled.push({ kind: 'lapsed', id: open.id })
      else settled.push({ kind: 'presumed', id: open.id, isCrossed: open.isCrossed })
      if (isSure) this.#remember(false)
    }
    const next = this.#open ? undefined : this.#waiting.shift()
    if (next !== undefined) {
      this.#open = { id: next, at: now, confirmedAt: undefined, isDoubtful: false, isCrossed: false }
      settled.push({ kind: 'open', id: next })
    }
    return settled
  }

  get isOpen(): boolean {
    return this.#open !== undefined || this.#waiting.length > 0
  }

  /** Too few of those who were let in were seen: people may walk in unseen. */
  get isBlind(): boolean {
    const recent = this.#walked.slice(-LAPSES_IN_A_ROW)
    if (recent.length === LAPSES_IN_A_ROW && recent.every(one => !one)) return true
    return this.#walked.filter(one => !one).length >= LAPSES_MAX
  }

  get pending(): readonly string[] {
    return [...this.#late.map(one => one.id), ...(this.#open ? [this.#open.id] : []), ...this.#waiting]
  }

  get wakeAt(): number {
    return this.#open ? this.#dueAt(this.#open) : Number.POSITIVE_INFINITY
  }

  #windowEnd(open: Open): number {
    return (open.confirmedAt ?? open.at) + this.#rules.passageMs
  }

  #dueAt(open: Open): number {
    const end = this.#windowEnd(open)
    const isLookedAt = !this.#hasCounters || this.#lookedAt >= end
    return end + this.#rules.guardMs + (isLookedAt ? 0 : LOOK_MS)
  }

  #remember(hasWalked: boolean): void {
    this.#walked.push(hasWalked)
    if (this.#walked.length > LAPSES_OF) this.#walked.shift()
  }
}
