// Eyes: people inside by the optical counters, beside the turnstiles' own count, and what both say of the same passages.
//
// Law: a gate without an optical counter is counted by its turnstile here too, so that the two figures are of the same
// building. The first entry of a counter only says since when it looks. One that says nothing for a quarter of an hour
// while people pass is taken for dead: its gate is counted by the turnstile again.

import type { Entry } from '../../ledger/entry.ts'
import type { Hour } from './hour.ts'

const DEAD_MS = 15 * 60_000

interface Window {
  /** the first passage that the optical counter has not told of, by the gate's clock; 0: none */
  since: number
  in: number
  out: number
  /** what the turnstile counted since, as people inside: an exit that was not credited is out, but not here */
  moved: number
}

export interface EyesState {
  readonly count: number
  readonly recountedAt: number
  readonly windows: readonly (readonly [string, Readonly<Window>])[]
}

export class Eyes {
  /** gates whose counter is at work */
  readonly #windows = new Map<string, Window>()
  #count = 0
  /** wall clock of whoever counted heads; what happened before is in that count, however late it is collected */
  #recountedAt: number

  constructor(state?: EyesState) {
    this.#count = state?.count ?? 0
    this.#recountedAt = state?.recountedAt ?? 0
    for (const [gate, window] of state?.windows ?? []) this.#windows.set(gate, { ...window })
  }

  state(): EyesState {
    return { count: this.#count, recountedAt: this.#recountedAt, windows: [...this.#windows] }
  }

  /** People inside; undefined where no gate has such a counter. */
  get count(): number | undefined {
    return this.#windows.size === 0 ? undefined : this.#count
  }

  /** An entry of a gate, and by how many it moved the turnstile's count of people inside. */
  see(gate: string, entry: Entry, moved: number, hour: Hour): void {
    const window = this.#windows.get(gate)
    if (entry.type === 'optical') return this.#looked(gate, entry, window, hour)
    const isBefore = entry.at < this.#recountedAt
    if (window === undefined) {
      if (!isBefore) this.#count += moved
      return
    }
    if (!isBefore) window.moved += moved
    if (entry.type === 'admit') window.in++
    else if (entry.type === 'forced') window.in += entry.count
    else if (entry.type === 'lapse') window.in--
    else if (entry.type === 'exit') window.out++
    else return
    if (window.since === 0) window.since = entry.at
    if (entry.at - window.since <= DEAD_MS) return
    this.#windows.delete(gate)
    this.#count += window.moved
    hour.comparedIn += window.in
    hour.comparedOut += window.out
  }

  /** Two people counted heads: from here on both figures start at what they found. */
  recounted(actual: number, at: number): void {
    if (at < this.#recountedAt) return
    this.#count = actual
    this.#recountedAt = at
    for (const window of this.#windows.values()) window.moved = 0
  }

  #looked(gate: string, e: Extract<Entry, { type: 'optical' }>, window: Window | undefined, hour: Hour): void {
    this.#windows.set(gate, { since: 0, in: 0, out: 0, moved: 0 })
    if (window === undefined) return
    if (e.at >= this.#recountedAt) this.#count += e.in - e.out
    hour.comparedIn += window.in
    hour.comparedOut += window.out
    hour.opticalIn += e.in
    hour.opticalOut += e.out
  }
}
