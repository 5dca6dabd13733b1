// @ts-check
// Waiting: what waits for another signature, in words, with a button to sign it with the key of this browser. Several
// browsers may show it at once: each looks again every few seconds, and what was done elsewhere is gone here too.

import { doing, make } from '../../mesh/pages/dom.js'
import { inForce, readText, time } from './reading.js'

/** @typedef {import('./session.js').Session} Session */
/**
 * @typedef {{ id: string, kind: string, text: string, signers: string[], expiresAt: number, needs: { why: string[] } }} Approval
 */

const EVERY_MS = 2000

/**
 * @param {Element} root
 * @param {{ session: Session, say: (error: Error | undefined) => void, changed?: () => void }} a
 * @returns {{ look: () => Promise<void>, stop: () => void }}
 */
export function mountWaiting(root, { session, say, changed }) {
  const list = make('div', { class: 'cards' })
  const nothing = make('p', { id: 'nothing', class: 'soft', hidden: true }, 'Nothing waits for a signature.')
  root.replaceChildren(nothing, list)
  let shown = ''

  async function look() {
    const [{ approvals }, before] = await Promise.all([
      session.ask('GET', 'approvals?state=pending&limit=1000'),
      inForce(session),
    ])
    const seen = JSON.stringify([approvals, before, session.name])
    if (seen === shown) return
    const cards = await Promise.all(approvals.map((/** @type {Approval} */ one) => card(one, before)))
    const focused = document.activeElement?.closest('article')?.getAttribute('data-id')
    const said = document.activeElement?.textContent
    list.replaceChildren(...cards)
    // whoever stood on a button of a card that is still there stands on it again
    for (const button of list.querySelectorAll(`article[data-id="${focused}"] button`))
      if (button.textContent === said) button.focus()
    nothing.hidden = approvals.length > 0
    const isNews = shown !== ''
    shown = seen
    if (isNews) changed?.()
  }

  /** @param {Approval} approval @param {string | undefined} before */
  async function card(approval, before) {
    const { id, text, signers, expiresAt, needs } = approval
    const { flaw, words = [] } = await readText(approval, session.mall, before)
    const [title, ...rest] = flaw === undefined ? words : [flaw]
    const by = signers.length === 0 ? 'Nobody has signed it' : `Signed by ${signers.join(', ')}`
    const head = make('h3', flaw === undefined ? {} : { class: 'warn' }, title)
    return make(
      'article',
      { class: 'card', 'data-id': id },
      head,
      make('ul', {}, ...rest.map(line => make('li', {}, line))),
      make('p', { class: 'soft' }, `${by}; it waits until ${time(expiresAt)}.`),
      ...needs.why.map(why => make('p', { class: 'soft' }, `It takes two: ${why}.`)),
      make('details', {}, make('summary', {}, 'The text itself'), make('pre', {}, text)),
      flaw === undefined ? buttons(approval, title ?? '') : undefined,
    )
  }

  /** @param {Approval} approval @param {string} title */
  function buttons({ id, text, signers }, title) {
    const isMine = signers.includes(session.name ?? '')
    const row = make('div', { class: 'row' })
    const named = (/** @type {string} */ what) => ({ type: 'button', 'aria-label': `${what}: ${title}` })
    if (!isMine && session.may('createDraft'))
      row.append(make('button', { ...named('Sign'), class: 'main', onclick: doing(() => sign(id, text), say) }, 'Sign'))
    if ((isMine || signers.length === 0) && session.may('withdrawApproval'))
      row.append(make('button', { ...named('Withdraw'), onclick: doing(() => withdraw(id), say) }, 'Withdraw'))
    return row
  }

  /** @param {string} id @param {string} text */
  async function sign(id, text) {
    await session.ask('POST', `approvals/${id}/signatures`, { note: await session.signed(text) })
    await look()
  }

  /** @param {string} id */
  async function withdraw(id) {
    await session.ask('DELETE', `approvals/${id}`)
    await look()
  }

  let isTroubled = false
  async function lookAgain() {
    try {
      await look()
      if (isTroubled) say(undefined)
      isTroubled = false
    } catch (error) {
      isTroubled = true
      say(/** @type {Error} */ (error))
    }
  }

  const timer = setInterval(() => {
    if (!document.hidden && session.may('listApprovals')) lookAgain()
  }, EVERY_MS)
  return { look, stop: () => clearInterval(timer) }
}
