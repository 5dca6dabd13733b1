// Sim papers: keys, charter and first policy of a simulated mall. The same every time, so that whoever plays its gates and
// whoever plays its anchor need not hand them to each other. Nobody lives in these malls.

import { hash } from 'node:crypto'
import { ANCHOR } from '../../../ledger/account.ts'
import type { Charter } from '../../../ledger/charter.ts'
import { formatCharter, signCharter } from '../../../ledger/charter-note.ts'
import { Charters } from '../../../ledger/charters.ts'
import { SecretKey } from '../../../ledger/ed25519.ts'
import { SignerKey, type VerifierKey } from '../../../ledger/key.ts'
import { originOf } from '../../../ledger/origin.ts'
import { signPolicy } from '../../../ledger/policy-note.ts'
import { textHash } from '../../../ledger/text-hash.ts'
import type { Papers } from '../../../mesh/papers.ts'
import { policyText } from '../../founding.ts'

export interface SimPlan {
  readonly mall: string
  readonly gates: number
  readonly capacity: number
}

export interface SimPapers {
  readonly charter: Charter
  readonly charterNote: string
  readonly charterHash: string
  readonly owner: VerifierKey
  /** the anchor's own */
  readonly anchor: Papers
}

const OWNER = 'owner'
const OPERATORS = ['alma', 'bruno'] as const

/** What malls of a fleet are called. */
export function simNames(malls: number): readonly string[] {
  return Array.from({ length: malls }, (_, i) => `mall-${String(i + 1).padStart(3, '0')}`)
}

/** The seed is the hash of the name. */
export function simKey(mall: string, name: string): SignerKey {
  return new SignerKey(originOf(mall, name), SecretKey.fromSeed(hash('sha256', `sim ${mall} ${name}`, 'buffer')))
}

export function simPapers({ mall, gates, capacity }: SimPlan): SimPapers {
  const names = Array.from({ length: gates }, (_, i) => `gate-${String(i + 1).padStart(2, '0')}`)
  const vkey = (name: string) => simKey(mall, name).verifier.toString()
  const charter: Charter = {
    mall,
    legalMax: capacity * 2,
    anchor: vkey(ANCHOR),
    operators: OPERATORS.map(name => ({ name, role: 'marshal', key: vkey(name) })),
    gates: names.map(name => ({ name, key: vkey(name) })),
    exitsPerMinuteMax: 240,
    aloneMovePerMille: 200,
  }
  const owner = simKey(mall, OWNER)
  const signer = simKey(mall, ANCHOR)
  const charterNote = signCharter(charter, owner)
  const charterHash = textHash(formatCharter(charter))
  const charters = Charters.unrevised(charter)
  const anchor = { charter, charters, charterHash, charterNotes: [charterNote], signer, doubts: [] }
  return { charter, charterNote, charterHash, owner: owner.verifier, anchor }
}

/** The first policy; gates bring it to their anchor. */
export function simPolicy({ charter }: SimPapers, { mall, capacity }: SimPlan): string {
  const text = policyText(charter, { capacity, before: undefined, reason: 'opening' })
  return signPolicy(
    text,
    mall,
    [ANCHOR, ...OPERATORS].map(name => simKey(mall, name)),
  )
}
