// @ts-check
// Roster: the gates of the mall, with what people compare of their keys; adding one, taking one off.

import { make } from '../../mesh/pages/dom.js'
import { openDeed } from './deed.js'
import { makeDialog, opening } from './dialog.js'
import { reclaimBoxes } from './recount.js'
import { fingerprint } from './signing.js'

/** @typedef {import('./deed.js').Bench} Bench */
/**
 * @typedef {{ name: string, label?: string, account: string, balance: number, key?: string, isReachable: boolean,
 *   isBanned: boolean, isRostered: boolean, state?: string }} Gate
 */

/** @param {Bench} bench */
export async function openRoster(bench) {
  const { dialog, trouble, close } = makeDialog('Roster')
  const body = make('tbody')
  const key = make('input', { required: true, maxlength: 200, spellcheck: 'false', autocomplete: 'off' })
  const inner = { ...bench, changed: () => show().catch(trouble).finally(bench.changed) }
  const head = ['Gate', 'State', 'Fingerprint of its key', ''].map(text => make('th', { scope: 'col' }, text))
  dialog.append(
    make('div', { class: 'wide-table' }, make('table', {}, make('thead', {}, make('tr', {}, ...head)), body)),
    make(
      'form',
      { class: 'row', onsubmit: opening(add, trouble) },
      make('label', { class: 'grow' }, 'Key of a new gate (gatemesh/MALL/NAME+…)', key),
      make('button', { type: 'submit' }, 'Add…'),
    ),
    make('div', { class: 'row end' }, make('button', { type: 'button', class: 'main', onclick: close }, 'Close')),
  )
  await show()
  dialog.showModal()

  async function show() {
    const { gates } = await bench.session.ask('GET', 'gates')
    body.replaceChildren(...(await Promise.all(gates.map(row))))
  }

  /** @param {Gate} gate */
  async function row(gate) {
    const { name, label, balance } = gate
    const print = gate.key === undefined ? '' : await fingerprint(gate.key)
    const remove = opening(() => openRemove(inner, gate), trouble)
    const button = { type: 'button', class: 'danger', 'aria-label': `Remove ${name}`, onclick: remove }
    const called = label === undefined ? undefined : make('span', { class: 'soft' }, ` ${label}`)
    return make(
      'tr',
      {},
      make('th', { scope: 'row' }, name, called),
      make('td', {}, `${stateOf(gate)}; ${balance} ${balance === 1 ? 'token' : 'tokens'}`),
      make('td', {}, make('code', {}, print)),
      make('td', { class: 'end' }, gate.isRostered ? make('button', button, 'Remove…') : undefined),
    )
  }

  async function add() {
    const vkey = key.value.trim()
    const print = await fingerprint(vkey)
    openDeed(inner, {
      title: 'Add a gate',
      act: 'Sign the new roster',
      reasons: ['a new gate', 'its machine was replaced'],
      fields: [
        make('p', {}, make('code', {}, vkey)),
        make(
          'p',
          {},
          'Fingerprint of the key: ',
          make('strong', {}, print),
          '. Compare it with what the gate itself shows.',
        ),
      ],
      wish: () => ({ kind: 'gate-add', key: vkey }),
      done: ({ version }) => `On the roster since policy ${version}.`,
    })
  }
}

/** @param {Bench} bench @param {Gate} gate */
async function openRemove(bench, gate) {
  const { closed } = await bench.session.ask('GET', 'occupancy')
  const own = closed.filter((/** @type {{ account: string }} */ { account }) => account.startsWith(`${gate.name}/`))
  const boxes = reclaimBoxes(own)
  const held = `It holds ${gate.balance} tokens. While it is heard let it give them away first: what it still holds
    then is out of use until a head count puts it back.`
  openDeed(bench, {
    title: `Take ${gate.name} off the roster`,
    act: `Sign: ${gate.name} off the roster`,
    isDanger: true,
    reasons: ['closed for good', 'stolen', 'its key is lost'],
    fields: [
      make(
        'p',
        {},
        `From then on nobody listens to ${gate.name}, and nobody comes in there. Whoever leaves there leaves.`,
      ),
      make('p', { class: 'soft' }, gate.balance > 0 ? held : 'It holds no tokens.'),
      boxes.fieldset,
    ],
    wish: () => {
      const reclaim = boxes.chosen()
      return { kind: 'gate-remove', name: gate.name, ...(reclaim.length === 0 ? {} : { reclaim }) }
    },
    done: ({ version }) => `Off the roster since policy ${version}.`,
  })
}

/** @param {Gate} gate */
function stateOf({ isRostered, isBanned, isReachable, state }) {
  if (isBanned) return 'banned: it told two stories'
  if (!isRostered) return 'off the roster'
  return isReachable ? `heard${state === undefined ? '' : `, ${state}`}` : 'silent'
}
