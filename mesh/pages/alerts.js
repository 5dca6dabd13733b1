// @ts-check
// Alerts: what is open, worst first, since when, and who has said that he sees to it.

import { clock, doing, keep, make, put, span } from './dom.js'
import { severityWords } from './words.js'

/** @typedef {import('../window/mall-report.ts').MallReport} MallReport */
/** @typedef {import('../window/mall-report.ts').AlertReport} AlertReport */
/** @typedef {(alert: string, note: string) => Promise<unknown>} AcknowledgeHand */

export class Alerts {
  node
  #list = make('ul', { class: 'plain', 'data-part': 'alerts' })
  #count = make('span', { class: 'soft' })
  #none = make('p', { class: 'soft' }, 'No open alerts.')
  #more = make('p', { class: 'soft small' })
  /** @type {AcknowledgeHand | undefined} */
  #hand
  /** @type {MallReport | undefined} */
  #report

  constructor() {
    this.node = make(
      'section',
      { class: 'card alerts', 'aria-labelledby': 'live-alerts' },
      make('h2', { id: 'live-alerts' }, 'Open alerts ', this.#count),
      this.#none,
      this.#list,
      this.#more,
    )
  }

  /** @param {AcknowledgeHand | undefined} hand */
  setHand(hand) {
    this.#hand = hand
    if (this.#report !== undefined) this.show(this.#report)
  }

  /** @param {MallReport} report */
  show(report) {
    this.#report = report
    const { open, more } = report.alerts
    put(this.#count, open.length + more > 0 ? `(${open.length + more})` : '')
    this.#none.hidden = open.length > 0
    this.#more.hidden = more === 0
    put(this.#more, `and ${more} more`)
    keep(this.#list, open, {
      key: alert => alert.id,
      make: alert => this.#make(alert),
      show: (node, alert) => this.#showOne(node, alert, report.at),
    })
  }

  /** @param {AlertReport} alert */
  #make({ id, severity, code, subject }) {
    const { symbol, word, tone } = severityWords(severity)
    const name = [titleOf(code), subject].filter(text => text !== '').join(', ')
    const form = this.#form(id)
    const ask = make(
      'button',
      { type: 'button', class: 'small ask', 'aria-label': `Acknowledge: ${name}`, 'aria-expanded': 'false' },
      'Acknowledge',
    )
    ask.addEventListener('click', () => {
      form.hidden = !form.hidden
      ask.setAttribute('aria-expanded', String(!form.hidden))
      if (!form.hidden) form.querySelector('input').focus()
    })
    return make(
      'li',
      { 'data-tone': tone },
      make(
        'div',
        { class: 'head' },
        make('span', { class: `badge ${tone}` }, `${symbol} ${word}`),
        make('strong', {}, name),
      ),
      make('p', { class: 'detail' }),
      make('p', { class: 'small soft since' }),
      make('p', { class: 'small seen', hidden: true }),
      ask,
      form,
    )
  }

  /** @param {string} id */
  #form(id) {
    const note = make('input', { maxlength: 200, autocomplete: 'off' })
    const trouble = make('p', { class: 'small bad', role: 'alert' })
    const send = doing(
      async event => {
        event.preventDefault()
        await this.#hand?.(id, note.value.trim())
        form.hidden = true
      },
      error => put(trouble, error === undefined ? '' : `Not acknowledged: ${error.message}`),
    )
    const form = make(
      'form',
      { class: 'row', hidden: true, onsubmit: send },
      make('label', {}, 'Note (may be left out)', note),
      make('button', { type: 'submit', class: 'main small' }, 'I see to it'),
      trouble,
    )
    return form
  }

  /** @param {any} node @param {AlertReport} alert @param {number} now */
  #showOne(node, { detail, at, acknowledged }, now) {
    const find = (/** @type {string} */ kind) => node.querySelector(kind)
    put(find('.detail'), detail)
    put(find('.since'), `since ${clock(at)}, for ${span(Math.max(0, now - at))}`)
    const seen = find('.seen')
    seen.hidden = acknowledged === undefined
    if (acknowledged !== undefined) {
      const { by, at: when, note } = acknowledged
      put(seen, `✓ acknowledged by ${by} at ${clock(when)}${note ? `: ${note}` : ''}`)
    }
    const mayAsk = acknowledged === undefined && this.#hand !== undefined
    find('.ask').hidden = !mayAsk
    if (!mayAsk) find('form').hidden = true
  }
}

/** `gate-silent` is written `Gate silent`. @param {string} code */
function titleOf(code) {
  const words = code.toLowerCase().replaceAll(/[-_]+/g, ' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}
