// Drift: what the optical counters saw beside what the turnstiles counted, for the same passages.
//
// Law: only like is held against like. An optical entry speaks of the time since the one before it, so the ledger is
// counted over just that; the first one of a ledger that is shown only says since when the counter looks.

import { type Account, nameOf } from '../../../ledger/account.ts'
import type { Optical } from '../../../ledger/entry.ts'
import { type Day, indexAt } from './period.ts'

export interface Compared {
  opticalIn: number
  opticalOut: number
  countedIn: number
  countedOut: number
}

export interface GateDrift {
  readonly gate: string
  readonly total: Readonly<Compared>
  /** by hour of the day, or day of the month; undefined where nothing was compared */
  readonly slots: readonly (Readonly<Compared> | undefined)[]
}

interface Window {
  in: number
  out: number
}

export class Drift {
  /** hours, or days */
  readonly slots: readonly Day[]
  readonly #windows = new Map<Account, Window>()
  readonly #gates = new Map<string, (Compared | undefined)[]>()

  constructor(slots: readonly Day[]) {
    this.slots = slots
  }

  /** What the turnstile counted; of a whole ledger, in the order of its entries. */
  passed(account: Account, type: 'admit' | 'lapse' | 'exit' | 'forced', count: number): void {
    const window = this.#windows.get(account)
    if (window === undefined) return
    if (type === 'exit') window.out += count
    else window.in += type === 'lapse' ? -count : count
  }

  looked(account: Account, entry: Optical): void {
    const window = this.#windows.get(account)
    this.#windows.set(account, { in: 0, out: 0 })
    const i = indexAt(this.slots, entry.at)
    if (window === undefined || i < 0) return
    const gate = nameOf(account)
    let slots = this.#gates.get(gate)
    if (slots === undefined) {
      slots = this.slots.map(() => undefined)
      this.#gates.set(gate, slots)
    }
    const seen = { opticalIn: entry.in, opticalOut: entry.out, countedIn: window.in, countedOut: window.out }
    slots[i] = sum(slots[i] ?? nothing(), seen)
  }

  gates(): GateDrift[] {
    const sorted = [...this.#gates].sort(([a], [b]) => (a < b ? -1 : 1))
    return sorted.map(([gate, slots]) => ({ gate, total: slots.reduce<Compared>(sum, nothing()), slots }))
  }
}

/** People that the optical counter saw come to be inside, beyond those counted. */
export function netDrift(c: Readonly<Compared>): number {
  return c.opticalIn - c.opticalOut - (c.countedIn - c.countedOut)
}

function nothing(): Compared {
  return { opticalIn: 0, opticalOut: 0, countedIn: 0, countedOut: 0 }
}

function sum(a: Compared, b: Compared | undefined): Compared {
  if (b === undefined) return a
  return {
    opticalIn: a.opticalIn + b.opticalIn,
    opticalOut: a.opticalOut + b.opticalOut,
    countedIn: a.countedIn + b.countedIn,
    countedOut: a.countedOut + b.countedOut,
  }
}
