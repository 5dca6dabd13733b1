// Svg: a drawing is a string. What a reader's browser prefers, light or dark, decides its colours; it has a ground of its
// own, so that it can be read on any page. Curves differ by colour and by dashes: not everyone sees colours.

type Attributes = Readonly<Record<string, string | number>>

const LIGHT = ['#0b5fc0', '#c2410c', '#0b7a5c', '#a21caf', '#7d6200', '#be123c', '#0e7490', '#475569']
const DARK = ['#6cb2ff', '#ffa35c', '#4fd1a5', '#e58bf0', '#e6c84c', '#ff8fa3', '#5fd4e6', '#b3bfd0']
const DASHES = ['none', '7 3', '2 3', '9 3 2 3', '4 2', '12 4', '1 4', '7 3 2 3 2 3']

/** Told apart are so many curves; a drawing with more would be read by nobody. */
export const CURVES_MAX = LIGHT.length

export interface Drawing {
  readonly title: string
  readonly width: number
  readonly height: number
  readonly parts: readonly string[]
}

export function drawing({ title, width, height, parts }: Drawing): string {
  const size = { viewBox: `0 0 ${width} ${height}`, width, height }
  const ground = element('rect', { class: 'ground', width, height, rx: 8 })
  const head = { xmlns: 'http://www.w3.org/2000/svg', ...size, role: 'img' }
  return `${element('svg', head, element('title', {}, text(title)), style(), ground, ...parts)}\n`
}

export function element(name: string, attributes: Attributes, ...inside: readonly string[]): string {
  const said = Object.entries(attributes).map(([key, value]) => ` ${key}="${text(String(value))}"`)
  return inside.length === 0 ? `<${name}${said.join('')}/>` : `<${name}${said.join('')}>${inside.join('')}</${name}>`
}

export function label(x: number, y: number, words: string, attributes: Attributes = {}): string {
  return element('text', { x: place(x), y: place(y), ...attributes }, text(words))
}

export function line(from: readonly [number, number], to: readonly [number, number], attributes: Attributes): string {
  const [x1, y1] = from
  const [x2, y2] = to
  return element('line', { x1: place(x1), y1: place(y1), x2: place(x2), y2: place(y2), ...attributes })
}

/** The `nth` of the curves in its colour and dashes. */
export function curve(nth: number, points: readonly (readonly [number, number])[]): string {
  return element('polyline', {
    class: `curve c${nth}`,
    points: points.map(([x, y]) => `${place(x)},${place(y)}`).join(' '),
  })
}

export function dot(nth: number, [x, y]: readonly [number, number]): string {
  return element('circle', { class: `dot f${nth}`, cx: place(x), cy: place(y), r: 3 })
}

/** What a curve looks like, beside its name. */
export function swatch(nth: number, x: number, y: number): string {
  return line([x, y], [x + 26, y], { class: `c${nth}` })
}

/** A tenth of a pixel is finer than anybody sees. */
function place(x: number): number {
  if (!Number.isFinite(x)) throw new RangeError(`a drawing has no place ${x}`)
  return Math.round(x * 10) / 10
}

function text(words: string): string {
  return words.replace(/[&<>"]/g, sign => `&#${sign.charCodeAt(0)};`)
}

function style(): string {
  const strokes = (colours: readonly string[]) =>
    colours.map((colour, i) => `.c${i}{stroke:${colour}}.f${i}{fill:${colour}}`).join('')
  const rules = [
    'text{font:12px system-ui,sans-serif;fill:#1b2430}.head{font-size:15px;font-weight:600}.soft{fill:#5a6675}',
    '.ground{fill:#fff;stroke:#d5dbe3}.grid{stroke:#e3e8ee}.axis{stroke:#8793a3}',
    'polyline{fill:none;stroke-linejoin:round}[class*=c]{stroke-width:2}.end{text-anchor:end}.mid{text-anchor:middle}',
    DASHES.map((dash, i) => `.c${i}{stroke-dasharray:${dash}}`).join(''),
    strokes(LIGHT),
    '@media(prefers-color-scheme:dark){text{fill:#e7ecf2}.soft{fill:#a3b0c0}.ground{fill:#141a22;stroke:#2c3643}',
    `.grid{stroke:#27313d}.axis{stroke:#6b7888}${strokes(DARK)}}`,
  ]
  return element('style', {}, rules.join(''))
}
