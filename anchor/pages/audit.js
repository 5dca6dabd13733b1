// @ts-check
// Audit: what happened at a gate between two times, page by page, each event with its proof one click away.
//
// Law: what is shown is the search that the address of this page says. A search never hangs: what one request finds is
// shown at once, and the next one goes on from there.

import { byId, doing, make, put } from '../../mesh/pages/dom.js'
import {
  addressOf,
  dateText,
  fieldText,
  fieldTime,
  isoText,
  preset,
  queryOf,
  searchOf,
  timeText,
  utcText,
} from './audit-search.js'
import { DECISIONS, eventWords, TYPES } from './event-words.js'
import { openProof } from './proof-dialog.js'

/** @typedef {{ order: number, account: string, entry: any, line: string, arrivedAt: number, flags: string[] }} Event */

const PAGE = 50
/** Requests without a full page before the reader is asked whether to go on. */
const ROUNDS = 20
/** @type {Record<string, string>} */
const FLAGS = { late: 'came late', skew: 'its clock is off' }

const form = byId('search')
/** @type {import('./audit-search.js').Search} */
let search = {}
/** @type {string | undefined} */
let cursor
let count = 0
let turn = new AbortController()

class Refused extends Error {
  /** @param {number} status @param {string} message */
  constructor(status, message) {
    super(message)
    this.status = status
  }
}

/** @param {string} address @param {AbortSignal} [signal] */
async function ask(address, signal) {
  const response = await fetch(address, {
    headers: { accept: 'application/json' },
    credentials: 'same-origin',
    ...(signal === undefined ? {} : { signal }),
  })
  const said = await response.json().catch(() => ({}))
  if (response.ok) return said
  throw new Refused(response.status, said.error?.message ?? `the anchor answered ${response.status}`)
}

/** @param {Error | undefined} error */
function tell(error) {
  const trouble = byId('trouble')
  trouble.hidden = error === undefined || error.name === 'AbortError'
  if (trouble.hidden || error === undefined) return
  const isStranger = error instanceof Refused && error.status === 401
  if (isStranger)
    trouble.replaceChildren('Events are for people who are logged in: ', make('a', { href: '/' }, 'log in'), '.')
  else put(trouble, error instanceof TypeError ? 'The anchor does not answer. Try again in a moment.' : error.message)
}

/** @param {any} select @param {[value: string, words: string][]} options */
function fill(select, options) {
  for (const [value, words] of options) select.append(make('option', { value }, words))
}

/** What is in a link and not in the list is looked for all the same. @param {string} name @param {string | undefined} value */
function choose(name, value = '') {
  const select = form.elements[name]
  select.value = value
  if (select.value === value) return
  fill(select, [[value, value]])
  select.value = value
}

function showForm() {
  for (const name of /** @type {const} */ (['mall', 'gate', 'type', 'decision'])) choose(name, search[name])
  for (const name of /** @type {const} */ (['from', 'to'])) form.elements[name].value = fieldText(search[name])
  showUtc()
}

function showUtc() {
  for (const name of ['from', 'to']) {
    const ms = fieldTime(form.elements[name].value)
    put(byId(`${name}-utc`), ms === undefined ? 'any time' : `= ${utcText(ms)}`)
  }
}

/** @returns {import('./audit-search.js').Search} */
function readForm() {
  const word = (/** @type {string} */ name) => form.elements[name].value || undefined
  const time = (/** @type {string} */ name) => fieldTime(form.elements[name].value)
  /** @type {Record<string, string | number | undefined>} */
  const said = {
    gate: word('gate'),
    type: word('type'),
    decision: word('decision'),
    from: time('from'),
    to: time('to'),
  }
  for (const name of Object.keys(said)) if (said[name] === undefined) delete said[name]
  return { mall: word('mall'), ...said }
}

/** @param {import('./audit-search.js').Search} next */
async function find(next) {
  const { from, to } = next
  if (from !== undefined && to !== undefined && to <= from)
    throw new Error('The search ends before it begins: “to” is not after “from”.')
  turn.abort()
  turn = new AbortController()
  search = next
  count = 0
  cursor = undefined
  byId('rows').replaceChildren()
  byId('table').hidden = true
  byId('archived').hidden = true
  put(byId('mall'), search.mall ?? '')
  for (const format of ['csv', 'jsonl']) byId(format).href = addressOf('events/export', search, { format })
  await more()
}

/** Goes on until a page is full, or all was looked through, or the reader should say whether it is worth it. */
async function more() {
  const { signal } = turn
  const wanted = count + PAGE
  byId('results').setAttribute('aria-busy', 'true')
  byId('more').hidden = true
  put(byId('count'), 'Looking …')
  try {
    for (let round = 0; round < ROUNDS; round++) {
      const page = await ask(addressOf('events', search, { limit: wanted - count, cursor }), signal)
      signal.throwIfAborted()
      if (page.archivedUntil !== undefined) showArchived(page.archivedUntil)
      byId('rows').append(...page.events.map(rowOf))
      count += page.events.length
      byId('table').hidden = count === 0
      cursor = page.cursor
      if (cursor === undefined || count >= wanted) break
    }
    showCount()
  } catch (error) {
    if (!signal.aborted) put(byId('count'), count === 0 ? '' : `${count} shown, then it broke off.`)
    throw error
  } finally {
    if (!signal.aborted) {
      byId('results').removeAttribute('aria-busy')
      byId('more').hidden = cursor === undefined
    }
  }
}

