// @ts-check
// Panel: what a newcomer may do to this mall, each with what will happen and what to watch. It comes with the page of
// `gatemesh mall` only, and works while the anchor is down.

import { attribute, clock, doing, keep, make, put } from '../../../mesh/pages/dom.js'
import { act, watchState } from './drill.js'
import { takeKey } from './key.js'
import { Offer } from './offer.js'

/** @typedef {import('./drill.js').DemoState} DemoState */
/** @typedef {import('./drill.js').MemberState} MemberState */

const OPEN_KEY = 'gatemesh-demo-panel'
const LINES_MAX = 3
const PEOPLE = 40
const PRESSURE = { steady: 'steady', rush: 'too many', evening: 'going home', off: 'nobody' }

class Panel {
  /** @type {DemoState | undefined} */
  #state
  /** @type {{ id: number, at: number, text: string, isNo: boolean }[]} */
  #lines = []
  #lineCount = 0
  /** @type {() => unknown} */
  #again = () => undefined
  #gate = make('select', { id: 'demo-gate', onchange: () => this.#show() })
  #members = make('ul', { class: 'demo-members' })
  #rushes = make('ul', { class: 'demo-rushes small' })
  #log = make('ol', { class: 'demo-log small', 'aria-live': 'polite', 'aria-label': 'What was done' })
  #body = make('div', { class: 'demo-body', id: 'demo-body' })
  #toggle = make('button', { type: 'button', 'aria-controls': 'demo-body', onclick: () => this.#open(!this.isOpen) })
  #node = make('aside', { class: 'demo', 'aria-labelledby': 'demo-title' })
  /** @type {Record<string, HTMLButtonElement>} */
  #buttons = {}
  #crowd = this.#makeCrowd()
  #title = make('h2', { id: 'demo-title' }, 'Demo panel')
  #offer = new Offer(() => this.#startTour())
  /** @type {import('./tour.js').Tour | undefined} */
  #tour

