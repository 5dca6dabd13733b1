// @ts-check
// Words: what states, modes and severities are called where people read them. Never a colour without one of these.

import { clock } from './dom.js'

/** @typedef {import('../window/mall-report.ts').MallReport} MallReport */
/** @typedef {import('../window/mall-report.ts').GateReport} GateReport */
/** @typedef {import('../window/mall-report.ts').Rates} Rates */
/** @typedef {'good' | 'warn' | 'bad' | 'calm'} Tone */
/** @typedef {{ word: string, symbol: string, tone: Tone, text: string }} Said */

/** @type {Record<string, Said>} */
const MODES = {
  NORMAL: { word: 'Normal', symbol: '✓', tone: 'good', text: 'Normal operation' },
  LOCKDOWN: { word: 'Lockdown', symbol: '■', tone: 'bad', text: 'Lockdown: nobody is let in, exits are free' },
  EVACUATE: { word: 'Evacuation', symbol: '▲', tone: 'bad', text: 'Evacuation: nobody is let in, exits are free' },
  FIRE: { word: 'Fire', symbol: '▲', tone: 'bad', text: 'Fire: turnstiles are released, everybody leaves' },
}

/** @param {string} mode */
export function modeWords(mode) {
  return MODES[mode] ?? { word: mode, symbol: '!', tone: /** @type {Tone} */ ('bad'), text: mode }
}

/** @type {Record<string, Said>} */
const STATES = {
  NORMAL: { word: 'working', symbol: '✓', tone: 'good', text: '' },
  HEARD: { word: 'heard', symbol: '✓', tone: 'good', text: '' },
  JOINING: { word: 'joining', symbol: '…', tone: 'warn', text: 'joining: it lets nobody in yet, exits are free' },
  DEGRADED: {
    word: 'without anchor',
    symbol: '!',
    tone: 'warn',
    text: 'does not hear the anchor, goes on with the tokens of the gates',
  },
  ISOLATED: { word: 'alone', symbol: '!', tone: 'warn', text: 'hears no other gate, lets in as many as it has tokens' },
  EXHAUSTED: { word: 'no tokens', symbol: '○', tone: 'warn', text: 'no tokens here or at any gate it reaches' },
  EXPIRED: {
    word: 'rules too old',
    symbol: '✕',
    tone: 'bad',
    text: 'too long without the anchor: it lets nobody in, exits are free',
  },
  FAULT: { word: 'fault', symbol: '✕', tone: 'bad', text: 'fault: it lets nobody in, exits are free' },
}

/** The worst that is known of a gate comes first. @param {GateReport} gate @param {MallReport} report @returns {Said} */
export function gateWords(gate, { at }) {
  if (gate.isBanned) {
    return { word: 'banned', symbol: '⊘', tone: 'bad', text: 'banned: it broke the rules, and nobody takes its word' }
  }
  const holds = `holds ${places(gate.balance + gate.inFlight)}`
  if (gate.ageMs === null) {
    return { word: 'never heard', symbol: '?', tone: 'warn', text: `never heard of, ${holds}, its counts are unknown` }
  }
  if (!gate.isReachable) {
    const since = clock(at - gate.ageMs)
    const text = `silent since ${since}, ${holds}, its counts are unknown`
    return { word: 'silent', symbol: '?', tone: 'warn', text }
  }
  if (!gate.isRostered) {
    return { word: 'off the roster', symbol: '–', tone: 'calm', text: 'off the roster; those it let in still count' }
  }
  const state = gate.state ?? 'HEARD'
  const words = STATES[state] ?? MODES[state]
  if (words === undefined) return { word: state.toLowerCase(), symbol: '!', tone: 'warn', text: state.toLowerCase() }
  if (words === MODES[state]) return { ...words, word: words.word.toLowerCase(), text: '' }
  return gate.fault === undefined || words.tone !== 'bad' ? words : { ...words, text: `${words.text} (${gate.fault})` }
}

/** @type {Record<string, Said>} */
const SEVERITIES = {
  info: { word: 'notice', symbol: 'ℹ', tone: 'calm', text: '' },
  warning: { word: 'warning', symbol: '!', tone: 'warn', text: '' },
  critical: { word: 'critical', symbol: '✕', tone: 'bad', text: '' },
}

/** @param {string} severity @returns {Said} */
export function severityWords(severity) {
  return SEVERITIES[severity] ?? /** @type {Said} */ (SEVERITIES.warning)
}

/** What became of people, in the order people ask: in, out, turned away. */
export const KINDS = /** @type {const} */ ([
  ['local', 'let in, token was here', 'good'],
  ['stolen', 'let in, token was fetched', 'calm'],
  ['exits', 'left', 'soft'],
  ['atCapacity', 'turned away: mall full', 'warn'],
  ['noHeadroom', 'turned away: no token here', 'warn'],
  ['emergency', 'turned away: emergency', 'bad'],
  ['fault', 'turned away: fault', 'bad'],
])

/** @param {Rates | undefined} rates */
export function inPerMinute(rates) {
  return rates === undefined ? undefined : rates.local + rates.stolen
}

/** A rate as people say it: whole, but for the small ones. @param {number | undefined} n */
export function rate(n) {
  if (n === undefined) return '–'
  return n > 0 && n < 10 ? String(Math.round(n * 10) / 10) : String(Math.round(n))
}

/** In and out. @param {Rates | undefined} rates */
export function ratesOf(rates) {
  return rates === undefined ? '–' : `+${rate(inPerMinute(rates))} −${rate(rates.exits)}`
}

/** @param {number} n */
export function places(n) {
  return `${n} ${n === 1 ? 'place' : 'places'}`
}

/** @param {string} name */
export function memberWords(name) {
  return name === 'anchor' ? 'the anchor' : name
}

/** @param {{ name: string, label?: string }} gate */
export function gateName({ name, label }) {
  return label ? `${name} · ${label}` : name
}
