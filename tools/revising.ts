// Revising: how the owner replaces keys. The charter in force with what was wished changed, signed as the next one.
//
// Law: a revision leaves a mall that can go on: two who can sign a policy, one of them a marshal, and nobody with the key
// of somebody else. It counts since a policy that is still to come: what was signed before is judged as it was then.

import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { ANCHOR } from '../ledger/account.ts'
import type { Charter, Operator, Role } from '../ledger/charter.ts'
import { openCharter, signCharter } from '../ledger/charter-note.ts'
import { Charters } from '../ledger/charters.ts'
import { Fault } from '../ledger/fault.ts'
import type { SignerKey } from '../ledger/key.ts'
import { readRevisions } from '../mesh/papers.ts'

export interface Changes {
  readonly anchor?: string
  /** replaced where the name is there, with its role unless another is said; added where it is not */
  readonly operators: readonly { readonly name: string; readonly role?: Role; readonly key: string }[]
  /** operators */
  readonly removed: readonly string[]
  readonly legalMax?: number
  readonly exitsPerMinuteMax?: number
  readonly aloneMovePerMille?: number
  readonly since: number
}

/** The charter in `from`, a folder or the file of the first, with all its revisions. */
export async function readCharters(from: string, owner: SignerKey): Promise<Charters> {
  const isFolder = await stat(from).then(
    found => found.isDirectory(),
    () => false,
  )
  const path = isFolder ? join(from, 'charter.note') : from
  const note = await readFile(path, 'utf8').catch(error => {
    throw new Fault('CHARTER', `${path} cannot be read: ${(error as Error).message}`, { cause: error })
  })
  const charters = new Charters(named(path, () => openCharter(note, owner.verifier)))
  const { flaw } = await readRevisions(path, charters, owner.verifier)
  if (flaw !== undefined) throw new Fault('CHARTER', flaw)
  return charters
}

/** The next revision, signed. */
export function revise(charters: Charters, changes: Changes, owner: SignerKey): { charter: Charter; note: string } {
  const before = charters.newest
  const changed = {
    ...before,
    anchor: changes.anchor ?? before.anchor,
    operators: operatorsOf(before, changes),
    legalMax: changes.legalMax ?? before.legalMax,
    exitsPerMinuteMax: changes.exitsPerMinuteMax ?? before.exitsPerMinuteMax,
    aloneMovePerMille: changes.aloneMovePerMille ?? before.aloneMovePerMille,
  }
  if (JSON.stringify(changed) === JSON.stringify(before)) throw new Fault('REVISION', 'it would change nothing')
  const number = (before.revision?.number ?? 1) + 1
  const charter = { ...changed, revision: { number, previous: charters.newestHash, since: changes.since } }
  const note = signCharter(charter, owner)
  charters.add(openCharter(note, owner.verifier))
  return { charter, note }
}

function operatorsOf(before: Charter, { operators, removed }: Changes): Operator[] {
  const all = new Map(before.operators.map(one => [one.name, one]))
  for (const { name, role = all.get(name)?.role, key } of operators) {
    if (name === ANCHOR) throw new Fault('REVISION', 'the anchor is no operator: --anchor takes its key')
    if (role === undefined) throw new Fault('REVISION', `${name} is new: a role is needed, as in ${name}:operator=VKEY`)
    all.set(name, { name, role, key })
  }
  for (const name of removed) if (!all.delete(name)) throw new Fault('REVISION', `there is no operator ${name}`)
  const able = [...all.values()].filter(({ role }) => role === 'operator' || role === 'marshal')
  if (able.length < 2) throw new Fault('REVISION', 'fewer than two could sign a policy: operators or marshals')
  if (!able.some(({ role }) => role === 'marshal')) throw new Fault('REVISION', 'without a marshal nobody may re-arm')
  return [...all.values()]
}

function named<T>(path: string, act: () => T): T {
  try {
    return act()
  } catch (error) {
    throw error instanceof Fault ? new Fault(error.code, `${path}: ${error.message}`) : error
  }
}
