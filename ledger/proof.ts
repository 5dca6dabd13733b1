// Proofs over the RFC 6962 tree: that a line is in a ledger, and that a ledger only ever grew.
//
// Law: a path made here is accepted for its leaf, index and head, and for no other leaf or index. What a path does
// not bind is the size: trees of different sizes can have the same shape around a leaf. Size and root therefore always
// come from one signed checkpoint.
//
// Checking follows RFC 9162, 2.1.3.2 and 2.1.4.2. Sizes go up to 2^53, so halving is division, not a shift.
//
// In text, an inclusion proof is a C2SP tlog-proof that stands alone: the line, its place, the path from leaf to root,
// and the signed checkpoint, after a blank line, byte for byte.
//
//   c2sp.org/tlog-proof@v1
//   extra <base64 of the ledger line, without its newline>
//   index <index>
//   <base64 hash>            as many as the path is long
//   <blank line>
//   <signed checkpoint>

import { fromBase64, toBase64 } from './base64.ts'
import { type Checkpoint, openCheckpoint } from './checkpoint.ts'
import { parseCount } from './decimal.ts'
import { Fault, must } from './fault.ts'
import type { VerifierKey } from './key.ts'
import { EMPTY_ROOT, Frontier, type Hash, leafHash, nodeHash } from './tree.ts'
import { fromUtf8 } from './utf8.ts'

export type LeafAt = (index: number) => Hash

export interface Inclusion {
  readonly leaf: Hash
  readonly index: number
  readonly size: number
  readonly root: Hash
  /** sibling hashes from the leaf up */
  readonly path: readonly Hash[]
}

export interface Consistency {
  readonly from: number
  readonly to: number
  readonly fromRoot: Hash
  readonly toRoot: Hash
  readonly path: readonly Hash[]
}

/** Hashes every leaf but the one proved. */
export function makeInclusion(leafAt: LeafAt, index: number, size: number): Hash[] {
  must(isCount(index) && isCount(size) && index < size, 'an entry is proved in a ledger that has it')
  const path: Hash[] = []
  let from = 0
  let to = size
  // from the root down; the path is told from the leaf up
  while (to - from > 1) {
    const middle = from + splitOf(to - from)
    if (index < middle) {
      path.push(rootOfRange(leafAt, middle, to))
      to = middle
    } else {
      path.push(rootOfRange(leafAt, from, middle))
      from = middle
    }
  }
  return path.reverse()
}

/** From nothing, and from a ledger to itself, the path is empty. */
export function makeConsistency(leafAt: LeafAt, from: number, to: number): Hash[] {
  must(isCount(from) && isCount(to) && from <= to, 'a ledger grew from the smaller size to the larger')
  if (from === 0 || from === to) return []
  const path: Hash[] = []
  let start = 0
  let end = to
  while (end !== from) {
    const middle = start + splitOf(end - start)
    if (from <= middle) {
      path.push(rootOfRange(leafAt, middle, end))
      end = middle
    } else {
      path.push(rootOfRange(leafAt, start, middle))
      start = middle
    }
  }
  // a checker who knows the old root knows this subtree, if it is all of the old tree
  if (start > 0) path.push(rootOfRange(leafAt, start, end))
  return path.reverse()
}

export function checkInclusion({ leaf, index, size, root, path }: Inclusion): boolean {
  if (!isCount(index) || !isCount(size) || index >= size) return false
  if (![leaf, root, ...path].every(isHash)) return false
  let fn = index
  let sn = size - 1
  let hash = leaf
  for (const sibling of path) {
    if (sn === 0) return false
    if (isOdd(fn) || fn === sn) {
      hash = nodeHash(sibling, hash)
      while (!isOdd(fn) && fn !== 0) {
        fn = half(fn)
        sn = half(sn)
      }
    } else {
      hash = nodeHash(hash, sibling)
    }
    fn = half(fn)
    sn = half(sn)
  }
  return sn === 0 && hash.equals(root)
}

export function checkConsistency({ from, to, fromRoot, toRoot, path }: Consistency): boolean {
  if (!isCount(from) || !isCount(to) || from > to) return false
  if (![fromRoot, toRoot, ...path].every(isHash)) return false
  if (from === 0 && !fromRoot.equals(EMPTY_ROOT)) return false
  if (from === to) return path.length === 0 && fromRoot.equals(toRoot)
  // everything grew from nothing
  if (from === 0) return path.length === 0
  const [first, ...rest] = isPowerOfTwo(from) ? [fromRoot, ...path] : path
  if (first === undefined) return false
  let fn = from - 1
  let sn = to - 1
  while (isOdd(fn)) {
    fn = half(fn)
    sn = half(sn)
  }
  let older = first
  let newer = first
  for (const sibling of rest) {
    if (sn === 0) return false
    if (isOdd(fn) || fn === sn) {
      older = nodeHash(sibling, older)
      newer = nodeHash(sibling, newer)
      while (!isOdd(fn) && fn !== 0) {
        fn = half(fn)
        sn = half(sn)
      }
    } else {
      newer = nodeHash(newer, sibling)
    }
    fn = half(fn)
    sn = half(sn)
  }
  return sn === 0 && older.equals(fromRoot) && newer.equals(toRoot)
}

