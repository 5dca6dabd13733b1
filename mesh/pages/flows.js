// @ts-check
// Flows: tokens seen going from one member to another, as dots that fly.
//
// Law: however long and however much flows, there are never more than so many, and nothing is painted while nothing flies.
// They are painted and not laid out: eighty moving elements would cost a wall screen its frames. Who asked for less motion
// sees the way light up instead.

import { colour } from './colours.js'
import { make } from './dom.js'

/** @typedef {import('../window/mall-report.ts').Flow} Flow */
/** @typedef {{ x: number, y: number }} Point */
/** @typedef {{ from: Point, bend: Point, to: Point, words: string, startAt: number }} Flight */

const AT_ONCE_MAX = 80
const FLIGHT_MS = 1100
const FADE_MS = 500
/** Reports come every half second: what they bring together is spread over that. */
const SPREAD_MS = 450
/** Ways begin and end beside a gate: what is written on it stays readable. */
const BESIDE = 27
/** How far a way bends to the side: there and back are two ways. */
const BEND = 0.14

const lessMotion = matchMedia('(prefers-reduced-motion: reduce)')

export class Flows {
  node = make('canvas', { class: 'plan-flights', 'aria-hidden': 'true', 'data-flying': 0 })
  #paper = this.node.getContext('2d')
  #pointOf
  /** @type {Flight[]} */
  #flying = []
  /** @type {number | undefined} */
  #seq
  #isPainting = false

  /** @param {(name: string) => Point | undefined} pointOf */
  constructor(pointOf) {
    this.#pointOf = pointOf
  }

  /** Those not seen before fly; what the first report brings is history. @param {readonly Flow[]} flows */
  show(flows) {
    const newest = flows.at(-1)?.seq ?? -1
    const seen = this.#seq
    this.#seq = newest
    // who counts from the beginning again has been started anew
    const fresh = seen === undefined || newest < seen ? [] : flows.filter(({ seq }) => seq > seen)
    // a hidden page paints no frames, and would show them all at once when it is looked at again
    if (document.hidden || fresh.length === 0) return
    const together = joined(fresh)
    const now = performance.now()
    const spread = lessMotion.matches ? 0 : SPREAD_MS / together.length
    for (const [i, flow] of together.entries()) this.#send(flow, now + i * spread)
    this.#paint(now)
  }

  /** The plan has another size: ways found before lead nowhere. @param {number} width @param {number} height */
  resize(width, height) {
    this.#flying = []
    this.node.width = width * devicePixelRatio
    this.node.height = height * devicePixelRatio
  }

  /** @param {Pick<Flow, 'from' | 'to' | 'amount'>} flow @param {number} startAt */
  #send({ from, to, amount }, startAt) {
    const [a, b] = [this.#pointOf(from), this.#pointOf(to)]
    if (a === undefined || b === undefined || from === to || this.#flying.length >= AT_ONCE_MAX) return
    const bend = { x: (a.x + b.x) / 2 + (b.y - a.y) * BEND, y: (a.y + b.y) / 2 - (b.x - a.x) * BEND }
    this.#flying.push({ from: toward(a, bend), bend, to: toward(b, bend), words: `+${amount}`, startAt })
    this.node.dataset.last = `${from} ${to} +${amount}`
  }

  /** Begins to paint, unless it does so already. @param {number} now */
  #paint(now) {
    if (this.#isPainting || this.#flying.length === 0) return
    this.#isPainting = true
    this.#frame(now)
  }

  /** @param {number} now */
  #frame(now) {
    this.#flying = this.#flying.filter(({ startAt }) => now - startAt <= FLIGHT_MS + FADE_MS)
    this.node.dataset.flying = this.#flying.length
    const paper = this.#paper
    paper.setTransform(devicePixelRatio, 0, 0, devicePixelRatio, 0, 0)
    paper.clearRect(0, 0, this.node.width, this.node.height)
    const colours = { dot: colour('--calm'), ground: colour('--ground') }
    paper.font = '700 12px system-ui, sans-serif'
    paper.textAlign = 'center'
    for (const flight of this.#flying) draw(paper, flight, now - flight.startAt, colours)
    this.#isPainting = this.#flying.length > 0
    if (!this.#isPainting) return
    const next = () => this.#frame(performance.now())
    // without motion there is nothing to see between its beginning and its end
    if (lessMotion.matches) setTimeout(next, FLIGHT_MS + FADE_MS)
    else requestAnimationFrame(next)
  }
}

/** @param {any} paper @param {Flight} flight @param {number} ms @param {{ dot: string, ground: string }} colours */
function draw(paper, { from, bend, to, words }, ms, { dot, ground }) {
  if (ms < 0) return
  const isStill = lessMotion.matches
  const flown = isStill ? 0.5 : Math.min(1, ms / FLIGHT_MS)
  const t = flown * flown * (3 - 2 * flown)
  const at = (/** @type {'x' | 'y'} */ axis) =>
    (1 - t) * (1 - t) * from[axis] + 2 * t * (1 - t) * bend[axis] + t * t * to[axis]
  const [x, y] = [at('x'), at('y')]
  const opacity = ms <= FLIGHT_MS || isStill ? 1 : Math.max(0, 1 - (ms - FLIGHT_MS) / FADE_MS)
  paper.globalAlpha = opacity * (isStill ? 1 : 0.45)
  paper.strokeStyle = dot
  paper.lineWidth = isStill ? 3 : 1.5
  paper.beginPath()
  paper.moveTo(from.x, from.y)
  paper.quadraticCurveTo(bend.x, bend.y, to.x, to.y)
  paper.stroke()
  paper.globalAlpha = opacity
  paper.fillStyle = dot
  if (!isStill) {
    paper.beginPath()
    paper.arc(x, y, 5, 0, 2 * Math.PI)
    paper.fill()
  }
  paper.strokeStyle = ground
  paper.lineWidth = 3
  paper.strokeText(words, x, y - 9)
  paper.fillText(words, x, y - 9)
}

/** Several on one way in one report go as one. @param {readonly Flow[]} flows */
function joined(flows) {
  /** @type {Map<string, { from: string, to: string, amount: number }>} */
  const ways = new Map()
  for (const { from, to, amount } of flows) {
    const way = ways.get(`${from} ${to}`)
    if (way === undefined) ways.set(`${from} ${to}`, { from, to, amount })
    else way.amount += amount
  }
  return [...ways.values()]
}

/** @param {Point} point @param {Point} goal */
function toward({ x, y }, goal) {
  const share = Math.min(1, BESIDE / (Math.hypot(goal.x - x, goal.y - y) || 1))
  return { x: x + (goal.x - x) * share, y: y + (goal.y - y) * share }
}
