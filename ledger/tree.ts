// The RFC 6962 tree over a ledger's lines, kept as its frontier: the roots of the perfect subtrees that make up the
// leaves so far, largest first. Appending costs one or two hashes; the root costs at most log2(size).
//
// Leaf and node hashes have different prefixes, so that no line can pass for an inner node.

import { hash } from 'node:crypto'
import { must } from './fault.ts'

export type Hash = Buffer

const LEAF = Buffer.of(0)

// whoever writes a line and whoever keeps it hash it, and what it joins, one right after the other; nobody writes into a hash
let last = { line: '', leaf: sha256('\0') }
let joint: { leaf: Hash; lefts: Hash[]; peak: Hash } | undefined

/** `line` is a ledger line without its newline. */
export function leafHash(line: string | Uint8Array): Hash {
  if (typeof line !== 'string') return sha256(Buffer.concat([LEAF, line]))
  if (line !== last.line) last = { line, leaf: sha256(`\0${line}`) }
  return last.leaf
}

// one buffer for all nodes: hashing is synchronous, and most of its price would be the allocation
const node = Buffer.alloc(65, 1)

export function nodeHash(left: Uint8Array, right: Uint8Array): Hash {
  must(left.length === 32 && right.length === 32, 'a node joins two hashes of 32 bytes')
  node.set(left, 1)
  node.set(right, 33)
  return sha256(node)
}

/** By way of a string: a Buffer straight from `hash` has memory of its own, which costs more than the hashing. */
function sha256(data: string | Uint8Array): Hash {
  return Buffer.from(digestOf(data), 'binary')
}

function digestOf(data: string | Uint8Array): string {
  return hash('sha256', data, 'binary')
}

export const EMPTY_ROOT: Hash = sha256('')

export class Frontier {
  #size: number
  #peaks: Hash[]

  constructor(size = 0, peaks: readonly Hash[] = []) {
    must(peaks.length === ones(size), 'a frontier has one peak for each bit set in its size')
    this.#size = size
    this.#peaks = [...peaks]
  }

  get size(): number {
    return this.#size
  }

  get peaks(): readonly Hash[] {
    return this.#peaks
  }

  append(leaf: Hash): void {
    const lefts: Hash[] = []
    // each trailing one bit of the size is a perfect subtree as large as the one being carried
    for (let rest = this.#size; rest % 2 === 1; rest = (rest - 1) / 2) lefts.push(this.#peaks.pop() as Hash)
    if (joint?.leaf !== leaf || !isSame(joint.lefts, lefts)) {
      joint = { leaf, lefts, peak: lefts.reduce((peak, left) => nodeHash(left, peak), leaf) }
    }
    this.#peaks.push(joint.peak)
    this.#size++
  }

  root(): Hash {
    let root: Hash | undefined
    for (let i = this.#peaks.length - 1; i >= 0; i--) {
      const peak = this.#peaks[i] as Hash
      root = root === undefined ? peak : nodeHash(peak, root)
    }
    return root ?? EMPTY_ROOT
  }

  copy(): Frontier {
    return new Frontier(this.#size, this.#peaks)
  }
}

/** The very same hashes, not only equal ones. */
function isSame(some: readonly Hash[], others: readonly Hash[]): boolean {
  return some.length === others.length && some.every((hash, i) => hash === others[i])
}

function ones(n: number): number {
  let count = 0
  for (let rest = n; rest > 0; rest = Math.floor(rest / 2)) count += rest % 2
  return count
}
