// Plot: a run as a drawing. How many were inside against the capacity, and below it which fault lasted from when to when.
//
// Plain SVG, readable on light and dark pages: colours follow the reader's scheme.

import { FAULTS } from './fault.ts'
import { History } from './history.ts'
import type { Line } from './journal.ts'

const WIDTH = 960
const LEFT = 96
const RIGHT = 16
const TOP = 34
const CHART = 220
const ROW = 13
const AXIS = 26

const STYLE = `
  .page{fill:#fff}.ink{fill:#1b1f24}.dim{fill:#57606a}.grid{stroke:#d0d7de}.cap{stroke:#cf222e}
  .line{stroke:#0550ae}.area{fill:#0550ae;fill-opacity:.14}.heal{fill:#1a7f37;fill-opacity:.12}
  .net{fill:#8250df}.pkt{fill:#bf8700}.life{fill:#cf222e}.disk{fill:#953800}.rule{fill:#0a7ea4}
  .lane{fill:#57606a;fill-opacity:.06}
  @media(prefers-color-scheme:dark){
  .page{fill:#0d1117}.ink{fill:#e6edf3}.dim{fill:#9198a1}.grid{stroke:#30363d}.cap{stroke:#ff7b72}
  .line{stroke:#79c0ff}.area{fill:#79c0ff}.heal{fill:#3fb950}
  .net{fill:#bc8cff}.pkt{fill:#e3b341}.life{fill:#ff7b72}.disk{fill:#ffa657}.rule{fill:#56d4dd}.lane{fill:#9198a1}}
  text{font:11px system-ui,sans-serif}`

const CLASSES: Readonly<Record<(typeof FAULTS)[number], string>> = {
  halves: 'net',
  ring: 'net',
  'one-way': 'net',
  bridge: 'net',
  flapping: 'net',
  loss: 'pkt',
  delay: 'pkt',
  duplication: 'pkt',
  reordering: 'pkt',
  kill: 'life',
  stop: 'life',
  'restart-storm': 'life',
  power: 'life',
  'disk-full': 'disk',
  'io-error': 'disk',
  wipe: 'disk',
  clock: 'rule',
  'anchor-gone': 'life',
  capacity: 'rule',
  mode: 'rule',
}

export function plot(lines: readonly Line[]): string {
  const history = new History(lines)
  const { mall, end, spells, decrees } = history
  const run = lines.find(line => line.is === 'run')
  const most = Math.ceil((mall.capacity * 1.12) / 10) * 10
  const x = (t: number) => round(LEFT + (Math.min(t, end) / Math.max(1, end)) * (WIDTH - LEFT - RIGHT))
  const y = (count: number) => round(TOP + CHART * (1 - count / most))
  const bands = TOP + CHART + AXIS
  const height = bands + FAULTS.length * ROW + 12
  const steps = insideOf(lines)
  const inside = stairs(steps, end, x, y)
  const cap = stairs(
    decrees.map(({ to, asked, accepted }) => [accepted ?? asked, to] as const),
    end,
    x,
    y,
  )
  const peak = Math.max(0, ...steps.map(([, count]) => count))
  const seed = run?.is === 'run' ? run.seed : '?'
  const title = `People inside, at most ${peak}, against a capacity of ${mall.capacity}: ${mall.gates.length} gates, seed ${seed}`
  const heal = history.phases.get('heal')?.t
  const parts = [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" role="img" aria-label="${title}">`,
    `<style>${STYLE}</style><rect class="page" width="${WIDTH}" height="${height}"/>`,
    `<text class="ink" x="${LEFT}" y="20" style="font-size:13px;font-weight:600">${title}</text>`,
    ...grid(most, end, x, y, bands),
    heal === undefined
      ? ''
      : rect('heal', x(heal), TOP, x(end) - x(heal), bands - TOP + FAULTS.length * ROW - AXIS + 14),
    heal === undefined
      ? ''
      : `<text class="dim" x="${x(heal) - 4}" y="${TOP + 11}" text-anchor="end">mended from here</text>`,
    ...legend(),
    `<path class="area" d="${inside} V${y(0)} H${x(0)} Z"/>`,
    `<path class="line" d="${inside}" fill="none" stroke-width="1.3"/>`,
    `<path class="cap" d="${cap}" fill="none" stroke-width="1.6" stroke-dasharray="6 3"/>`,
    ...FAULTS.flatMap((kind, i) => {
      const top = bands + i * ROW
      const own = spells.filter(({ fault }) => fault.kind === kind)
      return [
        i % 2 === 0 ? rect('lane', LEFT, top, WIDTH - LEFT - RIGHT, ROW) : '',
        `<text class="dim" x="${LEFT - 6}" y="${top + 10}" text-anchor="end">${kind}</text>`,
        ...own.map(({ begin, ended }) =>
          rect(CLASSES[kind], x(begin), top + 2, Math.max(2, x(ended) - x(begin)), ROW - 4),
        ),
      ]
    }),
    '</svg>',
  ]
  return `${parts.filter(part => part !== '').join('\n')}\n`
}

