// Access: who is asking. People prove it with the key that the charter names, by signing a challenge; programs carry a
// token that a marshal made.
//
// Laws: a failed login does not tell what was wrong with it, neither in words nor by how long it took. Whoever fails in
// somebody's name cannot lock them out: a right signature is right, however many wrong ones came before it.

import type { Charter, Operator, Role } from '../../ledger/charter.ts'
import { Fault } from '../../ledger/fault.ts'
import { SignerKey, VerifierKey } from '../../ledger/key.ts'
import { type NoteSignature, parseNote } from '../../ledger/note.ts'
import { originOf } from '../../ledger/origin.ts'
import type { Cabinet } from '../../mesh/archive/cabinet.ts'
import type { Clock } from '../../mesh/clock.ts'
import type { Log } from '../../mesh/log.ts'
import { Allowance } from './allowance.ts'
import { CHALLENGE_MS, readChallenge, writeChallenge } from './challenge.ts'
import { PROGRAMS_PER_MALL_MAX, type TokenRecord, Tokens } from './tokens.ts'

export interface Caller {
  readonly id: string
  readonly mall: string
  readonly name: string
  readonly role: Role
  readonly kind: 'person' | 'program'
}

export interface Granted {
  readonly secret: string
  readonly record: TokenRecord
}

export interface AccessOptions {
  readonly cabinet: Cabinet
  readonly clock: Clock
  readonly log: Log
  readonly random: (bytes: number) => Buffer
}

export const LOGIN_MS = 12 * 3_600_000
const SWEEP_MS = 3_600_000
/** What is compared with where there is nobody: as long a work as with somebody. */
const NOBODY = SignerKey.generate('nobody').verifier
const NO_SIGNATURE = Buffer.alloc(64)

export class Access {
  readonly #clock: Clock
  readonly #log: Log
  readonly #random: (bytes: number) => Buffer
  readonly #tokens: Tokens
  /** of this process: a challenge does not outlive it */
  readonly #secret: Buffer
  /** nonces that were used, with the time on our own clock when no challenge can carry them any more */
  readonly #used = new Map<string, number>()
  readonly #failures = new Allowance({ atOnce: 10, everyMs: 6000 })
  #forgetSweep: () => void

  private constructor(o: AccessOptions, tokens: Tokens) {
    this.#clock = o.clock
    this.#log = o.log
    this.#random = o.random
    this.#tokens = tokens
    this.#secret = o.random(32)
    this.#forgetSweep = this.#sweepLater()
  }

  static async open(o: AccessOptions): Promise<Access> {
    const onFlawed = (key: string) => o.log.warn('token-flawed', { key })
    return new Access(o, await Tokens.open({ cabinet: o.cabinet, random: o.random, onFlawed }))
  }

  /** Safe to repeat. */
  close(): void {
    this.#forgetSweep()
  }

  /** A text to sign; anybody gets one for any name. */
  challenge(mall: string, name: string): { readonly text: string; readonly expiresAt: number } {
    const at = this.#clock.wall()
    const nonce = { now: this.#clock.now(), chance: this.#random(10) }
    return { text: writeChallenge({ mall, name, at }, this.#secret, nonce), expiresAt: at + CHALLENGE_MS }
  }

  /** A token for whoever signed one of our challenges; `limited` when this name has failed too often lately. */
  async login(charter: Charter, note: string): Promise<Granted | 'refused' | 'limited'> {
    const { mall } = charter
    const wall = this.#clock.wall()
    const { text, signature } = partsOf(note)
    const challenge = readChallenge(text, mall, this.#secret, this.#clock.now())
    const operator = charter.operators.find(({ name }) => name === challenge?.name)
    const key = operator === undefined ? NOBODY : keyOf(operator)
    const bytes = signature?.signature.length === NO_SIGNATURE.length ? signature.signature : NO_SIGNATURE
    const isSigned = key.publicKey.verify(Buffer.from(text, 'utf8'), bytes)
    const isNamed = signature?.name === originOf(mall, challenge?.name ?? '') && signature.id === key.id
    if (challenge === undefined || operator === undefined || !isSigned || !isNamed || !this.#use(challenge.nonce)) {
      return this.#failed(mall, challenge?.name ?? '')
    }
    const { name, role } = operator
    const expiresAt = wall + LOGIN_MS
    return this.#tokens.issue({ mall, name, role, kind: 'person', key: key.id, by: name, expiresAt }, wall)
  }

  /** Whose token it is. A person whom the charter no longer names, or names with another role or key, is nobody. */
  caller(secret: string, charterOf: (mall: string) => Charter | undefined): Caller | undefined {
    const record = this.#tokens.find(secret, this.#clock.wall())
    if (record === undefined) return undefined
    const { id, mall, name, role, kind } = record
    const charter = charterOf(mall)
    if (charter === undefined) return undefined
    if (kind === 'person') {
      const operator = charter.operators.find(one => one.name === name)
      if (operator?.role !== role || keyOf(operator).id !== record.key) return undefined
    }
    return { id, mall, name, role, kind }
  }

  list(mall: string): readonly TokenRecord[] {
    return this.#tokens.list(mall, this.#clock.wall())
  }

  /** For a program; undefined when the mall has as many as may be. */
  async issue(a: {
    readonly mall: string
    readonly name: string
    readonly role: Role
    readonly by: string
    readonly expiresAt?: number
  }): Promise<Granted | undefined> {
    const programs = this.list(a.mall).filter(({ kind }) => kind === 'program')
    if (programs.length >= PROGRAMS_PER_MALL_MAX) return undefined
    return this.#tokens.issue({ ...a, kind: 'program' }, this.#clock.wall())
  }

  revoke(mall: string, id: string): Promise<TokenRecord | undefined> {
    return this.#tokens.revoke(mall, id)
  }

  #failed(mall: string, name: string): 'refused' | 'limited' {
    this.#log.warn('login-refused', { mall, name })
    return this.#failures.take(`${mall} ${name}`, this.#clock.now()) ? 'refused' : 'limited'
  }

  /** False when it was used before. */
  #use(nonce: string): boolean {
    const now = this.#clock.now()
    for (const [old, goneAt] of this.#used) {
      if (goneAt > now) break
      this.#used.delete(old)
    }
    if (this.#used.has(nonce)) return false
    this.#used.set(nonce, now + 2 * CHALLENGE_MS)
    return true
  }

  #sweepLater(): () => void {
    return this.#clock.in(SWEEP_MS, () => {
      this.#forgetSweep = this.#sweepLater()
      this.#tokens.sweep(this.#clock.wall()).catch(error => this.#log.error('token-sweep', { error: String(error) }))
    })
  }
}

function partsOf(note: string): { readonly text: string; readonly signature?: NoteSignature } {
  try {
    const { text, signatures } = parseNote(note)
    const [signature] = signatures
    return signatures.length === 1 && signature !== undefined ? { text, signature } : { text }
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    return { text: '' }
  }
}

// importing a key costs more than checking with it, and would tell names apart by time
const imported = new WeakMap<Operator, VerifierKey>()

function keyOf(operator: Operator): VerifierKey {
  let key = imported.get(operator)
  if (key === undefined) {
    key = VerifierKey.parse(operator.key)
    imported.set(operator, key)
  }
  return key
}
