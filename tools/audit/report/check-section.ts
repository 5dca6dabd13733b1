// Check section: the last time that each lane was held against people who walked, or who counted by hand.

import type { CheckOf } from '../../../ledger/entry.ts'
import { perMilleText, type WayAccuracy } from '../../doctor/accuracy.ts'
import type { CheckTold } from './checks.ts'
import type { ClockFace } from './clock-face.ts'
import { type Hole, html, type Markup, signed, table } from './markup.ts'
import type { Report } from './report.ts'

const KINDS = {
  direction: 'Direction test',
  walk: 'Walk of a known count',
  count: 'Count by hand in business',
} as const satisfies Record<CheckOf, string>

export function checkSection({ checks, rostered }: Report, face: ClockFace): Markup {
  const never = rostered.filter(gate => !checks.some(check => check.gate === gate))
  const missing =
    never.length > 0 &&
    html`<p>Never checked, as far as this evidence shows: ${never.join(', ')}. \u201cgatemesh doctor --commission\u201d and
\u201cgatemesh doctor --count\u201d do it.</p>`
  return html`<h3>Accuracy checks</h3>${checks.length > 0 && checkTable(checks, face)}${missing}`
}

function checkTable(checks: readonly CheckTold[], face: ClockFace): Markup {
  return html`${table({
    caption: 'The last check of each lane before the end of the period',
    kind: 'wide',
    columns: [
      { head: 'Gate' },
      { head: 'Lane' },
      { head: 'Check' },
      { head: 'When', isTight: true },
      { head: 'By' },
      { head: 'In: seen of true', isNumber: true },
      { head: 'Out: seen of true', isNumber: true },
      { head: 'Missing inside', isNumber: true },
      { head: 'Result' },
    ],
    rows: checks.map(check => [
      check.gate,
      check.lane,
      KINDS[check.what],
      face.whole(check.at),
      check.by,
      wayCell(check.accuracy.in),
      wayCell(check.accuracy.out),
      signed(check.accuracy.missing),
      resultOf(check),
    ]),
  })}<p class="note">Errors are of a thousand people. Entries that were missed and exits that nobody made are the unsafe side:
people inside whom the count does not know, in the column \u201cmissing inside\u201d above zero. A direction test can have
the right sums and still have failed: in and out were exchanged.</p>`
}

function wayCell({ seen, truth, perMille, side }: WayAccuracy): string {
  const error = side === 'exact' || perMille === null ? '' : ` (${perMilleText(perMille)}, ${side})`
  return `${seen} of ${truth}${error}`
}

function resultOf({ ok }: CheckTold): Hole {
  return ok ? 'passed' : html`<span class="bad">failed</span>`
}
