// @ts-check
// Moving: gates are put where they stand, by pointer or by arrow keys.
//
// Law: where a hand has put a gate it stays until that is kept, whatever reports say meanwhile; if it cannot be kept it goes
// back, and people are told why.

import { attribute } from './dom.js'
import { SIDE, within } from './places.js'

/** @typedef {import('./places.js').Place} Place */
/** @typedef {(gate: string, x: number, y: number) => Promise<unknown>} PlaceHand */
/** @typedef {{ at: Place, isSaved: boolean, until: number }} Held */

const STEP = 10
const LEAP = 50
/** The report brings what was kept within a second or two; if not, somebody else moved it since. */
const ECHO_MS = 5000
/** @type {Record<string, [number, number]>} */
const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }

export class Moving {
  /** @type {PlaceHand | undefined} */
  hand
  isOn = false
  /** @type {Map<string, Held>} */
  #held = new Map()
  #a

  /**
   * @param {{
   *   placeOf: (gate: string) => Place | undefined, atPointer: (event: any) => Place,
   *   moved: (gate: string) => void, say: (text: string, isTrouble: boolean) => void,
   * }} a
   */
  constructor(a) {
    this.#a = a
  }

  /** What a hand says, for as long as it does. @param {string} gate @param {Place | undefined} reported */
  heldAt(gate, reported) {
    const held = this.#held.get(gate)
    if (held === undefined) return undefined
    const isEcho = reported?.x === held.at.x && reported.y === held.at.y
    if (held.isSaved && (isEcho || performance.now() > held.until)) this.#held.delete(gate)
    return held.at
  }

  /** Can it be taken in hand now? @param {any} node @param {string} gate */
  show(node, gate) {
    const isMovable = this.isOn && this.hand !== undefined
    const { x, y } = this.#a.placeOf(gate) ?? { x: 0, y: 0 }
    // the nearest there is to something that arrow keys move
    attribute(node, 'role', isMovable ? 'slider' : 'img')
    attribute(node, 'tabindex', isMovable ? 0 : undefined)
    attribute(node, 'aria-valuenow', isMovable ? x : undefined)
    attribute(node, 'aria-valuemax', isMovable ? SIDE : undefined)
    attribute(node, 'aria-valuetext', isMovable ? `${x} from the left, ${y} from the top` : undefined)
    if (isMovable) attribute(node, 'aria-label', `Place of ${gate}`)
  }

  /** @param {any} node @param {string} gate */
  attach(node, gate) {
    node.addEventListener('pointerdown', (/** @type {PointerEvent} */ event) => {
      if (!this.isOn || this.hand === undefined) return
      event.preventDefault()
      node.focus()
      node.setPointerCapture(event.pointerId)
    })
    node.addEventListener('pointermove', (/** @type {PointerEvent} */ event) => {
      if (node.hasPointerCapture(event.pointerId)) this.#hold(gate, this.#a.atPointer(event))
    })
    // also where the browser took the pointer away, for a scroll or a call
    node.addEventListener('lostpointercapture', () => this.#save(gate))
    node.addEventListener('blur', () => this.#save(gate))
    node.addEventListener('keydown', (/** @type {KeyboardEvent} */ event) => this.#key(event, gate))
  }

  /** @param {KeyboardEvent} event @param {string} gate */
  #key(event, gate) {
    const at = this.#a.placeOf(gate)
    if (!this.isOn || this.hand === undefined || at === undefined) return
    const arrow = ARROWS[event.key]
    if (arrow !== undefined) {
      const step = event.shiftKey ? LEAP : STEP
      this.#hold(gate, { x: at.x + arrow[0] * step, y: at.y + arrow[1] * step })
    } else if (event.key === 'Enter') this.#save(gate)
    else if (event.key === 'Escape') this.#drop(gate)
    else return
    event.preventDefault()
  }

  /** @param {string} gate @param {Place} place */
  #hold(gate, place) {
    this.#held.set(gate, { at: within(place), isSaved: false, until: Number.POSITIVE_INFINITY })
    this.#a.moved(gate)
  }

  /** @param {string} gate */
  #drop(gate) {
    this.#held.delete(gate)
    this.#a.moved(gate)
  }

  /** @param {string} gate */
  async #save(gate) {
    const held = this.#held.get(gate)
    if (held === undefined || held.isSaved || this.hand === undefined) return
    const { x, y } = held.at
    held.isSaved = true
    try {
      await this.hand(gate, x, y)
      held.until = performance.now() + ECHO_MS
      this.#a.say(`${gate} is kept at ${x} from the left, ${y} from the top.`, false)
    } catch (error) {
      if (this.#held.get(gate) === held) this.#drop(gate)
      this.#a.say(`${gate} was not moved: ${/** @type {Error} */ (error).message}`, true)
    }
  }
}
