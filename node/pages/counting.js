// @ts-check
// Counting: what one phone tells its gate, so that nobody is counted twice or forgotten on a bad radio link.
//
// Laws: an entry that got no answer is asked for again under the same id, so that one person costs one token. An exit
// happened, whatever the network does: it is kept and told again under the same id, until the gate has it. Once the gate
// may have forgotten the id, it is told without credit: a token is lost then, and never made twice.

import { newId } from '../../mesh/pages/uuid7.js'

/** @typedef {{ status: number, said: any }} Reply */
/** @typedef {{ id: string, at: number }} Passage */

const ANSWER_MS_MAX = 4000
/** The gate remembers ids for five minutes. */
const SAME_ID_MS_MAX = 240_000
/** A day of a busy door; those beyond are lost with the phone's memory. */
const KEPT_MAX = 5000

const PASS = 'gatemesh-pass'
const EXITS = 'gatemesh-exits'

/** No answer came: it may have been counted or not. */
export class Unheard extends Error {}

/** @param {string} path @param {object} [body] @returns {Promise<Reply>} */
async function tell(path, body) {
  try {
    const response = await fetch(path, {
      method: body === undefined ? 'GET' : 'POST',
      headers: pass === '' ? {} : { authorization: `Bearer ${pass}` },
      signal: AbortSignal.timeout(ANSWER_MS_MAX),
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    if (response.status === 401) needsPass = true
    return { status: response.status, said: await response.json() }
  } catch (error) {
    throw new Unheard('the gate did not answer', { cause: error })
  }
}

/** The gate wants a pass that this phone has not got: nothing is told meanwhile, or exits would be counted in vain. */
let needsPass = false
let pass = read(PASS)

/** @param {string} text */
export function keepPass(text) {
  pass = text
  needsPass = false
  write(PASS, text)
}

/** Where this is, and whether this phone may count here. */
export async function whoAmI() {
  const { said } = await tell('turnstile')
  needsPass = !said.mayCount
  return /** @type {{ mall: string, gate: string, mayCount: boolean }} */ (said)
}

/** @type {Passage[]} entries that got no answer */
const unanswered = []

/** Throws `Unheard`; the next call then asks for the same person again. @returns {Promise<Reply & { id: string }>} */
export async function enter() {
  const since = Date.now() - SAME_ID_MS_MAX
  while (unanswered[0] !== undefined && unanswered[0].at < since) unanswered.shift()
  const passage = unanswered.shift() ?? { id: newId(), at: Date.now() }
  try {
    return { id: passage.id, ...(await tell('turnstile/entry', { id: passage.id })) }
  } catch (error) {
    unanswered.push(passage)
    throw error
  }
}

/** @param {string} id */
export function undo(id) {
  forget(id)
  return tell('turnstile/undo', { id })
}

/** @type {Passage[]} exits that the gate has not confirmed, oldest first */
let exits = readExits()
/** @type {Set<string>} on their way right now */
const underWay = new Set()

/** @type {(waiting: number) => void} */
let sayWaiting = () => undefined

/** @param {(waiting: number) => void} say how many exits wait here until the gate can be reached */
export function onWaiting(say) {
  sayWaiting = say
  countWaiting()
}

function countWaiting() {
  sayWaiting(exits.filter(({ id }) => !underWay.has(id)).length)
}

/** One more left. `told` rejects with `Unheard` where the gate has not got it yet: it is told again by itself. */
export function leave() {
  const exit = { id: newId(), at: Date.now() }
  exits.push(exit)
  return { id: exit.id, told: tellExit(exit) }
}

/** @param {Passage} exit @returns {Promise<Reply & { id: string }>} */
async function tellExit(exit) {
  const { id, at } = exit
  underWay.add(id)
  try {
    saveExits()
    if (needsPass) throw new Unheard('this gate wants its pass')
    const isLate = Date.now() - at > SAME_ID_MS_MAX
    const reply = await tell('turnstile/exit', isLate ? { id, confidence: 0 } : { id })
    // without the pass it was counted without credit: it is told once more when there is one. A fault may pass
    if (reply.status !== 401 && reply.status < 500) forget(id)
    return { id, ...reply }
  } finally {
    underWay.delete(id)
    countWaiting()
  }
}

/** Tells again what the gate has not got, one after the other; stops where nobody answers. */
export async function tellAgain() {
  for (const exit of [...exits]) {
    if (underWay.has(exit.id)) continue
    try {
      await tellExit(exit)
    } catch {
      return
    }
  }
}

/** @param {string} id */
function forget(id) {
  const rest = exits.filter(exit => exit.id !== id)
  if (rest.length === exits.length) return
  exits = rest
  saveExits()
}

function saveExits() {
  exits = exits.slice(-KEPT_MAX)
  write(EXITS, JSON.stringify(exits))
  countWaiting()
}

/** @returns {Passage[]} */
function readExits() {
  try {
    const kept = JSON.parse(read(EXITS) || '[]')
    return Array.isArray(kept) ? kept.filter(exit => typeof exit?.id === 'string' && typeof exit.at === 'number') : []
  } catch {
    return []
  }
}

/** @param {string} key */
function read(key) {
  try {
    return localStorage.getItem(key) ?? ''
  } catch {
    return ''
  }
}

/** A phone that keeps nothing goes on counting, until the page is closed. @param {string} key @param {string} value */
function write(key, value) {
  try {
    localStorage.setItem(key, value)
  } catch {
    // private mode, or full
  }
}
