import assert from 'node:assert/strict'
import { plotOf, rowsOf, type Size } from '../../tools/bench/growth.ts'
import { curvePlot } from '../../tools/bench/plot/curve.ts'
import { latencyPlot, quantile } from '../../tools/bench/plot/latency.ts'
import { stepsBetween, stepsTo } from '../../tools/bench/plot/scale.ts'
import { Random } from '../sim/random.ts'
import { suite } from '../suite.ts'
import { type Element, elementsOf } from './xml.ts'

const test = suite('bench/plot')
const BYTES_MAX = 60_000

const random = new Random('plot')
const waits = (typicalMs: number, count: number) => Array.from({ length: count }, () => random.wait(typicalMs))

const LATENCY = latencyPlot({
  title: 'Waits of <three> & "more"',
  note: 'a note',
  contenders: [
    { name: 'quick & local', samplesMs: waits(0.4, 20_000) },
    { name: 'far <away>', samplesMs: waits(40, 3000) },
    { name: 'seldom', samplesMs: [7] },
  ],
})

const SIZE: Size = {
  gates: 5,
  connected: 'all to all',
  readyS: 6,
  rest: { cpuPercent: 1, residentMb: 100, sentBytesPerSecond: 1000 },
  crowd: { cpuPercent: 2, residentMb: 110, sentBytesPerSecond: 2000, unanswered: 0 },
}
const SIXTY: Size = {
  gates: 60,
  connected: 'star',
  readyS: 100,
  rest: { cpuPercent: 4, residentMb: 140, sentBytesPerSecond: 12_000 },
  crowd: { cpuPercent: 8, residentMb: 150, sentBytesPerSecond: 30_000, unanswered: 3 },
}

function pointsOf({ attributes }: Element): [number, number][] {
  return (attributes.get('points') as string).split(' ').map(pair => pair.split(',').map(Number) as [number, number])
}

/** Everything that has a place is on the sheet. */
function checkPlaces(elements: readonly Element[]): void {
  const [svg] = elements
  const [, , width = 0, height = 0] = (svg?.attributes.get('viewBox') ?? '').split(' ').map(Number)
  assert.ok(width > 0 && height > 0)
  const isOn = (x: number, y: number) => x >= 0 && x <= width && y >= 0 && y <= height
  for (const element of elements) {
    const number = (key: string) => Number(element.attributes.get(key))
    const said = JSON.stringify([...element.attributes])
    if (element.name === 'text') assert.ok(isOn(number('x'), number('y')), said)
    if (element.name === 'circle') assert.ok(isOn(number('cx'), number('cy')), said)
    if (element.name === 'line') assert.ok(isOn(number('x1'), number('y1')) && isOn(number('x2'), number('y2')), said)
    if (element.name === 'polyline') for (const [x, y] of pointsOf(element)) assert.ok(isOn(x, y), said)
  }
}

test('a plot of latencies is well-formed, with a curve for each contender, all of it on the sheet', () => {
  const elements = elementsOf(LATENCY)
  checkPlaces(elements)
  const curves = elements.filter(({ name }) => name === 'polyline')
  assert.deepEqual(
    curves.map(({ attributes }) => attributes.get('class')),
    ['curve c0', 'curve c1', 'curve c2'],
  )
  assert.ok(LATENCY.length < BYTES_MAX, `${LATENCY.length} bytes`)
  assert.ok(LATENCY.includes('prefers-color-scheme:dark'))
  const words = elements.filter(({ name }) => name === 'text').map(({ text }) => text)
  for (const said of ['far &#60;away&#62;', '99.9 %', '20,000', 'p99, ms']) assert.ok(words.includes(said), said)
})

