// Activity: what happened in each minute, of every gate and of the mall. Says where a gate was silent while others were busy.
//
// Law: a silence is an estimate and is called one. A gate's share of the passages of the period says how many it would have
// seen; a stretch without any entry in which that is many is told, with the number.

import { MINUTE_MS } from './period.ts'

/** What the mesh does, counted by minute for all gates together. */
export const DOINGS = [
  'local', // admitted on a token held
  'stolen', // admitted on a token fetched
  'full', // refused: the mall was full
  'cut', // refused: tokens existed, out of reach
  'emergency',
  'fault',
  'forced',
  'out',
  'moved', // tokens sent between gates, debts aside
  'debt', // tokens sent to pay debts
] as const
export type Doing = (typeof DOINGS)[number]
export type Doings = Readonly<Record<Doing, number>>

export interface Silence {
  readonly gate: string
  readonly from: number
  readonly to: number
  /** passages that its share of the others' would have been */
  readonly expected: number
}

/** Shorter ones are a quiet quarter of an hour; with fewer expected, chance alone would make one now and then. */
const SILENT_MINUTES_MIN = 10
const EXPECTED_MIN = 12

export class Activity {
  readonly #from: number
  readonly #count: number
  /** passages and refusals, by minute */
  readonly #gates = new Map<string, Uint16Array>()
  /** any entry at all, by minute */
  readonly #alive = new Map<string, Uint8Array>()
  readonly #doings: Record<Doing, Uint32Array>
  readonly #moved: Uint8Array

  constructor({ from, to }: { readonly from: number; readonly to: number }) {
    this.#from = from
    this.#count = Math.ceil((to - from) / MINUTE_MS)
    this.#moved = new Uint8Array(this.#count)
    const sums = () => new Uint32Array(this.#count)
    this.#doings = Object.fromEntries(DOINGS.map(doing => [doing, sums()])) as Record<Doing, Uint32Array>
  }

  /** A gate wrote something. */
  wrote(gate: string, at: number): void {
    const minutes = this.#alive.get(gate) ?? new Uint8Array(this.#count)
    this.#alive.set(gate, minutes)
    minutes[this.#minute(at)] = 1
  }

  /** Somebody was at its door. */
  passage(gate: string, at: number): void {
    const minutes = this.#gates.get(gate) ?? new Uint16Array(this.#count)
    this.#gates.set(gate, minutes)
    const i = this.#minute(at)
    minutes[i] = Math.min((minutes[i] as number) + 1, 0xffff)
  }

  /** The count of people changed. */
  moved(at: number): void {
    this.#moved[this.#minute(at)] = 1
  }

  hasMoved(minute: number): boolean {
    return this.#moved[minute] === 1
  }

  did(doing: Doing, at: number, count: number): void {
    const i = this.#minute(at)
    this.#doings[doing][i] = (this.#doings[doing][i] as number) + count
  }

  /** What all gates did in the minutes from `from` to `to`. */
  between(from: number, to: number): Doings {
    const first = Math.max(0, this.#minute(from))
    const last = Math.min(this.#count - 1, this.#minute(to))
    const sum = (minutes: Uint32Array) => {
      let all = 0
      for (let i = first; i <= last; i++) all += minutes[i] as number
      return all
    }
    return Object.fromEntries(DOINGS.map(doing => [doing, sum(this.#doings[doing])])) as Record<Doing, number>
  }

  silences(): Silence[] {
    const busy = new Uint32Array(this.#count)
    for (const minutes of this.#gates.values()) for (let i = 0; i < this.#count; i++) add(busy, i, minutes[i] as number)
    return [...this.#gates].flatMap(([gate, minutes]) => this.#silencesOf(gate, minutes, busy))
  }

  #silencesOf(gate: string, minutes: Uint16Array, busy: Uint32Array): Silence[] {
    const alive = this.#alive.get(gate)
    let own = 0
    let others = 0
    for (let i = 0; i < this.#count; i++) {
      own += minutes[i] as number
      others += (busy[i] as number) - (minutes[i] as number)
    }
    const found: Silence[] = []
    for (let i = 0; i < this.#count; i++) {
      if (alive?.[i] === 1) continue
      const first = i
      let meanwhile = 0
      for (; i < this.#count && alive?.[i] !== 1; i++) meanwhile += busy[i] as number
      // its share while it spoke: a long silence must not make itself look usual
      const expected = meanwhile === others ? 0 : Math.round((meanwhile * own) / (others - meanwhile))
      if (i - first < SILENT_MINUTES_MIN || expected < EXPECTED_MIN) continue
      found.push({ gate, from: this.#from + first * MINUTE_MS, to: this.#from + i * MINUTE_MS, expected })
    }
    return found
  }

  #minute(at: number): number {
    return Math.floor((at - this.#from) / MINUTE_MS)
  }
}

function add(sums: Uint32Array, i: number, count: number): void {
  sums[i] = (sums[i] as number) + count
}
