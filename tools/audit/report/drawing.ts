// Drawing: the curve as an inline picture, in lines and grey tones that survive a copier.
//
// What is not known is hatched and never drawn as zero.

import type { ClockFace } from './clock-face.ts'
import type { Emergency, Said } from './emergencies.ts'
import { count, type Hole, html, type Markup } from './markup.ts'
import { type Day, hoursOf } from './period.ts'
import type { Report } from './report.ts'
import type { Minute } from './series.ts'

const WIDE = 1000
const HIGH = 330
const LEFT = 62
const RIGHT = 996
const TOP = 34
const BOTTOM = 290

interface Scale {
  readonly max: number
  y(people: number): number
}

export function drawing(report: Report, face: ClockFace): Markup {
  const scale = scaleOf(report)
  return report.period.kind === 'day' ? dayDrawing(report, face, scale) : monthDrawing(report, scale)
}

function scaleOf({ curve, legalMax, days }: Report): Scale {
  let most = 0
  for (const minute of curve.minutes) if (minute !== undefined) most = Math.max(most, minute.high, minute.limit)
  for (const { known } of days) most = Math.max(most, known?.high ?? 0)
  // a legal maximum far above all that happened would press the curve flat
  if (legalMax !== undefined && legalMax <= most * 1.5) most = Math.max(most, legalMax)
  const max = Math.max(1, most) * 1.06
  return { max, y: people => round(BOTTOM - (Math.max(0, people) / max) * (BOTTOM - TOP)) }
}

function dayDrawing(report: Report, face: ClockFace, scale: Scale): Markup {
  const { period, curve } = report
  const x = (at: number) =>
    round(
      LEFT +
        ((Math.min(Math.max(at, period.from), period.to) - period.from) / (period.to - period.from)) * (RIGHT - LEFT),
    )
  const stretches = stretchesOf(curve.minutes)
  const end = (minute: Minute) => Math.min(minute.from + 60_000, period.to)
  const band = stretches.map(minutes => {
    const up = minutes.map(m => `${x(m.from)},${scale.y(m.high)} ${x(end(m))},${scale.y(m.high)}`)
    const down = minutes.toReversed().map(m => `${x(end(m))},${scale.y(m.low)} ${x(m.from)},${scale.y(m.low)}`)
    return html`<polygon points="${[...up, ...down].join(' ')}" fill="#7d93ad"/>`
  })
  const area = stretches.map(minutes => {
    const first = minutes[0] as Minute
    const last = minutes.at(-1) as Minute
    const top = minutes.map(m => `${x(m.from)},${scale.y(m.last)} ${x(end(m))},${scale.y(m.last)}`).join(' ')
    return html`<polygon points="${x(first.from)},${BOTTOM} ${top} ${x(end(last))},${BOTTOM}" fill="#dde4ec"/>
<polyline points="${top}" fill="none" stroke="#16365c" stroke-width="1.6"/>`
  })
  const limits = stretches.map(minutes =>
    limitLine(
      minutes.map(m => ({ from: x(m.from), to: x(end(m)), limit: m.limit })),
      scale,
    ),
  )
  const hours = hoursOf(period.days[0] as Day, period.zone)
  const ticks = hours.map(({ name, from }, i) => tick(x(from), i % 2 === 0 ? name : ''))
  const unknown = gapsOf(period, curve.minutes).map(({ from, to }) => hatch(x(from), x(to)))
  const bands = report.emergencies
    .flatMap(one => bandsOf(one, period.to))
    .map(b => modeBand(x(b.from), x(b.to), b.mode))
  const peak = curve.peak
  const mark =
    peak && peakMark(x(peak.at), scale.y(peak.occupancy), `${count(peak.occupancy)} at ${face.clock(peak.at)}`)
  const desc = peak
    ? `The most inside were ${peak.occupancy} at ${face.time(peak.at)}, with a limit of ${peak.capacity}.`
    : 'Nothing is known of this day.'
  return frame('People inside, minute by minute', desc, scale, [
    unknown,
    bands,
    area,
    band,
    limits,
    legal(report, scale),
    ticks,
    mark,
  ])
}

function monthDrawing(report: Report, scale: Scale): Markup {
  const { days, emergencies, period } = report
  const step = (RIGHT - LEFT) / days.length
  const x = (i: number) => round(LEFT + i * step)
  const columns = days.map(({ name, known, from, to }, i) => {
    const raised = emergencies.some(one => bandsOf(one, period.to).some(b => b.from < to && b.to >= from))
    const label = tick(round(x(i) + step / 2), name.slice(8).replace(/^0/, ''), false)
    if (known === undefined) return [hatch(x(i), x(i + 1)), label]
    const [top, low] = [scale.y(known.high), scale.y(known.low)]
    const bar = html`<rect x="${round(x(i) + step * 0.2)}" y="${top}" width="${round(step * 0.6)}"
 height="${round(Math.max(1.5, low - top))}" fill="#5d7795"/>`
    return [raised && modeBand(x(i), x(i + 1), ''), bar, label]
  })
  const line = days.flatMap(({ known }, i) => (known ? [{ from: x(i), to: x(i + 1), limit: known.limit }] : []))
  // a limit that was lower for a part of the day
  const lower = days.map(
    ({ known }, i) =>
      known && known.limitLow < known.limit && limitLine([{ from: x(i), to: x(i + 1), limit: known.limitLow }], scale),
  )
  const high = days.reduce((most, { known }) => Math.max(most, known?.high ?? 0), 0)
  const desc = `Lowest to highest count of each day; the highest of the month was ${high}.`
  return frame('People inside, day by day', desc, scale, [columns, limitLine(line, scale), lower, legal(report, scale)])
}

