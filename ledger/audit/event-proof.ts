// Event proof: that one entry stands in its ledger, for somebody who trusts nobody here and has nothing but this.
//
// Law: a proof is complete by itself. The line and the path lead to a root, the row is the writer's signature on that
// root, and a charter, or a policy, says whose key that is. Only the owner's key comes from elsewhere. Where the anchor
// wrote the head down too, its own signature says since when. What is in it beyond that is refused: nobody should have to
// wonder whether it was looked at.

import { isAccount } from '../account.ts'
import { isHash64 } from '../base64.ts'
import { Fault } from '../fault.ts'
import { LINE_BYTES_MAX } from '../line.ts'
import { NOTE_BYTES_MAX } from '../note.ts'
import { isName } from '../origin.ts'

export const PROOF_FORMAT = 'gatemesh/proof/1'

/** Whose signature is on a row, and what says so. */
export interface ShownKey {
  readonly vkey: string
  /** `charter` (the first or a revision), or `policy` for a key that came later */
  readonly from: 'charter' | 'policy'
  /** the first policy that has it on the roster, as it was signed */
  readonly policy?: { readonly version: number; readonly hash: string; readonly note: string }
}

/** One line in a ledger whose head somebody signed. */
export interface ShownEntry {
  readonly account: string
  readonly index: number
  /** the very bytes that are hashed, without the newline */
  readonly line: string
  readonly leafHash: string
  /** of the ledger when the row was signed */
  readonly size: number
  readonly root: string
  /** sibling hashes from the leaf up, base64 */
  readonly proof: readonly string[]
  /** the signed note that states size and root */
  readonly row: string
  readonly key: ShownKey
}

/** The head of the ledger as the anchor wrote it down, with the same proof of the anchor's own line. */
export interface Witness extends ShownEntry {
  readonly at: number
  /** the head that the anchor's line states for this account, and the path from the entry to it */
  readonly head: { readonly size: number; readonly root: string; readonly proof: readonly string[] }
}

export interface EventProof extends ShownEntry {
  readonly format: typeof PROOF_FORMAT
  readonly mall: string
  readonly id: string
  readonly charter: {
    /** of the first charter's text */
    readonly hash: string
    readonly note: string
    /** those that follow it, where there are any */
    readonly revisions?: readonly string[]
  }
  readonly checkpoint?: Witness
  readonly instructions: readonly string[]
}

const PATH_MAX = 53
const REVISIONS_MAX = 1000
const INSTRUCTIONS_MAX = 1000

/** Its parts, each of its kind; whether they hold together is another question. Throws a Fault that says where. */
export function parseEventProof(value: unknown): EventProof {
  const top = new Part(value, '')
  const proof: EventProof = {
    format: top.is('format', v => v === PROOF_FORMAT, PROOF_FORMAT),
    mall: top.is('mall', v => typeof v === 'string' && isName(v), 'the name of a mall'),
    id: top.text('id', 100),
    ...entryIn(top),
    charter: charterIn(top.part('charter')),
    ...(top.has('checkpoint') ? { checkpoint: witnessIn(top.part('checkpoint')) } : {}),
    instructions: top.texts('instructions', INSTRUCTIONS_MAX, 1000),
  }
  top.end()
  return proof
}

function entryIn(part: Part): ShownEntry {
  return {
    account: part.is('account', v => typeof v === 'string' && isAccount(v), 'an account'),
    index: part.count('index'),
    line: part.text('line', LINE_BYTES_MAX),
    leafHash: part.hash('leafHash'),
    size: part.count('size'),
    root: part.hash('root'),
    proof: part.hashes('proof'),
    row: part.text('row', NOTE_BYTES_MAX),
    key: keyIn(part.part('key')),
  }
}

function keyIn(part: Part): ShownKey {
  const vkey = part.text('vkey', 1000)
  const from = part.is<ShownKey['from']>('from', v => v === 'charter' || v === 'policy', 'charter or policy')
  const policy = part.has('policy') ? policyIn(part.part('policy')) : undefined
  part.end()
  return { vkey, from, ...(policy === undefined ? {} : { policy }) }
}

function policyIn(part: Part): NonNullable<ShownKey['policy']> {
  const policy = { version: part.count('version'), hash: part.hash('hash'), note: part.text('note', NOTE_BYTES_MAX) }
  part.end()
  return policy
}

function charterIn(part: Part): EventProof['charter'] {
  const charter = {
    hash: part.hash('hash'),
    note: part.text('note', NOTE_BYTES_MAX),
    ...(part.has('revisions') ? { revisions: part.texts('revisions', REVISIONS_MAX, NOTE_BYTES_MAX) } : {}),
  }
  part.end()
  return charter
}

function witnessIn(part: Part): Witness {
  const entry = entryIn(part)
  const at = part.count('at')
  const inner = part.part('head')
  const head = { size: inner.count('size'), root: inner.hash('root'), proof: inner.hashes('proof') }
  inner.end()
  part.end()
  return { ...entry, at, head }
}

/** An object that came from a stranger, read field by field. */
class Part {
  readonly #fields: Readonly<Record<string, unknown>>
  readonly #where: string
  readonly #asked = new Set<string>()

  constructor(value: unknown, where: string) {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      throw new Fault('PROOF', `${where === '' ? 'the proof' : where}: missing, or not an object`)
    }
    this.#fields = value as Record<string, unknown>
    this.#where = where
  }

  has(name: string): boolean {
    return Object.hasOwn(this.#fields, name)
  }

  is<T>(name: string, isIt: (value: unknown) => boolean, what: string): T {
    this.#asked.add(name)
    const value = this.has(name) ? this.#fields[name] : undefined
    if (!isIt(value)) throw this.#fault(name, value === undefined ? 'missing' : `is not ${what}`)
    return value as T
  }

  text(name: string, lengthMax: number): string {
    return this.is(name, v => typeof v === 'string' && v.length <= lengthMax, `a text of at most ${lengthMax}`)
  }

  count(name: string): number {
    return this.is(name, v => Number.isSafeInteger(v) && (v as number) >= 0, 'a whole number')
  }

  hash(name: string): string {
    return this.is(name, isHash, 'a hash in base64')
  }

  hashes(name: string): string[] {
    const is = (v: unknown) => Array.isArray(v) && v.length <= PATH_MAX && v.every(isHash)
    return this.is(name, is, `a list of at most ${PATH_MAX} hashes in base64`)
  }

  texts(name: string, countMax: number, lengthMax: number): string[] {
    const isOne = (v: unknown) => typeof v === 'string' && v.length <= lengthMax
    const is = (v: unknown) => Array.isArray(v) && v.length <= countMax && v.every(isOne)
    return this.is(name, is, 'a list of texts')
  }

  part(name: string): Part {
    this.#asked.add(name)
    return new Part(this.has(name) ? this.#fields[name] : undefined, this.#path(name))
  }

  /** Every field has been asked for. */
  end(): void {
    const odd = Object.keys(this.#fields).find(name => !this.#asked.has(name))
    if (odd !== undefined) throw this.#fault(odd.slice(0, 60), 'a field that does not belong into a proof')
  }

  #path(name: string): string {
    return this.#where === '' ? name : `${this.#where}.${name}`
  }

  #fault(name: string, what: string): Fault {
    return new Fault('PROOF', `${this.#path(name)}: ${what}`)
  }
}

function isHash(value: unknown): boolean {
  return typeof value === 'string' && isHash64(value)
}
