// @ts-check
// Plan: the mall from above, drawn simply: its gates where they stand, the anchor in the middle, tokens flying between them.
// Drawn in the pixels it has, so that letters are as big on a phone as on a wall.

import { ago, attribute, make, put } from './dom.js'
import { draw } from './drawing.js'
import { Flows } from './flows.js'
import { LabelForm } from './labels.js'
import { Moving } from './moving.js'
import { commonStart, placesOf, SIDE } from './places.js'
import { PlanGate } from './plan-gate.js'
import { memberWords } from './words.js'

/** @typedef {import('../window/mall-report.ts').MallReport} MallReport */
/** @typedef {import('./places.js').Place} Place */
/** @typedef {import('./plan-gate.js').Room} Room */
/** @typedef {{ place?: import('./moving.js').PlaceHand, label?: import('./labels.js').LabelHand }} PlanHands */

/** Room for what is written around a gate that stands on the wall. */
const PAD = { x: 36, top: 58, bottom: 56 }
/** As near to a wall as that a gate stands on it. */
const BY_WALL = 50

export class Plan {
  node
  #svg = draw('svg', { class: 'plan-drawing', role: 'group', 'aria-label': 'Floor plan with the gates' })
  #walls = draw('g', { class: 'walls' })
  #anchor = draw('g', { class: 'plan-anchor', role: 'img' })
  #anchorTexts = [draw('text', { class: 'tokens', y: -6 }), draw('text', { class: 'below', y: 13 })]
  #gates = draw('g')
  #caption = make('p', { class: 'soft small caption', 'data-part': 'last-flow' })
  #status = make('p', { class: 'small', role: 'status', 'data-part': 'plan-status' })
  #toggle = make('button', { type: 'button', class: 'small', 'aria-pressed': 'false', hidden: true }, 'Edit positions')
  #help = make('p', { class: 'soft small', hidden: true })
  #flows = new Flows(name => this.#pointOf(name))
  #moving
  #labels = new LabelForm((text, isTrouble) => this.#say(text, isTrouble))
  /** @type {Map<string, PlanGate>} */
  #drawn = new Map()
  /** @type {Map<string, Place>} */
  #places = new Map()
  /** @type {MallReport | undefined} */
  #report
  #width = 0
  #height = 0

