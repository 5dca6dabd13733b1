// @ts-check
// Offer: a line at the top of the page, for somebody who has never been here.

import { make } from '../../../mesh/pages/dom.js'

const SEEN_KEY = 'gatemesh-tour'
const WORDS = 'New here? Five steps show in a minute what this does: on this mall, with its real processes.'

export class Offer {
  #node = make('section', { class: 'tour-offer', 'aria-label': 'Tour' })

  /** @param {() => unknown} start */
  constructor(start) {
    const yes = make('button', { type: 'button', class: 'main', onclick: start }, 'Start the tour')
    const no = make('button', { type: 'button', class: 'quiet', onclick: () => this.over() }, 'Not now')
    this.#node.append(make('p', {}, WORDS), make('div', { class: 'row' }, yes, no))
  }

  /** At the first visit only. */
  show() {
    if (localStorage.getItem(SEEN_KEY) === null) document.body.prepend(this.#node)
  }

  over() {
    localStorage.setItem(SEEN_KEY, 'seen')
    this.#node.remove()
  }
}
