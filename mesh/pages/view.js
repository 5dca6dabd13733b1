// @ts-check
// View: a mall, live: numbers, plan, the day, gates, decisions, alerts, and what happened. The same at every gate and at the
// anchor, which gives it hands for what a person logged in may do.
//
// Law: it is never silently old. Whatever is not told for three seconds is grey, and said to be old, in the title too.

import { Alerts } from './alerts.js'
import { Charts } from './charts.js'
import { makeDecisions } from './decisions.js'
import { make, put, span } from './dom.js'
import { makeFeed } from './feed.js'
import { Live } from './live.js'
import { makeNotes } from './notes.js'
import { makeNumbers, provedWords } from './numbers.js'
import { Plan } from './plan.js'
import { makeTiles } from './tiles.js'
import { modeWords } from './words.js'

/** @typedef {import('../window/mall-report.ts').MallReport} MallReport */
/**
 * What a person may do here; what is absent is not shown.
 * @typedef {{
 *   place?: (gate: string, x: number, y: number) => Promise<unknown>,
 *   label?: (gate: string, text: string) => Promise<unknown>,
 *   acknowledge?: (alert: string, note: string) => Promise<unknown>,
 * }} Hands
 */

/** @param {HTMLElement} root @param {{ events?: string, trend?: string }} [options] both relative to the page */
export function mountView(root, { events = 'events', trend = 'trend' } = {}) {
  return new View(root, { events, trend })
}

class View {
  /** @type {MallReport | undefined} */
  report
  #live
  #root
  #plan = new Plan()
  #alerts = new Alerts()
  #charts
  #banners = makeBanners()
  /** @type {Set<(report: MallReport) => void>} */
  #reportHearers = new Set()
  /** @type {Set<(isStale: boolean, silentMs: number) => void>} */
  #staleHearers = new Set()
  #parts

  /** @param {HTMLElement} root @param {{ events: string, trend: string }} a */
  constructor(root, { events, trend }) {
    this.#root = root
    this.#charts = new Charts(trend)
    const [numbers, tiles, decisions, feed, notes] = [
      makeNumbers(),
      makeTiles(),
      makeDecisions(),
      makeFeed(),
      makeNotes(),
    ]
    const side = [this.#alerts, decisions, feed, notes]
    // the numbers first: they are shown even where something below them cannot be
    this.#parts = [numbers, this.#plan, this.#charts, tiles, ...side]
    const beside = make('div', { class: 'side' }, ...side.map(({ node }) => node))
    const grid = make(
      'div',
      { class: 'live-grid' },
      numbers.node,
      this.#plan.node,
      this.#charts.node,
      tiles.node,
      beside,
    )
    root.classList.add('live')
    root.append(this.#banners.node, grid)
    this.#charts.start()
    this.#live = new Live(events, {
      heard: report => this.#heard(report),
      silent: (isStale, silentMs) => this.#silent(isStale, silentMs),
    })
    this.#live.start()
  }

  get isStale() {
    return this.#live.isStale
  }

  /** @param {(report: MallReport) => void} hearer @returns {() => void} which ends it */
  onReport(hearer) {
    this.#reportHearers.add(hearer)
    if (this.report !== undefined) hearer(this.report)
    return () => this.#reportHearers.delete(hearer)
  }

  /** Told again and again while it is stale, once when it ends. @param {(isStale: boolean, silentMs: number) => void} hearer */
  onStale(hearer) {
    this.#staleHearers.add(hearer)
    return () => this.#staleHearers.delete(hearer)
  }

  /** @param {Hands} hands */
  setHands({ place, label, acknowledge }) {
    this.#plan.setHands({ ...(place ? { place } : {}), ...(label ? { label } : {}) })
    this.#alerts.setHand(acknowledge)
  }

  /** @param {MallReport} report */
  #heard(report) {
    this.report = report
    this.#root.dataset.mode = report.mode
    this.#banners.showMode(report)
    for (const part of this.#parts) part.show(report)
    this.#title(false)
    for (const hearer of this.#reportHearers) hearer(report)
  }

  /** @param {boolean} isStale @param {number} silentMs */
  #silent(isStale, silentMs) {
    this.#root.classList.toggle('stale', isStale)
    this.#banners.showStale(isStale, silentMs, this.report)
    this.#title(isStale)
    for (const hearer of this.#staleHearers) hearer(isStale, silentMs)
  }

  /** @param {boolean} isStale */
  #title(isStale) {
    if (this.report === undefined) return
    const { occupancy, mall, mode } = this.report
    const alarm = mode === 'NORMAL' ? '' : `${modeWords(mode).word.toUpperCase()} · `
    const title = `${isStale ? '⚠ OLD · ' : ''}${alarm}${occupancy.count} / ${occupancy.capacity} · ${mall}`
    if (document.title !== title) document.title = title
  }
}

/** What must be seen first. Said aloud once; the figures beside it change without a word. */
function makeBanners() {
  const stale = make('p', { class: 'banner bad', 'data-part': 'stale', hidden: true })
  const staleAloud = make('p', { class: 'unseen', role: 'alert' })
  const alarm = make('strong', { role: 'alert' })
  const range = make('span')
  const mode = make('p', { class: 'banner bad mode-banner', 'data-part': 'emergency', hidden: true }, alarm, ' ', range)

  /** @param {MallReport} report */
  const showMode = ({ mode: name, occupancy }) => {
    mode.hidden = name === 'NORMAL'
    const { symbol, text } = modeWords(name)
    put(alarm, name === 'NORMAL' ? '' : `${symbol} ${text}.`)
    put(range, `People still inside, ${provedWords(occupancy)}.`)
  }

  /** @param {boolean} isStale @param {number} silentMs @param {MallReport | undefined} report */
  const showStale = (isStale, silentMs, report) => {
    stale.hidden = !isStale
    const what = report === undefined ? 'nothing is known yet' : 'what is below is old'
    put(stale, isStale ? `⚠ No word for ${span(silentMs)}: ${what}.` : '')
    put(staleAloud, isStale ? `No word any more: ${what}.` : '')
  }
  return { node: make('div', { class: 'banners' }, stale, staleAloud, mode), showMode, showStale }
}
