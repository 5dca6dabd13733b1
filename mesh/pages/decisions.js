// @ts-check
// Decisions: what became of people in the last minute, as bars with a number and a word each: of the mall, and of a gate.

import { make, put } from './dom.js'
import { KINDS, rate } from './words.js'

/** @typedef {import('../window/mall-report.ts').MallReport} MallReport */
/** @typedef {import('../window/mall-report.ts').Rates} Rates */

export function makeBars() {
  const rows = KINDS.map(([key, words, tone]) => {
    const number = make('dd', { 'data-kind': key })
    const fill = make('i', { class: `fill ${tone}` })
    const track = make('dd', { class: 'bar-track', 'aria-hidden': 'true' }, fill)
    return { key, number, fill, node: make('div', {}, make('dt', {}, words), track, number) }
  })
  const node = make('dl', { class: 'bars' }, ...rows.map(row => row.node))

  /** @param {Rates} rates */
  const show = rates => {
    const most = Math.max(1, ...rows.map(({ key }) => rates[key]))
    for (const { key, number, fill, node: line } of rows) {
      put(number, rate(rates[key]))
      fill.style.width = `${(rates[key] * 100) / most}%`
      line.classList.toggle('none', rates[key] === 0)
    }
  }
  return { node, show }
}

export function makeDecisions() {
  const bars = makeBars()
  const needless = make('p', { class: 'small soft', 'data-part': 'unnecessary' })
  const node = make(
    'section',
    { class: 'card decisions', 'aria-labelledby': 'live-decisions', 'data-part': 'decisions' },
    make('h2', { id: 'live-decisions' }, 'Decisions per minute'),
    bars.node,
    needless,
  )

  /** @param {MallReport} report */
  const show = ({ rates, gates }) => {
    bars.show(rates)
    const said = gates.filter(gate => gate.unnecessaryRejects !== undefined)
    const sum = said.reduce((total, gate) => total + (gate.unnecessaryRejects ?? 0), 0)
    put(needless, `Turned away though another gate could have helped: ${said.length === 0 ? 'not known' : sum}`)
  }
  return { node, show }
}
