// What the signed notes of a mall say, each signature checked by two implementations.
//
// Law: nothing unsigned gets past this file and `rows.ts`. Keys come from the charter, which the owner's key opens, and
// from policies whose signers the charter names.

import { ANCHOR } from '../account.ts'
import { openCharter } from '../charter-note.ts'
import { Charters } from '../charters.ts'
import { Fault } from '../fault.ts'
import type { VerifierKey } from '../key.ts'
import { flawOf, type Policy } from '../policy.ts'
import type { Findings } from './findings.ts'
import type { NoteFile } from './folder.ts'
import type { Rules } from './rules.ts'

export interface NotesShown {
  readonly owner: VerifierKey
  /** the first charter, then its revisions */
  readonly charters: readonly NoteFile[]
  readonly policies: readonly NoteFile[]
  readonly profile: 0 | 1
}

const TWICE = { twice: true }

/** Undefined where the charter does not open: without it no key means anything. */
export function openNotes(shown: NotesShown, findings: Findings): Rules | undefined {
  const charters = openCharters(shown, findings)
  if (charters === undefined) return undefined
  const policies = openPolicies(shown.policies, charters, findings)
  const { mall } = charters.first
  return {
    mall,
    charterHash: charters.hash,
    policies,
    keys: keysOf(charters, policies.values()),
    profile: shown.profile,
  }
}

function openCharters({ charters: notes, owner }: NotesShown, findings: Findings): Charters | undefined {
  let charters: Charters | undefined
  for (const { file, note } of notes) {
    const isOpened = refused(
      () => {
        const opened = openCharter(note, owner, TWICE)
        if (charters === undefined) charters = new Charters(opened)
        else charters.add(opened)
        const { revision } = opened.charter
        named(file, revision === undefined ? 'charter.note' : `charter.${revision.number}.note`, findings)
        return true
      },
      what => findings.add('charter', '', undefined, what, file),
    )
    // whatever follows stands on it
    if (isOpened === undefined) return charters
  }
  if (notes.length === 0) findings.add('charter', '', undefined, 'no charter')
  return charters
}

function openPolicies(notes: readonly NoteFile[], charters: Charters, findings: Findings): Map<number, Policy> {
  const opened: { policy: Policy; file: string }[] = []
  notes.forEach(({ file, note }, i) => {
    const policy = refused(
      () => charters.openPolicy(note, TWICE),
      what => findings.add('policy', ANCHOR, undefined, `policy note ${i + 1}: ${what}`, file),
    )
    if (policy === undefined) return
    named(file, `policies/${policy.version}.note`, findings)
    opened.push({ policy, file })
  })
  const valid = new Map<number, Policy>()
  let before: Policy | undefined
  let agreed: Policy | undefined
  // the same text may be shown with fewer signatures, from before the others were added
  const inTurn = opened.sort((a, b) => a.policy.version - b.policy.version || signers(b.policy) - signers(a.policy))
  for (const { policy, file } of inTurn) {
    if (policy.version === before?.version && policy.hash === before.hash) continue
    const charter = charters.of(policy.version)
    const flaw = flawOf(policy, before, charter, agreed) ?? (policy.previous === before?.hash ? undefined : 'previous')
    if (flaw !== undefined) {
      findings.add('policy', ANCHOR, undefined, `version ${policy.version}: ${flaw}`, file)
      continue
    }
    valid.set(policy.version, policy)
    before = policy
    if (signers(policy) >= 2) agreed = policy
  }
  return valid
}

/** A file is what its name says. Those that only lay in memory, or in a folder of format 0, have none. */
export function named(file: string, name: string, findings: Findings): void {
  if (!file.startsWith('data/') || file === `data/${name}`) return
  findings.add('bag', '', undefined, `should be called data/${name}`, file)
}

function signers(policy: Policy): number {
  return policy.signers.length
}

function keysOf(charters: Charters, policies: Iterable<Policy>): Map<string, string[]> {
  const keys = new Map<string, string[]>()
  const add = (name: string, vkey: string) => {
    const known = keys.get(name)
    if (known === undefined) keys.set(name, [vkey])
    else if (!known.includes(vkey)) known.push(vkey)
  }
  for (const { anchor, gates } of charters.all) {
    add(ANCHOR, anchor)
    for (const { name, key } of gates) add(name, key)
  }
  for (const { gates } of policies) for (const { name, key } of gates) add(name, key)
  return keys
}

export function refused<T>(open: () => T, say: (what: string, code: string) => void): T | undefined {
  try {
    return open()
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    say(error.message, error.code)
    return undefined
  }
}
