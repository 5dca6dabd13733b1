// @ts-check
// Notes: what people wrote for each other on the board, newest first.

import { clock, keep, make } from './dom.js'

/** @typedef {import('../window/mall-report.ts').MallReport} MallReport */

const SHOWN_MAX = 20

export function makeNotes() {
  const list = make('ul', { class: 'plain notes-list', 'data-part': 'notes' })
  const node = make(
    'section',
    { class: 'card notes', 'aria-labelledby': 'live-notes', hidden: true },
    make('h2', { id: 'live-notes' }, 'Notes'),
    list,
  )

  /** @param {MallReport} report */
  const show = ({ notes }) => {
    node.hidden = notes.length === 0
    keep(list, notes.slice(0, SHOWN_MAX), {
      key: note => note.id,
      make: ({ by, text, at }) =>
        make('li', {}, make('p', {}, text), make('p', { class: 'small soft' }, `${by}, ${clock(at)}`)),
    })
  }
  return { node, show }
}
