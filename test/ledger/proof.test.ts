import assert from 'node:assert/strict'
import fc from 'fast-check'
import { BrokenLaw } from '../../ledger/fault.ts'
import { SignerKey } from '../../ledger/key.ts'
import {
  type Consistency,
  checkConsistency,
  checkInclusion,
  formatProof,
  type Inclusion,
  makeConsistency,
  makeInclusion,
  openProof,
  parseProof,
} from '../../ledger/proof.ts'
import { EMPTY_ROOT, type Hash, leafHash } from '../../ledger/tree.ts'
import { suite } from '../suite.ts'
import { flips, place } from './flips.ts'
import { goldenBytes, goldenJson, goldenKeys, goldenText } from './golden.ts'
import { join, naiveLeaf, naivePath, naiveProof, naiveRoot, split } from './naive-tree.ts'

const test = suite('ledger/proof')

interface Vectors {
  readonly leaves: string[]
  readonly roots: string[]
  readonly inclusion: { index: number; size: number; path: string[] }[]
  readonly consistency: { from: number; to: number; path: string[] }[]
}

const published = goldenJson<Vectors>('tree.json')
const gate = SignerKey.parse(goldenKeys().get('gatemesh/example/gate-07')?.signer as string).verifier
const hex = (text: string | undefined) => Buffer.from(text ?? '', 'hex')

// distinct leaves: where two are the same, a proof of one rightly proves the other
const LEAVES = Array.from({ length: 130 }, (_, i) => naiveLeaf(`line ${i}`))
const leafAt = (i: number) => LEAVES[i] as Hash
const ROOTS = LEAVES.map((_, size) => naiveRoot(LEAVES.slice(0, size)))
const rootAt = (size: number) => ROOTS[size] as Hash

function inclusion(index: number, size: number): Inclusion {
  return { leaf: leafAt(index), index, size, root: rootAt(size), path: makeInclusion(leafAt, index, size) }
}

function consistency(from: number, to: number): Consistency {
  return { from, to, fromRoot: rootAt(from), toRoot: rootAt(to), path: makeConsistency(leafAt, from, to) }
}

const sized = fc.integer({ min: 1, max: 129 })
const indexed = sized.chain(size => fc.tuple(fc.nat({ max: size - 1 }), fc.constant(size)))
const grown = fc.tuple(sized, sized).map(([a, b]) => [Math.min(a, b), Math.max(a, b)] as const)
const bit = fc.nat({ max: 255 })

function flip(hash: Hash, bit: number): Hash {
  const flipped = Buffer.from(hash)
  flipped.writeUInt8(flipped.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3)
  return flipped
}

/** The path with one thing wrong, in every place. */
function* spoilt(path: readonly Hash[], bit: number): Generator<Hash[]> {
  const extra = leafHash('extra')
  for (let i = 0; i <= path.length; i++) yield [...path.slice(0, i), extra, ...path.slice(i)]
  for (let i = 0; i < path.length; i++) {
    yield path.with(i, flip(path[i] as Hash, bit))
    yield path.toSpliced(i, 1)
    yield path.with(i, (path[i] as Hash).subarray(0, 31))
    if (i > 0) yield path.with(i, path[i - 1] as Hash).with(i - 1, path[i] as Hash)
  }
}

test('the published inclusion paths are made and accepted', () => {
  const leaves = published.leaves.map(leaf => leafHash(hex(leaf)))
  for (const { index, size, path } of published.inclusion) {
    assert.deepEqual(
      makeInclusion(i => leaves[i] as Hash, index, size).map(h => h.toString('hex')),
      path,
    )
    const root = hex(published.roots[size])
    assert.ok(checkInclusion({ leaf: leaves[index] as Hash, index, size, root, path: path.map(hex) }))
  }
})

test('the published consistency paths are made and accepted', () => {
  const leaves = published.leaves.map(leaf => leafHash(hex(leaf)))
  for (const { from, to, path } of published.consistency) {
    assert.deepEqual(
      makeConsistency(i => leaves[i] as Hash, from, to).map(h => h.toString('hex')),
      path,
    )
    const [fromRoot, toRoot] = [hex(published.roots[from]), hex(published.roots[to])]
    assert.ok(checkConsistency({ from, to, fromRoot, toRoot, path: path.map(hex) }))
  }
})

