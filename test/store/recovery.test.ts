import assert from 'node:assert/strict'
import { type Evidence, judge } from '../../ledger/recovery.ts'
import { suite } from '../suite.ts'

const test = suite('store/recovery')

const root = (size: number) => `root at ${size}`
const mark = (epoch: number, size: number) => ({ account: `gate-07/${epoch}`, size, root: root(size) })
const damage = { seq: 3, what: 'entry 3 is missing' }
const rootAt = root

// What is there, and what it is.
const CASES: readonly (readonly [string, Partial<Evidence>, string])[] = [
  ['nothing', {}, 'blank'],
  ['a garbled mark and no ledger', { mark: 'garbled' }, 'blank'],
  ['an empty ledger without a mark', { stored: mark(1, 0) }, 'blank'],
  ['a damaged ledger without a mark', { stored: mark(1, 0), damage }, 'no-mark'],
  ['a ledger without a mark', { stored: mark(1, 9) }, 'no-mark'],
  ['a ledger and a garbled mark', { mark: 'garbled', stored: mark(1, 9) }, 'garbled-mark'],
  ['an empty ledger and a garbled mark', { mark: 'garbled', stored: mark(1, 0) }, 'garbled-mark'],
  ['a mark without a ledger', { mark: mark(1, 9) }, 'no-store'],
  ['a mark, and only the ledger before it', { mark: mark(2, 9), stored: mark(1, 20) }, 'no-store'],
  ['a mark, and a ledger after it', { mark: mark(1, 9), stored: mark(2, 1) }, 'old-mark'],
  ['a mark, and a damaged ledger after it', { mark: mark(1, 9), stored: mark(2, 0), damage }, 'old-mark'],
  ['a mark, and an empty ledger after it', { mark: mark(1, 9), stored: mark(2, 0) }, 'cut-short'],
  ['a ledger that is damaged', { mark: mark(1, 2), stored: mark(1, 3), damage }, 'damaged'],
  ['a ledger one short of its mark', { mark: mark(1, 10), stored: mark(1, 9) }, 'behind-mark'],
  ['a ledger at its mark', { mark: mark(1, 9), stored: mark(1, 9) }, 'intact'],
  ['an empty ledger at its mark', { mark: mark(1, 0), stored: mark(1, 0) }, 'intact'],
  ['a ledger ahead of its mark', { mark: mark(1, 3), stored: mark(1, 9) }, 'intact'],
  ['another root at the mark', { mark: mark(1, 3), stored: mark(1, 9), rootAt: () => 'other' }, 'other-history'],
  ['no root at the mark', { mark: mark(1, 3), stored: mark(1, 9), rootAt: () => undefined }, 'other-history'],
]

for (const [what, evidence, verdict] of CASES) {
  test(`${what}: ${verdict}`, () => {
    const found = judge({ rootAt, ...evidence })
    assert.equal(found.kind === 'lost' ? found.reason : found.kind, verdict)
    if (found.kind === 'lost') assert.match(found.what, /^gate-07\/[12]: /)
  })
}

test('a loss says what can be vouched for and what was acknowledged', () => {
  const found = judge({ mark: mark(1, 10), stored: { ...mark(1, 9), row: 'a row', flaws: ['row/gate-01/1'] }, rootAt })
  assert.deepEqual(found, {
    kind: 'lost',
    account: 'gate-07/1',
    reason: 'behind-mark',
    what: 'gate-07/1: 9 entries of 10 that were acknowledged',
    lastGood: { size: 9, root: root(9) },
    marked: { size: 10, root: root(10) },
    row: 'a row',
    flaws: ['row/gate-01/1'],
  })
})

test('a loss is of the newest account there is a trace of', () => {
  const account = (evidence: Partial<Evidence>) => {
    const found = judge({ rootAt, ...evidence })
    return found.kind === 'lost' && found.account
  }
  assert.equal(account({ mark: mark(2, 9), stored: mark(1, 20) }), 'gate-07/2')
  assert.equal(account({ mark: mark(1, 9), stored: mark(2, 1) }), 'gate-07/2')
  assert.equal(account({ mark: mark(1, 9), stored: mark(2, 0) }), 'gate-07/1', 'the next one was never opened')
})

test.run()