function frame(title: string, desc: string, scale: Scale, inner: Hole): Markup {
  const lines = gridOf(scale.max).map(
    people => html`<line x1="${LEFT}" x2="${RIGHT}" y1="${scale.y(people)}" y2="${scale.y(people)}" stroke="#dfe3e8"/>
<text x="${LEFT - 8}" y="${scale.y(people) + 5}" text-anchor="end">${count(people)}</text>`,
  )
  return html`<svg viewBox="0 0 ${WIDE} ${HIGH}" role="img" aria-labelledby="curve-title curve-desc"
 font-family="inherit" font-size="15" fill="#16191d"><title id="curve-title">${title}</title><desc id="curve-desc">${desc}</desc>
<defs><pattern id="unknown" width="8" height="8" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
<rect width="8" height="8" fill="#fff"/><line x1="0" y1="0" x2="0" y2="8" stroke="#c3c9d0" stroke-width="2.5"/></pattern></defs>
${lines}${inner}
<line x1="${LEFT}" x2="${RIGHT}" y1="${BOTTOM}" y2="${BOTTOM}" stroke="#16191d" stroke-width="1.4"/></svg>`
}

function tick(x: number, label: string, marked = true): Markup {
  return html`${marked && html`<line x1="${x}" x2="${x}" y1="${BOTTOM}" y2="${BOTTOM + 5}" stroke="#16191d"/>`}${
    label !== '' && html`<text x="${x}" y="${BOTTOM + 23}" text-anchor="middle">${label}</text>`
  }`
}

function hatch(from: number, to: number): Markup | undefined {
  if (to <= from) return undefined
  return html`<rect x="${from}" y="${TOP}" width="${round(to - from)}" height="${BOTTOM - TOP}" fill="url(#unknown)"/>`
}

function modeBand(from: number, to: number, label: string): Markup {
  const width = round(Math.max(3, to - from))
  return html`<rect x="${from}" y="${TOP}" width="${width}" height="${BOTTOM - TOP}" fill="#f3c9cc"/>
<rect x="${from}" y="${TOP}" width="${width}" height="5" fill="#a3121f"/>
<text x="${round(from + width / 2)}" y="${TOP - 8}" text-anchor="middle" font-size="13" fill="#a3121f">${label}</text>`
}

function limitLine(steps: readonly { from: number; to: number; limit: number }[], scale: Scale): Markup {
  const path = (share: number) =>
    steps.map(({ from, to, limit }) => `${from},${scale.y(limit * share)} ${to},${scale.y(limit * share)}`).join(' ')
  return html`<polyline points="${path(1)}" fill="none" stroke="#a3121f" stroke-width="2.2"/>
<polyline points="${path(0.9)}" fill="none" stroke="#a3121f" stroke-width="1.2" stroke-dasharray="7 5"/>`
}

function legal({ legalMax, rules }: Report, scale: Scale): Markup | undefined {
  if (legalMax === undefined || legalMax > scale.max || legalMax === rules?.limit) return undefined
  const y = scale.y(legalMax)
  return html`<line x1="${LEFT}" x2="${RIGHT}" y1="${y}" y2="${y}" stroke="#16191d" stroke-width="1.4" stroke-dasharray="2 4"/>
<text x="${RIGHT}" y="${y - 5}" text-anchor="end" font-size="13">legal maximum ${count(legalMax)}</text>`
}

function peakMark(x: number, y: number, label: string): Markup {
  const anchor = x > 880 ? 'end' : x < 180 ? 'start' : 'middle'
  return html`<circle cx="${x}" cy="${y}" r="4.5" fill="#fff" stroke="#16191d" stroke-width="2"/>
<text x="${x}" y="${Math.max(16, y - 13)}" text-anchor="${anchor}" font-weight="700" paint-order="stroke" stroke="#fff"
 stroke-width="4">${label}</text>`
}

export interface ModeBand {
  readonly from: number
  readonly to: number
  readonly mode: string
}

/** From each raise to the next more severe one, or to the end. */
export function bandsOf({ raised, cleared }: Emergency, end: number): ModeBand[] {
  return raised.map(({ at, mode }, i) => ({
    from: at,
    to: (raised[i + 1] as Said | undefined)?.at ?? cleared?.at ?? end,
    mode,
  }))
}

function stretchesOf(minutes: readonly (Minute | undefined)[]): Minute[][] {
  const found: Minute[][] = []
  minutes.forEach((minute, i) => {
    if (minute === undefined) return
    if (minutes[i - 1] === undefined) found.push([])
    found.at(-1)?.push(minute)
  })
  return found
}

function gapsOf({ from, to }: Day, minutes: readonly (Minute | undefined)[]): { from: number; to: number }[] {
  const found: { from: number; to: number }[] = []
  minutes.forEach((minute, i) => {
    if (minute !== undefined) return
    const at = from + i * 60_000
    const last = found.at(-1)
    if (last?.to === at) last.to = Math.min(at + 60_000, to)
    else found.push({ from: at, to: Math.min(at + 60_000, to) })
  })
  return found
}

/** Four or five round numbers. */
function gridOf(max: number): number[] {
  const rough = max / 4
  const ten = 10 ** Math.floor(Math.log10(rough))
  const step = Math.max(1, ([1, 2, 2.5, 5, 10].find(n => n * ten >= rough) ?? 10) * ten)
  const found: number[] = []
  for (let people = 0; people <= max; people += step) if (Number.isInteger(people)) found.push(people)
  return found
}

function round(n: number): number {
  return Math.round(n * 10) / 10
}