test('every path up to size 40 is the one of the definition, and is accepted', () => {
  for (let size = 0; size <= 40; size++) {
    const leaves = LEAVES.slice(0, size)
    for (let i = 0; i < size; i++) {
      assert.deepEqual(makeInclusion(leafAt, i, size), naivePath(i, leaves), `${i} of ${size}`)
      assert.ok(checkInclusion(inclusion(i, size)), `${i} of ${size}`)
    }
    for (let from = 0; from <= size; from++) {
      assert.deepEqual(makeConsistency(leafAt, from, size), naiveProof(from, leaves), `${from} to ${size}`)
      assert.ok(checkConsistency(consistency(from, size)), `${from} to ${size}`)
    }
  }
})

test('an inclusion proof with another leaf, root, index or path is refused', () => {
  fc.assert(
    fc.property(indexed, bit, fc.nat({ max: 140 }), ([index, size], bit, other) => {
      const good = inclusion(index, size)
      assert.ok(checkInclusion(good))
      assert.equal(checkInclusion({ ...good, leaf: flip(good.leaf, bit) }), false)
      assert.equal(checkInclusion({ ...good, root: flip(good.root, bit) }), false)
      if (other !== index) assert.equal(checkInclusion({ ...good, index: other }), false)
      for (const path of spoilt(good.path, bit)) assert.equal(checkInclusion({ ...good, path }), false)
    }),
    { numRuns: 300 },
  )
})

test('an inclusion proof is refused against the head of any other size', () => {
  fc.assert(
    fc.property(indexed, sized, ([index, size], other) => {
      if (other === size) return
      assert.equal(checkInclusion({ ...inclusion(index, size), size: other, root: rootAt(other) }), false)
    }),
    { numRuns: 500 },
  )
})

test('size is bound by the checkpoint, not by the path: with the root left alone another size can pass', () => {
  const three = inclusion(0, 3)
  assert.ok(checkInclusion(three))
  assert.ok(checkInclusion({ ...three, size: 4 }), 'the same shape around entry 0: RFC 9162 accepts it')
})

test('a consistency proof with another root or path is refused', () => {
  fc.assert(
    fc.property(grown, bit, ([from, to], bit) => {
      const good = consistency(from, to)
      assert.ok(checkConsistency(good))
      assert.equal(checkConsistency({ ...good, fromRoot: flip(good.fromRoot, bit) }), false)
      assert.equal(checkConsistency({ ...good, toRoot: flip(good.toRoot, bit) }), false)
      for (const path of spoilt(good.path, bit)) assert.equal(checkConsistency({ ...good, path }), false)
    }),
    { numRuns: 300 },
  )
})

test('a consistency proof is refused between the heads of any other two sizes', () => {
  fc.assert(
    fc.property(grown, grown, ([from, to], [a, b]) => {
      if (a === from && b === to) return
      // between a size and itself the empty path is right, wherever it came from
      if (a === b && makeConsistency(leafAt, from, to).length === 0) return
      const moved = { ...consistency(from, to), from: a, to: b, fromRoot: rootAt(a), toRoot: rootAt(b) }
      assert.equal(checkConsistency(moved), false)
    }),
    { numRuns: 500 },
  )
})

test('a path too short for the sizes it is shown with is refused, though its roots are right', () => {
  assert.ok(checkConsistency(consistency(2, 3)))
  for (const to of [5, 8, 9]) assert.equal(checkConsistency({ ...consistency(2, 3), to }), false, `to ${to}`)
  assert.ok(checkInclusion(inclusion(0, 3)))
  for (const size of [5, 8, 9]) assert.equal(checkInclusion({ ...inclusion(0, 3), size }), false, `size ${size}`)
})

test('a path too long for the sizes it is shown with is refused, though its roots are right', () => {
  assert.ok(checkInclusion(inclusion(1, 2)))
  assert.equal(checkInclusion({ ...inclusion(1, 2), index: 0, size: 1 }), false)
  assert.ok(checkConsistency(consistency(7, 8)))
  assert.equal(checkConsistency({ ...consistency(7, 8), from: 3, to: 4 }), false)
})

