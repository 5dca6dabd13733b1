// @ts-check
// Clicker: a guard counts people in and out by hand, at the gate itself: it needs no anchor.
//
// Laws: what the gate answered is on the screen at once, in words, colour and shape. What it did not answer is said to be
// not counted, or waiting; numbers that are old are struck out. What was tapped last can be taken back for 5 s.

import { attribute, byId, clock, put } from '../../mesh/pages/dom.js'
import { enter, keepPass, leave, onWaiting, tellAgain, Unheard, undo, whoAmI } from './counting.js'

/** @typedef {import('../../mesh/window/mall-report.ts').MallReport} MallReport */
/** @typedef {{ kind: string, said: string, why?: string | undefined }} Verdict */
/**
 * @typedef {object} Tap
 * @property {string} id
 * @property {'entry' | 'exit'} what
 * @property {number} until
 * @property {boolean} isTakenBack
 * @property {Promise<unknown>} told  settled once the gate has answered, or will not
 * @property {boolean} isHeard  the gate has it for sure
 */

const UNDO_MS = 5000
const SHOWN_MS = 4000
const OLD_MS = 3000
const LOOK_EVERY_MS = 200
const TELL_AGAIN_MS = 2000
const AGAIN_MS = 2000

/** @type {MallReport | undefined} */
let report
let heardAt = Number.NEGATIVE_INFINITY
let heardWall = 0
/** @type {{ verdict: Verdict, until: number } | undefined} what came of the newest tap */
let newest
/** @type {Tap[]} those that can be taken back, newest last */
let taps = []
let note = ''

/** @param {Verdict} verdict @param {number | number[]} [buzz] */
function say(verdict, buzz) {
  newest = { verdict, until: performance.now() + SHOWN_MS }
  if (buzz !== undefined) navigator.vibrate?.(buzz)
  show()
}

/** @param {string} id @param {'entry' | 'exit'} what @param {Promise<unknown>} told @returns {Tap} */
function tapped(id, what, told) {
  const tap = { id, what, told, until: performance.now() + UNDO_MS, isTakenBack: false, isHeard: false }
  taps.push(tap)
  return tap
}

const NO = /** @type {Record<string, string>} */ ({
  REJECT_AT_CAPACITY: 'Please wait: full',
  REJECT_NO_HEADROOM: 'Please wait: no place in reach',
  REJECT_EMERGENCY: 'Nobody in: emergency',
  REJECT_FAULT: 'Nobody in: fault',
})

async function oneIn() {
  try {
    const { status, said, id } = await enter()
    if (status === 401) return askPass(true)
    if (status !== 200) return say({ kind: 'wait', said: 'Not counted', why: said.error }, [80, 60, 80])
    if (said.decision !== 'ADMIT') {
      const isTold = said.decision === 'REJECT_EMERGENCY' || said.decision === 'REJECT_FAULT'
      const why = isTold ? `${said.reason}; exits are open` : `${said.occupancy?.count ?? '?'} inside`
      return say({ kind: 'wait', said: NO[said.decision] ?? 'Please wait', why }, [80, 60, 80])
    }
    tapped(id, 'entry', Promise.resolve()).isHeard = true
    say({ kind: 'admit', said: 'Let in', why: `${said.occupancy?.count ?? '?'} inside` }, 40)
  } catch (error) {
    if (!(error instanceof Unheard)) throw error
    say({ kind: 'wait', said: 'Not counted, try again', why: error.message }, [80, 60, 80])
  }
}

async function oneOut() {
  const { id, told } = leave()
  const tap = tapped(id, 'exit', told)
  try {
    const { status, said } = await told
    if (status === 401) return askPass(true)
    tap.isHeard = true
    const why = status !== 200 ? said.error : said.credited ? 'counted' : 'counted; its place is not given back'
    if (!tap.isTakenBack) say({ kind: 'out', said: 'One out', why }, 40)
  } catch (error) {
    if (!(error instanceof Unheard)) throw error
    say({ kind: 'out', said: 'One out', why: `${error.message}: kept here, sent when it works again` }, [40, 40, 40])
  }
}

async function takeBack() {
  const tap = undoable()
  if (tap === undefined) return
  tap.isTakenBack = true
  show()
  try {
    // an undo that overtakes its exit would find nothing
    await Promise.allSettled([tap.told])
    const { status, said } = await undo(tap.id)
    if (status === 401) return askPass(true)
    // taken back before, and the answer to that was lost; or the exit never got there, and will not any more
    const isDone = status === 200 || said.why === 'undone' || (said.why === 'unknown' && !tap.isHeard)
    if (!isDone) return say({ kind: 'wait', said: 'Not undone', why: said.error }, [80, 60, 80])
    const words = tap.what === 'entry' ? 'That person is not in' : 'That person is still inside'
    say({ kind: 'unknown', said: 'Taken back', why: words }, 40)
  } catch (error) {
    if (!(error instanceof Unheard)) throw error
    // it can be tried again while there is time
    tap.isTakenBack = false
    say({ kind: 'wait', said: 'Not undone, try again', why: error.message }, [80, 60, 80])
  }
}

