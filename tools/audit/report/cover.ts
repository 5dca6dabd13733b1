// Cover: the first page. What the reader must know before all else, the figures of the period, the curve, the rules.

import { type ClockFace, duration } from './clock-face.ts'
import { drawing } from './drawing.ts'
import { count, html, type Markup, many, perCent, table } from './markup.ts'
import { isSound, levelTimes, type Report, type Signed } from './report.ts'
import type { Level } from './series.ts'

export function titleOf({ mall, period }: Report): string {
  return `${mall ?? 'unknown mall'}, ${dateWords(period.name)}`
}

export function kindOf({ period }: Report): string {
  return period.kind === 'day' ? 'Day sheet' : 'Monthly compliance report'
}

export function cover(report: Report, face: ClockFace): Markup {
  const { period } = report
  return html`<header><p class="eyebrow">Gatemesh \u00b7 ${kindOf(report)}</p>
<h1>${titleOf(report)}</h1>
<p class="sub">${face.whole(period.from)} to ${face.whole(period.to)}, time zone ${period.zone}</p></header>
${isSound(report) ? verified(report) : banner(report)}
${gaps(report)}${figures(report, face)}${curve(report, face)}`
}

function verified({ verdict, evidence }: Report): Markup {
  return html`<div class="verdict"><p><strong>Verified, and nothing was found.</strong> Every entry, signature and sum in the
evidence was checked in the run that made this report: ${many(verdict.entries, 'entry', 'entries')} in
${many(verdict.ledgers, 'ledger')},
${many(verdict.rows, 'signed statement')}, ${many(verdict.policies, 'policy', 'policies')}, against the owner\u2019s key with
the fingerprint
<code>${evidence.owner.fingerprint}</code>.</p></div>`
}

const LISTED = 8

function banner({ verdict, entries, period }: Report): Markup {
  const { findings, ok } = verdict
  const more = findings.length - LISTED
  return html`<div class="banner" role="alert">${
    !ok &&
    html`<h2>This evidence did not pass verification</h2>
<p>Something in it was altered, is missing, or breaks a rule: ${many(findings.length, 'finding')}. The figures below are what
the files say; they are <strong>not proved</strong>,
and must not be relied on until each finding is explained.</p>
<ul>${findings.slice(0, LISTED).map(f => html`<li>${findingWords(f)}</li>`)}${
      more > 0 && html`<li>and ${count(more)} more, listed under \u201cVerification\u201d</li>`
    }</ul>`
  }${
    entries === 0 &&
    html`<h2>Nothing in this evidence is of ${period.name}</h2><p>Not one entry has a time in this period. That does not show
that nobody came; it shows nothing.</p>`
  }</div>`
}

export function findingWords(f: Report['verdict']['findings'][number]): string {
  const where = [f.account, f.seq === undefined ? '' : `entry ${f.seq}`, f.file ?? ''].filter(part => part !== '')
  return `${f.kind}${where.length === 0 ? '' : ` (${where.join(', ')})`}: ${f.what}`
}

function gaps({ curve, period, isWhole, unread, entries }: Report): Markup {
  const all = period.to - period.from
  return html`${
    !isWhole &&
    html`<p><strong>Only some gates are shown.</strong> People inside cannot be summed from a part of the ledgers, so there is
no curve and no maximum here; what follows is of the gates shown.</p>`
  }${
    isWhole &&
    entries > 0 &&
    curve.knownMs < all - 60_000 &&
    html`<p>The count is known for ${duration(curve.knownMs)} of the ${duration(all)} of this period. The rest lies
outside this evidence, or could not be summed from it; it is hatched in the curve and left out of all times below.</p>`
  }${
    unread > 0 &&
    html`<p class="bad">${count(unread)} lines of the ledgers cannot be read as entries. They are counted nowhere.</p>`
  }`
}

