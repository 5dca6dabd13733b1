// @ts-check
// Recount: a head count, held against what was counted at that moment.

import { clock, make, put } from '../../mesh/pages/dom.js'
import { openDeed } from './deed.js'
import { recountWords } from './preview.js'

/** @typedef {{ account: string, amount: number }} Reclaim */

/** @param {import('./deed.js').Bench} bench */
export async function openRecount(bench) {
  let held = await bench.session.ask('GET', 'occupancy')
  const counted = () => held.counted ?? held.count
  const found = make('input', { type: 'number', min: 0, max: 1_000_000, step: 1, required: true })
  const said = make('p', {})
  const take = make('button', { type: 'button', onclick: again }, 'Take the count anew')
  const boxes = reclaimBoxes(held.closed)
  const actual = () => (found.validity.valid && found.value !== '' ? Number(found.value) : undefined)
  tell()

  openDeed(bench, {
    title: 'Take in a head count',
    act: 'Sign the head count',
    reasons: ['head count at closing', 'head count at opening', 'monthly check'],
    fields: [
      make('div', { class: 'row' }, said, take),
      make('label', {}, 'People found inside', found),
      boxes.fieldset,
    ],
    wish: () => {
      const people = actual()
      if (people === undefined) return undefined
      const reclaim = boxes.chosen()
      const more = reclaim.length === 0 ? {} : { reclaim }
      return { kind: 'recount', actual: people, counted: counted(), at: held.at, ...more }
    },
    effect: () => {
      const people = actual()
      const now = bench.report()?.occupancy ?? held
      if (people === undefined) return []
      const reclaim = boxes.chosen().reduce((sum, { amount }) => sum + amount, 0)
      return recountWords(now, { actual: people, counted: counted(), reclaim })
    },
    done: ({ version }) => `The head count is taken in, as policy ${version}.`,
  })

  async function again() {
    held = await bench.session.ask('GET', 'occupancy')
    tell()
    found.dispatchEvent(new Event('input', { bubbles: true }))
  }

  function tell() {
    const most = held.atMost > held.count ? `, at most ${held.atMost}` : ''
    put(said, `Counted at ${clock(held.at, true)}: ${counted()} people${most}.`)
  }
}

/**
 * Tokens of accounts that nobody uses any more, to be put back into use.
 * @param {readonly Reclaim[]} closed
 */
export function reclaimBoxes(closed) {
  const boxes = closed.map(one => ({ one, box: make('input', { type: 'checkbox' }) }))
  const lines = boxes.map(({ one, box }) =>
    make('label', { class: 'line' }, box, `${one.amount} tokens of ${one.account}`),
  )
  const legend = make('legend', {}, 'Put back into use what closed accounts held')
  return {
    fieldset: closed.length === 0 ? undefined : make('fieldset', { class: 'stack' }, legend, ...lines),
    /** @returns {Reclaim[]} */
    chosen: () => boxes.filter(({ box }) => box.checked).map(({ one }) => one),
  }
}
