// Founding: how a mall comes into being. Keys for everyone, a charter that the owner signs, the first policy.
//
//     DIR/keys/NAME.key       everyone's secret key, for this user's eyes only
//     DIR/owner.vkey          what the charter is checked with
//     DIR/policies/1.note     the first policy, signed by the anchor and two operators
//     DIR/policies/1.text     or only its text, where those two brought their own keys and have still to sign it
//     DIR/charter.note        signed by the owner
//
// Law: the charter is written last. A folder without one has not been a mall yet, and one with anything of another mall
// in it is left alone.

import { existsSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { ANCHOR } from '../ledger/account.ts'
import type { Charter, Role } from '../ledger/charter.ts'
import { signCharter } from '../ledger/charter-note.ts'
import { Fault } from '../ledger/fault.ts'
import { SignerKey } from '../ledger/key.ts'
import { originOf } from '../ledger/origin.ts'
import type { Policy } from '../ledger/policy.ts'
import { formatPolicy, type PolicyText, signPolicy } from '../ledger/policy-note.ts'
import { writeWhole } from '../mesh/whole-file.ts'

export const OWNER = 'owner'
const DAY_MS = 86_400_000

export interface Plan {
  readonly mall: string
  readonly legalMax: number
  readonly capacity: number
  /** the first two sign the first policy; a public key of their own, or one is made here */
  readonly operators: readonly { readonly name: string; readonly role: Role; readonly vkey?: string }[]
  readonly gates: readonly string[]
  readonly exitsPerMinuteMax: number
}

export interface Founded {
  readonly charter: Charter
  /** secret keys that were made here */
  readonly keys: ReadonlyMap<string, SignerKey>
  /** of the first policy: a note, or a text that waits for its signatures */
  readonly policy: string
}

export function keyPath(dir: string, name: string): string {
  return join(dir, 'keys', `${name}.key`)
}

export function policyPath(dir: string, version: number): string {
  return join(dir, 'policies', `${version}.note`)
}

function textPath(dir: string, version: number): string {
  return join(dir, 'policies', `${version}.text`)
}

export async function found(dir: string, plan: Plan): Promise<Founded> {
  // with new keys and a new charter these would be of somebody else's mall
  const left = ['charter.note', 'born', ANCHOR, ...plan.gates].find(name => existsSync(join(dir, name)))
  if (left !== undefined) throw new Fault('FOUNDING', `${join(dir, left)} is of a mall that was founded here before`)
  await mkdir(join(dir, 'keys'), { recursive: true, mode: 0o700 })
  await mkdir(join(dir, 'policies'), { recursive: true })
  const keys = new Map<string, SignerKey>()
  const made = plan.operators.filter(o => o.vkey === undefined).map(o => o.name)
  for (const name of [OWNER, ANCHOR, ...made, ...plan.gates]) {
    if (keys.has(name)) throw new Fault('FOUNDING', `two would be called ${name}`)
    const key = SignerKey.generate(originOf(plan.mall, name))
    keys.set(name, key)
    await writeKey(keyPath(dir, name), key)
  }
  const charter = charterOf(plan, keys)
  const note = signCharter(charter, keys.get(OWNER) as SignerKey)
  const policy = await writeFirst(dir, plan, charter, keys)
  await writeWhole(join(dir, 'owner.vkey'), `${(keys.get(OWNER) as SignerKey).verifier}\n`, 0o644)
  await writeWhole(join(dir, 'charter.note'), note, 0o644)
  return { charter, keys, policy }
}

/** Signed, where both who sign it have their keys here; else its text, for them to sign where their keys are. */
async function writeFirst(
  dir: string,
  plan: Plan,
  charter: Charter,
  keys: ReadonlyMap<string, SignerKey>,
): Promise<string> {
  const policy = policyText(charter, { capacity: plan.capacity, before: undefined, reason: 'opening' })
  const two = plan.operators.slice(0, 2).map(o => keys.get(o.name))
  const signers = [keys.get(ANCHOR), ...two].filter(key => key !== undefined)
  const isSigned = signers.length === 3
  const path = isSigned ? policyPath(dir, 1) : textPath(dir, 1)
  await writeWhole(path, isSigned ? signPolicy(policy, plan.mall, signers) : formatPolicy(policy, plan.mall), 0o644)
  return path
}

export async function writeKey(path: string, key: SignerKey): Promise<void> {
  await writeWhole(path, `${key}\n`, 0o600)
}

export function fingerprintOf({ verifier }: SignerKey): string {
  return verifier.fingerprint
}

/** The next policy with this capacity, and all else as it is. */
export function policyText(
  charter: Charter,
  a: { readonly capacity: number; readonly before: Policy | undefined; readonly reason: string },
): PolicyText {
  const { before } = a
  const gates = before?.gates ?? charter.gates
  // three times an even share: enough for a busy door, too little to empty the mall for the others
  const share = Math.ceil(3000 / gates.length)
  return {
    version: (before?.version ?? 0) + 1,
    ...(before === undefined ? {} : { previous: before.hash }),
    capacities: [{ from: 0, capacity: a.capacity }],
    correction: before?.correction ?? 0,
    reclaimed: before?.reclaimed ?? [],
    gates,
    maxSharePerMille: before?.maxSharePerMille ?? Math.min(1000, Math.max(250, share)),
    expireAfterMs: before?.expireAfterMs ?? DAY_MS,
    confidenceMin: before?.confidenceMin ?? 700,
    marginPerMille: before?.marginPerMille ?? 0,
    reason: a.reason,
  }
}

function charterOf(plan: Plan, keys: ReadonlyMap<string, SignerKey>): Charter {
  const vkey = (name: string) => (keys.get(name) as SignerKey).verifier.toString()
  return {
    mall: plan.mall,
    legalMax: plan.legalMax,
    anchor: vkey(ANCHOR),
    operators: plan.operators.map(({ name, role, vkey: own }) => ({ name, role, key: own ?? vkey(name) })),
    gates: plan.gates.map(name => ({ name, key: vkey(name) })),
    exitsPerMinuteMax: plan.exitsPerMinuteMax,
    aloneMovePerMille: 200,
  }
}