/** An inclusion proof that stands alone. */
export interface Proof {
  /** the ledger line without its newline */
  readonly line: string
  readonly index: number
  readonly path: readonly Hash[]
  /** the signed note, as it was published */
  readonly checkpoint: string
}

const HEAD = 'c2sp.org/tlog-proof@v1'
const EXTRA = 'extra '
const INDEX = 'index '
/** A path is as long as the tree is deep, and sizes end at 2^53. */
const PATH_MAX = 53

export function formatProof(proof: Proof): string {
  const extra = `${EXTRA}${toBase64(Buffer.from(proof.line, 'utf8'))}`
  return `${[HEAD, extra, `${INDEX}${proof.index}`, ...proof.path.map(toBase64)].join('\n')}\n\n${proof.checkpoint}`
}

/** The parts of a proof, unverified. Takes bytes as they arrived, or text that was decoded strictly. */
export function parseProof(input: string | Uint8Array): Proof {
  const text = typeof input === 'string' ? input : fromUtf8(input)
  if (text === undefined) throw new Fault('PROOF', 'not valid UTF-8')
  // the path has no empty line, so the first one ends it; the checkpoint has its own further down
  const gap = text.indexOf('\n\n')
  if (gap < 0) throw new Fault('PROOF', 'no blank line between path and checkpoint')
  const [head, extra, place, ...hashes] = text.slice(0, gap).split('\n')
  if (head !== HEAD) throw new Fault('PROOF', `line 1: not ${HEAD}`)
  if (!extra?.startsWith(EXTRA)) throw new Fault('PROOF', 'line 2: not the ledger line (extra …)')
  const bytes = fromBase64(extra.slice(EXTRA.length))
  if (bytes === undefined) throw new Fault('PROOF', 'line 2: not base64 in its one spelling')
  const line = fromUtf8(bytes)
  if (line === undefined) throw new Fault('PROOF', 'line 2: the ledger line is not UTF-8')
  if (!place?.startsWith(INDEX)) throw new Fault('PROOF', 'line 3: not the place in the ledger (index …)')
  const index = parseCount(place.slice(INDEX.length))
  if (index === undefined) throw new Fault('PROOF', 'line 3: the index is not a number in its one spelling')
  if (hashes.length > PATH_MAX) throw new Fault('PROOF', `the path is longer than ${PATH_MAX}`)
  const path = hashes.map((hash, i) => {
    const sibling = fromBase64(hash, 32)
    if (sibling === undefined) throw new Fault('PROOF', `line ${i + 4}: not the base64 of 32 bytes in its one spelling`)
    return sibling
  })
  return { line, index, path, checkpoint: text.slice(gap + 2) }
}

/** What a proof proves: this line stands at this index of the ledger that signed this head. */
export function openProof(
  input: string | Uint8Array,
  trusted: readonly VerifierKey[],
  options: { readonly twice?: boolean } = {},
): { readonly line: string; readonly index: number; readonly head: Checkpoint } {
  const { line, index, path, checkpoint } = parseProof(input)
  const head = openCheckpoint(checkpoint, trusted, options)
  const root = Buffer.from(head.root, 'base64')
  if (!checkInclusion({ leaf: leafHash(line), index, size: head.size, root, path })) {
    throw new Fault('PROOF', `the line is not entry ${index} of ${head.origin} at size ${head.size}`)
  }
  return { line, index, head }
}

/** Where RFC 6962 splits a tree: the largest power of two smaller than its size. */
export function splitOf(size: number): number {
  let split = 1
  while (split * 2 < size) split *= 2
  return split
}

function rootOfRange(leafAt: LeafAt, from: number, to: number): Hash {
  const tree = new Frontier()
  for (let i = from; i < to; i++) tree.append(leafAt(i))
  return tree.root()
}

function isPowerOfTwo(n: number): boolean {
  let rest = n
  while (rest > 1 && !isOdd(rest)) rest /= 2
  return rest === 1
}

function isCount(n: number): boolean {
  return Number.isSafeInteger(n) && n >= 0
}

function isHash(hash: Hash): boolean {
  return hash.length === 32
}

function isOdd(n: number): boolean {
  return n % 2 === 1
}

function half(n: number): number {
  return Math.floor(n / 2)
}
