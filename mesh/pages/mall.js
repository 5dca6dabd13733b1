// @ts-check
// Mall page: the live view by itself, as any gate shows it, also while the anchor is dead. A gate that has a pass shows it
// to whoever has shown that: then the browser has a cookie, which goes with the stream.

import { byId, doing, make, put } from './dom.js'
import { mountView } from './view.js'

const AGAIN_MS = 2000

/** @param {string} name @returns {any} */
const part = name => document.querySelector(`[data-part="${name}"]`)

function show() {
  const view = mountView(byId('view'))
  view.onReport(({ mall, me }) => {
    put(part('mall'), `Mall “${mall}”`)
    put(part('viewer'), `as ${me === 'anchor' ? 'the anchor' : me} sees it`)
    part('links').hidden = me === 'anchor'
  })
}

function ask() {
  const pass = make('input', { type: 'password', autocomplete: 'current-password', required: true, minlength: 8 })
  const wrong = make('p', { class: 'bad', role: 'alert' })
  const say = (/** @type {Error | undefined} */ error) => put(wrong, error?.message ?? '')
  const look = async (/** @type {SubmitEvent} */ event) => {
    event.preventDefault()
    const reply = await fetch('/turnstile', { headers: { authorization: `Bearer ${pass.value.trim()}` } })
    const { mayCount } = await reply.json()
    if (!mayCount) throw new Error('This is not the pass.')
    show()
  }
  const form = make(
    'form',
    { class: 'card stack', onsubmit: doing(look, say) },
    make('h2', {}, 'This gate has a pass'),
    make('label', {}, 'Pass', pass),
    wrong,
    make('button', { class: 'main' }, 'Look'),
  )
  byId('view').replaceChildren(form)
  pass.focus()
}

async function begin() {
  try {
    const { status } = await fetch('mall')
    if (status === 401) ask()
    else show()
  } catch {
    // nobody is there at present: it is asked again
    setTimeout(begin, AGAIN_MS)
  }
}

begin()
