// Reconciler: what the lenses above a gate saw, held against its arm. Pure.
//
// Laws: whoever was seen coming in by the lenses alone, beyond what is this gate's own error, came in uninvited, and is
// told of once. While a counter was never heard there is nothing to hold against. A lens that is mounted the wrong way
// round accuses nobody: it would count everybody who leaves.

import { Apart } from './apart.ts'
import { Baseline, type BaselineMemory } from './baseline.ts'
import { Drift, type Parting } from './drift.ts'
import type { Flow } from './reading.ts'

export interface Sight {
  readonly optical: Flow
  readonly turnstile: Flow
  readonly now: number
  readonly settleMs: number
  /** every counter was heard since the look before at which all had been */
  readonly isHeard: boolean
  /** nothing is silent, and nothing was lost */
  readonly isSound: boolean
}

export interface Verdict {
  /** came in, seen by the lenses alone */
  readonly intruders: number
  readonly parted: readonly Parting[]
  readonly mended: readonly ('in' | 'out')[]
}

const QUIET_MS = 300_000
/** Of lens and arm together: two people a minute. */
const QUIET_PEOPLE_MAX = 20

export class Reconciler {
  readonly baseline: Baseline
  readonly #in = new Apart()
  readonly #out = new Apart()
  readonly #drift = new Drift()
  readonly #flow: { readonly at: number; readonly people: number }[] = []
  #last: { readonly optical: Flow; readonly turnstile: Flow } | undefined
  #excused = 0
  #missed: Flow = { in: 0, out: 0 }

  constructor(memory?: BaselineMemory) {
    this.baseline = new Baseline(memory)
  }

  /** Seen coming in by the lenses alone, and not settled yet; negative: by the arm alone. */
  get open(): number {
    return this.#in.open
  }

  /** Lenses and arm say the same, as far as they were heard. */
  get isEven(): boolean {
    return this.#in.open === 0 && this.#out.open === 0
  }

  get excused(): number {
    return this.#excused
  }

  /** counted by the arm and not by the lenses: groups, mostly */
  get missed(): Flow {
    return this.#missed
  }

  get drift(): Drift {
    return this.#drift
  }

  /** Both counts begin here, with so many who were seen coming in by the lenses alone (negative: by the arm alone). */
  begin(optical: Flow, turnstile: Flow, open: number): void {
    this.#in.reset(optical.in, turnstile.in, open)
    this.#out.reset(optical.out, turnstile.out)
    this.#drift.reset()
    this.#last = { optical, turnstile }
  }

  /** The arm's count rose by people that a verdict had told of. */
  follow(people: number): void {
    this.#in.follow(people)
    if (this.#last === undefined) return
    const { optical, turnstile } = this.#last
    this.#last = { optical, turnstile: { ...turnstile, in: turnstile.in + people } }
  }

  look(sight: Sight): Verdict {
    const { optical, turnstile, now, isSound } = sight
    const last = this.#last ?? sight
    this.#last = { optical, turnstile }
    const came = Math.max(0, turnstile.in - last.turnstile.in)
    this.#flowed(came + Math.max(0, optical.in - last.optical.in), now)
    const isQuiet = this.#isQuiet
    this.baseline.passed(came, isQuiet)
    const inward = this.#in.look({ ...sight, optical: optical.in, turnstile: turnstile.in })
    const outward = this.#out.look({ ...sight, optical: optical.out, turnstile: turnstile.out })
    this.#missed = { in: this.#missed.in + inward.missed, out: this.#missed.out + outward.missed }
    if (!isSound) this.#drift.reset()
    const { parted, mended } = isSound ? this.#drift.look({ at: now, optical, turnstile }) : NO_NEWS
    if (inward.surplus === 0 || this.#drift.looksSwapped) return { intruders: 0, parted, mended }
    const excused = this.baseline.excuse(inward.surplus, isQuiet)
    this.#excused += excused
    return { intruders: inward.surplus - excused, parted, mended }
  }

  #flowed(people: number, now: number): void {
    if (people > 0) this.#flow.push({ at: now, people })
    while (this.#flow.length > 0 && now - (this.#flow[0]?.at ?? now) > QUIET_MS) this.#flow.shift()
  }

  get #isQuiet(): boolean {
    return this.#flow.reduce((sum, { people }) => sum + people, 0) <= QUIET_PEOPLE_MAX
  }
}

const NO_NEWS = { parted: [], mended: [] } as const
