// @ts-check
// Tiles: a card for each gate: what state it is in, in plain words, what it holds, and who comes and goes.

import { makeBars } from './decisions.js'
import { ago, attribute, keep, make, put } from './dom.js'
import { isBad } from './plan-gate.js'
import { gateName, gateWords, ratesOf } from './words.js'

/** @typedef {import('../window/mall-report.ts').MallReport} MallReport */
/** @typedef {import('../window/mall-report.ts').GateReport} GateReport */

/** More than that and each gets less room. */
const ROOMY_MAX = 12

class Tile {
  node
  #title = make('h3')
  #state = make('span', { class: 'badge', 'data-part': 'state' })
  #words = make('p', { class: 'words', 'data-part': 'words' })
  #facts = make('p', { class: 'small soft facts', 'data-part': 'facts' })
  /** @type {Record<string, [any, any]>} */
  #cells = {}
  #bars = makeBars()
  #details
  /** @type {GateReport | undefined} */
  #gate

  constructor() {
    const names = ['tokens', 'today', 'rates']
    const cells = names.map(name => {
      const cell = /** @type {[any, any]} */ ([make('dt'), make('dd', { 'data-part': name })])
      this.#cells[name] = cell
      return make('div', {}, ...cell)
    })
    this.#details = make(
      'details',
      { ontoggle: () => this.#showBars() },
      make('summary', { class: 'small' }, 'More'),
      this.#bars.node,
    )
    this.node = make(
      'article',
      { class: 'card gate' },
      make('div', { class: 'head' }, this.#title, this.#state),
      this.#words,
      make('dl', { class: 'cells' }, ...cells),
      make('div', { class: 'foot' }, this.#details, this.#facts),
    )
  }

  /** @param {GateReport} gate @param {MallReport} report */
  show(gate, report) {
    this.#gate = gate
    const said = gateWords(gate, report)
    put(this.#title, gate.label || gate.name)
    attribute(this.#title, 'title', gateName(gate))
    put(this.#state, `${said.symbol} ${said.word}`)
    this.#state.className = `badge ${said.tone}`
    attribute(this.node, 'data-tone', said.tone)
    this.node.classList.toggle('unheard', !gate.isReachable)
    const words = [said.text, isBad(gate.health) ? `sensors: ${gate.health}` : '']
      .filter(text => text !== '')
      .join('; ')
    put(this.#words, words)
    this.#words.hidden = words === ''
    this.#words.className = `words ${said.tone === 'good' ? 'warn' : said.tone}`
    this.#count('tokens', 'tokens', String(gate.balance))
    const { admitted, forced, lapsed, exited } = gate.counters
    const [come, gone] = gate.today ? [gate.today.in, gate.today.out] : [admitted + forced - lapsed, exited]
    const when = gate.today === undefined ? 'so far' : gate.today.isPart ? 'seen' : 'today'
    this.#count('today', `in/out ${when}`, `+${come} −${gone}`)
    this.#count('rates', 'per min', ratesOf(gate.rates))
    put(this.#facts, factsOf(gate, report.me))
    this.#details.hidden = gate.rates === undefined
    this.#showBars()
  }

  /** @param {string} name @param {string} words @param {string} value */
  #count(name, words, value) {
    const [dt, dd] = /** @type {[any, any]} */ (this.#cells[name])
    put(dt, words)
    put(dd, value)
  }

  /** Nobody looks into most of them. */
  #showBars() {
    if (this.#details.open && this.#gate?.rates !== undefined) this.#bars.show(this.#gate.rates)
  }
}

/** @param {GateReport} gate @param {string} me */
function factsOf(gate, me) {
  const facts = gate.label ? [gate.name] : []
  facts.push(gate.name === me ? 'this gate' : gate.ageMs === null ? 'never heard' : `heard ${ago(gate.ageMs)}`)
  if (gate.queue) facts.push(`about ${Math.round(gate.queue)} waiting, estimate`)
  else if (gate.waiting) facts.push(`${gate.waiting} at the arm`)
  if (gate.inFlight > 0) facts.push(`${gate.inFlight} tokens on the way`)
  if (gate.unnecessaryRejects) facts.push(`${gate.unnecessaryRejects} turned away needlessly`)
  return facts.join(' · ')
}

export function makeTiles() {
  const list = make('div', { class: 'tiles-list', 'data-part': 'gates' })
  const node = make(
    'section',
    { class: 'tiles', 'aria-labelledby': 'live-gates' },
    make('h2', { id: 'live-gates', class: 'unseen' }, 'Gates'),
    list,
  )
  /** @type {WeakMap<Element, Tile>} */
  const tiles = new WeakMap()

  /** @param {MallReport} report */
  const show = report => {
    list.classList.toggle('many', report.gates.length > ROOMY_MAX)
    keep(list, report.gates, {
      key: gate => gate.name,
      make: () => {
        const tile = new Tile()
        tiles.set(tile.node, tile)
        return tile.node
      },
      show: (tile, gate) => tiles.get(tile)?.show(gate, report),
    })
  }
  return { node, show }
}
