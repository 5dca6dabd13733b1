// Spread: what a heap of latencies says in a few figures. Ratios are made of what is shown, so a reader can check them.

export interface Spread {
  readonly count: number
  readonly p50Ms: number
  readonly p99Ms: number
  readonly maxMs: number
}

export function spreadOf(ms: Float64Array): Spread {
  const sorted = ms.toSorted()
  const at = (share: number) => rounded(sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0)
  return { count: sorted.length, p50Ms: at(0.5), p99Ms: at(0.99), maxMs: at(1) }
}

/**
 * Of several rounds that took turns with those of others: each figure is that of the round in the middle, so that one
 * standstill of the machine speaks for nobody. The longest is the longest of all.
 */
export function overRounds(rounds: readonly Float64Array[]): Spread {
  const spreads = rounds.map(spreadOf)
  return {
    count: spreads.reduce((sum, { count }) => sum + count, 0),
    p50Ms: middle(spreads.map(({ p50Ms }) => p50Ms)),
    p99Ms: middle(spreads.map(({ p99Ms }) => p99Ms)),
    maxMs: Math.max(...spreads.map(({ maxMs }) => maxMs)),
  }
}

export function middle(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN
}

/** Not always in the same order: what one leaves behind, the disk may still be busy with under the next. */
export function turn<T>(all: readonly T[], by: number): T[] {
  return all.map((_, i) => all[(i + by) % all.length] as T)
}

/** Three digits that mean something. */
export function rounded(value: number): number {
  return Number(value.toPrecision(3))
}

export function joined(parts: readonly Float64Array[]): Float64Array {
  const all = new Float64Array(parts.reduce((sum, part) => sum + part.length, 0))
  let at = 0
  for (const part of parts) {
    all.set(part, at)
    at += part.length
  }
  return all
}
