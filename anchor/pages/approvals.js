// @ts-check
// Approvals: only what waits for a signature, for whoever signs on a phone and needs nothing else of the dashboard.

import { byId, put } from '../../mesh/pages/dom.js'
import { mountKeys } from './keys.js'
import { Session } from './session.js'
import { mountWaiting } from './waiting.js'

/** @type {{ stop: () => void } | undefined} */
let waiting

/** @param {Error | undefined} error */
function say(error) {
  put(byId('trouble'), error?.message ?? '')
  byId('trouble').hidden = error === undefined
}

/** @param {import('./session.js').Person} person */
async function login(person) {
  const session = new Session(person.name.split('/')[1] ?? '')
  await session.login(person)
  waiting?.stop()
  const list = mountWaiting(byId('list'), { session, say })
  waiting = list
  put(byId('mall'), `of ${session.mall}`)
  put(byId('who'), `${session.name}, ${session.role}`)
  byId('waiting').hidden = false
  await list.look()
}

mountKeys(byId('keys-list'), { login, say }).show().catch(say)
