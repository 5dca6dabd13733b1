// Keys of a small mall, some of them twice: the old one and the one that follows it.

import { hash } from 'node:crypto'
import type { Charter } from '../../ledger/charter.ts'
import { openCharter, signCharter } from '../../ledger/charter-note.ts'
import { Charters } from '../../ledger/charters.ts'
import { noCounters } from '../../ledger/counters.ts'
import { SecretKey } from '../../ledger/ed25519.ts'
import { SignerKey } from '../../ledger/key.ts'
import type { Policy } from '../../ledger/policy.ts'
import { type PolicyText, signPolicy } from '../../ledger/policy-note.ts'
import type { Row } from '../../ledger/row.ts'
import { signRow } from '../../ledger/row-note.ts'

export const MALL = 'm'
const ROOT = 'AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA='

/** `bob` is the first key of bob, `bob.2` the one after it. */
export function keyOf(which: string): SignerKey {
  const [name = ''] = which.split('.')
  return new SignerKey(`gatemesh/${MALL}/${name}`, SecretKey.fromSeed(hash('sha256', `rotation ${which}`, 'buffer')))
}

export const vkey = (which: string) => keyOf(which).verifier.toString()
export const OWNER = keyOf('owner')

export const FIRST: Charter = {
  mall: MALL,
  legalMax: 100,
  anchor: vkey('anchor'),
  operators: [
    { name: 'ann', role: 'marshal', key: vkey('ann') },
    { name: 'bob', role: 'operator', key: vkey('bob') },
    { name: 'cat', role: 'operator', key: vkey('cat') },
  ],
  gates: [
    { name: 'east', key: vkey('east') },
    { name: 'west', key: vkey('west') },
  ],
  exitsPerMinuteMax: 120,
  aloneMovePerMille: 200,
}

export const FIRST_NOTE = signCharter(FIRST, OWNER)

/** The next revision of these. */
export function revised(charters: Charters, since: number, change: Partial<Charter>): string {
  const number = (charters.newest.revision?.number ?? 1) + 1
  return signCharter(
    { ...charters.newest, ...change, revision: { number, previous: charters.newestHash, since } },
    OWNER,
  )
}

/** From policy 3 on: the anchor has another key, bob is gone, cat has another key, and the law allows less. */
export function twoCharters(): { readonly charters: Charters; readonly note: string } {
  const charters = new Charters(openCharter(FIRST_NOTE, OWNER.verifier))
  const operators = [
    { name: 'ann', role: 'marshal', key: vkey('ann') },
    { name: 'cat', role: 'operator', key: vkey('cat.2') },
  ] as const
  const note = revised(charters, 3, { anchor: vkey('anchor.2'), operators, legalMax: 80 })
  charters.add(openCharter(note, OWNER.verifier))
  return { charters, note }
}

export function policyNote(
  text: Partial<PolicyText> & { readonly version: number },
  signers: readonly string[],
): string {
  const policy: PolicyText = {
    capacities: [{ from: 0, capacity: 60 }],
    marginPerMille: 0,
    correction: 0,
    reclaimed: [],
    gates: FIRST.gates,
    maxSharePerMille: 1000,
    expireAfterMs: 1000,
    confidenceMin: 700,
    reason: 'why',
    ...text,
  }
  return signPolicy(policy, MALL, signers.map(keyOf))
}

/** Policies in their turn, each by those who signed it. */
export function chain(charters: Charters, signers: readonly (readonly string[])[], change: Partial<PolicyText>[] = []) {
  const policies: Policy[] = []
  signers.forEach((by, i) => {
    const previous = policies.at(-1)?.hash
    const text = { version: i + 1, ...(previous === undefined ? {} : { previous }), ...change[i] }
    policies.push(charters.openPolicy(policyNote(text, by)))
  })
  return policies
}

export function rowNote(account: string, by: string, change: Partial<Row> = {}): string {
  return signRow({ account, size: 5, root: ROOT, at: 7, counters: noCounters(), ...change }, MALL, keyOf(by))
}
