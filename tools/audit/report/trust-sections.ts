// Trust sections: how far the figures can be relied on. Drift of the sensors, what was lost, clocks, the verification, and
// what no log can show.

import { type ClockFace, duration } from './clock-face.ts'
import { findingWords } from './cover.ts'
import { type Compared, netDrift } from './drift.ts'
import { count, type Hole, html, type Markup, many, perCent, signed, table } from './markup.ts'
import type { Report } from './report.ts'

export function driftSection(report: Report): Markup {
  const { gates, slots } = report.drift
  const head = html`<h2>9 \u00b7 Sensor drift</h2>`
  if (gates.length === 0) {
    return html`${head}<p>No optical counter reported in this period, so nothing independent says how well the turnstiles counted;
only head counts (section 8) and the checks below do.</p>`
  }
  const unit = report.period.kind === 'day' ? 'hour' : 'day'
  const rows = gates.map(({ gate, total, slots: by }) => [gate, ...cells(total), worst(by, slots)])
  const sum = gates.map(({ total }) => total).reduce(added)
  return html`${head}<p>Passages that the optical counters saw, beside those the turnstiles counted over the same
time.</p>${table({
    caption: 'Optical counts against the ledgers',
    kind: 'wide',
    columns: [
      { head: 'Gate' },
      ...[
        'In, optical',
        'In, counted',
        'Difference',
        'Out, optical',
        'Out, counted',
        'Difference',
        'Net',
        'Net of passages',
      ].map(one => ({ head: one, isNumber: true })),
      { head: `Worst ${unit}` },
    ],
    rows,
    foot: ['All', ...cells(sum), ''],
  })}${matrix(report, unit)}<p class="note">Net is what would be missing from the count if the optical counters were right:
above zero,
more people are inside than counted, which is the unsafe side.</p>`
}

function cells(c: Readonly<Compared>): Hole[] {
  const net = netDrift(c)
  return [
    count(c.opticalIn),
    count(c.countedIn),
    signed(c.opticalIn - c.countedIn),
    count(c.opticalOut),
    count(c.countedOut),
    signed(c.opticalOut - c.countedOut),
    signed(net),
    perCent(Math.abs(net), c.countedIn + c.countedOut),
  ]
}

function added(a: Readonly<Compared>, b: Readonly<Compared>): Compared {
  return {
    opticalIn: a.opticalIn + b.opticalIn,
    opticalOut: a.opticalOut + b.opticalOut,
    countedIn: a.countedIn + b.countedIn,
    countedOut: a.countedOut + b.countedOut,
  }
}

function worst(by: readonly (Readonly<Compared> | undefined)[], slots: readonly string[]): string {
  let at = -1
  let most = 0
  by.forEach((c, i) => {
    const net = c === undefined ? 0 : netDrift(c)
    if (Math.abs(net) <= Math.abs(most)) return
    most = net
    at = i
  })
  return at < 0 ? '\u2013' : `${slots[at]}: ${signed(most)}`
}

/** Net drift of every gate in every hour, or day, in which anything was compared. */
function matrix({ drift }: Report, unit: string): Markup {
  const used = drift.slots.map((_, i) => i).filter(i => drift.gates.some(({ slots }) => slots[i] !== undefined))
  const name = (i: number) => (drift.slots[i] ?? '').slice(-2)
  const cell = (c: Readonly<Compared> | undefined) => (c === undefined ? '' : signed(netDrift(c)))
  return table({
    caption: `Net, by ${unit}`,
    kind: 'matrix',
    columns: [{ head: 'Gate' }, ...used.map(i => ({ head: name(i), isNumber: true }))],
    rows: drift.gates.map(({ gate, slots }) => [gate, ...used.map(i => cell(slots[i]))]),
  })
}

