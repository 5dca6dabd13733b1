// Ed25519 under one strict profile, because implementations disagree on odd signatures and a fork proof that half of
// the mall believes is no proof.
//
// Law: a signature is good if it is 64 bytes, S < L, A and R are canonical encodings of points that are not of small
// order, and SB = R + kA holds exactly, without the cofactor.
//
// The precheck here settles all but the equation. node:crypto (OpenSSL) computes SB − kA and compares its encoding with
// R: the cofactorless equation. As a second opinion (`second-opinion.ts`) the same is computed with the points of
// @noble/ed25519; it guards against a fault in the first, and both must accept. noble's own `verify` multiplies by the
// cofactor, so it accepts a few more.
//
// Of the 503 odd signatures in test/ledger/odd-signatures.ts ten are good; OpenSSL 3.0 and 4.0 accept 107 others, noble
// 61. Node 24.21 refuses small-order points by itself, Node 20.20 does not: the precheck is ours, so that what a gate
// accepts does not depend on which Node it runs.

import { createPrivateKey, createPublicKey, hash, type KeyObject, randomBytes, sign, verify } from 'node:crypto'
import * as noble from '@noble/ed25519'
import { must } from './fault.ts'
import { SecondOpinion } from './second-opinion.ts'

noble.hashes.sha512 = message => new Uint8Array(hash('sha512', message, 'buffer'))

export const KEY_BYTES = 32
export const SEED_BYTES = 32
export const SIGNATURE_BYTES = 64

/** What each judge says of a signature; it is good when all three say so. */
export interface Opinions {
  /** the precheck of the strict profile */
  readonly strict: boolean
  readonly node: boolean
  readonly noble: boolean
}

export class PublicKey {
  readonly #bytes: Buffer
  /** imported once: parsing a key costs a quarter of a verification */
  readonly #imported: KeyObject
  #second: SecondOpinion | undefined

  private constructor(bytes: Buffer) {
    this.#bytes = bytes
    this.#imported = createPublicKey({
      key: { kty: 'OKP', crv: 'Ed25519', x: bytes.toString('base64url') },
      format: 'jwk',
    })
  }

  /** The key, or undefined where the bytes are none under the strict profile. */
  static from(bytes: Uint8Array): PublicKey | undefined {
    if (bytes.length !== KEY_BYTES || !isStrictPoint(bytes) || !isOnCurve(bytes)) return undefined
    return new PublicKey(Buffer.from(bytes))
  }

  /** A copy: nobody changes a key that others hold. */
  get bytes(): Buffer {
    return Buffer.from(this.#bytes)
  }

  equals(other: PublicKey): boolean {
    return this.#bytes.equals(other.#bytes)
  }

  verify(message: Uint8Array, signature: Uint8Array): boolean {
    return isStrictSignature(signature) && verify(null, message, this.#imported, signature)
  }

  /** For auditors: both implementations must accept. Five to twenty times the price of `verify`. */
  verifyTwice(message: Uint8Array, signature: Uint8Array): boolean {
    if (!this.verify(message, signature)) return false
    this.#second ??= new SecondOpinion(this.#bytes)
    return this.#second.agrees(message, signature)
  }

  opinions(message: Uint8Array, signature: Uint8Array): Opinions {
    if (signature.length !== SIGNATURE_BYTES) return { strict: false, node: false, noble: false }
    return {
      strict: isStrictSignature(signature),
      node: verify(null, message, this.#imported, signature),
      noble: noble.verify(signature, message, this.#bytes, { zip215: false }),
    }
  }
}

// RFC 8410: the fixed bytes around a seed in PKCS #8
const PKCS8_HEAD = Buffer.from('302e020100300506032b657004220420', 'hex')

export class SecretKey {
  readonly publicKey: PublicKey
  // private fields, so that printing or serialising a key by accident shows nothing
  readonly #seed: Buffer
  readonly #imported: KeyObject

  private constructor(seed: Buffer) {
    this.#seed = seed
    this.#imported = createPrivateKey({ key: Buffer.concat([PKCS8_HEAD, seed]), format: 'der', type: 'pkcs8' })
    const { x } = createPublicKey(this.#imported).export({ format: 'jwk' })
    const publicKey = PublicKey.from(Buffer.from(x as string, 'base64url'))
    must(publicKey !== undefined, 'the public key of a seed is a point of large order')
    this.publicKey = publicKey
  }

  static fromSeed(seed: Uint8Array): SecretKey {
    must(seed.length === SEED_BYTES, 'a seed is 32 bytes')
    return new SecretKey(Buffer.from(seed))
  }

  static generate(): SecretKey {
    return new SecretKey(randomBytes(SEED_BYTES))
  }

  get seed(): Buffer {
    return Buffer.from(this.#seed)
  }

  sign(message: Uint8Array): Buffer {
    return sign(null, message, this.#imported)
  }
}

/** All of the profile that can be said of a signature without key and message. */
export function isStrictSignature(signature: Uint8Array): boolean {
  return signature.length === SIGNATURE_BYTES && isReduced(signature.subarray(32)) && isStrictPoint(signature)
}

// The eight points of small order have five y coordinates between them: x and −x share one, and the sign of x is the
// top bit. Comparing y alone also refuses x = 0 with the sign bit set, which is a second spelling of y = 1 and y = −1.
const SMALL_ORDER_YS: readonly Buffer[] = [
  '0100000000000000000000000000000000000000000000000000000000000000', // order 1: y = 1
  'ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f', // order 2: y = −1
  '0000000000000000000000000000000000000000000000000000000000000000', // order 4: y = 0
  'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a', // order 8
  '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05', // order 8, its negative
].map(hex => Buffer.from(hex, 'hex'))

/** Is the encoding in the first 32 bytes canonical (y < p) and not of a small-order point? */
function isStrictPoint(bytes: Uint8Array): boolean {
  return yIsBelowP(bytes) && !SMALL_ORDER_YS.some(y => sameY(y, bytes))
}

// p = 2^255 − 19, little-endian: ed ff … ff 7f
function yIsBelowP(bytes: Uint8Array): boolean {
  if (((bytes[31] ?? 0) & 0x7f) !== 0x7f) return true
  for (let i = 30; i > 0; i--) if (bytes[i] !== 0xff) return true
  return (bytes[0] ?? 0) < 0xed
}

function sameY(y: Uint8Array, bytes: Uint8Array): boolean {
  for (let i = 0; i < 31; i++) if (y[i] !== bytes[i]) return false
  return y[31] === ((bytes[31] ?? 0) & 0x7f)
}

const L = Buffer.from('edd3f55c1a631258d69cf7a2def9de1400000000000000000000000000000010', 'hex')

function isReduced(s: Uint8Array): boolean {
  for (let i = 31; i >= 0; i--) {
    const difference = (s[i] ?? 0) - (L[i] ?? 0)
    if (difference !== 0) return difference < 0
  }
  return false
}

// half of all strings are no point at all; OpenSSL imports them and only fails later
function isOnCurve(bytes: Uint8Array): boolean {
  try {
    noble.Point.fromBytes(bytes, false)
    return true
  } catch {
    return false
  }
}
