// @ts-check
// Labels: what people call a gate, changed by those who may.

import { doing, make } from './dom.js'

/** @typedef {(gate: string, text: string) => Promise<unknown>} LabelHand */
/** @typedef {{ name: string, label?: string }} Named */

export class LabelForm {
  node
  /** @type {LabelHand | undefined} */
  hand
  #select = make('select', {})
  #input = make('input', { maxlength: 40, autocomplete: 'off' })
  #names = ''
  /** @type {readonly Named[]} */
  #gates = []

  /** @param {(text: string, isTrouble: boolean) => void} say */
  constructor(say) {
    const save = doing(
      async event => {
        event.preventDefault()
        const [gate, text] = [this.#select.value, this.#input.value.trim()]
        await this.hand?.(gate, text)
        say(text === '' ? `${gate} has no label now.` : `${gate} is called “${text}” now.`, false)
      },
      error => error && say(`The label was not kept: ${error.message}`, true),
    )
    this.#select.addEventListener('change', () => this.#fill())
    this.node = make(
      'form',
      { class: 'row labels', onsubmit: save, hidden: true },
      make('label', { class: 'line' }, 'Gate', this.#select),
      make('label', { class: 'line' }, 'is called', this.#input),
      make('button', { type: 'submit' }, 'Keep label'),
    )
  }

  /** @param {boolean} isOn */
  setOn(isOn) {
    const isShown = isOn && this.hand !== undefined
    if (isShown && this.node.hidden) this.#fill()
    this.node.hidden = !isShown
  }

  /** @param {readonly Named[]} gates */
  show(gates) {
    this.#gates = gates
    const names = gates.map(({ name }) => name).join(' ')
    if (names === this.#names) return
    this.#names = names
    const chosen = this.#select.value
    this.#select.replaceChildren(...gates.map(({ name }) => make('option', {}, name)))
    if (gates.some(({ name }) => name === chosen)) this.#select.value = chosen
    else this.#fill()
  }

  /** @param {string} name */
  choose(name) {
    if (this.#select.value === name) return
    this.#select.value = name
    this.#fill()
  }

  #fill() {
    this.#input.value = this.#gates.find(({ name }) => name === this.#select.value)?.label ?? ''
  }
}
