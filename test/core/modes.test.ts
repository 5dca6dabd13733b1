import assert from 'node:assert/strict'
import fc from 'fast-check'
import { MODES, type Mode } from '../../ledger/entry.ts'
import type { ModeStatement } from '../../ledger/mode.ts'
import { ModeKeeper } from '../../mesh/modekeeper.ts'
import { suite } from '../suite.ts'
import { CHARTER, GATES } from './papers.ts'

const test = suite('core/modes')

const isGate = (name: string) => GATES.some(gate => gate === name)
const keeper = () => new ModeKeeper('east', CHARTER)

function raise(mode: Mode, epoch: number, by: string, at = 0): ModeStatement {
  return { epoch, mode, by: [by], at, reason: 'test' }
}

/** The re-arm that begins an epoch. */
function rearm(epoch: number, by: readonly string[] = ['ann', 'bob'], at = 0): ModeStatement {
  return { epoch, mode: 'NORMAL', by, at, reason: 'all clear', clears: { epoch: epoch - 1, mode: 'FIRE' } }
}

test('while a contact is closed its mode stays through a re-arm, and is raised again in the new epoch', () => {
  const modes = keeper()
  modes.setContact('fire', true)
  const first = modes.owed(7) as ModeStatement
  assert.deepEqual([first.epoch, first.mode, first.by], [0, 'FIRE', ['east']])
  assert.equal(modes.hear(first, isGate), 'new')
  assert.equal(modes.owed(7), undefined)

  assert.equal(modes.hear(rearm(1), isGate), 'new')
  assert.equal(modes.statement.mode, 'NORMAL')
  assert.equal(modes.effective, 'FIRE')
  const again = modes.owed(8) as ModeStatement
  assert.deepEqual([again.epoch, again.mode], [1, 'FIRE'])
  assert.equal(modes.hear(again, isGate), 'new')

  modes.setContact('fire', false)
  assert.equal(modes.effective, 'FIRE')
  assert.equal(modes.hear(rearm(2), isGate), 'new')
  assert.equal(modes.effective, 'NORMAL')
  assert.equal(modes.owed(9), undefined)
})

test('a re-arm that names LOCKDOWN does not clear the FIRE that was raised meanwhile', () => {
  const modes = keeper()
  modes.hear(raise('LOCKDOWN', 0, 'ann'), isGate)
  const signed = { ...rearm(1), clears: { epoch: 0, mode: 'LOCKDOWN' } } as const
  modes.hear(raise('FIRE', 0, 'west'), isGate)
  assert.equal(modes.hear(signed, isGate), 'new', 'the epoch has begun')
  assert.equal(modes.effective, 'FIRE')
  const again = modes.owed(3) as ModeStatement
  assert.deepEqual([again.epoch, again.mode, again.by], [1, 'FIRE', ['east']])
  // whoever heard the re-arm before the raise, and so lost the raise, has it back
  const other = new ModeKeeper('north', CHARTER)
  other.hear(raise('LOCKDOWN', 0, 'ann'), isGate)
  other.hear(signed, isGate)
  other.hear(raise('FIRE', 0, 'west'), isGate)
  assert.equal(other.effective, 'NORMAL')
  assert.equal(other.hear(again, isGate), 'new')
  assert.equal(other.effective, 'FIRE')
  modes.hear(again, isGate)
  assert.equal(modes.hear(rearm(2), isGate), 'new')
  assert.equal(modes.effective, 'NORMAL', 'and two who name it clear it')
})

test('a gate that others do not believe keeps the mode nobody named until somebody names it', () => {
  const modes = keeper()
  modes.hear(raise('FIRE', 0, 'west'), isGate)
  modes.hear({ ...rearm(1), clears: { epoch: 0, mode: 'EVACUATE' } }, isGate)
  modes.hear({ ...rearm(2), clears: { epoch: 1, mode: 'EVACUATE' } }, isGate)
  assert.equal(modes.effective, 'FIRE')
  modes.hear(rearm(3), isGate)
  assert.equal(modes.effective, 'NORMAL')
})

