// @ts-check
// History: who did what, newest first: every text that was signed and what became of it, in words read from the texts.

import { make } from '../../mesh/pages/dom.js'
import { time, wordsFor } from './reading.js'
import { textHash, textOf } from './signing.js'

/** @typedef {import('./session.js').Session} Session */
/** @typedef {{ at?: number, who: string, what: string, words: string[], id: string }} Line */

const LINES_MAX = 30
/** A first policy is told in full, and most of it is wanted by nobody. */
const WORDS_MAX = 4

/** @param {Element} root @param {Session} session @returns {{ look: () => Promise<void> }} */
export function mountHistory(root, session) {
  const list = make('ol', { class: 'history' })
  root.replaceChildren(list)
  let shown = ''

  async function look() {
    const lines = await linesOf(session)
    const seen = JSON.stringify(lines)
    if (seen === shown) return
    shown = seen
    list.replaceChildren(...lines.map(lineNode))
  }
  return { look }
}

/** @param {Line} line */
function lineNode({ at, who, what, words }) {
  const [title = '', ...rest] = words
  const lines = rest.map(word => make('div', { class: 'soft small' }, word))
  const more = make('details', { class: 'small' }, make('summary', {}, `${lines.length} lines`), ...lines)
  return make(
    'li',
    {},
    make('span', { class: 'soft small' }, at === undefined ? '' : time(at)),
    make('div', {}, make('strong', {}, who), ` ${what}: ${title}`, ...(lines.length > WORDS_MAX ? [more] : lines)),
  )
}

/** @param {Session} session @returns {Promise<Line[]>} */
async function linesOf(session) {
  const [{ history }, approvals, { statement }] = await Promise.all([
    session.ask('GET', `policy?limit=${LINES_MAX + 1}`),
    session.may('listApprovals') ? session.ask('GET', `approvals?limit=${LINES_MAX}`) : { approvals: [] },
    session.ask('GET', 'modes'),
  ])
  const texts = new Map()
  for (const { note, hash } of history) if (note !== undefined) texts.set(hash, textOf(note))
  /** @type {Line[]} */
  const lines = []
  for (const approval of approvals.approvals) lines.push(await approvalLine(approval, texts))
  const known = new Set(lines.map(({ id }) => id))
  // what was brought elsewhere, or before the anchor kept account of it
  for (const policy of history) {
    const text = texts.get(policy.hash)
    if (text === undefined || known.has((await textHash(text)).hex)) continue
    const who = policy.signers.join(', ')
    lines.push({ who, what: 'signed', words: await wordsFor(text, texts.get(policy.previous)), id: policy.hash })
  }
  if (statement.note !== undefined && !known.has((await textHash(textOf(statement.note))).hex)) {
    const { at, by, note } = statement
    lines.push({ at, who: by.join(', '), what: 'said', words: await wordsFor(textOf(note)), id: 'mode' })
  }
  return lines.sort((a, b) => (b.at ?? 0) - (a.at ?? 0)).slice(0, LINES_MAX)
}

/** @param {any} approval @param {Map<string, string>} texts */
async function approvalLine({ id, kind, text, signers, state, broughtAt, history }, texts) {
  const previous = /^previous (.*)$/m.exec(text)?.[1]
  const words = await wordsFor(text, kind === 'policy' ? texts.get(previous ?? '') : undefined)
  const last = history.at(-1)
  const by = last === undefined || last.by === 'anchor' || state === 'pending' ? '' : ` by ${last.by}`
  const why = last?.why === undefined ? '' : `, ${last.why}`
  const became = { pending: 'waits', enacted: 'in force' }[/** @type {'pending'} */ (state)] ?? `${state}${by}${why}`
  const who = signers.length === 0 ? 'nobody yet' : signers.join(', ')
  return { id, at: last?.at ?? broughtAt, who, what: `signed, ${became}`, words }
}
