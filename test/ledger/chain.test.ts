import assert from 'node:assert/strict'
import { toBase64 } from '../../ledger/base64.ts'
import { Chain } from '../../ledger/chain.ts'
import { BrokenLaw } from '../../ledger/fault.ts'
import { parseLine } from '../../ledger/line.ts'
import type { Pen } from '../../ledger/pen.ts'
import { EMPTY_ROOT, Frontier, leafHash } from '../../ledger/tree.ts'
import { suite } from '../suite.ts'
import { goldenText } from './golden.ts'
import { naiveRoot } from './naive-tree.ts'
import { HASH, ONE_OF_EACH } from './one-of-each.ts'

const test = suite('ledger/chain')

test('each line carries the leaf hash of the line before, the first the charter', () => {
  const chain: Pen = new Chain(HASH)
  let prev = HASH
  for (const [seq, body] of ONE_OF_EACH.entries()) {
    assert.equal(chain.size, seq)
    const written = chain.write(body)
    assert.equal(written.seq, seq)
    assert.deepEqual(parseLine(written.line), { ...body, seq, prev })
    prev = toBase64(leafHash(written.line))
  }
})

test('the root is that of a tree over all lines', () => {
  const chain = new Chain(HASH)
  const leaves: Buffer[] = []
  assert.deepEqual(chain.head(), { size: 0, root: toBase64(EMPTY_ROOT) })
  for (const body of ONE_OF_EACH) {
    leaves.push(chain.write(body).leaf)
    const head = { size: leaves.length, root: toBase64(naiveRoot(leaves)) }
    assert.deepEqual(chain.head(), head)
    assert.deepEqual(chain.head(), head)
  }
})

test('a ledger goes on as if it had never been put down', () => {
  const whole = new Chain(HASH)
  const lines = ONE_OF_EACH.map(body => whole.write(body).line)
  for (let cut = 1; cut < lines.length; cut++) {
    const frontier = new Frontier()
    for (const line of lines.slice(0, cut)) frontier.append(leafHash(line))
    const lastLeaf = leafHash(lines[cut - 1] as string)
    const chain = new Chain({ size: cut, lastLeaf, frontier })
    const rest = ONE_OF_EACH.slice(cut).map(body => chain.write(body).line)
    assert.deepEqual(rest, lines.slice(cut))
    assert.deepEqual(chain.head(), whole.head())
    assert.equal(frontier.size, cut)
  }
})

test('a ledger does not go on from a tree of another size', () => {
  assert.throws(() => new Chain({ size: 2, lastLeaf: leafHash(''), frontier: new Frontier() }), BrokenLaw)
})

test('the golden entries have their golden hashes', () => {
  const chain = new Chain(HASH)
  const lines: string[] = []
  const hashes = ONE_OF_EACH.map(body => {
    const { seq, line, leaf } = chain.write(body)
    lines.push(`${line}\n`)
    return `${seq} ${toBase64(leaf)} ${chain.root()}\n`
  })
  assert.equal(lines.join(''), goldenText('entries.jsonl'))
  assert.equal(hashes.join(''), goldenText('entries-hashes.txt'))
})

test.run()