function legend(): string[] {
  const [line, text, y] = [WIDTH - RIGHT - 190, WIDTH - RIGHT - 166, 16]
  return [
    `<path class="line" d="M${line} ${y}h20" stroke-width="2"/><text class="dim" x="${text}" y="${y + 4}">inside</text>`,
    `<path class="cap" d="M${line + 80} ${y}h20" stroke-width="2" stroke-dasharray="6 3"/>`,
    `<text class="dim" x="${text + 80}" y="${y + 4}">may be inside</text>`,
  ]
}

/** Those who were told ADMIT and have not left. */
function insideOf(lines: readonly Line[]): (readonly [number, number])[] {
  const inside = new Set<string>()
  const gone = new Set<string>()
  const steps: (readonly [number, number])[] = [[0, 0]]
  for (const line of lines) {
    if (line.is === 'answer' && line.decision === 'ADMIT' && !gone.has(line.id)) inside.add(line.id)
    else if (line.is === 'left') {
      inside.delete(line.id)
      gone.add(line.id)
    } else continue
    steps.push([line.t, inside.size])
  }
  return steps
}

type Scale = (value: number) => number

function stairs(steps: readonly (readonly [number, number])[], end: number, x: Scale, y: Scale): string {
  const path = steps.map(([t, count], i) => (i === 0 ? `M${x(t)} ${y(count)}` : `H${x(t)}V${y(count)}`))
  return `${path.join('')}H${x(end)}`
}

function grid(most: number, end: number, x: Scale, y: Scale, bands: number): string[] {
  const every = most > 80 ? 20 : 10
  const counts = Array.from({ length: Math.floor(most / every) + 1 }, (_, i) => i * every)
  const seconds = end > 400_000 ? 60 : 30
  const times = Array.from({ length: Math.floor(end / 1000 / seconds) + 1 }, (_, i) => i * seconds)
  return [
    ...counts.map(n => `<path class="grid" d="M${LEFT} ${y(n)}H${WIDTH - RIGHT}" stroke-width=".5"/>`),
    ...counts.map(n => `<text class="dim" x="${LEFT - 6}" y="${y(n) + 4}" text-anchor="end">${n}</text>`),
    ...times.map(s => `<path class="grid" d="M${x(s * 1000)} ${TOP}V${bands - AXIS}" stroke-width=".5"/>`),
    ...times.map(
      s => `<text class="dim" x="${x(s * 1000)}" y="${bands - AXIS + 14}" text-anchor="middle">${s} s</text>`,
    ),
  ]
}

function rect(kind: string, x: number, y: number, width: number, height: number): string {
  return `<rect class="${kind}" x="${x}" y="${round(y)}" width="${round(width)}" height="${round(height)}"/>`
}

function round(value: number): number {
  return Math.round(value * 10) / 10
}
