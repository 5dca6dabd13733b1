// @ts-check
// Capacity: how many people may be inside, at once or from a moment on.

import { make } from '../../mesh/pages/dom.js'
import { openDeed } from './deed.js'
import { capacityWords, scheduleAt, scheduleText } from './preview.js'
import { time } from './reading.js'

const MINUTE_MS = 60_000

/** @param {import('./deed.js').Bench} bench */
export async function openCapacity(bench) {
  const { inForce } = await bench.session.ask('GET', 'policy?limit=1')
  const { current, later, reserve } = scheduleAt(inForce.capacities, Date.now())
  const people = make('input', { type: 'number', min: 0, max: 1_000_000, step: 1, required: true })
  const now = make('input', { type: 'radio', name: 'when', checked: true })
  const then = make('input', { type: 'radio', name: 'when' })
  const moment = make('input', { type: 'datetime-local', 'aria-label': 'From which moment on', value: nextHour() })
  moment.addEventListener('input', () => {
    then.checked = true
  })
  const comes = later.length === 0 ? 'nothing is scheduled for later' : `then ${scheduleText(later, time)}`
  const held = reserve.length === 0 ? '' : `; ${reserve.join(' and ')} in reserve for signals of the building`

  const from = () => {
    const at = then.checked ? new Date(moment.value).getTime() : Number.NaN
    return at > Date.now() ? at : undefined
  }
  const capacity = () => (people.validity.valid && people.value !== '' ? Number(people.value) : undefined)

  openDeed(bench, {
    title: 'Change the capacity',
    act: 'Sign the capacity',
    reasons: ['an event', 'an exit is out of use', 'opening', 'closing'],
    fields: [
      make('p', { class: 'soft' }, `In force: ${current} people by policy ${inForce.version}; ${comes}${held}.`),
      make('label', {}, 'People who may be inside', people),
      make(
        'fieldset',
        {},
        make('legend', {}, 'When'),
        make('label', { class: 'line' }, now, 'Now'),
        make('div', { class: 'row' }, make('label', { class: 'line' }, then, 'From'), moment),
      ),
    ],
    wish: () => {
      const wanted = capacity()
      const at = from()
      if (wanted === undefined) return undefined
      if (then.checked && at === undefined) throw new Error('the moment is over, or is none: choose a later one')
      return { kind: 'capacity', capacity: wanted, ...(at === undefined ? {} : { from: at }) }
    },
    effect: () => {
      const wanted = capacity()
      const report = bench.report()
      if (wanted === undefined || report === undefined) return []
      const { marginPerMille } = inForce
      const words = capacityWords(report.occupancy, { capacity: wanted, marginPerMille, from: from(), later }, time)
      return bench.isStale() ? [...words, 'The figures are old: the mall has not been heard lately.'] : words
    },
    done: ({ version }) => `In force as policy ${version}.`,
  })
}

/** As the field wants it: local, without a zone. */
function nextHour() {
  const at = new Date(Math.ceil((Date.now() + MINUTE_MS) / (60 * MINUTE_MS)) * 60 * MINUTE_MS)
  return new Date(at.getTime() - at.getTimezoneOffset() * MINUTE_MS).toISOString().slice(0, 16)
}
