// Seal: how much of the hashing and signing is real. Most seeds need none of it and run a hundred times faster on a
// registry of what each owner really said; a slice of seeds runs on the real thing and ends with the auditor's verdict.

import { hash } from 'node:crypto'
import { nameOf } from '../../ledger/account.ts'
import { Chain } from '../../ledger/chain.ts'
import type { Charter } from '../../ledger/charter.ts'
import { openCharter, signCharter } from '../../ledger/charter-note.ts'
import { SecretKey } from '../../ledger/ed25519.ts'
import type { Body } from '../../ledger/entry.ts'
import { SignerKey, type VerifierKey } from '../../ledger/key.ts'
import { originOf } from '../../ledger/origin.ts'
import type { Pen } from '../../ledger/pen.ts'
import type { Policy } from '../../ledger/policy.ts'
import { openPolicy, signPolicy } from '../../ledger/policy-note.ts'
import type { Row } from '../../ledger/row.ts'
import { openRow, signRow } from '../../ledger/row-note.ts'
import { CheapPen } from './pen.ts'

export interface Seal {
  readonly charter: Charter
  id(n: number): string
  pen(entries: readonly Body[]): Pen
  key(name: string): string
  /** a row as its owner lets it go */
  sign(row: Row): Row
  /** the row as a stranger may believe it, or undefined when its owner never said it */
  open(row: Row): Row | undefined
  policy(policy: Policy): Policy
}

export class CheapSeal implements Seal {
  readonly charter: Charter
  readonly #said = new WeakSet<Row>()

  constructor(gates: readonly string[], legalMax: number) {
    this.charter = charterOf(gates, legalMax, name => name)
  }

  id(n: number): string {
    return `i${n.toString(36)}`
  }

  pen(entries: readonly Body[]): Pen {
    return new CheapPen(entries)
  }

  key(name: string): string {
    return name
  }

  sign(row: Row): Row {
    this.#said.add(row)
    return row
  }

  open(row: Row): Row | undefined {
    return this.#said.has(row) ? row : undefined
  }

  policy(policy: Policy): Policy {
    return { ...policy, hash: `policy ${policy.version}` }
  }
}

export class RealSeal implements Seal {
  readonly charter: Charter
  readonly charterNote: string
  readonly owner: VerifierKey
  readonly policies: string[] = []
  readonly #charterHash: string
  readonly #opened = new Map<string, Row>()

  constructor(gates: readonly string[], legalMax: number) {
    const owner = signer('owner')
    this.owner = owner.verifier
    this.charter = charterOf(gates, legalMax, name => this.key(name))
    this.charterNote = signCharter(this.charter, owner)
    this.#charterHash = openCharter(this.charterNote, this.owner).hash
  }

  id(n: number): string {
    return `01998000-0000-7000-8000-${n.toString(16).padStart(12, '0')}`
  }

  pen(entries: readonly Body[]): Pen {
    const chain = new Chain(this.#charterHash)
    for (const body of entries) chain.write(body)
    return chain
  }

  key(name: string): string {
    return signer(name).verifier.toString()
  }

  sign(row: Row): Row {
    return { ...row, note: signRow(row, MALL, signer(nameOf(row.account))) }
  }

  /** Parsed and verified once: every receiver of one note would find the same. */
  open(row: Row): Row | undefined {
    if (row.note === undefined) return undefined
    const known = this.#opened.get(row.note)
    if (known !== undefined) return known
    const opened = openRow(row.note, MALL, name => signer(name).verifier)
    this.#opened.set(row.note, opened)
    return opened
  }

  policy({ hash: _hash, note: _note, signers, ...text }: Policy): Policy {
    const note = signPolicy(text, MALL, [signer('anchor'), ...signers.map(signer)])
    this.policies.push(note)
    return openPolicy(note, this.charter)
  }
}

const MALL = 'sim'
const signers = new Map<string, SignerKey>()

function signer(name: string): SignerKey {
  const known = signers.get(name)
  if (known !== undefined) return known
  const made = new SignerKey(originOf(MALL, name), SecretKey.fromSeed(hash('sha256', `sim ${name}`, 'buffer')))
  signers.set(name, made)
  return made
}

function charterOf(gates: readonly string[], legalMax: number, key: (name: string) => string): Charter {
  return {
    mall: MALL,
    legalMax,
    anchor: key('anchor'),
    operators: [
      { name: 'ann', role: 'marshal', key: key('ann') },
      { name: 'bob', role: 'operator', key: key('bob') },
    ],
    gates: gates.map(name => ({ name, key: key(name) })),
    exitsPerMinuteMax: 1000,
    aloneMovePerMille: 200,
  }
}
