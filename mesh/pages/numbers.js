// @ts-check
// Numbers: how many are inside, how many may be, how many still fit; what of it is proved, and how old the proof is.

import { ago, make, put } from './dom.js'
import { gateName, modeWords } from './words.js'

/** @typedef {import('../window/mall-report.ts').MallReport} MallReport */
/** @typedef {import('./words.js').Tone} Tone */

const NEARLY_FULL = 0.9
/** Rows are said again within a second or two; what is older than this is worth a word. */
const OLD_MS = 5000
const NAMED_MAX = 3

/** How full it is, by words. @param {MallReport} report @returns {[string, Tone]} */
export function level({ occupancy: { count, atMost, capacity }, left, mode }) {
  if (mode !== 'NORMAL') return ['nobody is let in', 'bad']
  if (capacity === 0 && count === 0) return ['no limit known', 'warn']
  if (count > capacity) return [`over the limit by ${count - capacity}`, 'bad']
  if (left === 0) return ['full', 'bad']
  if (atMost > capacity) return ['perhaps over the limit', 'warn']
  return count >= capacity * NEARLY_FULL ? ['nearly full', 'warn'] : ['places free', 'good']
}

export function makeNumbers() {
  /** @type {Record<string, any>} */
  const parts = {}
  /** @param {string} name @param {string} tag @param {string} [kind] */
  const part = (name, tag, kind) => {
    parts[name] = make(tag, { 'data-part': name, ...(kind === undefined ? {} : { class: kind }) })
    return parts[name]
  }
  /** @param {string} name @param {string} words */
  const big = (name, words) => make('div', { class: `big ${name}` }, make('dt', {}, words), part(name, 'dd'))
  const node = make(
    'section',
    { class: 'card numbers', 'aria-labelledby': 'live-numbers' },
    make('h2', { id: 'live-numbers', class: 'unseen' }, 'Occupancy'),
    make('dl', { class: 'bigs' }, big('count', 'inside'), big('capacity', 'limit'), big('left', 'places left')),
    make('div', { class: 'states' }, part('level', 'span', 'badge'), part('mode', 'span', 'badge')),
    make('div', { class: 'track', 'aria-hidden': 'true' }, part('filled', 'i', 'filled'), part('doubt', 'i', 'doubt')),
    make(
      'p',
      { class: 'facts' },
      part('proved', 'span'),
      part('age', 'span'),
      part('anchor', 'span'),
      part('reach', 'span'),
    ),
  )
  for (const name of ['count', 'capacity', 'left', 'proved', 'age', 'anchor', 'reach']) put(parts[name], '–')

  /** @param {MallReport} report */
  const show = report => {
    const { occupancy, left, anchor, gates } = report
    const { count, atMost, capacity, ageMs } = occupancy
    put(parts.count, count)
    put(parts.capacity, capacity)
    put(parts.left, left)
    const [words, tone] = level(report)
    put(parts.level, words)
    parts.level.className = `badge ${tone}`
    node.dataset.tone = tone
    const mode = modeWords(report.mode)
    put(parts.mode, `${mode.symbol} ${mode.text}`)
    parts.mode.className = `badge ${mode.tone}`
    parts.mode.dataset.mode = report.mode
    put(parts.proved, provedWords(occupancy))
    put(parts.age, ageWords(report))
    parts.age.className = ageMs > OLD_MS ? 'warn strong' : ''
    put(parts.anchor, anchorWords(anchor))
    parts.anchor.className = anchor.isFresh ? '' : 'warn strong'
    const heard = gates.filter(gate => gate.isReachable).length
    put(parts.reach, `${heard} of ${gates.length} gates heard`)
    parts.reach.className = heard < gates.length ? 'warn strong' : ''
    const share = (/** @type {number} */ n) => (capacity > 0 ? Math.max(0, Math.min(100, (n * 100) / capacity)) : 0)
    parts.filled.style.width = `${share(count)}%`
    parts.doubt.style.width = `${Math.min(100 - share(count), share(atMost - count))}%`
  }
  return { node, show }
}

/** @param {MallReport['occupancy']} occupancy */
export function provedWords({ count, atMost }) {
  return atMost > count ? `proved: ${count} to ${atMost} inside` : `proved: exactly ${count} inside`
}

/** Whose words are old: the number is as old as the oldest of them. @param {MallReport} report */
function ageWords({ occupancy: { ageMs, count, atMost }, gates }) {
  if (ageMs <= OLD_MS) return `data of ${ageMs < 1500 ? 'now' : ago(ageMs)}`
  const old = gates.filter(gate => gate.ageMs !== null && gate.ageMs > OLD_MS)
  const named = old.slice(0, NAMED_MAX).map(gateName).join(', ')
  const more = old.length > NAMED_MAX ? ` and ${old.length - NAMED_MAX} more` : ''
  const who = old.length === 0 ? 'oldest word' : `${named}${more}`
  const doubt = atMost > count ? `: up to ${atMost - count} more may be inside` : ''
  return `data partly old, ${who} ${ago(ageMs)}${doubt}`
}

/** @param {MallReport['anchor']} anchor */
function anchorWords({ ageMs, isFresh, balance, policyVersion }) {
  if (ageMs === null) return 'anchor never heard'
  const where = isFresh ? 'anchor there' : `anchor away, heard ${ago(ageMs)}`
  return `${where}, keeps ${balance} tokens, policy ${policyVersion}`
}