test('a ledger that was rewritten has no consistency proof', () => {
  fc.assert(
    fc.property(grown, fc.nat(), ([from, to], where) => {
      const at = where % from
      const rewritten = (i: number) => (i === at ? leafHash('another line') : leafAt(i))
      const toRoot = naiveRoot(Array.from({ length: to }, (_, i) => rewritten(i)))
      for (const path of [makeConsistency(leafAt, from, to), makeConsistency(rewritten, from, to)]) {
        assert.equal(checkConsistency({ from, to, fromRoot: rootAt(from), toRoot, path }), false)
      }
    }),
    { numRuns: 200 },
  )
})

test('growth composes: a to b and b to c are a to c, and an entry of a is the same entry of c', () => {
  fc.assert(
    fc.property(fc.tuple(sized, sized, sized), fc.nat(), (sizes, where) => {
      const [a, b, c] = sizes.toSorted((x, y) => x - y) as [number, number, number]
      assert.ok(checkConsistency(consistency(a, b)))
      assert.ok(checkConsistency(consistency(b, c)))
      assert.ok(checkConsistency(consistency(a, c)))
      assert.ok(checkInclusion(inclusion(where % a, a)) && checkInclusion(inclusion(where % a, c)))
    }),
    { numRuns: 200 },
  )
})

test('from nothing everything grows, but only from the hash of nothing', () => {
  assert.ok(checkConsistency({ from: 0, to: 0, fromRoot: EMPTY_ROOT, toRoot: EMPTY_ROOT, path: [] }))
  assert.ok(checkConsistency({ from: 0, to: 5, fromRoot: EMPTY_ROOT, toRoot: rootAt(5), path: [] }))
  assert.ok(!checkConsistency({ from: 0, to: 5, fromRoot: rootAt(1), toRoot: rootAt(5), path: [] }))
  assert.ok(!checkConsistency({ from: 0, to: 5, fromRoot: EMPTY_ROOT, toRoot: rootAt(5), path: [rootAt(1)] }))
  assert.ok(!checkConsistency({ from: 0, to: 0, fromRoot: rootAt(1), toRoot: rootAt(1), path: [] }))
})

test('numbers that are no sizes are refused, and to make a proof of them is a bug', () => {
  for (const odd of [-1, 0.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53]) {
    assert.equal(checkInclusion({ ...inclusion(0, 1), index: odd }), false)
    assert.equal(checkInclusion({ ...inclusion(0, 1), size: odd }), false)
    assert.equal(checkConsistency({ ...consistency(1, 1), from: odd }), false)
    assert.equal(checkConsistency({ ...consistency(1, 1), to: odd }), false)
    assert.throws(() => makeInclusion(leafAt, odd, 3), BrokenLaw)
    assert.throws(() => makeConsistency(leafAt, odd, 3), BrokenLaw)
  }
  assert.throws(() => makeInclusion(leafAt, 3, 3), BrokenLaw)
  assert.throws(() => makeConsistency(leafAt, 4, 3), BrokenLaw)
  assert.equal(checkConsistency({ ...consistency(2, 3), from: 3, to: 2 }), false)
})

// A tree too large to build: every subtree that the question does not cut is a hash made of its range.
function cutTree(cut: (from: number, to: number) => boolean, leaf?: Hash): (from: number, to: number) => Hash {
  const root = (from: number, to: number): Hash => {
    if (to - from === 1 && cut(from, to)) return leaf as Hash
    const k = split(to - from)
    const perfect = 2 * k === to - from || to - from === 1
    if (perfect && !cut(from, to)) return leafHash(`${from}-${to}`)
    return join(root(from, from + k), root(from + k, to))
  }
  return root
}

