// @ts-check
// Charts: the trend of the day with its limit and its modes, below it what was decided per minute; in words and as a table too.

import { colour, onColours } from './colours.js'
import { Day } from './day.js'
import { clock, make, put } from './dom.js'
import uPlot from './uplot.js'
import { modeWords } from './words.js'

/** @typedef {import('../window/mall-report.ts').MallReport} MallReport */

const LOAD_EVERY_MS = 60_000
/** A line of many hours does not move faster than that. */
const DRAW_EVERY_MS = 1000
const FONT = '12px system-ui, sans-serif'
/** @type {readonly (keyof import('./day.js').Minute)[]} */
const PEOPLE = ['count', 'atMost', 'capacity']
/** @type {readonly (keyof import('./day.js').Minute)[]} */
const DECISIONS = ['entries', 'exits', 'rejects']

export class Charts {
  node
  #day = new Day()
  #trend
  #people = make('div', { class: 'chart people', 'aria-hidden': 'true' })
  #decisions = make('div', { class: 'chart decided', 'aria-hidden': 'true' })
  #reading = make('p', { class: 'small soft reading', 'aria-hidden': 'true' })
  #summary = make('p', { class: 'small', 'data-part': 'trend-words' })
  #bandKey = make('span', { class: 'key band', hidden: true }, 'emergency mode')
  #rows = make('tbody')
  #table
  /** @type {uPlot[]} */
  #plots = []
  #drawnAt = Number.NEGATIVE_INFINITY
  #listedAt = -1