  constructor() {
    const tour = this.#makeButton('tour', 'Take the tour', () => this.#startTour(), 'main')
    const head = make('div', { class: 'demo-head' }, this.#title, tour, this.#toggle)
    const calm = this.#makeButton('calm', '', () => this.#do({ do: 'calm' }), 'main')
    const foot = make('div', { class: 'demo-group demo-foot' }, this.#log, calm)
    this.#body.append(make('div', { class: 'demo-groups' }, ...this.#groups()), foot)
    this.#node.append(head, this.#body)
    this.#open(localStorage.getItem(OPEN_KEY) !== 'closed')
  }

  get isOpen() {
    return !this.#body.hidden
  }

  start() {
    document.body.append(this.#node)
    this.#again = watchState({
      isWanted: () => this.isOpen || this.#tour?.isOn === true,
      hear: state => {
        this.#state = state
        this.#show()
      },
    })
    this.#offer.show()
  }

  /** Read only when somebody wants it: most visits are without. */
  async #startTour() {
    const opener = this.#buttons.tour
    if (this.#tour === undefined) {
      const { Tour } = await import('./tour.js')
      this.#tour ??= new Tour({
        act: wish => this.#do(wish),
        gate: () => this.#chosen?.name,
        gates: () => this.#state?.gates.map(({ name }) => name) ?? [],
        over: () => opener?.focus(),
      })
    }
    this.#offer.over()
    this.#tour.start()
  }

  /** @returns {MemberState | undefined} */
  get #chosen() {
    return this.#state?.gates.find(({ name }) => name === this.#gate.value) ?? this.#state?.gates[0]
  }

  /** @param {boolean} isOpen */
  #open(isOpen) {
    this.#body.hidden = !isOpen
    this.#node.classList.toggle('closed', !isOpen)
    document.documentElement.classList.toggle('demo-open', isOpen)
    this.#toggle.setAttribute('aria-expanded', String(isOpen))
    put(this.#toggle, isOpen ? 'Hide' : 'Show')
    localStorage.setItem(OPEN_KEY, isOpen ? 'open' : 'closed')
  }

  #groups() {
    const gate = () => this.#gate.value
    const isDown = () => this.#chosen?.state === 'down'
    const isAnchorDown = () => this.#state?.anchor.state === 'down'
    const isCut = () => (this.#chosen?.cutFrom.length ?? 0) > 0
    /** @param {string} name @param {() => Record<string, unknown>} wish @param {string} [kind] */
    const button = (name, wish, kind) => this.#makeButton(name, '', () => this.#do(wish()), kind)
    return [
      make(
        'div',
        { class: 'demo-group' },
        make('label', { for: 'demo-gate' }, 'Which gate', this.#gate),
        this.#members,
      ),
      group(
        'People',
        'A gate spends its own tokens, then fetches from others: watch them flow on the plan. At the limit people wait.',
        [button('rush', () => ({ do: 'rush', gate: gate(), people: PEOPLE })), this.#crowd.label],
        this.#rushes,
      ),
      group(
        'Arms',
        'What sensors saw is counted: whoever follows somebody in costs a token as well, if need be as debt.',
        [
          button('tailgate', () => ({ do: 'tailgate', gate: gate() })),
          button('outage', () => ({ do: 'outage', gate: gate() }), 'danger'),
        ],
      ),
      group('Power', 'What a gate holds stays with it: watch “proved … to …”. Without the anchor all gates go on.', [
        button('power', () => ({ do: isDown() ? 'start' : 'kill', gate: gate() }), 'danger'),
        button('anchor', () => ({ do: isAnchorDown() ? 'start' : 'kill', gate: 'anchor' }), 'danger'),
      ]),
      group('Network', 'Whoever is cut off lets in only as many as it holds, and the interval widens by that.', [
        button('cut', () => ({ do: isCut() ? 'heal' : 'cut', gate: gate() }), 'danger'),
        button('halve', () => ({ do: 'halve' }), 'danger'),
        button('heal', () => ({ do: 'heal' })),
      ]),
      group(
        'Fire',
        'Exits are free and entries stop at every gate within a second. Two people end it, one a marshal.',
        [
          button('fire', () => ({ do: this.#chosen?.isFireClosed ? 'release' : 'trip', gate: gate() }), 'danger'),
          button('rearm', () => ({ do: 'rearm' })),
        ],
      ),
      group('Limit', 'Signed by ann and bob. Tokens are called back; nobody inside is sent out, entries wait.', [
        button('third', () => ({ do: 'capacity', to: 'third' })),
        button('half', () => ({ do: 'capacity', to: 'half' })),
        button('full', () => ({ do: 'capacity', to: 'full' })),
      ]),
      group(
        'Be an operator',
        'ann is a marshal, bob an operator. What moves far needs both: sign as one, approve as the other.',
        [
          this.#makeButton('ann', 'Take ann’s demo key', () => this.#take('ann')),
          this.#makeButton('bob', 'Take bob’s demo key', () => this.#take('bob')),
        ],
      ),
    ]
  }

  #makeCrowd() {
    const select = make('select', { id: 'demo-crowd', onchange: () => this.#do({ do: 'crowd', kind: select.value }) })
    for (const [kind, words] of Object.entries(PRESSURE)) select.append(make('option', { value: kind }, words))
    return { select, label: make('label', { for: 'demo-crowd', class: 'line' }, 'Crowd', select) }
  }

  /** @param {string} name @param {string} words @param {() => unknown} press @param {string} [kind] */
  #makeButton(name, words, press, kind) {
    const onclick = doing(press, error => error && this.#said(error.message, true))
    const button = make('button', { type: 'button', 'data-do': name, class: kind, onclick }, words)
    this.#buttons[name] = button
    return button
  }

  /** Also for the tour: what was done is told in the log. @param {Record<string, unknown>} wish */
  async #do(wish) {
    try {
      const said = await act(wish)
      this.#said(said, false)
      return said
    } catch (error) {
      this.#said(/** @type {Error} */ (error).message, true)
      return undefined
    } finally {
      this.#again()
    }
  }

  /** @param {string} operator */
  async #take(operator) {
    if (this.#state?.anchor.state !== 'up') throw new Error('the anchor is down, and logging in is done there')
    this.#said(await takeKey(operator), false)
  }

  /** @param {string} text @param {boolean} isNo */
  #said(text, isNo) {
    this.#lines = [{ id: this.#lineCount++, at: Date.now(), text, isNo }, ...this.#lines].slice(0, LINES_MAX)
    keep(this.#log, this.#lines, {
      key: line => String(line.id),
      make: line =>
        make(
          'li',
          { class: line.isNo ? 'bad' : '' },
          make('span', { class: 'soft' }, clock(line.at, true)),
          ` ${line.isNo ? '✕ no: ' : ''}${line.text}`,
        ),
    })
  }

  #show() {
    const state = this.#state
    this.#node.classList.toggle('gone', state === undefined)
    put(this.#title, state === undefined ? 'The mall has stopped' : 'Demo panel')
    if (state === undefined) return
    keep(this.#gate, state.gates, { key: one => one.name, make: one => make('option', { value: one.name }, one.name) })
    keep(this.#members, [state.anchor, ...state.gates], { key: one => one.name, make: makeMember, show: showMember })
    keep(this.#rushes, state.rushes.slice(0, 3), {
      key: rush => `${rush.gate} ${rush.people} ${rush.id}`,
      make: () => make('li'),
      show: (node, { gate, people, admitted, turnedAway, inside }) =>
        put(node, `${gate}: ${admitted} of ${people} let in, ${turnedAway} turned away, ${inside} still inside`),
    })
    const chosen = /** @type {MemberState} */ (this.#chosen)
    const { name } = chosen
    const words = {
      rush: `Send ${PEOPLE} people to ${name}`,
      tailgate: `Follow somebody in at ${name}`,
      outage: `Cut the arms’ power at ${name}`,
      power: chosen.state === 'down' ? `Start ${name}` : `Kill ${name}`,
      anchor: state.anchor.state === 'down' ? 'Start the anchor' : 'Stop the anchor',
      cut: chosen.cutFrom.length > 0 ? `Heal ${name}` : `Cut ${name} off`,
      halve: 'Cut half the mall off',
      heal: 'Heal all cuts',
      fire: chosen.isFireClosed ? `Release the contact at ${name}` : `Trip the fire contact at ${name}`,
      rearm: 'Re-arm: ann and bob sign',
      third: `A third: ${part(state, 3)}`,
      half: `Half: ${part(state, 2)}`,
      full: `All: ${part(state, 1)}`,
      calm: 'Back to calm',
    }
    for (const [button, text] of Object.entries(words)) put(/** @type {any} */ (this.#buttons[button]), text)
    for (const [button, share] of /** @type {const} */ ([
      ['third', 3],
      ['half', 2],
      ['full', 1],
    ])) {
      attribute(
        /** @type {any} */ (this.#buttons[button]),
        'aria-pressed',
        String(state.capacity.now === part(state, share)),
      )
    }
    const { select } = this.#crowd
    if (document.activeElement !== select) select.value = state.crowd.kind
  }
}

/** @param {string} title @param {string} hint @param {Element[]} controls @param {...Element} more */
function group(title, hint, controls, ...more) {
  const row = make('div', { class: 'row' }, ...controls)
  return make(
    'section',
    { class: 'demo-group' },
    make('h3', {}, title),
    row,
    ...more,
    make('p', { class: 'soft small' }, hint),
  )
}

/** @param {DemoState} state @param {number} share */
function part({ capacity }, share) {
  return Math.max(1, Math.floor(capacity.usual / share))
}

/** @param {MemberState} member */
function makeMember({ name }) {
  return make('li', { 'data-member': name }, make('span', { class: 'strong' }, name), ' ', make('span'))
}

/** @param {any} node @param {MemberState} member */
function showMember(node, member) {
  const [words, tone] = memberWords(member)
  const said = node.lastElementChild
  put(said, words)
  attribute(said, 'class', tone)
}

/** @param {MemberState} member @returns {[string, string]} */
function memberWords({ name, state, says, cutFrom, isFireClosed }) {
  if (state === 'down') return ['✕ down', 'bad']
  if (state === 'starting' || says === undefined) return ['… starting', 'warn']
  const facts = []
  if (isFireClosed) facts.push('▲ fire contact closed')
  // what the others cannot reach is told where it is
  if (cutFrom.length > 0 && name !== 'anchor') facts.push(`⚡ cut off from ${cutFrom.length}`)
  const held = name === 'anchor' ? '' : `, holds ${says.balance}`
  if (facts.length > 0) return [`${facts.join(', ')}${held}`, 'warn']
  return [`● up${held}`, 'good']
}

new Panel().start()
