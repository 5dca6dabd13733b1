// Markup: HTML that is made of text. Whatever stands in a template's hole is text and is escaped, unless it is markup itself.
//
// Law: there is no way to put a string into a page unescaped; only this file makes markup.

export class Markup {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }

  toString(): string {
    return this.text
  }
}

export type Hole = string | number | Markup | undefined | false | readonly Hole[]

export function html(parts: TemplateStringsArray, ...holes: Hole[]): Markup {
  let text = parts[0] as string
  holes.forEach((hole, i) => {
    text += fill(hole) + parts[i + 1]
  })
  return new Markup(text)
}

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

function fill(hole: Hole): string {
  if (hole === undefined || hole === false) return ''
  if (hole instanceof Markup) return hole.text
  if (typeof hole === 'object') return hole.map(fill).join('')
  // what turns the direction of writing would let one text pose as another
  return visible(String(hole)).replace(/[&<>"']/g, character => ESCAPES[character] as string)
}

function visible(text: string): string {
  return text.toWellFormed().replace(/[\p{Cc}\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/gu, '\ufffd')
}

export interface Column {
  readonly head: Hole
  readonly isNumber?: boolean
  /** never broken into two lines */
  readonly isTight?: boolean
}

export interface TableShown {
  readonly caption: Hole
  readonly columns: readonly Column[]
  /** the first cell of each names the row */
  readonly rows: readonly (readonly Hole[])[]
  readonly foot?: readonly Hole[]
  readonly kind?: string
}

export function table({ caption, columns, rows, foot, kind = '' }: TableShown): Markup {
  const align = (i: number) => (columns[i]?.isNumber ? 'n' : columns[i]?.isTight ? 'w' : 't')
  const line = (cells: readonly Hole[]) =>
    cells.map((cell, i) =>
      i === 0 ? html`<th scope="row" class="${align(i)}">${cell}</th>` : html`<td class="${align(i)}">${cell}</td>`,
    )
  return html`<table class="${kind}"><caption>${caption}</caption>
<thead><tr>${columns.map((column, i) => html`<th scope="col" class="${align(i)}">${column.head}</th>`)}</tr></thead>
<tbody>${rows.map(row => html`<tr>${line(row)}</tr>\n`)}</tbody>
${foot && html`<tfoot><tr>${line(foot)}</tr></tfoot>`}</table>\n`
}

/** As in 1,234; with a true minus. */
export function count(n: number): string {
  return n < 0 ? `\u2212${(-n).toLocaleString('en')}` : n.toLocaleString('en')
}

/** As in 1 policy, 2 policies. */
export function many(n: number, one: string, more = `${one}s`): string {
  return `${count(n)} ${n === 1 ? one : more}`
}

/** As in +3, −2, 0. */
export function signed(n: number): string {
  return n > 0 ? `+${count(n)}` : count(n)
}

/** As in 93.4 %. */
export function perCent(part: number, whole: number): string {
  return whole === 0 ? '\u2013' : `${((part / whole) * 100).toFixed(1)} %`
}
