// Decree: the policy that this mall's operators sign when the capacity they want is not in force yet.
//
// One user plays both operators here, and keeps what they signed in DIR/policies. The anchor that gets a note, and every
// gate after it, checks the two signatures and the charter's maximum for themselves.

import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { ANCHOR } from '../../ledger/account.ts'
import { Fault } from '../../ledger/fault.ts'
import { type Policy, scheduled } from '../../ledger/policy.ts'
import { signPolicy } from '../../ledger/policy-note.ts'
import { writeWhole } from '../../mesh/whole-file.ts'
import { policyPath, policyText } from '../founding.ts'
import { type Home, OPERATORS } from './home.ts'

export interface Decree {
  readonly version: number
  readonly capacity: number
  readonly note: string
}

export interface Wish {
  /** of the policy that the anchor has; 0 for none */
  readonly version: number
  /** undefined: what is in force is fine */
  readonly capacity: number | undefined
  readonly wall: number
}

/** The next policy, or undefined where the one in force says what is wanted already. */
export async function nextDecree(home: Home, { version, capacity, wall }: Wish): Promise<Decree | undefined> {
  const { charter, charters, dir } = home
  if (version > 0 && capacity === undefined) return undefined
  const path = policyPath(dir, version)
  if (version > 0 && !existsSync(path)) {
    throw new Fault('POLICY', `policy ${version} is in force and ${path} is not there: start without --capacity`)
  }
  const before = version === 0 ? undefined : charters.openPolicy(await readFile(path, 'utf8'))
  const wanted = capacity ?? charter.legalMax
  if (before !== undefined && scheduled(before, wall) === wanted) return undefined
  const reason = before === undefined ? 'opening' : 'started with another capacity'
  return decreed(home, { before, capacity: wanted, reason })
}

/** Signed by everyone it needs, and kept. */
export async function decreed(
  home: Home,
  a: { readonly before: Policy | undefined; readonly capacity: number; readonly reason: string },
): Promise<Decree> {
  const { charter, dir } = home
  const text = policyText(charter, a)
  const signers = [ANCHOR, ...OPERATORS.map(operator => operator.name)].map(name => home.key(name))
  const note = signPolicy(text, charter.mall, signers)
  // kept before it is sent: the next one must name it, whatever becomes of us
  await writeWhole(policyPath(dir, text.version), note, 0o644)
  return { version: text.version, capacity: a.capacity, note }
}
