// Paper mall: a mall that exists only as its records. It writes whatever it is told, right or wrong, chains and signs
// it properly, and so can break one law at a time. The same calls give the same bytes.

import { hash } from 'node:crypto'
import { type Account, ANCHOR, isAnchor, nameOf } from '../../ledger/account.ts'
import type { Report } from '../../ledger/audit/report.ts'
import { type MallShown, verifyMall } from '../../ledger/audit/verify.ts'
import { Chain } from '../../ledger/chain.ts'
import type { Charter } from '../../ledger/charter.ts'
import { openCharter, signCharter } from '../../ledger/charter-note.ts'
import { type Budget, type Counters, copyCounters, noCounters } from '../../ledger/counters.ts'
import { SecretKey } from '../../ledger/ed25519.ts'
import type { Body, HeadOf } from '../../ledger/entry.ts'
import { fold, foldBudget } from '../../ledger/fold.ts'
import { SignerKey } from '../../ledger/key.ts'
import type { Policy } from '../../ledger/policy.ts'
import { openPolicy, type PolicyText, signPolicy } from '../../ledger/policy-note.ts'
import type { Row } from '../../ledger/row.ts'
import { signRow } from '../../ledger/row-note.ts'
import { askSecond } from '../audit/second-opinion.ts'

export const MALL = 'paper'
export const START = 1_763_251_200_000

const signers = new Map<string, SignerKey>()

/** Anybody can make these keys: the seed is the hash of the name. */
export function signerOf(name: string, salt = ''): SignerKey {
  const words = `gatemesh ${name}${salt}`
  const known = signers.get(words)
  if (known !== undefined) return known
  const signer = new SignerKey(`gatemesh/${MALL}/${name}`, SecretKey.fromSeed(hash('sha256', words, 'buffer')))
  signers.set(words, signer)
  return signer
}

export function uuid7(at: number, n: number): string {
  const ms = at.toString(16).padStart(12, '0')
  return `${ms.slice(0, 8)}-${ms.slice(8)}-7000-8000-${n.toString(16).padStart(12, '0')}`
}

type Without<T> = T extends unknown ? Omit<T, 'id' | 'at'> & { id?: string; at?: number } : never
export type Draft = Without<Body>

interface Ledger {
  readonly chain: Chain
  readonly lines: string[]
  readonly counters: Counters
  budget: (Budget & { version: number }) | undefined
}

export const FIRST_POLICY: PolicyText = {
  version: 1,
  capacities: [{ from: 0, capacity: 20 }],
  correction: 0,
  reclaimed: [],
  gates: [],
  maxSharePerMille: 500,
  expireAfterMs: 86_400_000,
  confidenceMin: 600,
  marginPerMille: 0,
  reason: 'opening day',
}

export class PaperMall {
  readonly charter: Charter
  readonly charterNote: string
  readonly charterHash: string
  readonly owner = signerOf('owner')
  readonly policies: Policy[] = []
  readonly rows: string[] = []
  readonly ledgers = new Map<Account, Ledger>()
  #clock = START
  #ids = 0

  constructor(change: Partial<Charter> = {}) {
    const key = (name: string) => ({ name, key: signerOf(name).verifier.toString() })
    this.charter = {
      mall: MALL,
      legalMax: 40,
      anchor: key(ANCHOR).key,
      operators: [
        { ...key('alma'), role: 'operator' },
        { ...key('bruno'), role: 'marshal' },
        { ...key('vera'), role: 'viewer' },
      ],
      gates: [key('east'), key('north'), key('west')],
      exitsPerMinuteMax: 120,
      aloneMovePerMille: 200,
      ...change,
    }
    this.charterNote = signCharter(this.charter, this.owner)
    this.charterHash = openCharter(this.charterNote, this.owner.verifier).hash
  }

  /** A mall that has opened: policy 1, the anchor's budget of 20, three gates with 5 each. */
  static opened(): PaperMall {
    const mall = new PaperMall()
    mall.open('anchor/1')
    mall.policy()
    mall.budget()
    for (const gate of ['east/1', 'north/1', 'west/1']) {
      mall.open(gate)
      mall.give('anchor/1', gate, 5)
    }
    return mall
  }

