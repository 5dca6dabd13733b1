// @ts-check
// Controls: what whoever is logged in may do, as buttons; what waits for a signature below them. Who may do nothing sees
// nothing of it.

import { make, put } from '../../mesh/pages/dom.js'
import { opening } from './dialog.js'
import { isWorse, RAISED } from './severity.js'
import { mountWaiting } from './waiting.js'

/** @typedef {import('./deed.js').Bench} Bench */
/**
 * @typedef {object} Act
 * @property {string} text
 * @property {string} [class]
 * @property {(bench: Bench) => Promise<void>} open fetches what it needs: who only looks on pays nothing for it
 * @property {(inForce: string) => boolean} [isOffered]
 */

/** @type {Act[]} */
const CHANGES = [
  { text: 'Capacity…', open: async bench => (await import('./capacity.js')).openCapacity(bench) },
  { text: 'Head count…', open: async bench => (await import('./recount.js')).openRecount(bench) },
  { text: 'Roster…', open: async bench => (await import('./roster.js')).openRoster(bench) },
  { text: 'Note…', open: async bench => (await import('./notes.js')).openNotes(bench) },
]
/** @type {Act[]} */
const EMERGENCY = [
  ...RAISED.map(mode => ({
    text: `${mode}…`,
    class: 'danger',
    open: async (/** @type {Bench} */ bench) => (await import('./modes.js')).openRaise(bench, mode),
    isOffered: (/** @type {string} */ inForce) => isWorse(mode, inForce),
  })),
  {
    text: 'Re-arm…',
    class: 'main',
    open: async bench => (await import('./modes.js')).openRearm(bench),
    isOffered: inForce => inForce !== 'NORMAL',
  },
]

/**
 * @param {Element} root
 * @param {Bench & { say: (error: Error | undefined) => void }} bench
 * @returns {{ look: () => Promise<void>, show: () => void }}
 */
export function mountControls(root, bench) {
  const { session, say } = bench
  const title = make('h3', { id: 'waiting-title' }, 'Waiting for a signature')
  const waitingRoot = make('div')
  const waiting = make('section', { id: 'waiting', 'aria-labelledby': 'waiting-title' }, title, waitingRoot)
  const buttons = [...CHANGES, ...EMERGENCY].map(act => ({ act, node: button(act) }))
  const nodes = (/** @type {Act[]} */ acts) => buttons.filter(({ act }) => acts.includes(act)).map(({ node }) => node)
  const hands = make(
    'div',
    { class: 'bar' },
    make('div', { class: 'row', role: 'group', 'aria-label': 'Change' }, ...nodes(CHANGES)),
    make(
      'div',
      { class: 'row', role: 'group', 'aria-label': 'Emergency' },
      make('span', { class: 'soft' }, 'Emergency:'),
      ...nodes(EMERGENCY),
    ),
  )
  const keyless = make('p', { class: 'banner warn' })
  root.replaceChildren(make('h2', { class: 'unseen' }, 'Controls'), keyless, hands, waiting)
  const list = mountWaiting(waitingRoot, { session, say, changed: bench.changed })
  let seen = ''
  bench.onReport(() => {
    const { mode = '', anchor } = bench.report() ?? {}
    const now = `${mode} ${anchor?.policyVersion}`
    offer()
    // what comes into force may have been waiting here
    if (seen !== '' && seen !== now) bench.changed()
    seen = now
  })
  show()

  /** @param {Act} act */
  function button(act) {
    return make('button', { type: 'button', class: act.class, onclick: opening(() => act.open(bench), say) }, act.text)
  }

  function offer() {
    const inForce = bench.report()?.mode ?? 'NORMAL'
    for (const { act, node } of buttons) node.hidden = act.isOffered?.(inForce) === false
  }

  function show() {
    const isHand = session.may('createDraft')
    hands.hidden = !isHand
    keyless.hidden = !isHand || session.person !== undefined
    put(
      keyless,
      `The key of ${session.name} is not in this browser: you can look, and nothing can be signed here. Put it in under “Keys”.`,
    )
    // who acts sees it also while nothing waits; who reads only what there is
    waiting.hidden = !session.may('listApprovals') || session.name === undefined
    root.toggleAttribute('hidden', !isHand && waiting.hidden)
    offer()
  }

  return {
    show,
    look: async () => {
      if (session.may('listApprovals')) await list.look()
    },
  }
}
