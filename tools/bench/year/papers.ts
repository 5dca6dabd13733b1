// Papers: keys, charter and policies of the mall of the year. Everything is really signed, and the same for the same seed.

import { hash } from 'node:crypto'
import { ANCHOR, nameOf } from '../../../ledger/account.ts'
import type { Charter } from '../../../ledger/charter.ts'
import { formatCharter, signCharter } from '../../../ledger/charter-note.ts'
import { SecretKey } from '../../../ledger/ed25519.ts'
import { SignerKey, type VerifierKey } from '../../../ledger/key.ts'
import { originOf } from '../../../ledger/origin.ts'
import type { Policy } from '../../../ledger/policy.ts'
import { openPolicy, type PolicyText, signPolicy } from '../../../ledger/policy-note.ts'
import type { Row } from '../../../ledger/row.ts'
import { signRow } from '../../../ledger/row-note.ts'
import { textHash } from '../../../ledger/text-hash.ts'
import { OWNER } from '../../founding.ts'

export const MALL = 'year'
export const OPERATORS = ['alma', 'bruno'] as const

export class Papers {
  readonly charter: Charter
  readonly charterNote: string
  readonly charterHash: string
  readonly #seed: number
  readonly #signers = new Map<string, SignerKey>()
  readonly policies: { readonly version: number; readonly note: string }[] = []

  constructor(a: { readonly seed: number; readonly gates: readonly string[]; readonly legalMax: number }) {
    this.#seed = a.seed
    this.charter = {
      mall: MALL,
      legalMax: a.legalMax,
      anchor: this.vkey(ANCHOR),
      operators: OPERATORS.map(name => ({ name, role: 'marshal', key: this.vkey(name) })),
      gates: a.gates.map(name => ({ name, key: this.vkey(name) })),
      exitsPerMinuteMax: 240,
      aloneMovePerMille: 200,
    }
    this.charterNote = signCharter(this.charter, this.#signer(OWNER))
    this.charterHash = textHash(formatCharter(this.charter))
  }

  get owner(): VerifierKey {
    return this.#signer(OWNER).verifier
  }

  vkey(name: string): string {
    return this.#signer(name).verifier.toString()
  }

  policy(text: PolicyText, operators: readonly string[]): Policy {
    const note = signPolicy(
      text,
      MALL,
      [ANCHOR, ...operators].map(name => this.#signer(name)),
    )
    this.policies.push({ version: text.version, note })
    return openPolicy(note, this.charter)
  }

  sign(row: Row): string {
    return signRow(row, MALL, this.#signer(nameOf(row.account)))
  }

  #signer(name: string): SignerKey {
    const known = this.#signers.get(name)
    if (known !== undefined) return known
    const secret = SecretKey.fromSeed(hash('sha256', `year ${this.#seed} ${name}`, 'buffer'))
    const made = new SignerKey(originOf(MALL, name), secret)
    this.#signers.set(name, made)
    return made
  }
}
