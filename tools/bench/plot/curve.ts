// Curve: figures that change with a size, a panel per figure, on one x axis. Every y axis starts at 0: nothing is made to
// look steeper than it is.

import { linear, type Scale, stepsTo } from './scale.ts'
import { CURVES_MAX, curve, dot, drawing, label, line, swatch } from './svg.ts'

export interface Curve {
  readonly name: string
  readonly points: readonly (readonly [x: number, y: number])[]
}

export interface Panel {
  /** with its unit: `resident memory, MB` */
  readonly title: string
  readonly curves: readonly Curve[]
}

export interface CurvePlot {
  readonly title: string
  readonly note?: string | undefined
  /** with its unit: `gates` */
  readonly x: string
  readonly panels: readonly Panel[]
}

interface Frame {
  readonly left: number
  readonly right: number
  readonly top: number
  readonly bottom: number
}

const WIDTH = 760
const PLOT_HEIGHT = 190
const GAP = 64
const LETTER = 6.6

export function curvePlot({ title, note, x, panels }: CurvePlot): string {
  const names = [...new Set(panels.flatMap(panel => panel.curves.map(({ name }) => name)))]
  const xs = [...new Set(panels.flatMap(panel => panel.curves.flatMap(({ points }) => points.map(([at]) => at))))]
  if (xs.length === 0) throw new RangeError(`there is nothing to plot in ${title}`)
  if (names.length > CURVES_MAX) throw new RangeError(`a plot takes ${CURVES_MAX} curves, not ${names.length}`)
  xs.sort((a, b) => a - b)
  const parts = [label(20, 28, title, { class: 'head' })]
  if (note !== undefined) parts.push(label(20, 47, note, { class: 'soft' }))
  const legendAt = note === undefined ? 50 : 70
  if (names.length > 1) parts.push(...legend(names, legendAt))
  const top = legendAt + (names.length > 1 ? 46 : 24)
  const bottom = top + PLOT_HEIGHT
  const width = (WIDTH - 20 - GAP * panels.length) / panels.length
  panels.forEach((panel, i) => {
    const left = GAP + i * (width + GAP)
    parts.push(...drawn(panel, names, xs, { left, right: left + width, top, bottom }))
    parts.push(label(left + width / 2, bottom + 38, x, { class: 'mid soft' }))
  })
  return drawing({ title, width: WIDTH, height: bottom + 52, parts })
}

function drawn(panel: Panel, names: readonly string[], xs: readonly number[], frame: Frame): string[] {
  const { left, right, top, bottom } = frame
  const steps = stepsTo(Math.max(...panel.curves.flatMap(({ points }) => points.map(([, value]) => value))))
  const x: Scale = linear({ from: 0, to: xs.at(-1) as number }, { from: left, to: right })
  const y: Scale = linear({ from: 0, to: steps.at(-1) as number }, { from: bottom, to: top })
  const parts = [label(left - 34, top - 16, panel.title)]
  for (const step of steps) {
    parts.push(line([left, y(step)], [right, y(step)], { class: step === 0 ? 'axis' : 'grid' }))
    parts.push(label(left - 8, y(step) + 4, step.toLocaleString('en'), { class: 'end' }))
  }
  for (const at of xs) {
    parts.push(line([x(at), bottom], [x(at), bottom + 4], { class: 'axis' }))
    parts.push(label(x(at), bottom + 18, at.toLocaleString('en'), { class: 'mid' }))
  }
  for (const { name, points } of panel.curves) {
    const nth = names.indexOf(name)
    const places = points.map(([at, value]) => [x(at), y(value)] as const)
    parts.push(curve(nth, places), ...places.map(at => dot(nth, at)))
  }
  return parts
}

function legend(names: readonly string[], y: number): string[] {
  let x = 20
  return names.flatMap((name, nth) => {
    const at = x
    x += 34 + name.length * LETTER + 22
    return [swatch(nth, at, y - 4), label(at + 34, y, name)]
  })
}
