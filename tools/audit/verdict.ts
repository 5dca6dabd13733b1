// Verdict: what was proved of a bundle and what was found, for people; and as the JSON that all verifiers agree on.

import type { Finding } from '../../ledger/audit/findings.ts'
import type { VerifierKey } from '../../ledger/key.ts'
import { table } from '../table.ts'
import { lawsHeld } from './law-list.ts'
import type { Verification } from './verify-bundle.ts'

/** Findings shown one by one; all of them are in the JSON. */
const SHOWN_MAX = 50

export function verdictJson(v: Verification, owner: VerifierKey): object {
  const { bundle, ok, findings, lost, proved, maxOccupancy, peak, accounts, period, optical } = v
  const { from, to, gates } = bundle.scope
  return {
    format: 'gatemesh/verification/1',
    profile: profileOf(v),
    ok,
    findings,
    lost,
    proved,
    maxOccupancy,
    peak: peak ?? null,
    accounts,
    mall: bundle.about?.mall ?? null,
    owner: owner.toString(),
    scope: { from, to, gates },
    period: period ?? null,
    laws: lawsHeld(v),
    optical,
    cannotShow: CANNOT_SHOW,
  }
}

export function verdictText(v: Verification, dir: string, owner: VerifierKey): string {
  const paragraphs = [
    heading(v, dir, owner),
    whatWasShown(v),
    maximum(v),
    laws(v),
    found(v),
    lostOf(v),
    blind(v),
    verdict(v),
  ]
  return paragraphs.filter(text => text !== '').join('\n\n')
}

function heading({ bundle }: Verification, dir: string, owner: VerifierKey): string {
  const { about, scope } = bundle
  const source = { anchor: 'an anchor', gate: 'a running gate', disk: "the disks of gates'" } as const
  const made = about === undefined ? '' : `, made ${time(about.made)} from ${source[about.source]}`
  const asked = [
    scope.from === null ? '' : `from ${time(scope.from)}`,
    scope.to === null ? '' : `to ${time(scope.to)}`,
    scope.gates === null ? '' : `only ${scope.gates.join(', ')}`,
  ].filter(text => text !== '')
  return [
    `${dir}: ${about?.mall ?? 'a mall'}, format gatemesh/bundle/${bundle.profile}${made}`,
    `trusted: the key ${owner.name}, fingerprint ${owner.fingerprint}, and nothing else`,
    asked.length === 0 ? 'scope: everything' : `scope: ${asked.join(', ')}; the rest is left out and not judged`,
  ].join('\n')
}

function whatWasShown(v: Verification): string {
  if (v.accounts.length === 0) return ''
  const rows = v.accounts.map(({ account, from, size, signed, balance, inside }) => {
    return { account, entries: `${from}…${size}`, signed, 'tokens left': balance, 'in less out': inside }
  })
  const { period } = v
  const times = period === undefined ? [] : [`entries from ${time(period.from)} to ${time(period.to)}`]
  if (period?.since !== undefined && period.until !== undefined) {
    times.push(`all ledgers together from ${time(period.since)} to ${time(period.until)}`)
  }
  return [table(rows), ...times].join('\n')
}

function maximum({ maxOccupancy, peak, lost, bundle }: Verification): string {
  const isPart = bundle.scope.gates !== null
  if (maxOccupancy === null) return `maximum: not known, because not every ledger is ${isPart ? 'shown' : 'whole'}`
  if (peak === undefined) return 'maximum: nobody was inside'
  const { occupancy, capacity, account, seq, at } = peak
  const bound =
    lost.length === 0 ? '' : '\n  entries are lost (below): for their time this is at least what is proved, not at most'
  return `maximum: ${occupancy} inside, limit ${capacity}, ${time(at)}, after entry ${seq} of ${account}${bound}`
}

function laws(v: Verification): string {
  const shown = lawsHeld(v).map(({ law, says, evidence, holds }) => {
    const word = holds === null ? '?     ' : holds ? 'holds ' : 'BROKEN'
    return `  ${word} ${String(law).padStart(2)} ${says}: ${evidence}`
  })
  return ['laws (ledger/FORMAT.md, section 10):', ...shown].join('\n')
}

function found({ findings }: Verification): string {
  if (findings.length === 0) return ''
  const more =
    findings.length > SHOWN_MAX ? [`  … and ${findings.length - SHOWN_MAX} more: --json has all of them`] : []
  return [`found (${findings.length}):`, ...findings.slice(0, SHOWN_MAX).map(findingText), ...more].join('\n')
}

export function findingText({ kind, account, seq, file, byte, what }: Finding): string {
  const entry = seq === undefined ? '' : ` entry ${seq}`
  const place = file === undefined ? '' : ` [${file}${byte === undefined ? '' : `, byte ${byte}`}]`
  return `  ${kind}${account === '' ? '' : ` ${account}`}${entry}: ${what}${place}`
}

function lostOf({ lost }: Verification): string {
  if (lost.length === 0) return ''
  const lines = lost.map(({ account, from, to }) => `  ${account}: entries ${from} to ${to - 1}`)
  return [
    'lost, known to have been written, and followed by a new epoch; signed rows stand in for them:',
    ...lines,
  ].join('\n')
}

export const CANNOT_SHOW = [
  'No log can show an event that was never written: a person who climbed over, a sensor that saw nothing, a controller that',
  'was made to stay silent. Times are those of the gates’ own clocks.',
]

function blind({ optical }: Verification): string {
  const said = optical.map(({ account, entries, in: seenIn, out, ledgerIn, ledgerOut }) => {
    const [more, less] = [seenIn - ledgerIn, out - ledgerOut]
    const written = `${ledgerIn} in (${signed(more)}), ${ledgerOut} out (${signed(less)}) written`
    return `  ${account}: ${seenIn} in, ${out} out seen in ${entries} readings; ${written}`
  })
  const eyes =
    said.length === 0
      ? ['No optical counts are in this bundle: nothing independent of the turnstiles speaks of such events.']
      : ['Optical counters, which are independent of the turnstiles, saw beside what was written:', ...said]
  return [...CANNOT_SHOW, ...eyes].join('\n')
}

function signed(n: number): string {
  return n < 0 ? `−${-n}` : `+${n}`
}

function verdict({ ok, findings, proved }: Verification): string {
  if (ok) return `PROVED: ${proved.entries.toLocaleString('en')} entries, nothing found`
  return `NOT PROVED: ${findings.length} finding${findings.length === 1 ? '' : 's'}`
}

export function profileOf({ bundle }: Verification): string {
  return `gatemesh/bundle/${bundle.profile}`
}

function time(ms: number): string {
  // clocks of others may say anything
  return ms <= 8.64e15 ? new Date(ms).toISOString() : `${ms} ms`
}
