// Steps: the entries of a ledger that move tokens, packed as numbers, so that millions of them can go from one thread to
// another.

import type { Account } from '../account.ts'
import type { BudgetSet, Entry, EntryType } from '../entry.ts'

/** What a step does, by the number it is packed with. */
export const MOVES = ['admit', 'forced', 'lapse', 'exit', 'send', 'receive', 'budget'] as const satisfies EntryType[]
export type Move = (typeof MOVES)[number]

/** move, at, seq, amount, other, size */
const STRIDE = 6
const PORTION_STEPS = 2048

export interface Portion {
  readonly numbers: Float64Array
  /** accounts that `other` counts, those new since the portion before */
  readonly others: readonly Account[]
  /** what `amount` counts in a `budget` */
  readonly budgets: readonly BudgetSet[]
}

export class StepWriter {
  readonly #names = new Map<Account, number>()
  readonly #full: Portion[] = []
  #numbers = new Float64Array(PORTION_STEPS * STRIDE)
  #count = 0
  #others: Account[] = []
  #budgets: BudgetSet[] = []

  add(entry: Entry): void {
    switch (entry.type) {
      case 'admit':
        return this.#put(0, entry, 1)
      case 'forced':
        return this.#put(1, entry, entry.count)
      case 'lapse':
        return this.#put(2, entry, 1)
      case 'exit':
        return this.#put(3, entry, entry.credited ? 1 : 0)
      case 'send':
        return this.#put(4, entry, entry.amount, this.#index(entry.to))
      case 'receive':
        return this.#put(5, entry, entry.amount, this.#index(entry.from), entry.size)
      case 'budget':
        this.#budgets.push(entry)
        return this.#put(6, entry, this.#budgets.length - 1)
    }
  }

  /** What has become full; the rest too, at the end. */
  take(isEnd: boolean): Portion[] {
    if (isEnd && this.#count > 0) this.#close()
    return this.#full.splice(0)
  }

  #put(move: number, { at, seq }: Entry, amount: number, other = 0, size = 0): void {
    const numbers = this.#numbers
    const i = this.#count * STRIDE
    numbers[i] = move
    numbers[i + 1] = at
    numbers[i + 2] = seq
    numbers[i + 3] = amount
    numbers[i + 4] = other
    numbers[i + 5] = size
    if (++this.#count === PORTION_STEPS) this.#close()
  }

  #close(): void {
    const numbers = this.#count === PORTION_STEPS ? this.#numbers : this.#numbers.slice(0, this.#count * STRIDE)
    this.#full.push({ numbers, others: this.#others, budgets: this.#budgets })
    this.#numbers = new Float64Array(PORTION_STEPS * STRIDE)
    this.#count = 0
    this.#others = []
    this.#budgets = []
  }

  #index(account: Account): number {
    const known = this.#names.get(account)
    if (known !== undefined) return known
    const index = this.#names.size
    this.#names.set(account, index)
    this.#others.push(account)
    return index
  }
}

/** Goes through portions, one step after the other. */
export class StepReader {
  readonly #others: Account[] = []
  #portion: Portion | undefined
  #i = 0

  /** False where another portion is needed. */
  get isAtStep(): boolean {
    return this.#portion !== undefined && this.#i < this.#portion.numbers.length
  }

  load(portion: Portion): void {
    this.#portion = portion
    this.#others.push(...portion.others)
    this.#i = 0
  }

  advance(): void {
    this.#i += STRIDE
  }

  get move(): Move {
    return MOVES[this.#number(0)] as Move
  }

  get at(): number {
    return this.#number(1)
  }

  get seq(): number {
    return this.#number(2)
  }

  get amount(): number {
    return this.#number(3)
  }

  get other(): Account {
    return this.#others[this.#number(4)] as Account
  }

  get size(): number {
    return this.#number(5)
  }

  get budget(): BudgetSet {
    return this.#portion?.budgets[this.#number(3)] as BudgetSet
  }

  #number(field: number): number {
    return (this.#portion as Portion).numbers[this.#i + field] as number
  }
}
