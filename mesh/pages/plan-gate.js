// @ts-check
// Plan gate: one gate as it is drawn on the plan: its tokens in a disc, a ring for its share of all free tokens, what comes
// and goes, and its state by symbol and word.

import { attribute, put } from './dom.js'
import { draw } from './drawing.js'
import { gateName, gateWords, inPerMinute, rate, ratesOf } from './words.js'

/** @typedef {import('../window/mall-report.ts').GateReport} GateReport */
/** @typedef {import('../window/mall-report.ts').MallReport} MallReport */
/** How much fits. @typedef {{ radius: number, chars: number, hasRates: boolean, hasLabels: boolean, start: string }} Room */

/**
 * Where its words stand: those of neighbours on another wall shall not meet them.
 * @typedef {'below' | 'above' | 'right' | 'left'} Side
 */

const RING = 3.5

export class PlanGate {
  node
  #parts

  constructor() {
    const [ring, disc] = [draw('circle', { class: 'ring' }), draw('circle', { class: 'disc' })]
    const share = draw('circle', { class: 'share', transform: 'rotate(-90)' })
    const [tokens, mark, name, below] = ['tokens', 'mark', 'name', 'below'].map(kind => draw('text', { class: kind }))
    const spot = draw('circle', { class: 'spot', r: 7.5 })
    const title = draw('title')
    this.node = draw(
      'g',
      { class: 'plan-gate', role: 'img' },
      title,
      disc,
      ring,
      share,
      tokens,
      spot,
      mark,
      name,
      below,
    )
    this.#parts = { ring, share, disc, tokens, spot, mark, name, below, title }
  }

  /** @param {GateReport} gate @param {{ report: MallReport, room: Room, free: number, side: Side }} a */
  show(gate, { report, room, free, side }) {
    const { ring, share, disc, tokens, spot, mark, name, below, title } = this.#parts
    const { radius } = room
    const said = gateWords(gate, report)
    const isGood = said.tone === 'good'
    this.node.dataset.tone = said.tone
    this.node.classList.toggle('unheard', !gate.isReachable)
    this.node.classList.toggle('small', radius < 18)
    attribute(disc, 'r', radius)
    for (const circle of [ring, share]) attribute(circle, 'r', radius + RING)
    const round = 2 * Math.PI * (radius + RING)
    const part = free > 0 ? Math.max(0, Math.min(1, gate.balance / free)) : 0
    attribute(share, 'stroke-dasharray', `${(round * part).toFixed(1)} ${round.toFixed(1)}`)
    put(tokens, gate.balance)
    for (const node of [spot, mark]) {
      attribute(node, node === spot ? 'cx' : 'x', radius * 0.85)
      attribute(node, node === spot ? 'cy' : 'y', -radius * 0.85)
    }
    put(mark, said.symbol)
    const isBeside = side === 'right' || side === 'left'
    const isTwo = room.hasRates || isBeside
    const first = isBeside ? -2 : side === 'below' ? radius + 16 : -radius - (isTwo ? 22 : 9)
    for (const [line, text] of [name, below].entries()) {
      attribute(text, 'x', isBeside ? (radius + 10) * (side === 'right' ? 1 : -1) : 0)
      attribute(text, 'y', first + 13 * line)
    }
    attribute(this.node, 'data-side', side)
    const short = gate.name.slice(room.start.length)
    put(name, cut(room.hasLabels ? (gate.label ? `${short} ${gate.label}` : gate.name) : short, room.chars))
    const rates = gate.rates === undefined ? '' : ratesOf(gate.rates)
    const second = isGood ? (isBad(gate.health) ? `! ${gate.health}` : rates) : said.word
    put(below, isTwo ? second : '')
    const words = wordsOf(gate, said)
    put(title, words)
    if (this.node.getAttribute('role') === 'img') attribute(this.node, 'aria-label', words)
  }
}

/** @param {string | undefined} health */
export function isBad(health) {
  return health !== undefined && !/^(ok|good|well|fine)$/i.test(health)
}

/** @param {GateReport} gate @param {import('./words.js').Said} said */
function wordsOf(gate, said) {
  const rates =
    gate.rates === undefined ? '' : `, ${rate(inPerMinute(gate.rates))} in and ${rate(gate.rates.exits)} out a minute`
  const health = gate.health === undefined ? '' : `, sensors ${gate.health}`
  return `${gateName(gate)}: ${said.text || said.word}, ${gate.balance} tokens${rates}${health}`
}

/** @param {string} text @param {number} max */
function cut(text, max) {
  return text.length > max ? `${text.slice(0, max - 1)}…` : text
}
