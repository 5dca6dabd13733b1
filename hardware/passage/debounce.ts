// Debounce: the raw level of one contact becomes bursts with a measured width.
//
// Laws: a burst begins at the first edge away from rest and ends only when the contact has rested for `bounceMs`, so no
// bounce, on either edge or in between, makes two of one. Nothing is thrown away in here: how solid a burst was is told,
// and whoever knows what it stands for decides what that is worth.

export interface Burst {
  /** the first edge, as it was seen */
  readonly from: number
  /** it may have been so much earlier, because the look that saw it took long */
  readonly leadMs: number
  /** the last edge, after which the contact rested */
  readonly to: number
  /** at least once it was active for longer than a bounce */
  readonly isSolid: boolean
  /** of its width, how long it was active, or may have been */
  readonly activeMs: number
  /** false: it was active when the contact was first read, so its beginning was not seen */
  readonly isWhole: boolean
  /** pulses of full width in it that only chatter joined: one, or more where people would have had the time */
  readonly strokes: number
}

export interface DebounceRules {
  readonly bounceMs: number
  /** a stretch this long is a pulse of its own… */
  readonly pulseMsMin: number
  /** …where it begins so long after the one before */
  readonly doubleMs: number
}

export class Debounce {
  readonly #rules: DebounceRules
  /** undefined: not read yet, or not since the link was lost */
  #raw: boolean | undefined
  #changedAt = 0
  /** how much earlier that may have been; never back to the change before */
  #leadMs = 0
  #open: { from: number; leadMs: number; isSolid: boolean; activeMs: number; isWhole: boolean } | undefined
  #strokes: { count: number; from: number; to: number } = { count: 0, from: 0, to: 0 }

  constructor(rules: DebounceRules) {
    this.#rules = rules
  }

  /** The level as read. Call `settle` first, with the same time. */
  level(isActive: boolean, at: number, leadMs = 0): void {
    if (isActive === this.#raw) return
    const isWhole = this.#raw !== undefined
    const lead = isWhole ? Math.min(leadMs, at - this.#changedAt) : 0
    if (isActive) {
      if (this.#open === undefined) {
        this.#open = { from: at, leadMs: lead, isSolid: false, activeMs: 0, isWhole }
        this.#strokes = { count: 0, from: 0, to: 0 }
      }
    } else if (this.#open !== undefined) {
      this.#stretch(this.#changedAt, at)
    }
    this.#raw = isActive
    this.#changedAt = at
    this.#leadMs = lead
  }

  /** The burst that is over by now, once. */
  settle(now: number): Burst | undefined {
    const open = this.#open
    if (open === undefined || now - this.#changedAt < this.#rules.bounceMs) return undefined
    if (this.#raw !== false) {
      open.isSolid = true
      return undefined
    }
    this.#open = undefined
    return { ...open, to: this.#changedAt, strokes: Math.max(1, this.#strokes.count) }
  }

  /** The burst that is under way, as of the last `settle`. */
  get open(): Pick<Burst, 'from' | 'leadMs' | 'isSolid' | 'isWhole'> | undefined {
    return this.#open
  }

  /** The link is gone: what the contact does now nobody sees. A burst under way stays so until the contact is read again. */
  forget(): void {
    if (this.#open === undefined) this.#raw = undefined
  }

  get wakeAt(): number {
    if (this.#open === undefined) return Number.POSITIVE_INFINITY
    if (this.#raw !== false && this.#open.isSolid) return Number.POSITIVE_INFINITY
    return this.#changedAt + this.#rules.bounceMs
  }

  #stretch(from: number, to: number): void {
    const open = this.#open
    if (open === undefined) return
    const activeMs = to - from + this.#leadMs
    open.activeMs += activeMs
    if (activeMs >= this.#rules.bounceMs) open.isSolid = true
    if (activeMs < this.#rules.pulseMsMin) return
    const before = this.#strokes
    const isNext = from - before.from >= this.#rules.doubleMs && from - before.to >= this.#rules.pulseMsMin
    if (before.count === 0 || isNext) this.#strokes = { count: before.count + 1, from, to }
    else before.to = to
  }
}
