// What the signed notes of a mall say, each signature checked by two implementations.
//
// Law: nothing unsigned gets past this file. Keys come from the charter, which the owner's key opens, and from
// policies whose signers the charter names.

import { type Account, ANCHOR } from '../account.ts'
import type { Charter } from '../charter.ts'
import { openCharter } from '../charter-note.ts'
import type { Counters } from '../counters.ts'
import { Fault } from '../fault.ts'
import { VerifierKey } from '../key.ts'
import { parseNote } from '../note.ts'
import { accountOfOrigin } from '../origin.ts'
import { flawOf, type Policy } from '../policy.ts'
import { openPolicy } from '../policy-note.ts'
import type { Row } from '../row.ts'
import { formatRow, openRow } from '../row-note.ts'
import type { Findings } from './findings.ts'

export interface Notes {
  readonly charter: Charter
  readonly charterHash: string
  /** the valid ones by version */
  readonly policies: ReadonlyMap<number, Policy>
  /** every key a name ever had */
  readonly roster: ReadonlyMap<string, readonly VerifierKey[]>
  /** by account, in order of size, one for each size */
  readonly rows: ReadonlyMap<Account, readonly Row[]>
}

export interface NotesShown {
  readonly charter: string
  readonly owner: VerifierKey
  readonly policies: readonly string[]
  readonly rows: readonly string[]
}

const TWICE = { twice: true }

/** Undefined where the charter does not open: without it no key means anything. */
export function openNotes(shown: NotesShown, findings: Findings): Notes | undefined {
  const opened = refused(
    () => openCharter(shown.charter, shown.owner, TWICE),
    what => findings.add('charter', '', undefined, what),
  )
  if (opened === undefined) return undefined
  const { charter, hash: charterHash } = opened
  const policies = openPolicies(shown.policies, charter, findings)
  const roster = rosterOf(charter, policies.values())
  const rows = openRows(shown.rows, charter.mall, roster, findings)
  return { charter, charterHash, policies, roster, rows }
}

function openPolicies(notes: readonly string[], charter: Charter, findings: Findings): Map<number, Policy> {
  const opened: Policy[] = []
  notes.forEach((note, i) => {
    const policy = refused(
      () => openPolicy(note, charter, TWICE),
      what => findings.add('policy', ANCHOR, undefined, `policy note ${i + 1}: ${what}`),
    )
    if (policy !== undefined) opened.push(policy)
  })
  const valid = new Map<number, Policy>()
  let before: Policy | undefined
  let agreed: Policy | undefined
  // the same text may be shown with fewer signatures, from before the others were added
  for (const policy of opened.sort((a, b) => a.version - b.version || b.signers.length - a.signers.length)) {
    if (policy.version === before?.version && policy.hash === before.hash) continue
    const flaw = flawOf(policy, before, charter, agreed) ?? (policy.previous === before?.hash ? undefined : 'previous')
    if (flaw !== undefined) {
      findings.add('policy', ANCHOR, undefined, `version ${policy.version}: ${flaw}`)
      continue
    }
    valid.set(policy.version, policy)
    before = policy
    if (policy.signers.length >= 2) agreed = policy
  }
  return valid
}

function rosterOf(charter: Charter, policies: Iterable<Policy>): Map<string, VerifierKey[]> {
  const roster = new Map<string, VerifierKey[]>([[ANCHOR, [VerifierKey.parse(charter.anchor)]]])
  for (const gates of [charter.gates, ...[...policies].map(p => p.gates)]) {
    for (const { name, key: vkey } of gates) {
      const key = VerifierKey.parse(vkey)
      const keys = roster.get(name) ?? []
      if (!keys.some(known => known.equals(key))) keys.push(key)
      roster.set(name, keys)
    }
  }
  return roster
}

function openRows(
  notes: readonly string[],
  mall: string,
  roster: ReadonlyMap<string, readonly VerifierKey[]>,
  findings: Findings,
): Map<Account, Row[]> {
  const byAccount = new Map<Account, Row[]>()
  notes.forEach((note, i) => {
    const row = refused(
      () => openAnyRow(note, mall, roster),
      (what, code) =>
        findings.add(
          code === 'ROSTER' ? 'roster' : 'row',
          claimed(note, mall),
          undefined,
          `row note ${i + 1}: ${what}`,
        ),
    )
    if (row === undefined) return
    const rows = byAccount.get(row.account) ?? []
    rows.push(row)
    byAccount.set(row.account, rows)
  })
  for (const [account, rows] of byAccount) byAccount.set(account, oneHistory(rows, mall, findings))
  return byAccount
}

/** A name may have had several keys over the years; the id in the signature says which one to check with. */
function openAnyRow(note: string, mall: string, roster: ReadonlyMap<string, readonly VerifierKey[]>): Row {
  const id = parseNote(note).signatures[0]?.id
  return openRow(note, mall, name => roster.get(name)?.find(key => key.id === id) ?? roster.get(name)?.[0], TWICE)
}

function oneHistory(rows: Row[], mall: string, findings: Findings): Row[] {
  const kept: Row[] = []
  for (const row of rows.sort((a, b) => a.size - b.size || a.at - b.at)) {
    const before = kept.at(-1)
    const fork = (what: string) => findings.add('fork', row.account, row.size - 1, what)
    if (before === undefined || before.size < row.size) {
      const shrunk = before === undefined ? undefined : shrinks(before.counters, row.counters)
      if (shrunk !== undefined) fork(`${shrunk} is less at size ${row.size} than at size ${before?.size}`)
      kept.push(row)
    } else if (formatRow({ ...row, at: 0 }, mall) !== formatRow({ ...before, at: 0 }, mall)) {
      fork(`two signed rows of size ${row.size} say different things`)
    }
  }
  return kept
}

function shrinks(a: Counters, b: Counters): string | undefined {
  for (const name of ['admitted', 'forced', 'exited', 'lapsed'] as const) if (b[name] < a[name]) return name
  for (const name of ['sent', 'received'] as const) {
    for (const other in a[name]) if ((b[name][other] ?? 0) < (a[name][other] ?? 0)) return `${name} ${other}`
  }
  return undefined
}

/** Whose row a note that was refused claims to be. */
function claimed(note: string, mall: string): Account {
  return accountOfOrigin(mall, note.slice(0, 200).split('\n', 1)[0] ?? '') ?? ''
}

function refused<T>(open: () => T, say: (what: string, code: string) => void): T | undefined {
  try {
    return open()
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    say(error.message, error.code)
    return undefined
  }
}
