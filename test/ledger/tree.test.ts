import assert from 'node:assert/strict'
import fc from 'fast-check'
import { BrokenLaw } from '../../ledger/fault.ts'
import { EMPTY_ROOT, Frontier, leafHash, nodeHash } from '../../ledger/tree.ts'
import { suite } from '../suite.ts'
import { goldenJson } from './golden.ts'
import { join, naiveLeaf, naiveRoot } from './naive-tree.ts'

const test = suite('ledger/tree')

const { leaves, roots } = goldenJson<{ leaves: string[]; roots: string[] }>('tree.json')
const line = fc.string({ unit: 'grapheme', maxLength: 40 })

test('the published RFC 6962 roots come out', () => {
  const tree = new Frontier()
  assert.equal(tree.root().toString('hex'), roots[0])
  leaves.forEach((leaf, i) => {
    tree.append(leafHash(Buffer.from(leaf, 'hex')))
    assert.equal(tree.root().toString('hex'), roots[i + 1], `size ${i + 1}`)
  })
})

test('the empty tree has the hash of nothing', () => {
  assert.ok(new Frontier().root().equals(EMPTY_ROOT))
  assert.equal(EMPTY_ROOT.toString('hex'), 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855')
})

test('a line hashes the same as text and as bytes', () => {
  fc.assert(
    fc.property(line, text => {
      assert.deepEqual(leafHash(text), naiveLeaf(text))
      assert.deepEqual(leafHash(Buffer.from(text, 'utf8')), naiveLeaf(text))
    }),
  )
})

test('no line can pass for an inner node', () => {
  const [a, b] = [leafHash('a'), leafHash('b')]
  assert.deepEqual(nodeHash(a, b), join(a, b))
  assert.notDeepEqual(leafHash(Buffer.concat([a, b])), nodeHash(a, b))
  assert.notDeepEqual(nodeHash(a, b), nodeHash(b, a))
})

test('a node hash stays what it was after the next one', () => {
  const first = nodeHash(leafHash('a'), leafHash('b'))
  const copy = Buffer.from(first)
  nodeHash(leafHash('c'), leafHash('d'))
  assert.deepEqual(first, copy)
})

test('a node of anything but two hashes is a bug', () => {
  for (const n of [0, 31, 33]) {
    assert.throws(() => nodeHash(Buffer.alloc(n), leafHash('a')), BrokenLaw)
    assert.throws(() => nodeHash(leafHash('a'), Buffer.alloc(n)), BrokenLaw)
  }
})

test('the frontier has the root of the definition at every size', () => {
  const hashes: Buffer[] = []
  const tree = new Frontier()
  for (let size = 0; size < 200; size++) {
    assert.deepEqual(tree.root(), naiveRoot(hashes), `size ${size}`)
    assert.equal(tree.size, size)
    const leaf = naiveLeaf(`line ${size}`)
    hashes.push(leaf)
    tree.append(leaf)
  }
})

test('a frontier put away and taken out again goes on as if nothing had been', () => {
  fc.assert(
    fc.property(fc.array(line, { maxLength: 40 }), fc.array(line, { maxLength: 40 }), (before, after) => {
      const tree = new Frontier()
      for (const text of before) tree.append(leafHash(text))
      const restored = new Frontier(
        tree.size,
        tree.peaks.map(peak => Buffer.from(peak)),
      )
      for (const text of after) restored.append(leafHash(text))
      assert.deepEqual(restored.root(), naiveRoot([...before, ...after].map(naiveLeaf)))
      assert.deepEqual(tree.root(), naiveRoot(before.map(naiveLeaf)), 'the one it was copied from did not move')
    }),
  )
})

test('a copy and its original part ways', () => {
  const tree = new Frontier()
  for (const text of ['a', 'b', 'c']) tree.append(leafHash(text))
  const copy = tree.copy()
  copy.append(leafHash('d'))
  assert.equal(tree.size, 3)
  assert.deepEqual(tree.root(), naiveRoot(['a', 'b', 'c'].map(naiveLeaf)))
  assert.deepEqual(copy.root(), naiveRoot(['a', 'b', 'c', 'd'].map(naiveLeaf)))
})

test('two trees that take the same leaves, now one ahead and now the other, are as if each were alone', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(line, fc.boolean()), { maxLength: 40 }), steps => {
      const [one, other, ahead] = [new Frontier(), new Frontier(), [] as string[]]
      const all = steps.map(([text]) => text)
      for (const [text, catchUp] of steps) {
        one.append(leafHash(text))
        ahead.push(text)
        for (const late of catchUp ? ahead.splice(0) : []) other.append(leafHash(late))
        assert.deepEqual(other.root(), naiveRoot(all.slice(0, other.size).map(naiveLeaf)))
      }
      assert.deepEqual(one.root(), naiveRoot(all.map(naiveLeaf)))
    }),
  )
})

test('peaks that do not fit the size are a bug', () => {
  assert.throws(() => new Frontier(3, [leafHash('a')]), BrokenLaw)
  assert.throws(() => new Frontier(0, [leafHash('a')]), BrokenLaw)
  assert.throws(() => new Frontier(4), BrokenLaw)
})

test('sizes beyond 2^32 keep their peaks', () => {
  const size = 2 ** 40 + 3
  const peaks = ['a', 'b', 'c'].map(text => leafHash(text))
  const [a, b, c] = peaks as [Buffer, Buffer, Buffer]
  const tree = new Frontier(size, peaks)
  tree.append(leafHash('d'))
  assert.equal(tree.size, 2 ** 40 + 4)
  assert.deepEqual(tree.root(), join(a, join(b, join(c, leafHash('d')))))
})

test.run()
