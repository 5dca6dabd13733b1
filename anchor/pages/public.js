// @ts-check
// Public: how full a mall is, for a frame on somebody's website. It asks when the next figure is due, and no more often.

import { attribute, byId, clock, put } from '../../mesh/pages/dom.js'

/** @typedef {import('../public/answer.ts').PublicAnswer} PublicAnswer */

const WORDS = /** @type {Record<PublicAnswer['words'], string>} */ ({
  quiet: 'Quiet',
  busy: 'Busy',
  'nearly full': 'Nearly full',
  full: 'Full at the moment',
  closed: 'Closed at the moment',
  unknown: 'Not known at the moment',
})
const AGAIN_MS = 30_000
const AGAIN_MS_MIN = 5000
const AGAIN_MS_MAX = 60_000
/** People who wait for the next figure do not all come in the same moment. */
const SPREAD_MS = 3000

const address = location.pathname.replace(/\/page\/*$/, '')

/** @param {PublicAnswer | undefined} answer */
function show(answer) {
  const { words = 'unknown', count = null, capacity = null, at = null } = answer ?? {}
  put(byId('words'), WORDS[words])
  const isTold = count !== null && capacity !== null && capacity > 0
  byId('bar').hidden = !isTold
  byId('count').hidden = !isTold
  put(byId('when'), at === null ? '' : `As of ${clock(at)}, ${howText(answer)}`)
  if (!isTold) return
  byId('level').style.width = `${Math.round((count / capacity) * 100)}%`
  attribute(byId('bar'), 'aria-label', `About ${count} of ${capacity}`)
  put(byId('count'), `About ${count} of ${capacity} people`)
}

/** @param {PublicAnswer | undefined} answer */
function howText(answer) {
  const how = answer?.how
  if (how === undefined) return ''
  return how.mechanism === 'coarse'
    ? `to the nearest ${how.step}`
    : `with noise for privacy, mostly within ${how.error95}`
}

async function ask() {
  let againMs = AGAIN_MS
  try {
    const response = await fetch(address)
    /** @type {PublicAnswer | undefined} */
    const answer = response.ok ? await response.json() : undefined
    show(answer)
    if (answer !== undefined) againMs = Math.min(AGAIN_MS_MAX, Math.max(AGAIN_MS_MIN, answer.nextAt - Date.now()))
  } catch {
    show(undefined)
  }
  setTimeout(ask, againMs + Math.random() * SPREAD_MS)
}

void ask()
