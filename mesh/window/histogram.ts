// Histogram: how often a measure was how large, in few numbers that never grow.

import type { Sample } from './prometheus.ts'

/** Seconds, from a decision in memory to a disk that hangs. */
export const SECONDS: readonly number[] = [
  0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.08, 0.1, 0.25, 0.5, 1, 2.5, 10,
]

export class Histogram {
  readonly #bounds: readonly number[]
  /** how many were at most each bound and above the one before; the last are above all */
  readonly #counts: number[]
  #sum = 0

  constructor(bounds: readonly number[] = SECONDS) {
    this.#bounds = bounds
    this.#counts = new Array(bounds.length + 1).fill(0)
  }

  observe(value: number): void {
    const at = this.#bounds.findIndex(bound => value <= bound)
    const bucket = at === -1 ? this.#bounds.length : at
    this.#counts[bucket] = (this.#counts[bucket] as number) + 1
    this.#sum += value
  }

  /** As Prometheus wants it: each bucket counts all below its bound. */
  samples(labels: Readonly<Record<string, string>> = {}): Sample[] {
    const samples: Sample[] = []
    let count = 0
    this.#counts.forEach((more, i) => {
      count += more
      const le = i < this.#bounds.length ? String(this.#bounds[i]) : '+Inf'
      samples.push({ suffix: '_bucket', labels: { ...labels, le }, value: count })
    })
    samples.push({ suffix: '_sum', labels, value: this.#sum }, { suffix: '_count', labels, value: count })
    return samples
  }
}
