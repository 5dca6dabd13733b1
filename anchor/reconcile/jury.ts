// Jury: were people let in while there were too many inside?
//
// Law: an admission is held against everything that happened before it, by the writers' clocks, and not against what
// happened to be collected by then. One that looks wrong is a suspect until the other ledgers are collected as far: exits
// of before it that come in meanwhile clear it. What cannot be collected for five minutes clears nobody.

import type { Account } from '../../ledger/account.ts'

/** After a cut of the capacity, or somebody who came in uninvited, the word of it is under way for so long. */
export const WORD_MS = 5000
/** Entries are collected within seconds. */
export const TRIAL_MS = 15_000
export const TRIAL_MS_MAX = 300_000
const CHANGES_KEPT = 200
const EXCUSES_KEPT = 200
const SUSPECTS_MAX = 1000

/** What the anchor put in force, from a moment on by its clock. */
export interface CapacityChange {
  readonly at: number
  readonly capacity: number
  /** the capacity before it */
  readonly before: number
  readonly correction: number
  readonly policy: number
}

export interface OverAdmission {
  readonly at: number
  readonly account: Account
  /** people inside then, this one included */
  readonly count: number
  readonly limit: number
  readonly what: 'legal-max' | 'capacity'
}

type Suspect = { -readonly [K in keyof OverAdmission]: OverAdmission[K] } & {
  /** wall clock when it came before the jury; 0: not yet */
  since: number
}

export interface JuryState {
  readonly changes: readonly CapacityChange[]
  readonly excuses: readonly number[]
  readonly suspects: readonly Readonly<Suspect>[]
  readonly overs: number
  readonly over?: OverAdmission
}

export class Jury {
  readonly #legalMax: number
  #changes: CapacityChange[]
  #suspects: Suspect[]
  /** wall clock */
  #excuses: number[]
  /** how many were found guilty, ever */
  overs: number
  /** the newest of them */
  over: OverAdmission | undefined

  constructor(legalMax: number, state?: JuryState) {
    this.#legalMax = legalMax
    this.#changes = [...(state?.changes ?? [])]
    this.#suspects = (state?.suspects ?? []).map(suspect => ({ ...suspect }))
    this.#excuses = [...(state?.excuses ?? [])]
    this.overs = state?.overs ?? 0
    this.over = state?.over
  }

  state(): JuryState {
    const { overs, over } = this
    const kept = { changes: this.#changes, excuses: this.#excuses, suspects: this.#suspects, overs }
    return over === undefined ? kept : { ...kept, over }
  }

  get capacity(): number | undefined {
    return this.#changes.at(-1)?.capacity
  }

  get correction(): number {
    return this.#changes.at(-1)?.correction ?? 0
  }

  /** oldest first */
  get changes(): readonly CapacityChange[] {
    return this.#changes
  }

  get hasSuspects(): boolean {
    return this.#suspects.length > 0
  }

  changed(change: Omit<CapacityChange, 'before'>): void {
    const last = this.#changes.at(-1)
    if (last?.capacity === change.capacity && last.correction === change.correction) return
    this.#changes.push({ ...change, before: last?.capacity ?? change.capacity })
    if (this.#changes.length > CHANGES_KEPT) this.#changes.shift()
  }

  /** Others may not have heard of it yet. */
  excuse(at: number): void {
    this.#excuses.push(at)
    if (this.#excuses.length > EXCUSES_KEPT) this.#excuses.shift()
  }

  /** People came in or left; what happened before a suspect's admission counts for it, whenever it is collected. */
  moved(at: number, people: number): void {
    for (const suspect of this.#suspects) if (at <= suspect.at + WORD_MS) suspect.count += people
  }

  /** Somebody was let in; `counted` people are inside now by what is collected, without correction. */
  admitted(account: Account, at: number, counted: number): void {
    const inForce = this.#inForce(at)
    const [roomiest] = inForce.toSorted((a, b) => b.capacity - b.correction - (a.capacity - a.correction))
    if (roomiest === undefined) return
    const correction = Math.min(...inForce.map(change => change.correction))
    const what = counted + correction > this.#legalMax ? 'legal-max' : 'capacity'
    const limit = what === 'legal-max' ? this.#legalMax : roomiest.capacity
    const count = counted + (what === 'legal-max' ? correction : roomiest.correction)
    if (count <= limit || (what === 'capacity' && this.#isExcused(at))) return
    if (this.#suspects.length === SUSPECTS_MAX) this.#convict(this.#suspects.shift() as Suspect)
    this.#suspects.push({ at, account, count, limit, what, since: 0 })
  }

  /** `isComplete`: everything that rows show is collected and counted. */
  judge(wall: number, isComplete: boolean): void {
    if (this.#suspects.length === 0) return
    const waiting: Suspect[] = []
    for (const suspect of this.#suspects) {
      if (suspect.since === 0) suspect.since = wall
      const tried = wall - suspect.since
      if (tried < (isComplete ? TRIAL_MS : TRIAL_MS_MAX)) waiting.push(suspect)
      else this.#convict(suspect)
    }
    this.#suspects = waiting
  }

  #isExcused(at: number): boolean {
    return this.#excuses.some(excuse => Math.abs(at - excuse) <= WORD_MS)
  }

  #convict({ since, ...found }: Suspect): void {
    if (found.count <= found.limit) return
    this.overs++
    this.over = found
  }

  /**
   * All that was in force at that moment for a gate that may not have heard yet. The newest is always among them: what a
   * raise brought is seen only after the raise, and a clock that lags must not make a false alarm of it.
   */
  #inForce(at: number): CapacityChange[] {
    return this.#changes.filter((change, i) => {
      const next = this.#changes[i + 1]
      return next === undefined || (next.at >= at - WORD_MS && (change.at <= at || i === 0))
    })
  }
}
