// @ts-check
// Proof dialog: one event's proof, checked here step by step, in words; and the file that somebody keeps of it.

import { byId, doing, make } from '../../mesh/pages/dom.js'
import { utcText } from './audit-search.js'
import { checkProof } from './proof.js'

/** @typedef {import('./proof.js').Proof & { instructions?: string[] }} SavedProof */

/** @type {SavedProof | undefined} */
let shown
/** What the proof must be of; nothing where it came as a file. @type {{ line?: string, account?: string }} */
let expected = {}

/**
 * Opens at once and says what it is waiting for.
 * @param {string} of
 * @param {() => Promise<SavedProof>} ask
 * @param {{ line?: string, account?: string }} [known]
 */
export async function openProof(of, ask, known = {}) {
  expected = known
  shown = undefined
  byId('proof-of').textContent = of
  byId('steps').replaceChildren()
  byId('proof-line').textContent = ''
  byId('by-hand').textContent = ''
  byId('save').disabled = true
  say('calm', 'Asking for the proof …')
  if (!byId('proof').open) byId('proof').showModal()
  try {
    shown = await ask()
  } catch (error) {
    say('bad', `There is no proof to check: ${/** @type {Error} */ (error).message}`)
    return
  }
  await check().catch(error => say('warn', `It could not be checked here: ${error.message}`))
}

async function check() {
  if (shown === undefined) return
  const proof = shown
  byId('save').disabled = false
  byId('proof-line').textContent = String(proof.line)
  byId('by-hand').textContent = Array.isArray(proof.instructions) ? proof.instructions.join('\n') : ''
  const { holds, steps } = await checkProof(proof, { ...expected, owner: byId('owner').value, time: utcText })
  if (proof !== shown) return
  byId('steps').replaceChildren(...steps.map(stepItem))
  const named = (/** @type {boolean | undefined} */ which) =>
    steps.flatMap(step => (step.holds === which ? [step.title.toLowerCase()] : [])).join(', ')
  const open = named(undefined)
  if (!holds) say('bad', `✗ The proof does not hold: ${named(false)}.`)
  else say('good', `✓ The proof holds, worked out in this browser.${open === '' ? '' : ` Left open: ${open}.`}`)
}

/** @param {import('./proof.js').Step} step */
function stepItem({ title, holds, words }) {
  const [mark, kind, said] =
    holds === undefined ? ['–', 'soft', 'left open'] : holds ? ['✓', 'good', 'holds'] : ['✗', 'bad', 'fails']
  return make(
    'li',
    { 'data-holds': String(holds) },
    make('span', { class: `mark ${kind}`, role: 'img', 'aria-label': said }, mark),
    make('div', {}, make('strong', {}, title), words),
  )
}

/** @param {string} kind @param {string} words */
function say(kind, words) {
  byId('verdict').className = `banner ${kind}`
  byId('verdict').textContent = words
}

function save() {
  if (shown === undefined) return
  const url = URL.createObjectURL(new Blob([`${JSON.stringify(shown, null, 2)}\n`], { type: 'application/json' }))
  const name = `proof-${shown.mall}-${String(shown.account).replace('/', '-')}-${shown.index}.json`
  make('a', { href: url, download: name }).click()
  setTimeout(() => URL.revokeObjectURL(url), 10_000)
}

const failing = (/** @type {Error | undefined} */ error) => {
  if (error !== undefined) say('bad', error.message)
}

byId('save').addEventListener('click', doing(save, failing))
byId('close').addEventListener('click', () => byId('proof').close())
byId('owner-form').addEventListener(
  'submit',
  doing(event => {
    event.preventDefault()
    return check()
  }, failing),
)
byId('file').addEventListener(
  'change',
  doing(async ({ target }) => {
    const [file] = target.files
    if (file === undefined) return
    const text = await file.text()
    target.value = ''
    await openProof(`From the file ${file.name}`, async () => {
      const value = JSON.parse(text)
      if (typeof value !== 'object' || value === null) throw new Error('this file is no proof')
      return value
    })
  }, failing),
)
