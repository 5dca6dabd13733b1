// Carry: brings what the day before left into the present day's sheet.
//
// Law: members take turns by the rank of their names, and each writes only what is still missing; so usually the first
// one writes it all. What a partition carried over twice differs at most for a while: the newer one is put back.

import type { Clock } from '../clock.ts'
import { type Fold, missing, outdated, type Write } from './fold.ts'
import type { BoardLimits } from './limits.ts'
import type { Sheet } from './sheet.ts'

export interface CarryOptions {
  readonly clock: Clock
  readonly limits: BoardLimits
  alarm(code: string, detail: string): void
  /** Everyone that could do it, ourselves included. */
  names(): string[]
  readonly name: string
}

export class Carry {
  readonly #options: CarryOptions
  #sheet: Sheet | undefined
  #past: Fold | undefined
  #isDue = false
  #mends = 0
  #forgetCarry: (() => void) | undefined
  #forgetMend: (() => void) | undefined

  constructor(options: CarryOptions) {
    this.#options = options
  }

  /** What is not in the sheet yet, and to be shown all the same. */
  get pending(): Fold | undefined {
    return this.#isDue ? this.#past : undefined
  }

  begin(past: Fold, sheet: Sheet): void {
    this.stop()
    this.#past = past
    this.#sheet = sheet
    this.#isDue = true
    this.#mends = 0
    const { clock, limits, names } = this.#options
    // Alone we may just not have met the others yet, and they may have done it long ago.
    const startMs = names().length === 1 ? limits.carryAloneMs : 0
    this.#forgetCarry = clock.in(startMs + this.#rankMs(), () => this.finish())
  }

  /** Now, whoever's turn it is. */
  finish(): void {
    this.#forgetCarry?.()
    this.#forgetCarry = undefined
    const past = this.#past
    const sheet = this.#sheet
    if (!this.#isDue || !past || !sheet) return
    this.#isDue = false
    // We were away for longer than a day: what the others kept is newer than anything of ours.
    if (past.day < sheet.day - 1 && !sheet.isEmpty) this.#past = undefined
    else this.#write(missing(past, sheet.get))
  }

  /** Something new is in the sheet: perhaps from somebody who knew less of yesterday than we do. */
  mendSoon(): void {
    const { clock, limits } = this.#options
    if (!this.#past || this.#isDue || this.#forgetMend || this.#mends >= limits.mendsMax) return
    this.#forgetMend = clock.in(limits.mendMs + this.#rankMs(), () => this.#mend())
  }

  stop(): void {
    this.#forgetCarry?.()
    this.#forgetMend?.()
    this.#forgetCarry = undefined
    this.#forgetMend = undefined
  }

  #mend(): void {
    this.#forgetMend = undefined
    if (!this.#past || !this.#sheet || this.#isDue) return
    const { clock, limits } = this.#options
    const writes = outdated(this.#past, this.#sheet.get, { latest: clock.wall() + limits.earlyMs, limits })
    if (writes.length === 0) return
    this.#mends++
    this.#write(writes)
  }

  #write(writes: readonly Write[]): void {
    if (writes.length === 0) return
    try {
      this.#sheet?.write(writes)
    } catch (error) {
      this.#options.alarm('BOARD_FULL', `not carried into the new day: ${(error as Error).message}`)
    }
  }

  #rankMs(): number {
    const { name, names, limits } = this.#options
    return names().sort().indexOf(name) * limits.carryStepMs
  }
}
