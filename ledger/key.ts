// Keys with names, in the C2SP text forms.
//
//   verifier   <name>+<key id>+<base64(0x01 ‖ public key)>
//   signer     PRIVATE+KEY+<name>+<key id>+<base64(0x01 ‖ seed)>
//
// Law: key id = first 4 bytes of SHA-256(name ‖ 0x0A ‖ 0x01 ‖ public key), in lower-case hex. A name and an id say which
// key to check with; only the public key itself says whom to trust.

import { hash } from 'node:crypto'
import { fromBase64, toBase64 } from './base64.ts'
import { KEY_BYTES, PublicKey, SEED_BYTES, SecretKey } from './ed25519.ts'
import { Fault } from './fault.ts'

const ED25519 = 0x01
const SIGNER_HEAD = 'PRIVATE+KEY+'

// names stand in signature lines between spaces and in keys between pluses
const NAME_BREAKER = /[\p{White_Space}+]|[^ -\u{10ffff}]/u

export function isKeyName(name: string): boolean {
  return name.length > 0 && name.isWellFormed() && !NAME_BREAKER.test(name)
}

/** Charters, policies and rows name the same few keys again and again, and looking whether one is a point takes a while. */
const parsed = new Map<string, VerifierKey>()
const PARSED_MAX = 20_000

export class VerifierKey {
  readonly name: string
  /** eight lower-case hex digits */
  readonly id: string
  readonly publicKey: PublicKey

  constructor(name: string, publicKey: PublicKey) {
    if (!isKeyName(name)) throw new Fault('KEY', `not a key name: ${quote(name)}`)
    this.name = name
    this.id = keyId(name, publicKey)
    this.publicKey = publicKey
  }

  static parse(text: string): VerifierKey {
    const known = parsed.get(text)
    if (known !== undefined) return known
    const key = VerifierKey.#read(text)
    if (parsed.size >= PARSED_MAX) parsed.delete(parsed.keys().next().value as string)
    parsed.set(text, key)
    return key
  }

  static #read(text: string): VerifierKey {
    const { name, id, payload } = split(text, 'a verifier key', KEY_BYTES)
    const publicKey = PublicKey.from(payload)
    if (publicKey === undefined) throw new Fault('KEY', `the key of ${quote(name)} is no strict ed25519 point`)
    return claimed(new VerifierKey(name, publicKey), id)
  }

  /** What people compare over the phone. Longer than the key id, for which a second key is found in an afternoon. */
  get fingerprint(): string {
    return hash('sha256', this.toString(), 'hex')
      .slice(0, 20)
      .replace(/(.{4})(?=.)/g, '$1 ')
  }

  equals(other: VerifierKey): boolean {
    return this.name === other.name && this.publicKey.equals(other.publicKey)
  }

  toString(): string {
    return `${this.name}+${this.id}+${toBase64(Buffer.concat([Buffer.of(ED25519), this.publicKey.bytes]))}`
  }
}

export class SignerKey {
  readonly name: string
  readonly secret: SecretKey
  readonly verifier: VerifierKey

  constructor(name: string, secret: SecretKey) {
    this.name = name
    this.secret = secret
    this.verifier = new VerifierKey(name, secret.publicKey)
  }

  static generate(name: string): SignerKey {
    return new SignerKey(name, SecretKey.generate())
  }

  /** No message of a failure here repeats any of the text beyond the name: the rest is secret. */
  static parse(text: string): SignerKey {
    if (!text.startsWith(SIGNER_HEAD)) throw new Fault('KEY', `a signer key starts with ${SIGNER_HEAD}`)
    const { name, id, payload } = split(text.slice(SIGNER_HEAD.length), 'a signer key', SEED_BYTES)
    const signer = new SignerKey(name, SecretKey.fromSeed(payload))
    claimed(signer.verifier, id)
    return signer
  }

  sign(message: Uint8Array): Buffer {
    return this.secret.sign(message)
  }

  /** Holds the secret: for key files. What people and logs may see is `verifier`. */
  toString(): string {
    const payload = toBase64(Buffer.concat([Buffer.of(ED25519), this.secret.seed]))
    return `${SIGNER_HEAD}${this.name}+${this.verifier.id}+${payload}`
  }
}

function keyId(name: string, publicKey: PublicKey): string {
  const body = Buffer.concat([Buffer.from(`${name}\n`, 'utf8'), Buffer.of(ED25519), publicKey.bytes])
  return hash('sha256', body, 'hex').slice(0, 8)
}

function claimed(key: VerifierKey, id: string): VerifierKey {
  if (key.id === id) return key
  throw new Fault('KEY', `the key of ${quote(key.name)} has id ${key.id}, not ${quote(id)}`)
}

/** `<name>+<id>+<base64>`; only the base64 may contain a plus. */
function split(text: string, what: string, bytes: number): { name: string; id: string; payload: Buffer } {
  const first = text.indexOf('+')
  const second = text.indexOf('+', first + 1)
  if (first < 0 || second < 0) throw new Fault('KEY', `${what} has three parts between pluses: name, id, key`)
  const name = text.slice(0, first)
  const id = text.slice(first + 1, second)
  if (!isKeyName(name)) throw new Fault('KEY', `${what} starts with a name, not ${quote(name)}`)
  if (!/^[0-9a-f]{8}$/.test(id)) throw new Fault('KEY', `the id of ${quote(name)} is not eight lower-case hex digits`)
  const payload = fromBase64(text.slice(second + 1))
  if (payload === undefined) throw new Fault('KEY', `the key of ${quote(name)} is not base64 in its one spelling`)
  if (payload[0] !== ED25519) throw new Fault('KEY', `the key of ${quote(name)} is not of type 1 (ed25519)`)
  if (payload.length !== 1 + bytes) throw new Fault('KEY', `the key of ${quote(name)} is not ${bytes} bytes long`)
  return { name, id, payload: payload.subarray(1) }
}

function quote(text: string): string {
  return JSON.stringify(text.slice(0, 60))
}
