// Second opinion: the equation of a signature, computed with the points of @noble/ed25519 instead of OpenSSL's.
//
// Law: SB − kA has the encoding R, exactly, without the cofactor. An auditor asks here after node:crypto has accepted, and
// both must: a fault in the one is not a fault in the other. Not for secrets: how long it takes depends on the numbers.
//
// A year of rows is a few keys and many signatures under each. Once a key is asked for often, its multiples are kept, which
// makes each further answer about three times as fast.

import { hash } from 'node:crypto'
import { Point } from '@noble/ed25519'

const L = 2n ** 252n + 27_742_317_777_372_353_535_851_937_790_883_648_493n
/** Uses of a key from which on its multiples are worth their price. */
const OFTEN = 4
const WINDOW_BITS = 4n
const WINDOWS = 64

export class SecondOpinion {
  readonly #key: Uint8Array
  readonly #point: Point
  #asked = 0
  /** d · 16^w · A, for every window w and digit d from 1 */
  #multiples: Point[][] | undefined

  /** `key` is the encoding of a point on the curve. */
  constructor(key: Uint8Array) {
    this.#key = key
    this.#point = Point.fromBytes(key, false)
  }

  /** `signature` is 64 bytes, with S < L. */
  agrees(message: Uint8Array, signature: Uint8Array): boolean {
    const r = signature.subarray(0, 32)
    const s = littleEndian(signature.subarray(32))
    const k = littleEndian(hash('sha512', Buffer.concat([r, this.#key, message]), 'buffer')) % L
    const difference = Point.BASE.multiplyUnsafe(s).subtract(this.#times(k))
    return Buffer.from(difference.toBytes()).equals(r)
  }

  #times(k: bigint): Point {
    if (this.#asked++ < OFTEN) return this.#point.multiplyUnsafe(k)
    this.#multiples ??= multiplesOf(this.#point)
    let sum = Point.ZERO
    let rest = k
    for (let w = 0; rest > 0n; w++, rest >>= WINDOW_BITS) {
      const digit = Number(rest & 15n)
      if (digit > 0) sum = sum.add(this.#multiples[w]?.[digit - 1] as Point)
    }
    return sum
  }
}

function multiplesOf(point: Point): Point[][] {
  const all: Point[][] = []
  let base = point
  for (let w = 0; w < WINDOWS; w++) {
    const row = [base]
    for (let d = 2; d < 16; d++) row.push((row.at(-1) as Point).add(base))
    all.push(row)
    base = (row.at(-1) as Point).add(base)
  }
  return all
}

function littleEndian(bytes: Uint8Array): bigint {
  return BigInt(`0x${Buffer.from(bytes).reverse().toString('hex')}`)
}
