// @ts-check
// Modes: an emergency is raised by one person, and ended by two who went through the checklist.
//
// Law: whatever is said here, exits stay free.

import { make, put } from '../../mesh/pages/dom.js'
import { openDeed } from './deed.js'
import { RAISED } from './severity.js'

/** @typedef {import('./deed.js').Bench} Bench */
/** @typedef {import('./severity.js').Raised} Raised */
/** @typedef {import('../../mesh/window/mall-report.ts').MallReport} MallReport */

const DOES = {
  LOCKDOWN: 'Nobody comes in at any gate. Whoever is inside can leave: exits stay free.',
  EVACUATE: 'Nobody comes in at any gate, and the door displays send people out. Exits stay free.',
  FIRE: 'Nobody comes in at any gate, turnstiles are released, and the door displays send people out. Exits stay free.',
}
const REASONS = {
  LOCKDOWN: ['threat outside', 'police order', 'drill'],
  EVACUATE: ['gas smell', 'power failure', 'police order', 'drill'],
  FIRE: ['fire alarm', 'smoke seen', 'drill'],
}

/** @param {Bench} bench @param {Raised} mode */
export async function openRaise(bench, mode) {
  openDeed(bench, {
    title: `Raise ${mode} in the whole mall`,
    act: `Sign and raise ${mode}`,
    isDanger: true,
    reasons: REASONS[mode],
    fields: [
      make('p', { class: 'banner bad' }, DOES[mode]),
      make('p', { class: 'soft' }, 'One person raises it. To end it takes two, one of them a marshal.'),
    ],
    wish: () => ({ kind: 'raise', mode }),
    effect: () => raiseWords(bench.report()),
    done: () => `${mode} is in force. Entries are rejected, exits are free.`,
  })
}

/** @param {MallReport | undefined} report */
function raiseWords(report) {
  if (report === undefined) return []
  const { count, atMost } = report.occupancy
  const inside = atMost > count ? `between ${count} and ${atMost}` : `${count}`
  const silent = silentOf(report)
  const words = [`People inside: ${inside}.`]
  if (silent.length > 0)
    words.push(`Not heard at present: ${silent.join(', ')}. They hear of it when they are back: send somebody there.`)
  return words
}

/** @param {Bench} bench */
export async function openRearm(bench) {
  const { mode, statement } = await bench.session.ask('GET', 'modes')
  const by = statement.by.length === 0 ? 'nobody known' : statement.by.join(', ')
  const shown = {
    alarms: make('span', { class: 'soft' }),
    heard: make('span', { class: 'soft' }),
    people: make('span', { class: 'soft' }),
  }
  openDeed(bench, {
    title: `Re-arm: end ${mode}`,
    act: 'Sign the re-arm',
    reasons: ['checked: false alarm', 'checked: the danger is over', 'the drill is over'],
    fields: [
      make(
        'p',
        {},
        `${statement.mode} was raised by ${by}: “${statement.reason}”. After a re-arm entries are decided again.`,
      ),
      make(
        'fieldset',
        { class: 'stack' },
        make('legend', {}, 'Before entries go on'),
        check('A person has walked through the hall, and it is safe to let people in.'),
        check(
          'Fire contacts and key switches are reset: a gate whose contact is still closed raises it again.',
          shown.alarms,
        ),
        check('Every gate is heard, or somebody stands at those that are not.', shown.heard),
        check('People inside were counted by head, or the count here can be trusted.', shown.people),
      ),
    ],
    wish: () => ({ kind: 'clear' }),
    effect: () => {
      const report = bench.report()
      if (report !== undefined) showChecks(report, shown)
      return []
    },
    done: () => 'Re-armed: entries are decided again.',
  })
}

/** @param {string} text @param {Node} [more] */
function check(text, more) {
  const box = make('input', { type: 'checkbox', required: true })
  return make('label', { class: 'line check' }, box, make('span', {}, text, more === undefined ? undefined : ' ', more))
}

/** @param {MallReport} report @param {{ alarms: Node, heard: Node, people: Node }} shown */
function showChecks(report, shown) {
  const { count, atMost } = report.occupancy
  const says = alarmText(report)
  const silent = silentOf(report)
  put(shown.alarms, says === '' ? 'No gate says anything of an alarm now.' : `Now: ${says}.`)
  put(shown.heard, silent.length === 0 ? 'All are heard now.' : `Silent now: ${silent.join(', ')}.`)
  put(shown.people, `Now: ${count} counted${atMost > count ? `, at most ${atMost}` : ''}.`)
}

/** `FIRE at east, west`; with many gates that say the same it is said once. @param {MallReport} report */
function alarmText({ gates }) {
  const words = RAISED.map(mode => {
    const names = gates.filter(({ state }) => state === mode).map(({ name }) => name)
    if (names.length === 0) return ''
    return names.length === gates.length && names.length > 1
      ? `all gates say ${mode}`
      : `${mode} at ${names.join(', ')}`
  })
  return words.filter(word => word !== '').join('; ')
}

/** @param {MallReport} report */
function silentOf({ gates }) {
  return gates.filter(({ isRostered, isReachable }) => isRostered && !isReachable).map(({ name }) => name)
}
