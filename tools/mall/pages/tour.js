// @ts-check
// Tour: five steps for somebody who has never seen this. Each points at a part of the page, does something real to the
// mall, and says what to watch; leaving a step undoes it, and ending the tour puts everything back.

import { make, put } from '../../../mesh/pages/dom.js'
import { look } from './drill.js'
import { STEPS } from './steps.js'

/** @typedef {Record<string, unknown>} Wish */
/**
 * `act` says what it did, or nothing where it could not.
 * @typedef {{
 *   act: (wish: Wish) => Promise<string | undefined>,
 *   gate: () => string | undefined,
 *   gates: () => readonly string[],
 *   over: () => void,
 * }} Guide
 */

const FOLLOW_MS = 300
const FACTS_MS = 1000
const ROOM = 12

export class Tour {
  #guide
  #at = -1
  #isBusy = false
  #ring = make('div', { class: 'tour-ring', hidden: true })
  #count = make('p', { class: 'soft small', id: 'tour-count' })
  #title = make('h2', { id: 'tour-title' })
  #text = make('p')
  #doing = make('p', { class: 'small calm strong' })
  #said = make('div', { id: 'tour-text', 'aria-live': 'polite' }, this.#text, this.#doing)
  #facts = make('p', { class: 'small tour-facts' })
  #back = make('button', { type: 'button', onclick: () => this.#go(this.#at - 1) }, 'Back')
  #next = make('button', { type: 'button', class: 'main', onclick: () => this.#go(this.#at + 1) })
  #undo = make('button', { type: 'button', onclick: () => this.#undoNow() })
  #end = make('button', { type: 'button', class: 'quiet', onclick: () => this.end() }, 'End')
  #card = make('div', {
    class: 'tour-card card',
    role: 'dialog',
    'aria-modal': 'true',
    'aria-labelledby': 'tour-title',
    'aria-describedby': 'tour-text',
  })
  /** @type {number[]} */
  #timers = []
  /** what this step does was done, and not undone since */
  #isDone = false
  /** counts how often somebody wanted to be elsewhere: what is under way for an earlier wish stops at its next turn */
  #turn = 0

  /** @param {Guide} guide */
  constructor(guide) {
    this.#guide = guide
    const steps = make('div', { class: 'row' }, this.#back, this.#next, this.#undo)
    const row = make('div', { class: 'bar tour-row' }, steps, this.#end)
    this.#card.append(this.#count, this.#title, this.#said, this.#facts, row)
  }

  get isOn() {
    return this.#at >= 0
  }

  start() {
    if (this.isOn) return
    this.#at = 0
    document.body.append(this.#ring, this.#card)
    this.#timers = [setInterval(() => this.#place(), FOLLOW_MS), setInterval(() => this.#tellFacts(), FACTS_MS)]
    window.addEventListener('scroll', this.#place, { passive: true })
    window.addEventListener('resize', this.#place)
    document.addEventListener('keydown', this.#key)
    void this.#enter(++this.#turn)
  }

  /** Puts everything back, then goes; asked again meanwhile it goes at once, and the mall is put back all the same. */
  async end() {
    if (!this.isOn) return
    if (this.#card.classList.contains('ending')) return this.#close()
    const turn = ++this.#turn
    this.#busy(true)
    this.#card.classList.add('ending')
    for (const button of [this.#back, this.#next, this.#undo]) button.hidden = true
    put(this.#end, 'Close')
    this.#end.focus()
    put(this.#title, 'Putting everything back')
    put(this.#text, 'Everyone is started, cuts are healed, the re-arm is signed.')
    put(this.#doing, '…')
    await this.#guide.act({ do: 'calm' })
    if (turn === this.#turn) this.#close()
  }

  #close() {
    this.#turn++
    this.#at = -1
    this.#isDone = false
    this.#busy(false)
    for (const timer of this.#timers) clearInterval(timer)
    window.removeEventListener('scroll', this.#place)
    window.removeEventListener('resize', this.#place)
    document.removeEventListener('keydown', this.#key)
    this.#card.classList.remove('ending')
    for (const button of [this.#next, this.#end]) button.hidden = false
    put(this.#end, 'End')
    this.#card.remove()
    this.#ring.remove()
    this.#guide.over()
  }

  /** @param {number} to */
  async #go(to) {
    if (this.#isBusy || !this.isOn || to < 0) return
    const turn = ++this.#turn
    this.#busy(true)
    await this.#undoStep()
    if (turn !== this.#turn) return
    if (to >= STEPS.length) return this.end()
    this.#at = to
    await this.#enter(turn)
  }

  /** @param {number} turn */
  async #enter(turn) {
    const step = /** @type {import('./steps.js').Step} */ (STEPS[this.#at])
    const gates = this.#guide.gates()
    const gate = this.#guide.gate() ?? gates[0] ?? 'gate-01'
    put(this.#count, `Step ${this.#at + 1} of ${STEPS.length}`)
    put(this.#title, step.title)
    put(this.#text, step.text(gate))
    put(this.#doing, '')
    put(this.#next, this.#at === STEPS.length - 1 ? 'Finish' : 'Next')
    put(this.#undo, step.undoWords ?? '')
    put(this.#facts, '')
    this.#back.hidden = this.#at === 0
    this.#undo.hidden = true
    this.#show()
    this.#busy(true)
    this.#isDone = true
    const said = []
    for (const wish of step.acts(gate, gates)) {
      said.push((await this.#guide.act(wish)) ?? 'that did not work: see the panel')
      if (turn !== this.#turn) return
    }
    put(this.#doing, `→ ${said.join('; ')}`)
    this.#undo.hidden = step.undoWords === undefined
    this.#busy(false)
    await this.#tellFacts()
  }

  /** The part that is talked about, into sight. */
  #show() {
    const isCalm = matchMedia('(prefers-reduced-motion: reduce)').matches
    const isNarrow = matchMedia('(max-width: 48rem)').matches
    const block = isNarrow ? 'start' : 'center'
    this.#part()?.scrollIntoView({ block, behavior: isCalm ? 'auto' : 'smooth' })
    this.#place()
    this.#next.focus()
  }

  async #undoNow() {
    if (this.#isBusy) return
    const turn = ++this.#turn
    this.#busy(true)
    const said = await this.#undoStep()
    if (turn !== this.#turn) return
    this.#busy(false)
    put(this.#doing, said)
    this.#undo.hidden = true
    this.#next.focus()
  }

  async #undoStep() {
    const step = STEPS[this.#at]
    if (step === undefined || !this.#isDone) return ''
    this.#isDone = false
    put(this.#doing, 'Putting it back …')
    const said = []
    for (const wish of step.undoes(this.#guide.gate() ?? '')) said.push((await this.#guide.act(wish)) ?? '')
    return said.length === 0 ? '' : `→ ${said.join('; ')}`
  }

  /** @param {boolean} isBusy */
  #busy(isBusy) {
    this.#isBusy = isBusy
    for (const button of [this.#back, this.#next, this.#undo]) button.setAttribute('aria-disabled', String(isBusy))
    this.#card.setAttribute('aria-busy', String(isBusy))
  }

  async #tellFacts() {
    const report = await look('/mall')
    if (!this.isOn || report === undefined) return
    const { occupancy, me, mode } = report
    const { count, atMost, capacity } = occupancy
    const range = atMost > count ? `proved ${count} to ${atMost}` : `proved exactly ${count}`
    const alarm = mode === 'NORMAL' ? '' : ` ${mode}.`
    put(
      this.#facts,
      `Now: ${range} inside, limit ${capacity}.${alarm} Shown by ${me === 'anchor' ? 'the anchor' : me}.`,
    )
  }

  /** @returns {Element | undefined} */
  #part() {
    for (const selector of STEPS[this.#at]?.parts ?? []) {
      for (const found of document.querySelectorAll(selector)) {
        if (found.getClientRects().length > 0) return found
      }
    }
    return undefined
  }

  /** The ring around the part, the card in the corner that hides least of it; without a part the card is in the middle. */
  #place = () => {
    if (!this.isOn) return
    const rect = this.#part()?.getBoundingClientRect()
    this.#ring.hidden = rect === undefined
    const { width, height } = this.#card.getBoundingClientRect()
    const room = { x: document.documentElement.clientWidth - width, y: window.innerHeight - height }
    if (rect === undefined) return at(this.#card, { left: room.x / 2, top: room.y / 2 })
    at(this.#ring, { left: rect.left - ROOM / 2, top: rect.top - ROOM / 2 })
    Object.assign(this.#ring.style, { width: `${rect.width + ROOM}px`, height: `${rect.height + ROOM}px` })
    const corners = [room.y - ROOM, ROOM].flatMap(top => [room.x - ROOM, ROOM].map(left => ({ left, top })))
    const hidden = corners.map(({ left, top }) => shared(rect, new DOMRect(left, top, width, height)))
    at(this.#card, corners[hidden.indexOf(Math.min(...hidden))] ?? { left: ROOM, top: ROOM })
  }

  /** Escape ends it wherever the focus is, but for an open dialog, which it closes. @param {KeyboardEvent} event */
  #key = event => {
    if (event.key === 'Escape' && document.querySelector('dialog[open]') === null) return void this.end()
    if (!this.#card.contains(document.activeElement)) return
    const buttons = [...this.#card.querySelectorAll('button')].filter(button => !button.hidden)
    const [first, last] = [buttons[0], buttons.at(-1)]
    if (event.key === 'ArrowRight') void this.#go(this.#at + 1)
    else if (event.key === 'ArrowLeft') void this.#go(this.#at - 1)
    else if (event.key === 'Tab' && event.shiftKey && document.activeElement === first) last?.focus()
    else if (event.key === 'Tab' && !event.shiftKey && document.activeElement === last) first?.focus()
    else return
    event.preventDefault()
  }
}

/** @param {HTMLElement} node @param {{ left: number, top: number }} place */
function at(node, { left, top }) {
  Object.assign(node.style, { left: `${Math.round(left)}px`, top: `${Math.round(top)}px` })
}

/** How much of two boxes is one and the same. @param {DOMRect} a @param {DOMRect} b */
function shared(a, b) {
  const wide = Math.min(a.right, b.right) - Math.max(a.left, b.left)
  const high = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top)
  return Math.max(0, wide) * Math.max(0, high)
}