  policy(change: Partial<PolicyText> = {}, signers = ['alma', 'bruno']): Policy {
    const last = this.policies.at(-1)
    const base = last === undefined ? { ...FIRST_POLICY, gates: this.charter.gates } : textOf(last)
    const chained = last === undefined ? {} : { version: last.version + 1, previous: last.hash }
    const note = signPolicy(
      { ...base, ...chained, ...change },
      MALL,
      [ANCHOR, ...signers].map(name => signerOf(name)),
    )
    const policy = openPolicy(note, this.charter)
    this.policies.push(policy)
    return policy
  }

  /** Puts the newest policy into force. */
  budget(change: Partial<Budget> = {}, anchor: Account = 'anchor/1'): number {
    const { capacities, correction, reclaimed, version, hash: policyHash } = this.policies.at(-1) as Policy
    this.write(anchor, { type: 'policy', version, hash: policyHash })
    return this.write(anchor, {
      type: 'budget',
      capacity: capacities.at(-1)?.capacity ?? 0,
      correction,
      reclaimed: reclaimed.reduce((sum, r) => sum + r.amount, 0),
      carried: 0,
      ...change,
      policy: version,
    })
  }

  open(account: Account, cite: { after?: Account; afterSize?: number; afterRoot?: string } = {}): number {
    const key = signerOf(nameOf(account)).verifier.toString()
    return this.write(account, { type: 'open', mall: MALL, account, key, ...cite })
  }

  /** The seq of what was written. */
  write(account: Account, draft: Draft): number {
    this.#clock += 250
    const at = this.#clock
    const ledger = this.#ledger(account)
    const body = { id: uuid7(at, ++this.#ids), at, ...draft } as Body
    const { seq, line } = ledger.chain.write(body)
    ledger.lines.push(line)
    fold(ledger.counters, body)
    ledger.budget = foldBudget(ledger.budget, body)
    return seq
  }

  admit(account: Account, id?: string): number {
    return this.write(account, {
      type: 'admit',
      source: 'local',
      confidence: 1000,
      ...(id === undefined ? {} : { id }),
    })
  }

  exit(account: Account): number {
    return this.write(account, { type: 'exit', credited: true, confidence: 950 })
  }

  send(from: Account, to: Account, amount: number): number {
    return this.write(from, { type: 'send', to, amount, why: 'push' })
  }

  receive(to: Account, from: Account, amount: number, size = this.sizeOf(from)): number {
    return this.write(to, { type: 'receive', from, amount, size })
  }

  give(from: Account, to: Account, amount: number): void {
    this.send(from, to, amount)
    this.receive(to, from, amount)
  }

  sizeOf(account: Account): number {
    return this.#ledger(account).chain.size
  }

  headOf(account: Account): HeadOf {
    return [account, this.sizeOf(account), this.#ledger(account).chain.root()]
  }

  linesOf(account: Account): string[] {
    return this.#ledger(account).lines
  }

  rowOf(account: Account): Row {
    const { chain, counters, budget } = this.#ledger(account)
    const row = { account, ...chain.head(), at: this.#clock, counters: copyCounters(counters) }
    if (!isAnchor(account) || budget === undefined) return row
    const { version, ...rest } = budget
    const policy = this.policies.find(p => p.version === version) as Policy
    return { ...row, budget: rest, policy: { version, hash: policy.hash } }
  }

  /** Publishes a row, altered as told. */
  row(account: Account, change: Partial<Row> = {}): string {
    const note = signRow({ ...this.rowOf(account), ...change }, MALL, signerOf(nameOf(account)))
    this.rows.push(note)
    return note
  }

  close(): this {
    for (const account of this.ledgers.keys()) this.row(account)
    return this
  }

  shown(change: Partial<MallShown> = {}): MallShown {
    return {
      charter: this.charterNote,
      owner: this.owner.verifier,
      policies: this.policies.map(p => p.note as string),
      ledgers: new Map([...this.ledgers].map(([account, { lines }]) => [account, lines])),
      rows: this.rows,
      ...change,
    }
  }

  /** What the first verifier says; the second must say the same. */
  async verify(change: Partial<MallShown> = {}): Promise<Report> {
    const shown = this.shown(change)
    const report = await verifyMall(shown)
    await askSecond(shown, report)
    return report
  }

  #ledger(account: Account): Ledger {
    let ledger = this.ledgers.get(account)
    if (ledger === undefined) {
      ledger = { chain: new Chain(this.charterHash), lines: [], counters: noCounters(), budget: undefined }
      this.ledgers.set(account, ledger)
    }
    return ledger
  }
}

function textOf({ signers: _signers, hash: _hash, note: _note, ...text }: Policy): PolicyText {
  return text
}