function showCount() {
  const shown = `${count} ${count === 1 ? 'event' : 'events'}`
  if (cursor === undefined) put(byId('count'), count === 0 ? 'Nothing was found.' : `${shown}, that is all.`)
  else put(byId('count'), `${shown} shown, oldest first; there may be more.`)
}

/** @param {number} until */
function showArchived(until) {
  const words = `What happened before ${utcText(until)} may lie in archive files, which are not searched here.`
  put(byId('archived'), words)
  byId('archived').hidden = false
}

/** @param {Event} event */
function rowOf(event) {
  const { account, entry, flags } = event
  const [gate, epoch] = account.split('/')
  const { what, details } = eventWords(entry)
  const badges = flags.map(flag => make('span', { class: 'badge warn' }, FLAGS[flag] ?? flag))
  const iso = isoText(entry.at)
  const known = iso !== String(entry.at)
  const proof = make('button', { type: 'button', 'aria-label': `Proof of entry ${entry.seq} of ${account}` }, 'Proof')
  proof.addEventListener('click', () => showProof(event))
  return make(
    'tr',
    { 'data-id': entry.id },
    make(
      'td',
      {},
      make(
        'time',
        known ? { datetime: iso, title: iso } : {},
        known ? timeText(entry.at).slice(0, 8) : iso,
        make('span', { class: 'milli' }, known ? timeText(entry.at).slice(8) : ''),
        make('span', { class: 'soft small' }, known ? dateText(entry.at) : ''),
      ),
    ),
    make(
      'td',
      { class: 'gate' },
      gate,
      make('span', { class: 'soft small' }, epoch === '1' ? `entry ${entry.seq}` : `life ${epoch}, entry ${entry.seq}`),
    ),
    make(
      'td',
      {},
      make(
        'div',
        { class: 'what' },
        make('span', { class: 'words' }, what, ...badges),
        make('span', { class: 'soft' }, details),
      ),
    ),
    make('td', {}, proof),
  )
}

/** @param {Event} event */
function showProof({ account, entry, line }) {
  const address = addressOf(`events/${entry.id}/proof`, { mall: search.mall }, { account })
  const of = `${eventWords(entry).what}, at ${account.split('/')[0]}, ${utcText(entry.at)}`
  return openProof(of, () => ask(address), { line, account })
}

/** The search becomes the page's address. @param {import('./audit-search.js').Search} next */
async function go(next) {
  if (queryOf(next) !== location.search) history.pushState(null, '', queryOf(next))
  search = next
  showForm()
  await find(next)
}

/** @param {string | undefined} wanted */
async function showMalls(wanted) {
  const { malls } = await ask('/api/v1/malls')
  const names = malls.map((/** @type {{ mall: string }} */ { mall }) => mall)
  fill(
    form.elements.mall,
    names.map((/** @type {string} */ name) => [name, name]),
  )
  byId('malls').hidden = names.length < 2
  return wanted ?? names[0]
}

/** @param {string} mall */
async function showGates(mall) {
  const { gates } = await ask(addressOf('gates', { mall }))
  const names = gates.map((/** @type {{ name: string, label?: string }} */ { name, label }) => [
    name,
    label ? `${name}, ${label}` : name,
  ])
  form.elements.gate.replaceChildren(make('option', { value: '' }, 'all gates'))
  fill(form.elements.gate, [...names, ['anchor', 'the anchor']])
  choose('gate', search.gate)
}

/** From the address: a link shows the search it was made of, and a page without one the last quarter of an hour. */
async function begin() {
  const said = searchOf(location.search)
  const isBare = Object.keys(said).every(name => name === 'mall')
  const mall = await showMalls(said.mall)
  search = { ...said, mall, ...(isBare ? preset('quarter', Date.now()) : {}) }
  showForm()
  await showGates(mall)
  if (isBare || said.mall === undefined) history.replaceState(null, '', queryOf(search))
  await find(search)
}

fill(form.elements.type, Object.entries(TYPES))
fill(form.elements.decision, Object.entries(DECISIONS))
put(byId('zone'), `${Intl.DateTimeFormat().resolvedOptions().timeZone} (this computer)`)
form.addEventListener('input', showUtc)
form.elements.mall.addEventListener(
  'change',
  doing(() => showGates(form.elements.mall.value), tell),
)
form.addEventListener(
  'submit',
  doing(event => {
    event.preventDefault()
    return go(readForm())
  }, tell),
)
for (const button of form.querySelectorAll('[data-preset]')) {
  button.addEventListener(
    'click',
    doing(() => {
      const { from: _from, to: _to, ...rest } = readForm()
      return go({ ...rest, ...preset(button.dataset.preset, Date.now()) })
    }, tell),
  )
}
byId('more').addEventListener(
  'click',
  doing(async () => {
    await more()
    // a button that is gone must not take the focus with it
    if (byId('more').hidden) byId('results').focus()
  }, tell),
)
addEventListener(
  'popstate',
  doing(() => {
    search = { mall: search.mall, ...searchOf(location.search) }
    showForm()
    return find(search)
  }, tell),
)
doing(begin, tell)(undefined)
