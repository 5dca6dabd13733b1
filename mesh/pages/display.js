// @ts-check
// Display: the sign for visitors at one door. What it says is decided by the server (mesh/window/display-state.ts).
//
// Laws: what is old is not shown: a sign without word goes neutral by itself, and never stays green. But an emergency
// stays until somebody who knows says that it is over. In no state does it tell people that they cannot leave.

import { attribute, byId, clock, keep, make, put } from './dom.js'

/** @typedef {import('../window/display-state.ts').DisplayState} DisplayState */

/** As the server says it of a gate that nobody hears. */
const OUT_OF_DATE = ['Please ask the staff at the door', 'This display is out of date', 'Exits are open']
const LOOK_EVERY_MS = 250
const AGAIN_MS = 2000
const USUAL_VALID_MS = 5000

const base = location.pathname.replace(/\/+$/, '')
const showsPlaces = new URLSearchParams(location.search).get('places') === '1'

/** @type {DisplayState | undefined} the newest that was heard and is to be shown */
let heard
// by two clocks: one stops while the machine sleeps, the other is set by people
let heardAt = { mono: 0, wall: 0 }

/** @param {DisplayState} state */
function hear(state) {
  heardAt = { mono: performance.now(), wall: Date.now() }
  // who knows no mode has just started: it cannot know that an emergency is over
  if (heard?.light === 'emergency' && state.mode === null) return
  heard = state
  show()
}

function isOld() {
  const validMs = heard?.validMs ?? USUAL_VALID_MS
  const mono = performance.now() - heardAt.mono
  const wall = Math.abs(Date.now() - heardAt.wall)
  return Math.max(mono, wall) > validMs
}

function show() {
  const old = heard === undefined || isOld()
  const isEmergency = heard?.light === 'emergency'
  const shown = old && !isEmergency ? undefined : heard
  const [title = '', ...lines] = shown?.words ?? OUT_OF_DATE
  attribute(document.body, 'data-light', shown?.light ?? 'unknown')
  put(byId('title'), title)
  keep(byId('lines'), lines, { key: line => line, make: line => make('li', {}, line) })
  sayOr(byId('estimate'), shown?.waitMinutes === undefined ? undefined : `About ${shown.waitMinutes} min, an estimate`)
  const { left } = shown ?? {}
  sayOr(byId('left'), showsPlaces && left !== undefined ? placesText(left) : undefined)
  sayOr(
    byId('silent'),
    old && isEmergency ? `No connection since ${clock(heardAt.wall)}: this was the last word` : undefined,
  )
}

/** @param {number} left */
function placesText(left) {
  return left > 0 ? `About ${left} places left` : 'A few places left'
}

/** @param {any} node @param {string | undefined} text */
function sayOr(node, text) {
  node.hidden = text === undefined
  if (text !== undefined) put(node, text)
}

function listen() {
  const events = new EventSource(`${base}/events`)
  events.onmessage = ({ data }) => {
    try {
      hear(JSON.parse(data))
    } catch {
      // what cannot be read is no word: the sign goes neutral by itself
    }
  }
  events.onerror = () => {
    // a browser comes back by itself where the line broke, and gives up where it was refused
    if (events.readyState === EventSource.CLOSED) setTimeout(listen, AGAIN_MS)
  }
}

/** A sign that goes dark says nothing. Not every browser can, and none does while the page is hidden. */
async function stayAwake() {
  try {
    if (document.visibilityState === 'visible') await navigator.wakeLock?.request('screen')
  } catch {
    // battery low, or not allowed: whoever set up the screen sees it
  }
}

listen()
setInterval(show, LOOK_EVERY_MS)
document.addEventListener('visibilitychange', stayAwake)
void stayAwake()
