// Deed sections: what people did: raised and cleared modes, set limits, counted heads. Each with who, why, before and after.

import { severity } from '../../../ledger/mode.ts'
import { type ClockFace, duration } from './clock-face.ts'
import { signersWords } from './cover.ts'
import type { Emergency, Said } from './emergencies.ts'
import { count, type Hole, html, type Markup, perCent, signed, table } from './markup.ts'
import { MINUTE_MS } from './period.ts'
import type { Report } from './report.ts'
import type { Ruling } from './rulings.ts'

export function emergencySection(report: Report, face: ClockFace): Markup {
  const { emergencies } = report
  const head = html`<h2>6 \u00b7 Emergencies and drills</h2>`
  if (emergencies.length === 0) return html`${head}<p>No mode but NORMAL was in force in this period.</p>`
  return html`${head}<p class="note">The ledgers do not tell a drill from an emergency; the reason given does. Restored: from the
raise to the first admission after the clearing, at any gate. Exits are open in every mode.</p>${emergencies.map(one =>
    emergency(report, one, face),
  )}`
}

function emergency(report: Report, one: Emergency, face: ClockFace): Markup {
  const { raised, cleared, restored, gates, epoch } = one
  const first = raised[0] as Said
  const worst = raised.reduce((a, b) => (severity(b.mode) > severity(a.mode) ? b : a))
  const silent = report.rostered.filter(gate => !gates.some(one => one.gate === gate))
  const rows: Hole[][] = raised.map((said, i) => [
    i === 0 ? 'Raised' : 'Raised further',
    said.mode,
    face.time(said.at),
    signersWords(report, said.by.split(',')),
    said.reason,
    inside(report, said.at),
  ])
  if (cleared) {
    const by = signersWords(report, cleared.by.split(','))
    rows.push(['Cleared', cleared.mode, face.time(cleared.at), by, cleared.reason, inside(report, cleared.at)])
  }
  const after = (at: number | undefined, since: number | undefined) =>
    at === undefined || since === undefined ? '\u2013' : since > at ? '0 s' : lag(at - since)
  const uncleared = html`<strong>Not cleared</strong> as far as this evidence goes.`
  return html`<h3>${worst.mode}, ${face.time(first.at)} (mode epoch ${epoch})</h3>
<p>${cleared ? html`In force for ${duration(cleared.at - first.at)}.` : uncleared}
${
  restored &&
  html`Restored after <strong>${duration(restored.at - first.at)}</strong>,
${duration(restored.at - (cleared?.at ?? restored.at))}
after the clearing, by an admission at ${restored.gate}.`
}${cleared && !restored && html`No admission followed it in this evidence.`}</p>
${table({
  caption: 'Who said what',
  columns: [
    { head: 'What' },
    { head: 'Mode' },
    { head: 'When', isTight: true },
    { head: 'By' },
    { head: 'Reason' },
    { head: 'Inside then', isNumber: true },
  ],
  rows,
})}${table({
  caption: 'When each gate followed, by its own clock',
  columns: [
    { head: 'Gate' },
    { head: 'Followed after', isNumber: true },
    { head: 'Followed the clearing after', isNumber: true },
    { head: 'First admission after its clearing', isNumber: true },
  ],
  rows: [
    ...gates.map(g => [
      g.gate,
      after(g.raisedAt, first.at),
      after(g.clearedAt, cleared?.at),
      after(g.admittedAt, g.clearedAt),
    ]),
    ...silent.map(gate => [gate, html`<span class="bad">not recorded</span>`, '\u2013', '\u2013']),
  ],
})}`
}

/** Under ten seconds the tenths matter. */
function lag(ms: number): string {
  return ms < 10_000 ? `${(ms / 1000).toFixed(1)} s` : duration(ms)
}