test('sizes go to 2^53 without being cut to 32 bits', () => {
  const large = fc.integer({ min: 2 ** 31, max: Number.MAX_SAFE_INTEGER })
  fc.assert(
    fc.property(large, fc.maxSafeNat(), (size, n) => {
      const index = n % size
      const leaf = leafHash('the line')
      const root = cutTree((from, to) => from <= index && index < to, leaf)
      const path: Hash[] = []
      for (let [from, to] = [0, size]; to - from > 1; ) {
        const middle = from + split(to - from)
        path.unshift(index < middle ? root(middle, to) : root(from, middle))
        if (index < middle) to = middle
        else from = middle
      }
      const good = { leaf, index, size, root: root(0, size), path }
      assert.ok(checkInclusion(good))
      assert.equal(checkInclusion({ ...good, index: index >= 2 ** 32 ? index - 2 ** 32 : index + 2 ** 32 }), false)
    }),
    { numRuns: 100 },
  )
  fc.assert(
    fc.property(large, large, (a, b) => {
      const [from, to] = [Math.min(a, b), Math.max(a, b)]
      const root = cutTree((low, high) => low < from && from < high)
      const path: Hash[] = []
      let [start, end] = [0, to]
      while (end !== from) {
        const middle = start + split(end - start)
        path.unshift(from <= middle ? root(middle, end) : root(start, middle))
        if (from <= middle) end = middle
        else start = middle
      }
      if (start > 0) path.unshift(root(start, end))
      const good = { from, to, fromRoot: root(0, from), toRoot: root(0, to), path: from === to ? [] : path }
      assert.ok(checkConsistency(good))
      if (from !== to) assert.equal(checkConsistency({ ...good, toRoot: root(0, to - 1) }), false)
    }),
    { numRuns: 100 },
  )
})

test('the golden proof shows its line, alone, and is written the same', () => {
  const bytes = goldenBytes('entry.tlog-proof')
  const { line, index, head } = openProof(bytes, [gate], { twice: true })
  assert.equal(line, '{"seq":6,"what":"entry 6 of eleven"}')
  assert.equal(index, 6)
  assert.equal(head.origin, 'gatemesh/example/gate-07/1')
  const lines = Array.from({ length: 11 }, (_, i) => `{"seq":${i},"what":"entry ${i} of eleven"}`)
  const path = makeInclusion(i => naiveLeaf(lines[i] as string), 6, 11)
  assert.equal(formatProof({ line, index, path, checkpoint: goldenText('checkpoint.note') }), bytes.toString('utf8'))
  assert.equal(formatProof(parseProof(bytes)), bytes.toString('utf8'))
})

test('every bit of a proof counts', () => {
  const bytes = goldenBytes('entry.tlog-proof')
  for (const flipped of flips(bytes)) {
    assert.throws(() => openProof(flipped, [gate]), { name: 'Fault' }, place(bytes, flipped))
  }
  for (let end = 0; end < bytes.length; end++) {
    assert.throws(() => openProof(bytes.subarray(0, end), [gate]), { name: 'Fault' }, `cut at ${end}`)
  }
})

test('each way of spelling a proof wrongly has its own words', () => {
  const good = goldenText('entry.tlog-proof')
  const hash = good.split('\n')[3] as string
  const table: readonly (readonly [string, string, RegExp])[] = [
    ['empty', '', /no blank line/],
    ['another version', good.replace('@v1', '@v2'), /line 1: not c2sp/],
    ['without its line', good.replace(/extra .*\n/, ''), /line 2: not the ledger line/],
    ['line not base64', good.replace('extra ', 'extra  '), /line 2: not base64/],
    ['line not UTF-8', good.replace(/extra .*/, 'extra /w=='), /line 2: .* not UTF-8/],
    ['without its index', good.replace(/index .*\n/, ''), /line 3: not the place/],
    ['index with a zero before it', good.replace('index 6', 'index 06'), /line 3: the index/],
    ['a hash too short', good.replace(hash, 'AAAA'), /line 4: not the base64 of 32 bytes/],
    ['a path without end', good.replace(hash, Array(54).fill(hash).join('\n')), /longer than 53/],
    ['another index', good.replace('index 6', 'index 7'), /not entry 7 of gatemesh\/example\/gate-07\/1 at size 11/],
    ['a second blank line', good.replace('\n\n', '\n\n\n'), /not verify|is empty/],
  ]
  for (const [what, text, message] of table) {
    assert.throws(() => openProof(text, [gate]), { name: 'Fault', message }, what)
  }
})

test.run()