  constructor() {
    this.#moving = new Moving({
      placeOf: gate => this.#places.get(gate),
      atPointer: event => this.#atPointer(event),
      moved: gate => this.#moved(gate),
      say: (text, isTrouble) => this.#say(text, isTrouble),
    })
    this.#toggle.addEventListener('click', () => this.#switch(!this.#moving.isOn))
    this.#anchor.append(draw('rect', { x: -38, y: -20, width: 76, height: 40, rx: 8 }), ...this.#anchorTexts)
    this.#svg.append(this.#walls, this.#anchor, this.#gates)
    const sheet = make('div', { class: 'sheet' }, this.#svg, this.#flows.node)
    const head = make('div', { class: 'bar' }, make('h2', { id: 'live-plan' }, 'Gates and tokens'), this.#toggle)
    this.node = make(
      'section',
      { class: 'card plan', 'aria-labelledby': 'live-plan', 'data-part': 'plan' },
      head,
      sheet,
      make('div', { class: 'under' }, this.#caption, this.#help, this.#labels.node, this.#status),
    )
    new ResizeObserver(([entry]) => this.#resize(entry?.contentRect)).observe(sheet)
  }

  /** @param {PlanHands} hands */
  setHands({ place, label }) {
    this.#moving.hand = place
    this.#labels.hand = label
    this.#toggle.hidden = place === undefined && label === undefined
    put(this.#toggle, place === undefined ? 'Edit labels' : 'Edit positions')
    this.#switch(this.#moving.isOn && !this.#toggle.hidden)
  }

  /** @param {MallReport} report */
  show(report) {
    this.#report = report
    if (this.#width === 0) return
    const { gates, anchor } = report
    const reported = placesOf(gates, this.#wide)
    this.#places = new Map([...reported].map(([name, place]) => [name, this.#moving.heldAt(name, place) ?? place]))
    const room = this.#room(gates.map(({ name }) => name))
    const free = gates.reduce((sum, { balance }) => sum + Math.max(0, balance), Math.max(0, anchor.balance))
    for (const gate of gates) {
      const drawn = this.#drawn.get(gate.name) ?? this.#add(gate.name)
      drawn.show(gate, { report, room, free, side: sideOf(this.#places.get(gate.name)) })
      this.#stand(gate.name)
    }
    for (const [name, { node }] of this.#drawn) {
      if (reported.has(name)) continue
      node.remove()
      this.#drawn.delete(name)
    }
    this.#showAnchor(report)
    this.#labels.show(gates)
    this.#flows.show(report.flows)
    this.#showLast(report)
  }

  /** @param {string} name */
  #add(name) {
    const drawn = new PlanGate()
    drawn.node.setAttribute('data-gate', name)
    this.#drawn.set(name, drawn)
    this.#moving.attach(drawn.node, name)
    drawn.node.addEventListener('focus', () => this.#labels.choose(name))
    this.#gates.append(drawn.node)
    return drawn
  }

  /** @param {MallReport} report */
  #showAnchor({ anchor }) {
    const [tokens, below] = this.#anchorTexts
    put(tokens, anchor.balance)
    const word = anchor.isFresh ? 'anchor' : anchor.ageMs === null ? '? never heard' : '? away'
    put(below, word)
    this.#anchor.classList.toggle('unheard', !anchor.isFresh)
    const where = anchor.isFresh ? 'there' : 'away'
    attribute(this.#anchor, 'aria-label', `Anchor: ${where}, keeps ${anchor.balance} tokens`)
    const { x, y } = this.#middle()
    attribute(this.#anchor, 'transform', `translate(${x} ${y})`)
  }

  /** @param {MallReport} report */
  #showLast({ flows, at }) {
    const last = flows.at(-1)
    if (last === undefined) return put(this.#caption, 'No tokens were seen to move yet.')
    const { amount, from, to } = last
    const what = `${amount} ${amount === 1 ? 'token' : 'tokens'}`
    put(this.#caption, `Last move: ${what} from ${memberWords(from)} to ${memberWords(to)}, ${ago(at - last.at)}`)
  }

  /** @param {string} name */
  #stand(name) {
    const node = this.#drawn.get(name)?.node
    const point = this.#pointOf(name)
    if (node === undefined || point === undefined) return
    attribute(node, 'transform', `translate(${point.x.toFixed(1)} ${point.y.toFixed(1)})`)
    this.#moving.show(node, name)
  }

  /** @param {string} name */
  #moved(name) {
    const gate = this.#report?.gates.find(one => one.name === name)
    const place = placesOf(this.#report?.gates ?? [], this.#wide).get(name)
    if (gate === undefined || place === undefined) return
    this.#places.set(name, this.#moving.heldAt(name, place) ?? place)
    this.#stand(name)
  }

  /** @param {boolean} isOn */
  #switch(isOn) {
    this.#moving.isOn = isOn
    this.#labels.setOn(isOn)
    attribute(this.#toggle, 'aria-pressed', String(isOn))
    this.#svg.classList.toggle('editing', isOn && this.#moving.hand !== undefined)
    this.#help.hidden = !isOn || this.#moving.hand === undefined
    put(
      this.#help,
      'Drag a gate, or go to it with Tab and move it with the arrow keys; Enter keeps it, Escape puts it back.',
    )
    if (!isOn) this.#say('', false)
    for (const name of this.#drawn.keys()) this.#stand(name)
  }

  /** @param {string} text @param {boolean} isTrouble */
  #say(text, isTrouble) {
    put(this.#status, text)
    this.#status.className = `small ${isTrouble ? 'bad strong' : 'soft'}`
  }

  /** @param {DOMRectReadOnly | undefined} box */
  #resize(box) {
    if (box === undefined || box.width < 1 || box.height < 1) return
    this.#width = Math.round(box.width)
    this.#height = Math.round(box.height)
    attribute(this.#svg, 'viewBox', `0 0 ${this.#width} ${this.#height}`)
    this.#flows.resize(this.#width, this.#height)
    this.#build()
    if (this.#report !== undefined) this.show(this.#report)
  }

  /** The outer wall, the ways through, and the court in the middle. */
  #build() {
    const [a, b] = [this.#toPoint({ x: 0, y: 0 }), this.#toPoint({ x: SIDE, y: SIDE })]
    const [width, height] = [b.x - a.x, b.y - a.y]
    const { x, y } = this.#middle()
    const way = Math.min(width, height) / 7
    this.#walls.replaceChildren(
      draw('rect', { class: 'wall', x: a.x, y: a.y, width, height, rx: 10 }),
      draw('rect', { class: 'way', x: a.x + 2, y: y - way / 2, width: width - 4, height: way }),
      draw('rect', { class: 'way', x: x - way / 2, y: a.y + 2, width: way, height: height - 4 }),
      draw('ellipse', { class: 'way', cx: x, cy: y, rx: width / 5, ry: height / 5 }),
    )
  }

  /** @param {readonly string[]} names @returns {Room} */
  #room(names) {
    const around = 2 * (this.#width - 2 * PAD.x + this.#height - PAD.top - PAD.bottom)
    const each = around / Math.max(1, names.length)
    const start = commonStart(names)
    if (each >= 95) return { radius: 21, chars: 15, hasRates: true, hasLabels: true, start }
    const isTight = each < 56
    return { radius: isTight ? 11 : 14, chars: 9, hasRates: !isTight, hasLabels: false, start }
  }

  get #wide() {
    return (this.#width - 2 * PAD.x) / Math.max(1, this.#height - PAD.top - PAD.bottom)
  }

  #middle() {
    return this.#toPoint({ x: SIDE / 2, y: SIDE / 2 })
  }

  /** @param {string} name */
  #pointOf(name) {
    if (name === 'anchor') return this.#middle()
    const place = this.#places.get(name)
    return place === undefined ? undefined : this.#toPoint(place)
  }

  /** @param {Place} place */
  #toPoint({ x, y }) {
    return {
      x: PAD.x + (x / SIDE) * (this.#width - 2 * PAD.x),
      y: PAD.top + (y / SIDE) * (this.#height - PAD.top - PAD.bottom),
    }
  }

  /** @param {PointerEvent} event */
  #atPointer({ clientX, clientY }) {
    const box = this.#svg.getBoundingClientRect()
    return {
      x: ((clientX - box.left - PAD.x) / (this.#width - 2 * PAD.x)) * SIDE,
      y: ((clientY - box.top - PAD.top) / (this.#height - PAD.top - PAD.bottom)) * SIDE,
    }
  }
}

/** @param {Place | undefined} place @returns {import('./plan-gate.js').Side} */
function sideOf(place) {
  if (place === undefined) return 'below'
  if (place.y <= BY_WALL) return 'above'
  if (place.y >= SIDE - BY_WALL) return 'below'
  return place.x <= BY_WALL ? 'right' : place.x >= SIDE - BY_WALL ? 'left' : 'below'
}
