// The tree by its definition in RFC 6962, 2.1: an oracle that is slow, knows nothing of frontiers, and is easy to
// believe. It hashes by itself, too.

import { createHash } from 'node:crypto'

export function naiveRoot(leaves: readonly Uint8Array[]): Buffer {
  if (leaves.length === 0) return createHash('sha256').digest()
  if (leaves.length === 1) return Buffer.from(leaves[0] as Uint8Array)
  const k = split(leaves.length)
  return join(naiveRoot(leaves.slice(0, k)), naiveRoot(leaves.slice(k)))
}

/** PATH(m, D[n]) */
export function naivePath(m: number, leaves: readonly Uint8Array[]): Buffer[] {
  if (leaves.length <= 1) return []
  const k = split(leaves.length)
  if (m < k) return [...naivePath(m, leaves.slice(0, k)), naiveRoot(leaves.slice(k))]
  return [...naivePath(m - k, leaves.slice(k)), naiveRoot(leaves.slice(0, k))]
}

/** PROOF(m, D[n]) */
export function naiveProof(m: number, leaves: readonly Uint8Array[]): Buffer[] {
  return m === 0 ? [] : subproof(m, leaves, true)
}

function subproof(m: number, leaves: readonly Uint8Array[], whole: boolean): Buffer[] {
  if (m === leaves.length) return whole ? [] : [naiveRoot(leaves)]
  const k = split(leaves.length)
  if (m <= k) return [...subproof(m, leaves.slice(0, k), whole), naiveRoot(leaves.slice(k))]
  return [...subproof(m - k, leaves.slice(k), false), naiveRoot(leaves.slice(0, k))]
}

export function naiveLeaf(line: string | Uint8Array): Buffer {
  return createHash('sha256').update(Buffer.of(0)).update(line).digest()
}

export function join(left: Uint8Array, right: Uint8Array): Buffer {
  return createHash('sha256').update(Buffer.of(1)).update(left).update(right).digest()
}

/** The largest power of two smaller than n. */
export function split(n: number): number {
  let k = 1
  while (2 * k < n) k = 2 * k
  return k
}
