// @ts-check
// Deed: the dialog in which somebody wishes a change, reads what they would sign, signs it, and is told what came of it.
//
// Laws: what is shown before the signature is read from the very text that is then signed. Nothing is signed without a
// reason, nor by one press of a button.

import { doing, make, put } from '../../mesh/pages/dom.js'
import { makeDialog } from './dialog.js'
import { inForce, readText, time } from './reading.js'

/** @typedef {import('./session.js').Session} Session */
/**
 * @typedef {object} Deed
 * @property {string} title
 * @property {string} act what the last button says
 * @property {boolean} [isDanger]
 * @property {(Node | undefined)[]} fields
 * @property {() => object | undefined} wish undefined while what was entered is none yet
 * @property {() => string[]} [effect] what it would do, from what is known now; asked again and again
 * @property {string[]} [reasons] that people often have
 * @property {(brought: Brought) => string} [done]
 */
/**
 * @typedef {object} Brought what came of a signature
 * @property {'enacted' | 'pending'} outcome
 * @property {'policy' | 'mode'} kind
 * @property {number} version of the policy; the epoch of a mode
 * @property {string} missing
 * @property {number} expiresAt
 */
/** @typedef {{ text: string, hash: string, needs: { signatures: number, marshal: boolean, why: string[] } }} Draft */
/** @typedef {import('../../mesh/window/mall-report.ts').MallReport} MallReport */
/**
 * @typedef {object} Bench what controls work with
 * @property {Session} session
 * @property {() => MallReport | undefined} report the newest
 * @property {() => boolean} isStale is the report old?
 * @property {(act: () => void) => () => void} onReport
 * @property {() => void} changed somebody did something here
 */

const PAUSE_MS = 350

/** @param {Bench} bench @param {Deed} deed */
export function openDeed(bench, deed) {
  const { session } = bench
  const { dialog, trouble, close } = makeDialog(deed.title)
  const kind = deed.isDanger ? 'main danger' : 'main'
  const usual = make(
    'datalist',
    { id: `${dialog.id}-reasons` },
    ...(deed.reasons ?? []).map(value => make('option', { value })),
  )
  const reason = make('input', {
    required: true,
    maxlength: 400,
    list: usual.id,
    autocomplete: 'off',
    pattern: '.*\\S.*',
  })
  const effect = make('ul', { class: 'effect', 'aria-live': 'polite', 'aria-label': 'What it will do' })
  const needs = make('p', { class: 'needs soft', 'aria-live': 'polite' })
  const form = make(
    'form',
    { class: 'stack', onsubmit: doing(read, trouble), oninput: previewSoon },
    ...deed.fields,
    make('label', {}, 'Reason, for whoever signs next and whoever reads it in years', reason, usual),
    effect,
    needs,
    make(
      'div',
      { class: 'row end' },
      make('button', { type: 'button', class: 'quiet', onclick: close }, 'Cancel'),
      make('button', { type: 'submit', class: 'main' }, 'Read what you sign'),
    ),
  )
  const stage = make('div', { class: 'stack' }, form)
  dialog.append(stage)
  const stop = bench.onReport(showEffect)
  /** @type {any} */
  let timer
  dialog.addEventListener('close', () => {
    clearTimeout(timer)
    stop()
  })
  dialog.showModal()
  previewSoon()

  function showEffect() {
    const lines = deed.effect?.() ?? []
    if (lines.join('\n') === effect.dataset.said) return
    effect.dataset.said = lines.join('\n')
    effect.replaceChildren(...lines.map(line => make('li', {}, line)))
  }

  function previewSoon() {
    showEffect()
    clearTimeout(timer)
    timer = setTimeout(preview, PAUSE_MS)
  }

  async function preview() {
    try {
      const wish = deed.wish()
      put(needs, wish === undefined ? '' : needsText(await drafted(wish)))
      needs.className = 'needs soft'
      effect.hidden = false
    } catch (error) {
      put(needs, `Not possible: ${/** @type {Error} */ (error).message}.`)
      needs.className = 'needs warn'
      effect.hidden = true
    }
  }

  /** @param {object} wish @returns {Promise<Draft>} */
  function drafted(wish) {
    return session.ask('POST', 'drafts', { wish, reason: reason.value.trim() || 'preview' })
  }

  /** @param {Event} event */
  async function read(event) {
    event.preventDefault()
    clearTimeout(timer)
    const wish = deed.wish()
    if (wish === undefined) throw new Error('something is missing above')
    const draft = await drafted(wish)
    const before = await inForce(session)
    const { flaw, words } = await readText({ id: draft.hash, text: draft.text }, session.mall, before)
    if (flaw !== undefined) throw new Error(`${flaw} Nothing was signed.`)
    showWords(draft, words)
  }

  /** @param {Draft} draft @param {string[]} words */
  function showWords(draft, words) {
    const head = make('h3', { tabindex: -1 }, 'You sign this')
    const sign = doing(() => bring(draft), trouble)
    stage.replaceChildren(
      head,
      make('ul', { class: 'signed' }, ...words.map(line => make('li', {}, line))),
      make('p', { class: 'strong' }, needsText(draft)),
      make('details', {}, make('summary', {}, 'The text itself'), make('pre', {}, draft.text)),
      make(
        'div',
        { class: 'row end' },
        make('button', { type: 'button', class: 'quiet', onclick: back }, 'Back'),
        make('button', { type: 'button', class: kind, onclick: sign }, deed.act),
      ),
    )
    head.focus()
  }

  function back() {
    trouble(undefined)
    stage.replaceChildren(form)
    reason.focus()
  }

  /** @param {Draft} draft */
  async function bring({ text }) {
    const brought = await session.ask('POST', 'approvals', { note: await session.signed(text) })
    const said = make('p', { class: `banner ${brought.outcome === 'enacted' ? 'good' : 'calm'}`, role: 'status' })
    const done = make('button', { type: 'button', class: 'main', onclick: close }, 'Close')
    stage.replaceChildren(said, make('div', { class: 'row end' }, done))
    put(said, outcomeText(brought))
    done.focus()
    bench.changed()
  }

  /** @param {Brought} brought */
  function outcomeText(brought) {
    const { outcome, kind, version, missing, expiresAt } = brought
    if (outcome === 'pending')
      return `Signed. It waits for ${missing}, until ${time(expiresAt)}: another person finds it under “Waiting for a signature”.`
    if (deed.done !== undefined) return deed.done(brought)
    return kind === 'policy' ? `In force as policy ${version}.` : `In force, in epoch ${version}.`
  }
}

/** @param {Draft} draft */
function needsText({ needs: { signatures, marshal, why } }) {
  if (signatures === 1) return 'One signature is enough: yours.'
  return `It needs two signatures${marshal && why.length === 0 ? ', one of a marshal' : ''}: ${why.join('; ')}.`
}
