// @ts-check
// Preview: what a change will do, in words, from what is known now. Pure: the figures come in as arguments.

/** @typedef {{ from: number, capacity: number }} Step */
/**
 * @typedef {object} Now what the live report says
 * @property {number} count people inside, as counted
 * @property {number} atMost nobody can be beyond this
 * @property {number} capacity in force, margin kept back
 */

/**
 * @param {Now} now
 * @param {{ capacity: number, marginPerMille: number, from?: number | undefined, later: readonly Step[] }} wish
 *   `later`: steps of the schedule that have not begun
 * @param {(ms: number) => string} time
 */
export function capacityWords(now, { capacity, marginPerMille, from, later }, time) {
  const limit = Math.floor((capacity * (1000 - marginPerMille)) / 1000)
  const words = from === undefined ? [nowWords(now, limit)] : laterWords(now, limit, time(from))
  if (limit !== capacity)
    words.push(`${capacity - limit} of the ${capacity} are kept back for what sensors miss: the limit is ${limit}.`)
  const dropped = later.filter(step => step.from >= (from ?? 0))
  if (dropped.length > 0) words.push(`What is scheduled for later is dropped: ${scheduleText(dropped, time)}.`)
  return [...words, ...doubtWords(now)]
}

/** @param {Now} now @param {number} limit */
function nowWords({ count, capacity }, limit) {
  if (count > limit) return `${count} inside, limit ${limit}: entries stop until ${count - limit} leave.`
  if (count === limit) return `${count} inside, limit ${limit}: full, one comes in for each who leaves.`
  return placesText(Math.max(0, capacity - count), limit - count)
}

/** @param {number} was @param {number} left */
function placesText(was, left) {
  if (left === was) return `Places left stay at ${left}.`
  return `Places left ${left > was ? 'rise' : 'fall'} from ${was} to ${left}.`
}

/** @param {Now} now @param {number} limit @param {string} when */
function laterWords({ count }, limit, when) {
  const then = `From ${when} the limit is ${limit}.`
  const as = `With ${count} inside, as now,`
  if (count > limit) return [then, `${as} entries stop then until ${count - limit} leave.`]
  return [then, `${as} ${limit - count} places would be left.`]
}

/**
 * @param {Now} now
 * @param {{ actual: number, counted: number, reclaim: number }} found `counted` may be below zero
 */
export function recountWords(now, { actual, counted, reclaim }) {
  const residual = actual - counted
  const sign = residual > 0 ? `+${residual}` : `${residual}`.replace('-', '−')
  const was = Math.max(0, now.capacity - now.count)
  const left = Math.max(0, now.capacity - Math.max(0, now.count + residual))
  const words = [`${actual} found, ${counted} counted: residual ${sign}.`]
  if (residual === 0) words.push('The count was right: nothing changes but that it was checked.')
  else if (now.count + residual > now.capacity)
    words.push(`Entries stop until ${now.count + residual - now.capacity} leave.`)
  else words.push(placesText(was, left))
  if (reclaim > 0) words.push(`${reclaim} tokens of closed accounts are put back into use.`)
  return [...words, ...doubtWords(now)]
}

/** @param {Now} now */
function doubtWords({ count, atMost }) {
  return atMost > count ? [`Not every gate is heard: up to ${atMost} may be inside.`] : []
}

/** @param {readonly Step[]} steps @param {(ms: number) => string} time */
export function scheduleText(steps, time) {
  return steps.map(({ from, capacity }) => `${capacity} from ${time(from)}`).join(', then ')
}

/** What begins at the end of time is a limit in reserve (STANDBY_FROM of ledger/policy.ts). */
const STANDBY_FROM = Date.UTC(9999, 11, 31)

/** Of a schedule, what holds now, what comes, and what is in reserve. @param {readonly Step[]} steps @param {number} now */
export function scheduleAt(steps, now) {
  const begun = Math.max(
    0,
    steps.findLastIndex(step => step.from <= now),
  )
  const rest = steps.slice(begun + 1)
  return {
    current: steps[begun]?.capacity ?? 0,
    later: rest.filter(step => step.from < STANDBY_FROM),
    reserve: rest.filter(step => step.from >= STANDBY_FROM).map(step => step.capacity),
  }
}
