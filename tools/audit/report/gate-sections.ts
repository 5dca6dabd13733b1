// Gate sections: what each gate did, what the gates did for each other, and when one was not at work.

import { type ClockFace, duration } from './clock-face.ts'
import type { GateTally } from './gate-tally.ts'
import { count, type Hole, html, type Markup, table } from './markup.ts'
import type { Outage, OutageKind } from './outages.ts'
import type { Report } from './report.ts'

type Figure = readonly [head: string, of: (gate: GateTally) => number]

const DOORS: readonly Figure[] = [
  ['In', gate => gate.in],
  ['Out', gate => gate.out],
  ['Refused: full', gate => gate.refused.REJECT_AT_CAPACITY],
  ['Refused: out of reach', gate => gate.refused.REJECT_NO_HEADROOM],
  ['Refused: emergency', gate => gate.refused.REJECT_EMERGENCY],
  ['Refused: fault', gate => gate.refused.REJECT_FAULT],
  ['Forced: tailgate', gate => gate.forced.tailgate],
  ['Forced: manual', gate => gate.forced.manual],
  ['Forced: fire', gate => gate.forced.fire],
  ['Lapsed', gate => gate.lapsed],
  ['Exits not credited', gate => gate.exitsNotCredited],
]

const MESH: readonly Figure[] = [
  ['Admitted on a place held', gate => gate.admitted.local],
  ['Admitted on a place fetched', gate => gate.admitted.stolen],
  ['Places received', gate => gate.received],
  ['Sent: asked for', gate => gate.sent.ask + gate.sent.grant],
  ['Sent: to where people wait', gate => gate.sent.push + gate.sent.broker],
  ['Sent: to pay debts', gate => gate.sent.debt],
  ['Sent: at a stop', gate => gate.sent.stop],
]

export function gateSection({ gates }: Report): Markup {
  const none = html`<p>No gate has an entry in this period.</p>`
  return html`<h2>3 \u00b7 Gates</h2>
${gates.length === 0 ? none : figureTable('What happened at the doors', gates, DOORS)}
<p class="note">In = admitted + forced \u2212 lapsed. Forced: people who came in without a decision: behind somebody (seen by the
sensor), by a manual release, or while FIRE held the arms open; they are counted and cost a place each. Lapsed: admitted, but the
arm proved that nobody walked. Exits not credited: the door opened, but the sensor was not sure enough to free a place; the
count then errs on the safe side.</p>`
}

export function meshSection({ gates }: Report): Markup {
  const cut = gates.reduce((sum, gate) => sum + gate.refused.REJECT_NO_HEADROOM, 0)
  const full = gates.reduce((sum, gate) => sum + gate.refused.REJECT_AT_CAPACITY, 0)
  return html`<h2>4 \u00b7 What the mesh did</h2>${gates.length > 0 && figureTable('Places moving between gates', gates, MESH)}
<p><strong>Unnecessary refusals, as far as entries show: ${count(cut)}.</strong> \u201cOut of reach\u201d
(REJECT_NO_HEADROOM) means that
the gate knew of free places elsewhere and could not fetch one in time, because a link was cut, a gate was silent, or places
were on their way. The person could have been admitted without breaking the limit. \u201cFull\u201d (REJECT_AT_CAPACITY,
${count(full)})
means that every gate in reach had none left: that refusal was due.</p>`
}

function figureTable(caption: string, gates: readonly GateTally[], figures: readonly Figure[]): Markup {
  const shown = (n: number): Hole => (n === 0 ? '\u2013' : count(n))
  const total = ([, of]: Figure) => shown(gates.reduce((sum, gate) => sum + of(gate), 0))
  return table({
    caption,
    kind: 'wide',
    columns: [{ head: 'Gate' }, ...figures.map(([head]) => ({ head, isNumber: true }))],
    rows: gates.map(gate => [gate.gate, ...figures.map(([, of]) => shown(of(gate)))]),
    foot: ['All', ...figures.map(total)],
  })
}

const KIND_WORDS = {
  fault: 'Fault written',
  refusing: 'Refusing',
  memory: 'Memory lost',
  silent: 'Silent (estimate)',
  absent: 'Absent',
} as const satisfies Record<OutageKind, string>

const OUTAGES_SHOWN = 200

export function outageSection({ outages }: Report, face: ClockFace): Markup {
  const head = html`<h2>5 \u00b7 Outages</h2>`
  const note = html`<p class="note">A gate that is off writes nothing, so silence is judged from what the others did: a
stretch of ten
minutes or more without any entry, in which the gate\u2019s usual share of the passages would have been twelve or more. That is an
estimate, not a record. The last column is what all gates together did in those minutes.</p>`
  if (outages.length === 0)
    return html`${head}<p>None was recorded, and no gate was silent while others were busy.</p>${note}`
  const more = outages.length - OUTAGES_SHOWN
  return html`${head}${table({
    caption: 'Outages and what the mesh did meanwhile',
    columns: [
      { head: 'Gate' },
      { head: 'Kind' },
      { head: 'From', isTight: true },
      { head: 'For', isTight: true },
      { head: 'What' },
      { head: 'The mesh meanwhile' },
    ],
    rows: outages
      .slice(0, OUTAGES_SHOWN)
      .map(one => [
        one.gate,
        KIND_WORDS[one.kind],
        face.time(one.from),
        one.to > one.from ? duration(one.to - one.from) : '\u2013',
        one.what,
        meanwhile(one),
      ]),
  })}${more > 0 && html`<p>${count(more)} more are not printed here.</p>`}${note}`
}

function meanwhile({ meanwhile: did }: Outage): string {
  if (did === undefined) return '\u2013'
  const parts: [number, string][] = [
    [did.local + did.stolen, 'admitted'],
    [did.stolen, 'of them on a place fetched'],
    [did.out, 'out'],
    [did.full, 'refused as full'],
    [did.cut, 'refused as out of reach'],
    [did.moved, 'places moved'],
    [did.debt, 'paid as debt'],
  ]
  const told = parts.filter(([n]) => n > 0).map(([n, words]) => `${count(n)} ${words}`)
  return told.length === 0 ? 'nothing' : told.join(', ')
}