function figures(report: Report, face: ClockFace): Markup {
  const { curve, gates, legalMax, period } = report
  const { peak } = curve
  const times = new Map(levelTimes(curve).map(one => [one.level, one.ms]))
  const sum = (of: (gate: Report['gates'][number]) => number) => gates.reduce((all, gate) => all + of(gate), 0)
  const refused = (codes: readonly (keyof Report['gates'][number]['refused'])[]) =>
    sum(gate => codes.reduce((all, code) => all + gate.refused[code], 0))
  const all = refused(['REJECT_AT_CAPACITY', 'REJECT_NO_HEADROOM', 'REJECT_EMERGENCY', 'REJECT_FAULT'])
  const over = (times.get('above') ?? 0) > 0
  const figure = (name: string, value: string, small: string, isBad = false) =>
    html`<div><dt>${name}</dt><dd>${isBad ? html`<span class="bad">${value}</span>` : value}<small>${small}</small></dd></div>`
  return html`<dl class="figures">${[
    figure('Most inside', peak ? count(peak.occupancy) : '\u2013', peak ? `at ${face.time(peak.at)}` : 'not known'),
    figure(
      'Limit at that moment',
      peak ? count(peak.capacity) : '\u2013',
      `legal maximum ${legalMax === undefined ? 'not known' : count(legalMax)}`,
    ),
    figure('Of the limit', peak ? perCent(peak.occupancy, peak.capacity) : '\u2013', 'at that moment'),
    figure(
      'Above the limit',
      over ? duration(times.get('above') ?? 0) : peak ? 'never' : '\u2013',
      over ? 'see section 2' : '',
      over,
    ),
    figure('At 90 % or more', duration(times.get('90 %') ?? 0), `at the limit ${duration(times.get('limit') ?? 0)}`),
    figure('Came in', count(sum(gate => gate.in)), `in this ${period.kind}`),
    figure('Went out', count(sum(gate => gate.out)), 'never held back'),
    figure(
      'Refused',
      count(all),
      `full ${count(refused(['REJECT_AT_CAPACITY']))}, other ${count(all - refused(['REJECT_AT_CAPACITY']))}`,
    ),
  ]}</dl>`
}

function curve(report: Report, face: ClockFace): Markup | undefined {
  if (!report.isWhole) return undefined
  const what =
    report.period.kind === 'day'
      ? 'Blue line: people inside at the end of each minute; darker band: lowest to highest within the minute.'
      : 'Bars: lowest to highest count of each day.'
  return html`<figure>${drawing(report, face)}<figcaption>${what} Red: the limit in force; dashed: 90 % of it. Pink: an emergency
mode was raised. Hatched: not known.</figcaption></figure>`
}

export function siteSection(report: Report, face: ClockFace): Markup {
  const { mall, legalMax, rules, evidence, madeAt, rulings } = report
  const { owner, scope } = evidence
  const fact = (name: string, value: Markup | string) => html`<dt>${name}</dt><dd>${value}</dd>`
  const limits = rulings.inForce
    .filter(({ limit }, i) => limit !== rulings.inForce[i - 1]?.limit)
    .map(({ at, limit }, i) => (i === 0 || at === undefined ? count(limit) : `from ${face.time(at)} ${count(limit)}`))
  const asked = [
    scope.from === null ? '' : `from ${face.whole(scope.from)}`,
    scope.to === null ? '' : `to ${face.whole(scope.to)}`,
    scope.gates === null ? '' : `gates ${scope.gates.join(', ')}`,
  ].filter(part => part !== '')
  return html`<h2>1 \u00b7 Site, limit and rules</h2><dl class="facts">${[
    fact('Site', mall ?? 'not known: the charter does not open with the key given'),
    fact(
      'Legal maximum',
      legalMax === undefined
        ? 'not known'
        : html`${count(legalMax)} people, in the charter signed by the owner
(key <code>${owner.name}</code>, fingerprint <code>${owner.fingerprint}</code>)`,
    ),
    fact('Limit in force', limits.length === 0 ? 'none' : `${limits.join(', ')} people`),
    rules && fact('Set by', policyWords(report, rules.limitBy, face)),
    rules && rules.version !== rules.limitBy.version && fact('Policy at the end', policyWords(report, rules, face)),
    rules &&
      fact(
        'Kept back for staff and for what sensors miss',
        html`${(rules.marginPerMille / 10).toFixed(1)} % (margin-per-mille
${rules.marginPerMille}): of a capacity of ${count(rules.capacity)} the limit leaves ${count(rules.limit)}. Whoever passes a
turnstile is counted, staff too; whoever has another door is in what is kept back or nowhere.`,
      ),
    rules &&
      fact(
        'Exits',
        html`never refused. They free a place only if the sensor was at least ${(rules.confidenceMin / 10).toFixed(1)} %
sure.`,
      ),
    fact(
      'This report',
      html`made ${face.whole(madeAt)} from a bundle of format ${evidence.profile}${
        evidence.madeAt !== undefined &&
        html`, taken ${face.whole(evidence.madeAt)} from ${sourceWords(evidence.source)}`
      }${asked.length > 0 && html` (${asked.join(', ')})`}. Times are those of the gates\u2019 own clocks.`,
    ),
    fact(
      'Privacy',
      `Nobody who came or went is identified, here or in the evidence. The names are of operators who signed.`,
    ),
  ]}</dl>`
}

