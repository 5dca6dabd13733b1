// Latency: how long people wait, as curves of several contenders on one drawing.
//
//   latencyPlot({ title, note?, contenders: [{ name, samplesMs: number[] }] }): string      here; up to 8 contenders
//   curvePlot({ title, note?, x, panels: [{ title, curves: [{ name, points }] }] }): string   in curve.ts
//
// A bench gives them to people as `plots: { 'latency.svg': latencyPlot(…) }` in what it returns; `gatemesh bench NAME --plot
// DIR` writes them. Samples need no order, and as many as were measured: a curve takes some 130 points whatever they are.

import { depth, logarithmic, nines, type Span, stepsBetween } from './scale.ts'
import { CURVES_MAX, curve, drawing, label, line, swatch } from './svg.ts'

export interface Contender {
  readonly name: string
  readonly samplesMs: readonly number[]
}

export interface LatencyPlot {
  readonly title: string
  /** what was measured, in one line below the title */
  readonly note?: string | undefined
  readonly contenders: readonly Contender[]
}

const WIDTH = 760
const LEFT = 88
const RIGHT = WIDTH - 24
const PLOT_HEIGHT = 280
const ROW = 19
const POINTS = 130
/** Timers are no finer, and a logarithm has no zero. */
const LEAST_MS = 0.001
const MARKS = [0, 0.5, 0.9, 0.99, 0.999, 0.9999] as const

export function latencyPlot({ title, note, contenders }: LatencyPlot): string {
  if (contenders.length === 0 || contenders.length > CURVES_MAX)
    throw new RangeError(`a plot of latency takes 1 to ${CURVES_MAX} contenders, not ${contenders.length}`)
  const sorted = contenders.map(ordered)
  const deepest = deepestMark(Math.max(...sorted.map(samples => samples.length)))
  const curves = sorted.map(samples => quantiles(samples, deepest))
  const waits = curves.flatMap(points => points.map(([wait]) => wait))
  const steps = stepsBetween({ from: Math.min(...waits), to: Math.max(...waits) })
  const top = (note === undefined ? 44 : 62) + (contenders.length + 1) * ROW + 14
  const bottom = top + PLOT_HEIGHT
  const ends: Span = { from: steps[0] as number, to: steps.at(-1) as number }
  const x = logarithmic(ends, { from: LEFT, to: RIGHT })
  const y = nines(deepest, { from: bottom, to: top })
  const parts = [label(20, 28, title, { class: 'head' })]
  if (note !== undefined) parts.push(label(20, 47, note, { class: 'soft' }))
  parts.push(...legend(contenders, sorted, top - 14 - contenders.length * ROW))
  for (const step of steps) {
    parts.push(line([x(step), top], [x(step), bottom], { class: 'grid' }))
    parts.push(label(x(step), bottom + 18, written(step), { class: 'mid' }))
  }
  for (const mark of MARKS.filter(it => it <= deepest)) {
    parts.push(line([LEFT, y(mark)], [RIGHT, y(mark)], { class: mark === 0 ? 'axis' : 'grid' }))
    parts.push(label(LEFT - 8, y(mark) + 4, `${Number((mark * 100).toFixed(2))} %`, { class: 'end' }))
  }
  curves.forEach((points, nth) => {
    parts.push(
      curve(
        nth,
        points.map(([wait, share]) => [x(wait), y(share)]),
      ),
    )
  })
  parts.push(label((LEFT + RIGHT) / 2, bottom + 38, 'ms, each tenfold as wide as the next', { class: 'mid soft' }))
  const sideways = `rotate(-90 24 ${top + PLOT_HEIGHT / 2})`
  const share = 'share that waited less'
  parts.push(label(24, top + PLOT_HEIGHT / 2, share, { class: 'mid soft', transform: sideways }))
  return drawing({ title, width: WIDTH, height: bottom + 52, parts })
}

/** The sample that this share of them does not exceed. */
export function quantile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.max(0, Math.ceil(share * sorted.length) - 1))] as number
}

function ordered({ name, samplesMs }: Contender): number[] {
  if (samplesMs.length === 0) throw new RangeError(`${name} has no samples to plot`)
  const wrong = samplesMs.findIndex(ms => !(Number.isFinite(ms) && ms >= 0))
  if (wrong >= 0) throw new RangeError(`sample ${wrong} of ${name} is no wait: ${samplesMs[wrong]}`)
  return samplesMs.map(ms => Math.max(ms, LEAST_MS)).sort((a, b) => a - b)
}

/** So far up that even the longest wait of so many has its place. */
function deepestMark(samples: number): number {
  return MARKS.find(mark => mark >= 0.9 && samples * (1 - mark) < 1.001) ?? (MARKS.at(-1) as number)
}

/** Points as even on the drawing as on the scale; those above what this many samples can say are left out. */
function quantiles(sorted: readonly number[], deepest: number): [waitMs: number, share: number][] {
  const own = Math.min(depth(deepest), Math.log10(sorted.length))
  return Array.from({ length: POINTS + 1 }, (_, i) => {
    const share = 1 - 10 ** ((-own * i) / POINTS)
    // who waited longest is where all others waited less
    return [sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length + 1e-6))] as number, share]
  })
}

function legend(contenders: readonly Contender[], sorted: readonly (readonly number[])[], top: number): string[] {
  const columns = { 'p50, ms': 0.5, 'p99, ms': 0.99, 'most, ms': 1 }
  const at = (column: number) => RIGHT - (3 - column) * 96
  const parts = Object.keys(columns).map((head, i) => label(at(i), top - ROW + 4, head, { class: 'end soft' }))
  parts.push(label(RIGHT, top - ROW + 4, 'samples', { class: 'end soft' }))
  contenders.forEach(({ name }, nth) => {
    const y = top + nth * ROW
    const samples = sorted[nth] as readonly number[]
    parts.push(swatch(nth, 20, y), label(54, y + 4, name))
    Object.values(columns).forEach((share, i) => {
      parts.push(label(at(i), y + 4, figure(quantile(samples, share)), { class: 'end' }))
    })
    parts.push(label(RIGHT, y + 4, samples.length.toLocaleString('en'), { class: 'end' }))
  })
  return parts
}

function figure(ms: number): string {
  return ms >= 100 ? Math.round(ms).toLocaleString('en') : String(Number(ms.toPrecision(3)))
}

function written(step: number): string {
  return step >= 1 ? step.toLocaleString('en') : String(step)
}
