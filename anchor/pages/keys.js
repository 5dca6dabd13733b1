// @ts-check
// Keys: the keys that this browser holds: put in from a file, made here, forgotten; and logging in with one.

import { doing, make } from '../../mesh/pages/dom.js'
import { allPersons, fingerprint, forgetPerson, importPerson, keepPerson, makePerson } from './signing.js'

/** @typedef {import('./signing.js').Person} Person */

const NO_CRYPTO =
  'This browser keeps keys only for pages that come over https, or from this machine itself: log in there.'

/**
 * @param {Element} root
 * @param {object} a
 * @param {string} [a.mall] only keys of it log in here; others are led to their own
 * @param {(person: Person) => Promise<void>} a.login
 * @param {(error: Error | undefined) => void} a.say
 * @param {() => Promise<void>} [a.changed] other keys are here than before
 * @returns {{ show: () => Promise<void> }}
 */
export function mountKeys(root, { mall, login, say, changed }) {
  const people = make('div', { class: 'stack' })
  if (globalThis.crypto?.subtle === undefined) {
    root.replaceChildren(make('p', { class: 'banner warn' }, NO_CRYPTO))
    return { show: async () => undefined }
  }
  const file = make('input', { id: 'file', type: 'file', onchange: doing(put, say) })
  const placeholder = `gatemesh/${mall ?? 'MALL'}/NAME`
  const name = make('input', { id: 'name', placeholder, spellcheck: 'false', autocomplete: 'off' })
  const more = make(
    'details',
    { id: 'add' },
    make('summary', {}, 'Put a key into this browser'),
    make('label', {}, 'Key file', file),
    make(
      'p',
      { class: 'soft small' },
      'It goes in once and cannot be taken out of the browser again. Keep the file in a safe, or destroy it.',
    ),
    make(
      'div',
      { class: 'row' },
      make('label', {}, 'Or a new key for', name),
      make('button', { id: 'make', type: 'button', onclick: doing(makeHere, say) }, 'Make it here'),
    ),
    make('p', { class: 'soft small' }, 'A new key logs in once the owner has put it into the charter.'),
  )
  root.replaceChildren(people, more)
  // the demo of `gatemesh mall` puts keys of its played operators into the browser
  addEventListener('gatemesh:key', doing(show, say))

  async function show() {
    const all = await allPersons()
    people.replaceChildren(...(await Promise.all(all.map(row))))
    more.open = all.length === 0
  }

  /** @param {Person} one */
  async function row(one) {
    const [, ofMall = '', who = ''] = one.name.split('/')
    const named = (/** @type {string} */ what) => ({ type: 'button', 'aria-label': `${what} ${who} of ${ofMall}` })
    const isHere = mall === undefined || mall === ofMall
    const act = isHere
      ? make('button', { ...named('Log in as'), class: 'main', onclick: doing(() => login(one), say) }, 'Log in')
      : make('a', { class: 'button', href: `/malls/${ofMall}/` }, `Go to ${ofMall}`)
    return make(
      'div',
      { class: 'person card bar' },
      make(
        'div',
        {},
        make('strong', {}, who),
        make('span', { class: 'soft' }, ` of ${ofMall} · ${await fingerprint(one.vkey)}`),
        make('div', {}, make('code', {}, one.vkey)),
      ),
      make(
        'div',
        { class: 'row' },
        act,
        make('button', { ...named('Forget'), class: 'quiet', onclick: doing(() => forget(one), say) }, 'Forget'),
      ),
    )
  }

  async function put() {
    const [one] = file.files
    if (one === undefined) return
    const text = await one.text()
    file.value = ''
    await keepPerson(await importPerson(text))
    await show()
    await changed?.()
  }

  async function makeHere() {
    await keepPerson(await makePerson(name.value.trim()))
    await show()
    await changed?.()
  }

  /** @param {Person} one */
  async function forget(one) {
    if (!confirm(`Forget the key of ${one.name} in this browser? It cannot be brought back from here.`)) return
    await forgetPerson(one.name)
    await show()
    await changed?.()
  }

  return { show }
}