test('who waits longer is further right, and a share that is higher up waited longer', () => {
  const [quick = [], far = []] = elementsOf(LATENCY)
    .filter(({ name }) => name === 'polyline')
    .map(pointsOf)
  const rightmost = (points: readonly [number, number][]) => Math.max(...points.map(([x]) => x))
  assert.ok(rightmost(quick) < rightmost(far))
  for (const points of [quick, far]) {
    for (let i = 1; i < points.length; i++) {
      const [[x0, y0], [x1, y1]] = [points[i - 1], points[i]] as [[number, number], [number, number]]
      assert.ok(x1 >= x0 && y1 <= y0, `${i}: ${x0},${y0} → ${x1},${y1}`)
    }
  }
})

test('the longest wait has its place on the plot', () => {
  const last = (samplesMs: number[]) => {
    const svg = latencyPlot({ title: 't', contenders: [{ name: 'n', samplesMs }] })
    return Math.max(...pointsOf(elementsOf(svg).find(({ name }) => name === 'polyline') as Element).map(([x]) => x))
  }
  // both axes end at 1,000 ms
  assert.ok(last([20, 21, 22, 23, 900]) > last([20, 21, 22, 23, 600]))
})

test('a quantile is the least sample that so many do not exceed', () => {
  const sorted = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]
  assert.deepEqual(
    [0, 0.1, 0.5, 0.91, 0.99, 1].map(share => quantile(sorted, share)),
    [1, 1, 5, 10, 10, 10],
  )
})

test('what cannot be plotted is named', () => {
  const plot = (samplesMs: number[]) => () => latencyPlot({ title: 't', contenders: [{ name: 'Redis', samplesMs }] })
  assert.throws(plot([]), /Redis has no samples/)
  assert.throws(plot([1, Number.NaN]), /sample 1 of Redis is no wait: NaN/)
  assert.throws(plot([-1]), /sample 0 of Redis is no wait: -1/)
  assert.throws(() => latencyPlot({ title: 't', contenders: [] }), /1 to 8 contenders, not 0/)
  assert.throws(() => curvePlot({ title: 'nobody', x: 'gates', panels: [] }), /nothing to plot in nobody/)
})

test('growth is three panels of two curves, each from zero, and rows with ratios to the smallest mall', () => {
  const svg = plotOf([SIZE, { ...SIXTY, gates: 30 }, SIXTY])
  const elements = elementsOf(svg)
  checkPlaces(elements)
  assert.equal(elements.filter(({ name }) => name === 'polyline').length, 6)
  assert.ok(svg.includes('as a star'))
  const lengths = elements.filter(({ name }) => name === 'polyline').map(curve => pointsOf(curve).length)
  assert.deepEqual(lengths, [3, 3, 3, 3, 1, 1], 'what a star sends stands for nothing')
  assert.ok(svg.length < BYTES_MAX)
  const rows = rowsOf([SIZE, SIXTY])
  assert.deepEqual(
    rows.map(row => [row.gates, row.people, row['cpu, % of a core'], row['sent, kB/s']]),
    [
      [5, 'none', '1.00 (1.00)', '1.00 (1.00)'],
      [5, 'crowd', '2.00 (1.00)', '2.00 (1.00)'],
      [60, 'none', '4.00 (4.00)', '≤ 12.00'],
      [60, 'crowd', '8.00 (4.00)', '≤ 30.00'],
    ],
  )
})

test('axes are written at round figures that hold all of what is shown', () => {
  assert.deepEqual(stepsTo(6.1), [0, 2, 4, 6, 8])
  assert.deepEqual(stepsTo(145), [0, 50, 100, 150])
  assert.deepEqual(stepsTo(0), [0, 0.5, 1])
  assert.deepEqual(stepsBetween({ from: 0.3, to: 7 }), [0.2, 0.5, 1, 2, 5, 10])
  assert.deepEqual(stepsBetween({ from: 0.02, to: 900 }), [0.01, 0.1, 1, 10, 100, 1000])
  assert.deepEqual(stepsBetween({ from: 7, to: 7 }), [5, 10])
})

test.run()