test('of two closed contacts the more severe one counts, and opening it leaves the other', () => {
  const modes = keeper()
  modes.setContact('key', true)
  assert.equal(modes.effective, 'EVACUATE')
  modes.setContact('fire', true)
  assert.equal(modes.effective, 'FIRE')
  modes.setContact('fire', false)
  assert.equal(modes.effective, 'EVACUATE')
})

test('a raise into an epoch that nobody began is refused, and taken once its re-arm is known', () => {
  const modes = keeper()
  modes.hear(raise('FIRE', 0, 'west'), isGate)
  assert.equal(modes.hear(raise('LOCKDOWN', 1, 'ann'), isGate), 'refused')
  assert.equal(modes.effective, 'FIRE')
  assert.equal(modes.hear(rearm(1), isGate), 'new')
  assert.equal(modes.hear(raise('LOCKDOWN', 1, 'ann'), isGate), 'new')
  assert.equal(modes.clear?.epoch, 1)
})

const RAISERS = { east: true, west: true, anchor: true, ann: true, bob: true, vic: false, stranger: false }
for (const [who, may] of Object.entries(RAISERS)) {
  test(`${who} ${may ? 'may' : 'may not'} raise`, () => {
    assert.equal(keeper().hear(raise('EVACUATE', 0, who), isGate), may ? 'new' : 'refused')
  })
}

const CLEARS: readonly (readonly [why: string, statement: ModeStatement, taken: boolean])[] = [
  ['by a marshal and an operator', rearm(1, ['ann', 'bob']), true],
  ['by a marshal alone', rearm(1, ['ann']), false],
  ['by one marshal named twice', rearm(1, ['ann', 'ann']), false],
  ['by two operators, none a marshal', rearm(1, ['bob', 'cat']), false],
  ['by a marshal and a viewer', rearm(1, ['ann', 'vic']), false],
  ['by a gate and the anchor', rearm(1, ['east', 'anchor']), false],
  ['that does not say what it clears', { ...rearm(1), clears: undefined } as unknown as ModeStatement, false],
  ['of an epoch that is not the one before', { ...rearm(1), clears: { epoch: 1, mode: 'FIRE' } }, false],
]
for (const [why, statement, taken] of CLEARS) {
  test(`a re-arm ${why} is ${taken ? 'taken' : 'refused'}`, () => {
    const modes = keeper()
    modes.hear(raise('FIRE', 0, 'west'), isGate)
    assert.equal(modes.hear(statement, isGate), taken ? 'new' : 'refused')
    assert.equal(modes.effective, taken ? 'NORMAL' : 'FIRE')
  })
}

test('nothing but a re-arm lowers the mode', () => {
  const modes = keeper()
  modes.hear(raise('FIRE', 0, 'west'), isGate)
  assert.equal(modes.hear(raise('LOCKDOWN', 0, 'ann', -5), isGate), 'seen')
  assert.equal(modes.effective, 'FIRE')
})

/** As it travels: a raise brings the re-arm that began its epoch. */
const word = fc
  .record({
    epoch: fc.nat(3),
    mode: fc.constantFrom(...MODES),
    by: fc.constantFrom('west', 'north', 'ann', 'anchor'),
    at: fc.nat(2),
    clearAt: fc.nat(2),
  })
  .map(({ epoch, mode, by, at, clearAt }) => {
    const clear = epoch > 0 ? [rearm(epoch, ['ann', 'bob'], clearAt)] : []
    return mode === 'NORMAL' ? clear : [...clear, raise(mode, epoch, by, at)]
  })
const inTwoOrders = fc
  .array(word, { maxLength: 8 })
  .chain(words => fc.tuple(fc.constant(words), fc.shuffledSubarray(words, { minLength: words.length })))

test('in any order of arrival the same statement is in force', () => {
  fc.assert(
    fc.property(inTwoOrders, ([some, others]) => {
      const [a, b] = [keeper(), keeper()]
      for (const statement of some.flat()) assert.notEqual(a.hear(statement, isGate), 'refused')
      for (const statement of others.flat()) assert.notEqual(b.hear(statement, isGate), 'refused')
      assert.deepEqual(a.statement, b.statement)
    }),
    { numRuns: 500 },
  )
})

test.run()