/** As a range: who was just passing a door is in one count or the other. */
function inside({ curve, period }: Report, at: number): string {
  const minute = curve.minutes[Math.floor((at - period.from) / MINUTE_MS)]
  if (minute === undefined) return 'not known'
  return minute.low === minute.high ? count(minute.low) : `${count(minute.low)}\u2013${count(minute.high)}`
}

const WHAT_WORDS = {
  limit: 'Limit in force',
  capacity: 'Capacity signed',
  margin: 'Kept back',
  correction: 'Correction',
  reclaimed: 'Places put back from closed ledgers',
  roster: 'Roster',
  share: 'Largest share of a gate',
  expiry: 'Life without the anchor',
  confidence: 'Confidence of exits',
} as const satisfies Record<Ruling['what'], string>

export function rulingSection(report: Report, face: ClockFace): Markup {
  const { changes } = report.rulings
  const head = html`<h2>7 \u00b7 Changes of limit and rules</h2>`
  if (changes.length === 0) return html`${head}<p>None in this period.</p>`
  return html`${head}${table({
    caption: 'Every change that came into force',
    columns: ['In force from', 'What', 'Before', 'After', 'Signed by', 'Why', 'Policy'].map(h => ({
      head: h,
      isNumber: h === 'Policy',
    })),
    rows: changes.map(one => [
      face.time(one.at),
      WHAT_WORDS[one.what],
      changed(one, one.before),
      changed(one, one.after),
      signersWords(report, one.by),
      one.reason,
      one.policy,
    ]),
  })}<p class="note">Who and why are in the signed policy itself. The limit is the capacity signed, less what is kept back; larger
moves,
corrections and removals carry two signatures, or no gate follows them.</p>`
}

/** As the ledger has it, in units that people use. */
function changed({ what }: Ruling, text: string): string {
  if (text === '') return '\u2013'
  if (what === 'roster') {
    const [name = '', id = ''] = text.split('+')
    return `${name.slice(name.lastIndexOf('/') + 1)}, key ${id}`
  }
  const [, n = '', unit] = /^(\d{1,15}) (per mille|ms)$/.exec(text) ?? []
  if (unit === 'per mille') return `${(Number(n) / 10).toFixed(1)} %`
  return unit === 'ms' ? duration(Number(n)) : text
}

export function recountSection(report: Report, face: ClockFace): Markup {
  const { recounts, inForce } = report.rulings
  const [first, last] = [inForce[0], inForce.at(-1)]
  const head = html`<h2>8 \u00b7 Head counts and corrections</h2>`
  const standing = last !== undefined && html`<p>${correctionWords(first?.correction ?? 0, last.correction)}</p>`
  if (recounts.length === 0) return html`${head}<p>No head count came into force in this period.</p>${standing}`
  return html`${head}${standing}${table({
    caption: 'Head counts',
    columns: [
      { head: 'Counted at' },
      { head: 'Found', isNumber: true },
      { head: 'Counted', isNumber: true },
      { head: 'Residual', isNumber: true },
      { head: 'Residual of counted', isNumber: true },
      { head: 'Correction since', isNumber: true },
      { head: 'Signed by' },
      { head: 'Why' },
    ],
    rows: recounts.map(one => [
      face.time(one.at),
      count(one.actual),
      count(one.counted),
      signed(one.residual),
      perCent(one.residual, one.counted).replace('-', '\u2212'),
      signed(one.correction),
      signersWords(report, one.by),
      one.reason,
    ]),
  })}<p class="note">The residual, people found less people counted, is the measure of how far the sensors were off. A head
count never
rewrites what was recorded before it: the curve steps at the moment it comes into force.</p>`
}

function correctionWords(before: number, after: number): string {
  if (before === 0 && after === 0) return 'No correction was in force: the count is what the gates counted.'
  const moved =
    before === after ? `was ${signed(after)}` : `was ${signed(before)} at first and ${signed(after)} at the end`
  return `The correction ${moved}: so many people were known to be inside beyond those counted.`
}