  /** @param {string} trend where the day so far is asked for */
  constructor(trend) {
    this.#trend = trend
    const heads = ['Hour from', 'Peak', 'At most', 'Limit', 'In', 'Out', 'Turned away', 'Mode']
    const head = make('thead', {}, make('tr', {}, ...heads.map(words => make('th', { scope: 'col' }, words))))
    this.#table = make(
      'details',
      { ontoggle: () => this.#fillTable() },
      make('summary', { class: 'small' }, 'As a table, by the hour'),
      make(
        'div',
        { class: 'scroll', tabindex: 0, role: 'group', 'aria-label': 'The day by the hour' },
        make('table', {}, head, this.#rows),
      ),
    )
    this.node = make(
      'section',
      { class: 'card trend', 'aria-labelledby': 'live-trend', 'data-part': 'trend' },
      make('div', { class: 'bar' }, make('h2', { id: 'live-trend' }, 'Today'), this.#reading),
      legend(['inside', 'people inside'], ['at-most', 'at most'], ['limit', 'limit'], this.#bandKey),
      this.#people,
      legend(['in', 'let in per minute'], ['out', 'left'], ['away', 'turned away']),
      this.#decisions,
      this.#summary,
      this.#table,
    )
  }

  /** Draws as soon as it has room, and asks for the day again and again. */
  start() {
    onColours(() => {
      for (const plot of this.#plots) plot.redraw(true, true)
    })
    const observer = new ResizeObserver(() => this.#fit())
    observer.observe(this.#people)
    observer.observe(this.#decisions)
    this.#load()
    setInterval(() => this.#load(), LOAD_EVERY_MS)
  }

  /** @param {MallReport} report */
  show(report) {
    this.#day.add(report)
    if (performance.now() - this.#drawnAt < DRAW_EVERY_MS || document.hidden) return
    this.#draw()
  }

  /** While it cannot be had the day goes on from what is seen here. */
  async #load() {
    try {
      const answer = await fetch(this.#trend, { headers: { accept: 'application/json' } })
      if (!answer.ok) return
      this.#day.load(await answer.json())
      this.#listedAt = -1
      this.#draw()
    } catch {
      // it says itself that it is stale: the same server is silent
    }
  }

  #draw() {
    this.#drawnAt = performance.now()
    const { minutes, bands } = this.#day
    for (const [i, names] of [PEOPLE, DECISIONS].entries())
      this.#plots[i]?.setData(/** @type {any} */ (this.#day.columns(names)))
    this.#bandKey.hidden = bands.length === 0
    put(this.#summary, this.#day.summary)
    const newest = minutes.at(-1)?.at ?? 0
    if (newest !== this.#listedAt) this.#fillTable()
    this.#listedAt = newest
  }

  #fillTable() {
    if (!this.#table.open) return
    const rows = this.#day.hours.map(({ hour, count, atMost, capacity, entries, exits, rejects, mode }) => {
      const cells = [count, atMost, capacity, entries, exits, rejects].map(n => make('td', {}, String(Math.round(n))))
      return make('tr', {}, make('th', { scope: 'row' }, hour), ...cells, make('td', {}, modeWords(mode).word))
    })
    this.#rows.replaceChildren(...rows)
  }

  #fit() {
    const boxes = [this.#people, this.#decisions]
    if (this.#plots.length === 0) {
      if (boxes.some(box => box.clientWidth === 0)) return
      this.#plots = [this.#plotPeople(), this.#plotDecisions()]
      return this.#draw()
    }
    for (const [i, box] of boxes.entries()) {
      const plot = this.#plots[i]
      const size = { width: box.clientWidth, height: box.clientHeight }
      if (plot !== undefined && size.width > 0 && (plot.width !== size.width || plot.height !== size.height))
        plot.setSize(size)
    }
  }

  #plotPeople() {
    const stepped = uPlot.paths.stepped?.({ align: 1 })
    return this.#plot(this.#people, {
      series: [
        {},
        { ...this.#line('--calm', 2), fill: () => faint(colour('--calm')) },
        { ...this.#line('--soft', 1), dash: [2, 3] },
        { ...this.#line('--bad', 2), dash: [9, 5], ...(stepped ? { paths: stepped } : {}) },
      ],
      hooks: { drawClear: [plot => this.#paintBands(plot)], setCursor: [plot => this.#read(plot)] },
    })
  }

  #plotDecisions() {
    const lines = ['--good', '--soft', '--bad'].map((name, i) => ({
      ...this.#line(name, 1.5),
      ...(i === 2 ? { dash: [5, 3] } : {}),
    }))
    return this.#plot(this.#decisions, { series: [{}, ...lines] })
  }

  /** @param {any} box @param {{ series: any[], hooks?: uPlot.Hooks.Arrays }} a */
  #plot(box, { series, hooks = {} }) {
    const axis = () => ({
      stroke: () => colour('--soft'),
      font: FONT,
      grid: { stroke: () => colour('--line'), width: 1 },
      ticks: { show: false },
    })
    /** @type {uPlot.Options} */
    const options = {
      width: box.clientWidth,
      height: box.clientHeight,
      series,
      hooks,
      legend: { show: false },
      cursor: { drag: { x: false, y: false }, points: { size: 7 }, sync: { key: 'day' } },
      scales: {
        x: { range: () => [this.#day.range.from / 1000, Math.max(this.#day.range.to / 1000, 1)] },
        y: { range: (_plot, _min, max) => [0, Math.max(5, (max ?? 0) * 1.1)] },
      },
      axes: [
        { ...axis(), size: 26, space: 70, values: (_plot, splits) => splits.map(at => clock(at * 1000)) },
        {
          ...axis(),
          size: 44,
          space: 28,
          incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 50_000],
        },
      ],
    }
    const names = box === this.#people ? PEOPLE : DECISIONS
    return new uPlot(options, /** @type {any} */ (this.#day.columns(names)), box)
  }

  /** @param {string} name @param {number} width */
  #line(name, width) {
    return { stroke: () => colour(name), width, points: { show: false } }
  }

  /** @param {uPlot} plot */
  #paintBands(plot) {
    const { ctx, bbox } = plot
    ctx.save()
    ctx.font = `${12 * devicePixelRatio}px system-ui, sans-serif`
    for (const { mode, from, to } of this.#day.bands) {
      const [a, b] = [from, to].map(at => plot.valToPos(at / 1000, 'x', true))
      const left = Math.max(bbox.left, a ?? 0)
      const width = Math.min(bbox.left + bbox.width, b ?? 0) - left
      if (width <= 0) continue
      ctx.fillStyle = colour('--bad-ground')
      ctx.fillRect(left, bbox.top, Math.max(2, width), bbox.height)
      ctx.fillStyle = colour('--bad')
      ctx.fillRect(left, bbox.top, Math.max(2, width), 3 * devicePixelRatio)
      const { word } = modeWords(mode)
      if (ctx.measureText(word).width + 6 < width) ctx.fillText(word, left + 4, bbox.top + bbox.height - 6)
    }
    ctx.restore()
  }

  /** What stands under the pointer. @param {uPlot} plot */
  #read(plot) {
    const i = plot.cursor.idx
    const [at, count, atMost, capacity] = plot.data.map(column =>
      i === undefined || i === null ? undefined : column[i],
    )
    if (at === undefined || at === null) return put(this.#reading, '')
    const what = count === null ? 'nobody watched' : `${count} inside, at most ${atMost}, limit ${capacity}`
    put(this.#reading, `${clock(at * 1000)}: ${what}`)
  }
}

/** @param {string} computed rgb(…) */
function faint(computed) {
  return computed.replace(/^rgb\((.*)\)$/, 'rgba($1, 0.16)')
}

/** @param {...([string, string] | Node)} keys */
function legend(...keys) {
  const items = keys.map(key => (Array.isArray(key) ? make('span', { class: `key ${key[0]}` }, key[1]) : key))
  return make('p', { class: 'small legend' }, ...items)
}
