// @ts-check
// Dashboard: the live view of one mall, who is logged in, and what they may do. Where there are several malls and none is
// named in the address it lists them; where nobody may look without a login it asks for one.

import { byId, doing, make, put } from '../../mesh/pages/dom.js'
import { mountView } from '../../mesh/pages/view.js'
import { mountControls } from './controls.js'
import { mountKeys } from './keys.js'
import { mallsSeen, Session } from './session.js'

const AGAIN_MS = 3000
const named = /^\/malls\/([a-z][a-z0-9-]*)\//.exec(location.pathname)?.[1]

/** @param {Error | undefined} error */
function say(error) {
  put(byId('trouble'), error?.message ?? '')
  byId('trouble').hidden = error === undefined
}

/** @param {boolean} isOpen */
function openKeys(isOpen) {
  byId('keys').hidden = !isOpen
  byId('keys-open').setAttribute('aria-expanded', String(isOpen))
}

byId('keys-open').addEventListener('click', () => openKeys(byId('keys').hidden))
addEventListener('gatemesh:key', () => openKeys(true))

/** Which mall this is, or what there is instead of one. */
async function begin() {
  if (named !== undefined) return ofMall(new Session(named))
  const malls = await mallsSeen()
  const [only, ...more] = malls ?? []
  if (only !== undefined && more.length === 0) return ofMall(new Session(only))
  if (malls !== undefined) return list(malls)
  put(byId('who'), 'nobody is logged in')
  byId('keys-open').hidden = true
  openKeys(true)
  const login = async (/** @type {import('./session.js').Person} */ person) => {
    const session = new Session(person.name.split('/')[1] ?? '')
    await session.login(person)
    await ofMall(session)
  }
  await mountKeys(byId('keys-list'), { login, say }).show()
}

/** @param {string[]} malls */
function list(malls) {
  put(byId('mall'), 'Malls')
  put(byId('who'), '')
  byId('keys-open').hidden = true
  const items = malls.map(mall => make('li', { class: 'card' }, make('a', { href: `/malls/${mall}/` }, mall)))
  const none = make('p', { class: 'soft' }, 'There is no mall here yet.')
  byId('view').replaceChildren(malls.length === 0 ? none : make('ul', { class: 'malls' }, ...items))
}

/** @param {Session} session */
async function ofMall(session) {
  const { mall } = session
  if (session.role === undefined) await session.resume()
  put(byId('mall'), `Mall “${mall}”`)
  document.title = `${mall} · Gatemesh`
  const login = async (/** @type {import('./session.js').Person} */ person) => {
    await session.login(person)
    byId('view').focus({ preventScroll: true })
  }
  await mountKeys(byId('keys-list'), { mall, say, login, changed: () => session.resume() }).show()
  byId('logout').addEventListener(
    'click',
    doing(() => session.logout(), say),
  )
  /** @type {(() => void) | undefined} */
  let shown
  const show = () => {
    showWho(session)
    if (session.may('getOccupancy')) shown ??= showMall(session)
    byId('view').hidden = !session.may('getOccupancy')
    shown?.()
  }
  session.onChange(show)
  show()
  document.addEventListener('visibilitychange', () => {
    if (!document.hidden) session.look().catch(say)
  })
}

/** @param {Session} session */
function showWho({ name, role }) {
  put(byId('who'), name === undefined ? 'nobody is logged in' : `${name}, ${role}`)
  put(byId('keys-open'), name === undefined ? 'Log in' : 'Keys')
  byId('logout').hidden = name === undefined
  byId('keys-open').hidden = role === undefined
  openKeys(role === undefined)
}

/** Shows all of it once; what it returns shows it anew to whoever is logged in then. @param {Session} session */
function showMall(session) {
  const { mall } = session
  const view = mountView(byId('view'), { events: `/malls/${mall}/events`, trend: `/malls/${mall}/trend` })
  const details = byId('history').querySelector('details')
  /** @type {Promise<{ look: () => Promise<void> }> | undefined} */
  let history
  const lookBack = async () => {
    if (!details.open || !session.may('getPolicy')) return
    history ??= import('./history.js').then(({ mountHistory }) => mountHistory(byId('history-list'), session))
    await (await history).look().catch(say)
  }
  details.addEventListener('toggle', lookBack)
  /** @type {Promise<{ look: () => Promise<void> }> | undefined} */
  let signals
  const lookAtSignals = async () => {
    if (signals === undefined && !session.may('getSignals')) return
    signals ??= import('./signals.js').then(({ mountSignals }) => mountSignals(byId('signals'), session))
    await (await signals).look().catch(say)
  }
  const changed = () => {
    controls.look().catch(say)
    lookBack()
  }
  const bench = {
    session,
    say,
    changed,
    report: () => view.report,
    isStale: () => view.isStale,
    onReport: (/** @type {() => void} */ act) => view.onReport(act),
  }
  const controls = mountControls(byId('controls'), bench)
  view.onReport(() => showLinks(session, view.report))
  return () => {
    byId('history').hidden = !session.may('getPolicy')
    controls.show()
    controls.look().catch(say)
    lookBack()
    lookAtSignals()
    view.setHands(handsOf(session))
    showLinks(session, view.report)
  }
}

/** @param {Session} session */
function handsOf(session) {
  return {
    ...(session.may('placeGate') && {
      place: (/** @type {string} */ gate, /** @type {number} */ x, /** @type {number} */ y) =>
        session.ask('PUT', `gates/${gate}/position`, { x: Math.round(x), y: Math.round(y) }),
    }),
    ...(session.may('labelGate') && {
      label: (/** @type {string} */ gate, /** @type {string} */ text) =>
        session.ask('PUT', `gates/${gate}/label`, { text }),
    }),
    ...(session.may('acknowledgeAlert') && {
      acknowledge: (/** @type {string} */ id, /** @type {string} */ note) =>
        session.ask('POST', `alerts/${id}/acknowledgements`, note === '' || note === undefined ? {} : { note }),
    }),
  }
}

/** @param {Session} session @param {import('../../mesh/window/mall-report.ts').MallReport | undefined} report */
function showLinks(session, report) {
  const gates = (report?.gates ?? []).filter(({ isRostered }) => isRostered).map(({ name }) => name)
  const isAuditor = session.may('listEvents')
  const links = byId('links')
  const seen = JSON.stringify([gates, isAuditor])
  if (links.dataset.seen === seen) return
  links.dataset.seen = seen
  const displays = gates.map(gate => make('li', {}, make('a', { href: `/display/${session.mall}/${gate}` }, gate)))
  links.replaceChildren(
    ...(isAuditor ? [make('a', { href: `/pages/audit.html?mall=${session.mall}` }, 'Audit')] : []),
    ...(gates.length > 0
      ? [make('details', {}, make('summary', {}, 'Door displays'), make('ul', {}, ...displays))]
      : []),
  )
}

/** An anchor that does not answer yet, or is still starting, is asked again. */
async function start() {
  try {
    await begin()
    say(undefined)
  } catch (error) {
    say(/** @type {Error} */ (error))
    setTimeout(start, AGAIN_MS)
  }
}
start()