function policyWords(report: Report, { version, signers, reason, inForceSince }: Signed, face: ClockFace): Markup {
  const since = inForceSince === undefined ? '' : `, in force since ${face.whole(inForceSince)}`
  return html`policy ${version}, signed by ${signersWords(report, signers)}${since}. Reason given: \u201c${reason}\u201d`
}

function sourceWords(source: string | undefined): string {
  if (source === 'anchor') return 'the anchor'
  return source === 'disk' ? 'a gate\u2019s disk' : 'a gate'
}

export function signersWords({ roles }: Report, names: readonly string[]): string {
  if (names.length === 0) return 'nobody known'
  return names.map(name => (roles[name] === undefined ? name : `${name} (${roles[name]})`)).join(', ')
}

const LEVEL_WORDS = {
  '50 %': 'At half the limit or more',
  '75 %': 'At 75 % or more',
  '90 %': 'At 90 % or more',
  limit: 'At the limit or more',
  above: 'Above the limit',
  legal: 'Above the legal maximum',
} as const satisfies Record<Level, string>

export function levelSection(report: Report, face: ClockFace): Markup {
  const { curve, isWhole, period, verdict } = report
  const head = html`<h2>2 \u00b7 The count against the limit</h2>`
  if (!isWhole) return html`${head}<p>Not to be told from some gates only.</p>`
  const { peak, excess } = curve
  const rows = levelTimes(curve).map(({ level, ms, minutes }) => [
    LEVEL_WORDS[level],
    duration(ms),
    perCent(ms, curve.knownMs),
    count(minutes),
  ])
  return html`${head}${
    peak &&
    html`<p>The most inside were <strong>${count(peak.occupancy)}</strong> at <strong>${face.whole(peak.at)}</strong>, after entry
${peak.seq} of <code>${peak.account}</code>, with a limit of ${count(peak.capacity)}:
${perCent(peak.occupancy, peak.capacity)}.</p>`
  }${
    excess
      ? html`<p>The most above a limit in force were ${count(excess.occupancy - excess.capacity)}: ${count(excess.occupancy)}
inside with a limit of ${count(excess.capacity)}, at ${face.whole(excess.at)}. A gate admits only on a
place that it holds. The count comes to be above the limit when the limit is lowered, when people come in without a decision
(sections 3 and 6), or when a head count finds more than were counted (section 8); the places missing are then owed, and gates
that hear of it pay them before they admit.${
          verdict.ok && ' It is proved that at no moment more were inside than the limit and what was owed then.'
        }</p>`
      : html`<p>At no moment of the period that is known were more inside than the limit then in force.</p>`
  }${table({
    caption: 'Time at each level',
    columns: [
      { head: 'Level' },
      { head: 'Time', isNumber: true },
      { head: 'Of the time known', isNumber: true },
      { head: 'Minutes in which it was reached', isNumber: true },
    ],
    rows,
  })}${period.kind === 'month' && dayTable(report)}`
}

function dayTable({ days }: Report): Markup {
  const rows = days.map(({ name, known, above }) =>
    known === undefined
      ? [name, 'not known', '', '', '', '', '', '']
      : [
          name,
          count(known.low),
          count(known.high),
          known.limitLow === known.limit ? count(known.limit) : `${count(known.limitLow)}\u2013${count(known.limit)}`,
          `${known.fullest.toFixed(1)} %`,
          duration(above['90 %']),
          duration(above.above),
          count(known.last),
        ],
  )
  const heads = ['Lowest', 'Highest', 'Limit', 'Most of the limit', 'At 90 % or more', 'Above the limit', 'At the end']
  return html`${table({
    caption: 'Day by day',
    columns: [{ head: 'Day' }, ...heads.map(head => ({ head, isNumber: true }))],
    rows,
  })}<p class="note">At the end: the count as the day ended. Where the house was empty then, it is what the sensors missed,
and what
the next head count must take away.</p>`
}

const MONTHS = new Intl.DateTimeFormat('en-GB', { timeZone: 'UTC', month: 'long', year: 'numeric' })
const DAYS = new Intl.DateTimeFormat('en-GB', {
  timeZone: 'UTC',
  weekday: 'long',
  day: 'numeric',
  month: 'long',
  year: 'numeric',
})

function dateWords(name: string): string {
  const isMonth = name.length === 'yyyy-mm'.length
  return (isMonth ? MONTHS : DAYS).format(Date.parse(isMonth ? `${name}-01T00:00Z` : `${name}T00:00Z`))
}
