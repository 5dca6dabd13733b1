// @ts-check
// Feed: what people would want to have noticed, newest first. What is serious is also said aloud, once, to those who listen.

import { clock, keep, make, put } from './dom.js'
import { severityWords } from './words.js'

/** @typedef {import('../window/mall-report.ts').MallReport} MallReport */
/** @typedef {import('../window/mall-report.ts').Happening} Happening */

const SHOWN_MAX = 50

export function makeFeed() {
  const list = make('ol', { class: 'plain feed-list', 'data-part': 'feed' })
  const none = make('p', { class: 'soft' }, 'Nothing notable yet.')
  const aloud = make('p', { class: 'unseen', 'aria-live': 'polite', 'data-part': 'aloud' })
  const node = make(
    'section',
    { class: 'card feed', 'aria-labelledby': 'live-feed' },
    make('h2', { id: 'live-feed' }, 'What happened'),
    none,
    make('div', { class: 'scroll', tabindex: 0, role: 'group', 'aria-labelledby': 'live-feed' }, list),
    aloud,
  )
  /** @type {number | undefined} */
  let seen

  /** @param {MallReport} report */
  const show = ({ feed }) => {
    const newest = feed[0]?.seq ?? -1
    const last = seen
    seen = newest
    none.hidden = feed.length > 0
    keep(list, feed.slice(0, SHOWN_MAX), { key: ({ seq, at }) => `${seq} ${at}`, make: makeOne })
    if (last === undefined || newest < last) return
    const serious = feed.filter(({ seq, severity }) => seq > last && severity !== 'info')
    if (serious.length > 0) put(aloud, serious.map(({ text }) => text).join('. '))
  }
  return { node, show }
}

/** @param {Happening} happening */
function makeOne({ at, severity, text }) {
  const { symbol, word, tone } = severityWords(severity)
  const mark = make('span', { class: `mark ${tone}`, 'aria-hidden': 'true' }, symbol)
  const said = make('span', {}, make('span', { class: 'unseen' }, severity === 'info' ? '' : `${word}: `), text)
  return make('li', {}, make('time', { datetime: new Date(at).toISOString() }, clock(at, true)), mark, said)
}
