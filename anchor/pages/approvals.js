// Approvals: what waits for a second signature, in words, and a button to sign it with the key of this browser.
//
// Law: what is shown is read from the very text that is signed, and held against the policy whose hash that text names;
// the anchor's own words about it are not shown at all.

import { Anchor } from './anchor.js'
import {
  allPersons,
  fingerprint,
  forgetPerson,
  importPerson,
  keepPerson,
  makePerson,
  signNote,
  textHash,
  textOf,
} from './signing.js'
import { wordsOf } from './wording.js'

const EVERY_MS = 3000
const el = id => document.getElementById(id)
let person
let anchor
let shown = ''

function add(parent, tag, text, className) {
  const node = parent.appendChild(document.createElement(tag))
  if (text !== undefined) node.textContent = text
  if (className !== undefined) node.className = className
  return node
}

/** What goes wrong is told, and the page stays as it is. */
function doing(act) {
  return async event => {
    const button = event?.currentTarget
    if (button instanceof HTMLButtonElement) button.disabled = true
    try {
      el('trouble').hidden = true
      await act(event)
    } catch (error) {
      showTrouble(error)
    } finally {
      if (button instanceof HTMLButtonElement) button.disabled = false
    }
  }
}

function showTrouble({ message }) {
  el('trouble').textContent = message
  el('trouble').hidden = false
}

async function showPeople() {
  const people = await allPersons()
  const list = el('people')
  list.replaceChildren()
  for (const one of people) {
    const row = add(list, 'div', undefined, 'person')
    const words = add(row, 'div')
    add(words, 'strong', one.name.split('/')[2])
    add(words, 'span', ` of ${one.name.split('/')[1]} · ${await fingerprint(one.vkey)}`, 'soft')
    add(add(words, 'div'), 'code', one.vkey)
    const buttons = add(row, 'div')
    const login = add(buttons, 'button', 'log in')
    login.addEventListener(
      'click',
      doing(() => logIn(one)),
    )
    const forget = add(buttons, 'button', 'forget', 'quiet')
    forget.addEventListener(
      'click',
      doing(() => forgetKey(one)),
    )
  }
  el('add').open = people.length === 0
}

async function forgetKey({ name }) {
  if (!confirm(`Forget the key of ${name} in this browser? It cannot be brought back from here.`)) return
  await forgetPerson(name)
  await showPeople()
}

async function logIn(one) {
  const next = new Anchor(one.name.split('/')[1])
  const role = await next.login(one)
  person = one
  anchor = next
  shown = ''
  el('mall').textContent = `of ${anchor.mall}`
  el('who').textContent = `${one.name.split('/')[2]}, ${role}`
  el('waiting').hidden = false
  await look()
}

async function look() {
  const [approvals, note] = await Promise.all([anchor.waiting(), anchor.inForce()])
  const seen = JSON.stringify([approvals, note])
  if (seen === shown) return
  const cards = document.createDocumentFragment()
  for (const approval of approvals) cards.append(await card(approval, note === undefined ? undefined : textOf(note)))
  el('list').replaceChildren(cards)
  el('nothing').hidden = approvals.length > 0
  shown = seen
}

async function card(approval, before) {
  const { id, text, signers, expiresAt, needs } = approval
  const node = document.createElement('article')
  node.dataset.id = id
  const flaw = await flawOf(approval, before)
  const isMode = text.startsWith(`gatemesh/${anchor.mall}/mode\n`)
  const [title, ...words] = flaw === undefined ? await wordsFor(text, isMode ? undefined : before) : [flaw]
  add(node, 'h3', title, flaw === undefined ? undefined : 'warn')
  const list = add(node, 'ul')
  for (const line of words) add(list, 'li', line)
  const by = signers.length === 0 ? 'nobody has signed it' : `signed by ${signers.join(', ')}`
  add(node, 'p', `${by}; until ${time(expiresAt)}`, 'soft')
  for (const why of needs.why) add(node, 'p', `It takes two: ${why}.`, 'soft')
  const raw = add(node, 'details')
  add(raw, 'summary', 'the text itself')
  add(raw, 'pre', text)
  if (flaw === undefined) addButtons(add(node, 'div', undefined, 'row'), approval)
  return node
}

function addButtons(row, { id, text, signers }) {
  const isMine = signers.includes(person.name.split('/')[2])
  if (!isMine)
    add(row, 'button', 'sign').addEventListener(
      'click',
      doing(() => sign(id, text)),
    )
  if (isMine || signers.length === 0) {
    add(row, 'button', 'withdraw', 'quiet').addEventListener(
      'click',
      doing(() => withdraw(id)),
    )
  }
}

/** Why this cannot be shown, and so not be signed. */
async function flawOf({ id, text }, before) {
  if ((await textHash(text)).hex !== id) return 'The anchor shows another text than the one of this id.'
  if (text.startsWith(`gatemesh/${anchor.mall}/mode\n`)) return undefined
  if (!text.startsWith(`gatemesh/${anchor.mall}/policy\n`)) return 'This is no text of this mall.'
  const previous = /^previous (.*)$/m.exec(text)?.[1]
  const isFirst = previous === undefined && /^version 1$/m.test(text)
  const isNext = before !== undefined && previous === (await textHash(before)).base64
  return isFirst || isNext ? undefined : 'It does not stand on the policy that the anchor shows as the one in force.'
}

async function wordsFor(text, before) {
  const prints = new Map()
  for (const vkey of `${text}${before ?? ''}`.match(/^gate .*$/gm) ?? [])
    prints.set(vkey.slice(5), await fingerprint(vkey.slice(5)))
  const isFirst = /^version 1$/m.test(text)
  return wordsOf(text, isFirst ? undefined : before, { now: Date.now(), time, print: vkey => prints.get(vkey) ?? vkey })
}

function time(ms) {
  return new Date(ms).toLocaleString([], { dateStyle: 'medium', timeStyle: ms % 60_000 === 0 ? 'short' : 'medium' })
}

async function sign(id, text) {
  await anchor.sign(id, await signNote(text, person))
  await look()
}

async function withdraw(id) {
  await anchor.withdraw(id)
  await look()
}

async function added(one) {
  await keepPerson(one)
  await showPeople()
}

el('file').addEventListener(
  'change',
  doing(async ({ target }) => {
    const [file] = target.files
    if (file === undefined) return
    const text = await file.text()
    target.value = ''
    await added(await importPerson(text))
  }),
)
el('make').addEventListener(
  'click',
  doing(async () => added(await makePerson(el('name').value.trim()))),
)
setInterval(() => {
  if (anchor !== undefined && !document.hidden) look().catch(showTrouble)
}, EVERY_MS)
doing(showPeople)()
