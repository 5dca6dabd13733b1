// @ts-check
// Building signals: what is read of the building, and which limits that asks for. A mall that reads none shows none.

import { make } from '../../mesh/pages/dom.js'
import { time } from './reading.js'

/** @typedef {import('./session.js').Session} Session */
/** @typedef {import('../bms/state.ts').BmsState} State */

const EVERY_MS = 3000

/** @type {Record<string, string>} */
const STANDING = {
  'in-force': 'in force',
  proposed: 'waits for signatures',
  declined: 'operators decided otherwise',
  waiting: 'about to be proposed',
}

/** @param {any} root @param {Session} session @returns {{ look: () => Promise<void> }} */
export function mountSignals(root, session) {
  let shown = ''
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer

  async function look() {
    clearTimeout(timer)
    if (!session.may('getSignals')) {
      root.hidden = true
      return
    }
    /** @type {State} */
    const state = await session.ask('GET', 'signals')
    root.hidden = state.sources.length === 0
    if (root.hidden) return
    show(state)
    timer = setTimeout(() => (document.hidden ? later() : look().catch(later)), EVERY_MS)
  }

  /** Nobody looks, or the anchor does not answer: what is shown may be old then, and the live view says so. */
  function later() {
    timer = setTimeout(() => (document.hidden ? later() : look().catch(later)), EVERY_MS)
  }

  /** @param {State} state */
  function show(state) {
    const seen = JSON.stringify(state)
    if (seen === shown) return
    shown = seen
    const { sources, rules, reserve } = state
    const kept = reserve.length === 0 ? 'No limit is in reserve.' : `In reserve: ${reserve.join(' and ')} people.`
    root.replaceChildren(
      make('h2', { id: 'signals-title' }, 'Building signals'),
      make('ul', { class: 'signals' }, ...sources.map(sourceNode), ...rules.map(ruleNode)),
      make('p', { class: 'soft small' }, kept),
    )
  }
  return { look }
}

/** @param {State['sources'][number]} source */
function sourceNode({ name, in: unit, value, at, isSilent, trouble }) {
  const what = value === undefined ? (isSilent ? 'silent' : 'not heard yet') : `${round(value)} ${unit}`
  const when = at === undefined ? '' : ` at ${time(at)}`
  const why = trouble === undefined ? '' : `; ${trouble}`
  return make(
    'li',
    {},
    make('strong', {}, name),
    ' ',
    make('span', isSilent ? { class: 'warn' } : {}, what),
    make('span', { class: 'soft small' }, `${when}${why}`),
  )
}

/** @param {State['rules'][number]} rule */
function ruleNode({ name, condition, demand, enact }) {
  const how = enact ? 'from the reserve, or by signature' : 'by signature'
  if (demand === undefined)
    return make('li', { class: 'soft' }, `${name}: well; ${condition} would lower the limit ${how}`)
  const { atMost, since, standing } = demand
  const what = `${condition}: at most ${atMost} people, ${STANDING[standing] ?? standing}`
  return make(
    'li',
    {},
    make('span', { class: 'warn' }, `${name}: ${what}`),
    make('span', { class: 'soft small' }, ` since ${time(since)}`),
  )
}

/** @param {number} value */
function round(value) {
  return Math.round(value * 100) / 100
}
