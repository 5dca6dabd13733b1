// @ts-check
// Audit search: what is looked for. It is in the address of the page, so that a link shows the same search; times there
// are UTC, so that it is the same search for whoever opens it.

/**
 * @typedef {{ mall?: string | undefined, gate?: string, type?: string, decision?: string, from?: number, to?: number }} Search
 */

const WORDS = /** @type {const} */ (['mall', 'gate', 'type', 'decision'])
const TIMES = /** @type {const} */ (['from', 'to'])
const DAY_MS = 86_400_000

/** What cannot be read is left out. @param {string} query @returns {Search} */
export function searchOf(query) {
  const said = new URLSearchParams(query)
  /** @type {Search} */
  const search = {}
  for (const name of WORDS) {
    const value = said.get(name)
    if (value) search[name] = value
  }
  for (const name of TIMES) {
    const value = Date.parse(said.get(name) ?? '')
    if (value >= 0) search[name] = value
  }
  return search
}

/** For the address of the page. @param {Search} search */
export function queryOf(search) {
  const said = new URLSearchParams()
  for (const name of WORDS) if (search[name]) said.set(name, search[name])
  for (const name of TIMES) {
    const value = search[name]
    if (value !== undefined) said.set(name, new Date(value).toISOString())
  }
  return `?${said}`.replaceAll('%3A', ':')
}

/**
 * For the API, below its mall.
 * @param {string} path
 * @param {Search} search
 * @param {Record<string, string | number | undefined>} [more]
 */
export function addressOf(path, { mall = '', ...search }, more = {}) {
  const said = new URLSearchParams()
  for (const [name, value] of Object.entries({ ...search, ...more }))
    if (value !== undefined) said.set(name, String(value))
  return `/api/v1/malls/${encodeURIComponent(mall)}/${path}?${said}`
}

/** @param {string} name @param {number} now @returns {Pick<Search, 'from' | 'to'>} */
export function preset(name, now) {
  const second = Math.ceil(now / 1000) * 1000
  if (name === 'quarter') return { from: second - 15 * 60_000, to: second }
  if (name === 'hour') return { from: second - 3_600_000, to: second }
  if (name === 'ever') return {}
  const midnight = new Date(now).setHours(0, 0, 0, 0)
  return { from: midnight, to: new Date(midnight + 1.5 * DAY_MS).setHours(0, 0, 0, 0) }
}

/** As a `datetime-local` field has it: the reader's own time, to the second. @param {number | undefined} ms */
export function fieldText(ms) {
  if (ms === undefined) return ''
  return `${dateText(ms)}T${timeText(ms).slice(0, 8)}`
}

/** @param {string} text @returns {number | undefined} */
export function fieldTime(text) {
  const ms = text === '' ? Number.NaN : new Date(text).getTime()
  return ms >= 0 ? ms : undefined
}

/** The reader's own day, as numbers that sort. @param {number} ms */
export function dateText(ms) {
  const date = new Date(ms)
  return `${digits(date.getFullYear(), 4)}-${digits(date.getMonth() + 1)}-${digits(date.getDate())}`
}

/** The reader's own time of day, to the millisecond. @param {number} ms */
export function timeText(ms) {
  const date = new Date(ms)
  const time = [date.getHours(), date.getMinutes(), date.getSeconds()].map(n => digits(n)).join(':')
  return `${time}.${digits(date.getMilliseconds(), 3)}`
}

/** @param {number} ms */
export function utcText(ms) {
  return `${isoText(ms).slice(0, 19).replace('T', ' ')} UTC`
}

/** A gate's clock may say what no calendar knows. @param {number} ms */
export function isoText(ms) {
  const date = new Date(ms)
  return Number.isNaN(date.getTime()) ? String(ms) : date.toISOString()
}

/** @param {number} n @param {number} [count] */
function digits(n, count = 2) {
  return String(n).padStart(count, '0')
}