function undoable() {
  const now = performance.now()
  taps = taps.filter(({ until }) => until > now)
  return taps.findLast(({ isTakenBack }) => !isTakenBack)
}

/** What a tap would get, as far as anyone can know before. @returns {Verdict} */
function outlook() {
  if (report === undefined) return { kind: 'unknown', said: 'No word from the gate yet' }
  if (isOld()) return { kind: 'unknown', said: 'No word from the gate', why: `since ${clock(heardWall, true)}` }
  const { mode, left, me } = report
  const { balance = 0, state = 'NORMAL', fault } = report.gates.find(({ name }) => name === me) ?? {}
  if (mode !== 'NORMAL') return { kind: 'full', said: `Nobody in: ${mode.toLowerCase()}`, why: 'Exits are open' }
  if (state === 'FAULT' || state === 'EXPIRED' || state === 'JOINING') {
    return { kind: 'full', said: `Nobody in: ${state.toLowerCase()}`, why: fault }
  }
  const isCutOff = balance <= 0 && state === 'ISOLATED'
  if (left <= 0 || isCutOff)
    return { kind: 'full', said: left <= 0 ? 'Please wait: full' : 'Please wait: no place in reach' }
  return { kind: 'ready', said: 'Ready', why: left === 1 ? '1 place left' : `${left} places left` }
}

function isOld() {
  return performance.now() - heardAt > OLD_MS
}

function show() {
  if (newest !== undefined && performance.now() > newest.until) newest = undefined
  const { kind, said, why } = newest?.verdict ?? outlook()
  attribute(byId('verdict'), 'data-kind', kind)
  put(byId('said'), said)
  byId('why').hidden = !why
  put(byId('why'), why ?? '')
  showNumbers()
  showUndo()
  byId('note').hidden = note === ''
  put(byId('note'), note)
}

function showNumbers() {
  const old = isOld()
  document.body.classList.toggle('is-old', old && report !== undefined)
  const link = byId('link')
  link.className = `badge ${old ? 'bad' : 'good'}`
  put(link, old ? (report === undefined ? 'Connecting' : 'No connection: old') : 'Live')
  if (report === undefined) return
  const { occupancy, left, me, gates } = report
  const own = gates.find(({ name }) => name === me)
  put(byId('inside'), occupancy.count)
  put(byId('limit'), occupancy.capacity)
  put(byId('left'), left)
  put(byId('held'), own?.balance ?? 0)
  put(byId('gate'), own?.label === undefined ? me : `${own.label} (${me})`)
}

function showUndo() {
  const tap = undoable()
  const button = byId('undo')
  button.disabled = tap === undefined
  const seconds = tap === undefined ? 0 : Math.ceil((tap.until - performance.now()) / 1000)
  put(button, tap === undefined ? 'Nothing to undo' : `Undo one ${tap.what === 'entry' ? 'in' : 'out'} (${seconds} s)`)
}

/** @param {boolean} isWrong */
function askPass(isWrong) {
  byId('ask-wrong').hidden = !isWrong || byId('pass').value === ''
  if (!byId('ask').open) byId('ask').showModal()
}

async function lookAround() {
  try {
    const { gate, mayCount } = await whoAmI()
    put(byId('gate'), gate)
    document.title = `Clicker ${gate}`
    if (!mayCount) askPass(true)
    else {
      byId('ask').close()
      await tellAgain()
    }
  } catch (error) {
    if (!(error instanceof Unheard)) throw error
    setTimeout(lookAround, AGAIN_MS)
  }
}

function listen() {
  const events = new EventSource('events')
  events.onmessage = ({ data }) => {
    report = JSON.parse(data)
    heardAt = performance.now()
    heardWall = Date.now()
    show()
  }
  events.onerror = () => {
    if (events.readyState === EventSource.CLOSED) setTimeout(listen, AGAIN_MS)
  }
}

const KEYS = /** @type {Record<string, () => Promise<void>>} */ ({
  '+': oneIn,
  '=': oneIn,
  '-': oneOut,
  '−': oneOut,
  u: takeBack,
  U: takeBack,
})

byId('in').addEventListener('click', oneIn)
byId('out').addEventListener('click', oneOut)
byId('undo').addEventListener('click', takeBack)
byId('ask-form').addEventListener('submit', (/** @type {Event} */ event) => {
  event.preventDefault()
  keepPass(byId('pass').value.trim())
  void lookAround()
})
document.addEventListener('keydown', event => {
  // a key that is held down is one person, and a letter typed into the pass is none
  if (event.repeat || event.ctrlKey || event.metaKey || event.altKey || byId('ask').open) return
  const act = KEYS[event.key]
  if (act === undefined) return
  event.preventDefault()
  void act()
})
onWaiting(waiting => {
  const exits = waiting === 1 ? '1 exit waits' : `${waiting} exits wait`
  note = waiting === 0 ? '' : `${exits} to be sent to the gate; everyone is out all the same`
  show()
})
window.addEventListener('online', () => void tellAgain())
setInterval(() => void tellAgain(), TELL_AGAIN_MS)
setInterval(show, LOOK_EVERY_MS)
listen()
void lookAround()
