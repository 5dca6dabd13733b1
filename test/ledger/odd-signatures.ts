// Odd signatures: every way in which ed25519 implementations are known to disagree, made by hand.
//
// A key is A = aB + tT and a commitment R = rB + uT, with T of order 8; with S = r + ka the equation holds up to the
// torsion (u + kt)T, which is nothing exactly when u + kt is a multiple of 8. So what the strict profile must say of
// each is known from how it was made, without asking any implementation.
//
// `node test/ledger/odd-signatures.ts > test/golden/odd-signatures.json` writes the golden file.

import { hash } from 'node:crypto'
import * as noble from '@noble/ed25519'

export interface OddSignature {
  readonly what: string
  readonly key: string
  readonly message: string
  readonly signature: string
  /** what the strict profile says */
  readonly valid: boolean
}

type Kind = 'prime-order' | 'mixed-order' | 'small-order' | 'small-order, non-canonical'

interface Place {
  readonly kind: Kind
  readonly encoding: Buffer
  readonly scalar: bigint
  /** multiple of T, 0 to 7 */
  readonly torsion: number
}

const { n: L } = noble.Point.CURVE()
const T = noble.Point.fromHex('c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a')

function times(torsion: number): noble.Point {
  let point = noble.Point.ZERO
  for (let i = 0; i < torsion; i++) point = point.add(T)
  return point
}

const SMALL: readonly Place[] = [0, 1, 2, 3, 4, 5, 6, 7].map(torsion => ({
  kind: 'small-order',
  encoding: Buffer.from(times(torsion).toBytes()),
  scalar: 0n,
  torsion,
}))

// y + p where that fits into 255 bits, and the sign bit on x = 0
const SECOND_SPELLINGS: readonly Place[] = [
  'eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
  'eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff',
  '0100000000000000000000000000000000000000000000000000000000000080',
  'ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff',
  'edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
  'edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff',
].map(hex => ({
  kind: 'small-order, non-canonical',
  encoding: Buffer.from(hex, 'hex'),
  scalar: 0n,
  torsion: [0, 1, 2, 3, 4, 5, 6, 7].findIndex(t => times(t).equals(noble.Point.fromHex(hex, true))),
}))

function large(scalar: bigint): Place[] {
  return [0, 1, 2, 4].map(torsion => ({
    kind: torsion === 0 ? 'prime-order' : 'mixed-order',
    encoding: Buffer.from(noble.Point.BASE.multiply(scalar).add(times(torsion)).toBytes()),
    scalar,
    torsion,
  }))
}

const KEYS: readonly Place[] = [...SMALL, ...SECOND_SPELLINGS, ...large(0x6761746573n)]
const COMMITMENTS: readonly Place[] = [...SMALL, ...SECOND_SPELLINGS, ...large(0x6c6564676572n)]

/** Every key with every commitment, once with torsion that cancels out and once with torsion left over. */
export function* oddSignatures(): Generator<OddSignature> {
  for (const a of KEYS) {
    for (const r of COMMITMENTS) {
      for (const exact of [true, false]) {
        const made = signOddly(a, r, exact)
        if (made !== undefined) yield made
      }
    }
  }
}

function signOddly(a: Place, r: Place, exact: boolean): OddSignature | undefined {
  for (let attempt = 0; attempt < 64; attempt++) {
    const message = Buffer.from(`gatemesh ${attempt}`)
    const k = fromLittleEndian(hash('sha512', Buffer.concat([r.encoding, a.encoding, message]), 'buffer')) % L
    if (((r.torsion + Number(k % 8n) * a.torsion) % 8 === 0) !== exact) continue
    const s = (r.scalar + k * a.scalar) % L
    const strict = a.scalar !== 0n && r.scalar !== 0n
    return {
      what: `A ${a.kind}; R ${r.kind}; equation holds ${exact ? 'exactly' : 'only times the cofactor'}`,
      key: a.encoding.toString('hex'),
      message: message.toString('hex'),
      signature: Buffer.concat([r.encoding, toLittleEndian(s)]).toString('hex'),
      valid: strict && exact,
    }
  }
  return undefined
}

/** The same signature with S + L, S + 2L, …: the same equation, another spelling. */
export function unreduced(signature: Uint8Array): Buffer[] {
  const s = fromLittleEndian(signature.subarray(32))
  const spellings: Buffer[] = []
  for (let more = s + L; more < 1n << 256n; more += L) {
    spellings.push(Buffer.concat([signature.subarray(0, 32), toLittleEndian(more)]))
  }
  return spellings
}

function fromLittleEndian(bytes: Uint8Array): bigint {
  return BigInt(`0x${Buffer.from(bytes).reverse().toString('hex')}`)
}

function toLittleEndian(n: bigint): Buffer {
  return Buffer.from(n.toString(16).padStart(64, '0'), 'hex').reverse()
}

/** One of each kind, and an unreduced S: what the golden file holds. */
export function goldenOddSignatures(): OddSignature[] {
  const kinds = new Map<string, OddSignature>()
  for (const odd of oddSignatures()) if (!kinds.has(odd.what)) kinds.set(odd.what, odd)
  const chosen = [...kinds.values()]
  const good = chosen.filter(odd => odd.valid)
  const spelledTwice = good.map(odd => ({
    ...odd,
    what: `${odd.what}; S + L`,
    signature: (unreduced(Buffer.from(odd.signature, 'hex'))[0] as Buffer).toString('hex'),
    valid: false,
  }))
  return [...chosen, ...spelledTwice]
}

if (import.meta.main) process.stdout.write(`${JSON.stringify(goldenOddSignatures(), null, 1)}\n`)
