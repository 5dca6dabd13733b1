// Contact: two pieces of metal that meet. They never meet once: for some ms they part and meet again, and whoever reads
// them sees all of it.

import type { Agenda } from './agenda.ts'
import type { Chance } from './chance.ts'

/** Good contacts are still after a few ms; each flip is shorter than any debounce that fits a pulse of 50 ms. */
const BOUNCE_MS = 5
const FLIPS_MAX = 3

export class Contact {
  readonly #agenda: Agenda
  readonly #chance: Chance
  readonly #tell: (active: boolean) => void
  #level = false
  #shown = false
  #stuck: boolean | undefined
  #bounces: (() => void)[] = []

  constructor(a: { agenda: Agenda; chance: Chance; tell: (active: boolean) => void }) {
    this.#agenda = a.agenda
    this.#chance = a.chance
    this.#tell = a.tell
  }

  /** As whoever reads it sees it now. */
  get shown(): boolean {
    return this.#stuck ?? this.#shown
  }

  get isStuck(): boolean {
    return this.#stuck !== undefined
  }

  /** What the world does to it. */
  set(active: boolean): void {
    if (active === this.#level) return
    this.#level = active
    this.#settle()
    this.#show(active)
    const flips = this.#chance.int(FLIPS_MAX + 1)
    const times = Array.from({ length: 2 * flips }, () => this.#chance.between(0.2, BOUNCE_MS)).sort((a, b) => a - b)
    times.forEach((at, i) => {
      this.#bounces.push(this.#agenda.in(at, () => this.#show(i % 2 === 0 ? !active : active)))
    })
  }

  /** A spike that nobody caused. Where somebody is at it just then, it is lost in what they do. */
  spike(forMs: number): void {
    if (this.#level || this.#shown) return
    this.#settle()
    this.#show(true)
    this.#bounces.push(this.#agenda.in(forMs, () => this.#show(false)))
  }

  /** It stays as it is said, whatever happens to it, until it is mended. */
  stick(at: boolean | undefined): void {
    const before = this.shown
    this.#stuck = at
    if (this.shown !== before) this.#tell(this.shown)
  }

  #settle(): void {
    for (const cancel of this.#bounces) cancel()
    this.#bounces = []
  }

  #show(active: boolean): void {
    if (active === this.#shown) return
    this.#shown = active
    if (this.#stuck === undefined) this.#tell(active)
  }
}
