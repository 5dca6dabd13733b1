// @ts-check
// Mall page: the live view by itself, as any gate shows it without a login, also while the anchor is dead.

import { byId, put } from './dom.js'
import { mountView } from './view.js'

/** @param {string} name @returns {any} */
const part = name => document.querySelector(`[data-part="${name}"]`)

const view = mountView(byId('view'))
view.onReport(({ mall, me }) => {
  put(part('mall'), `Mall “${mall}”`)
  put(part('viewer'), `as ${me === 'anchor' ? 'the anchor' : me} sees it`)
  part('links').hidden = me === 'anchor'
})