export function lossSection({ lost, clocks, forks }: Report, face: ClockFace): Markup {
  return html`<h2>10 \u00b7 Lost ledgers, clocks, contradictions</h2>${
    lost.length === 0
      ? html`<p>No ledger of this evidence was given up after a loss of memory.</p>`
      : html`${table({
          caption: 'Ledgers of this evidence given up after a loss of memory',
          columns: [
            { head: 'Account' },
            { head: 'Given up' },
            { head: 'Entries lost', isNumber: true },
            { head: 'Known to size', isNumber: true },
            { head: 'May have come in unrecorded, at most', isNumber: true },
            { head: 'Places put back since', isNumber: true },
          ],
          rows: lost.map(one => [
            one.account,
            one.givenUpAt === undefined ? 'not known' : face.whole(one.givenUpAt),
            count(one.to - one.from),
            count(one.to),
            count(one.atMost),
            count(one.reclaimed),
          ]),
        })}<p class="note">A gate that lost its memory begins a new ledger with nothing. The old one keeps the places it held
by the last
word that anyone has of it; they stay out of use, as if all were taken, until a head count returns them. So the limit holds,
and the
places it held bound what was not recorded.</p>`
  }${
    clocks.length === 0
      ? html`<p>No gate\u2019s clock went back within its ledger.</p>`
      : html`${table({
          caption: 'Clocks that went back',
          columns: [{ head: 'Account' }, { head: 'Times', isNumber: true }, { head: 'Largest step', isNumber: true }],
          rows: clocks.map(({ account, steps, largestMs }) => [
            account,
            count(steps),
            largestMs < 1000 ? `${count(largestMs)} ms` : duration(largestMs),
          ]),
        })}<p class="note">Order and sums are proved by the chain of entries, whatever clocks say; the times printed here are
not.</p>`
  }${
    forks.length > 0 &&
    table({
      caption: 'Two histories of one account were seen',
      columns: [{ head: 'When' }, { head: 'Seen by' }, { head: 'Account' }, { head: 'At size', isNumber: true }],
      rows: forks.map(({ at, by, account, size }) => [face.time(at), by, account, count(size)]),
    })
  }`
}

export function verificationSection({ verdict, evidence, curve }: Report, face: ClockFace): Markup {
  const { findings, ok } = verdict
  const { seal, owner, anchor, checkpoint } = evidence
  const fact = (name: string, value: Hole) => html`<dt>${name}</dt><dd>${value}</dd>`
  return html`<h2>11 \u00b7 Verification</h2><dl class="facts">${[
    fact('Result', ok ? 'nothing was found' : html`<span class="bad">${many(findings.length, 'finding')}</span>`),
    fact(
      'Checked',
      html`${many(verdict.entries, 'entry', 'entries')}, ${many(verdict.ledgers, 'ledger')}, ${many(verdict.rows, 'signed row')},
${many(verdict.policies, 'policy', 'policies')}, ${many(verdict.receives, 'transfer')} against their donors; the count known for
${duration(curve.knownMs)} of the period`,
    ),
    fact(
      'Not signed yet',
      verdict.unsigned === 0
        ? 'nothing: every entry is covered by a signed row'
        : html`${many(verdict.unsigned, 'entry', 'entries')} after the last signed row of
their ledgers: chained, but vouched for by nobody`,
    ),
    fact(
      'Owner\u2019s key',
      html`<code>${owner.name}+${owner.id}</code>, fingerprint <code>${owner.fingerprint}</code>; given to the verifier,
not taken from the evidence`,
    ),
    fact(
      'Seal of the bundle',
      seal === undefined ? 'none: an older format' : html`<code>${seal}</code> (SHA-256 of tagmanifest-sha256.txt)`,
    ),
    fact(
      'Newest statement of the anchor',
      anchor === undefined
        ? 'none that verifies'
        : html`<code>${anchor.account}</code>, size
${count(anchor.size)}, ${face.whole(anchor.at)}, root <code>${anchor.root}</code>`,
    ),
    fact(
      'Newest checkpoint',
      checkpoint === undefined
        ? 'none'
        : html`entry ${checkpoint.seq} of <code>${checkpoint.account}</code>,
${face.whole(checkpoint.at)}, heads of ${count(checkpoint.heads)} accounts, leaf hash <code>${checkpoint.hash}</code>`,
    ),
  ]}</dl>${
    findings.length > 0 && html`<h3>Findings</h3><ol>${findings.map(f => html`<li>${findingWords(f)}</li>`)}</ol>`
  }<p class="note">Anyone can repeat this: <code>gatemesh audit verify BUNDLE --charter-key KEY</code>, or <code>node
verify.mjs</code>, which is in
the bundle and needs nothing else. Compare the fingerprint by telephone and the seal with the receipt of the bundle.</p>`
}

export function limitSection(): Markup {
  return html`<h2>12 \u00b7 What no log can show</h2><ul>
<li>A passage that no sensor noticed, and anything else that was never written. The optical counts (section 9) and head counts
(section 8) are the only measure of that.</li>
<li>Who was inside. Only numbers are recorded, of people who passed a gate; a door without a gate is counted by nobody.</li>
<li>What a gate did after the last statement that anyone has of a ledger it lost; section 10 bounds it.</li>
<li>That a clock was right. The order of entries is proved, their times are what the gates\u2019 clocks said.</li>
<li>That a head count was done with care. It is proved who signed it, and what it changed.</li>
<li>That a gate was silent because it was off, not because nobody came: section 5 estimates.</li></ul>`
}
