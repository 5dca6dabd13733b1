// Pace: how soon others hear of what happened at a gate.

import assert from 'node:assert/strict'
import { LIMITS } from '../../mesh/limits.ts'
import { EVERYONE } from '../../mesh/message.ts'
import { suite } from '../suite.ts'
import { Door } from './door.ts'
import { budget, MORNING, policy } from './papers.ts'

const test = suite('core/pace')

/** The only gate in reach, with so many tokens. */
function opened(tokens: number): Door {
  const door = new Door({ tokens, policy: policy({ capacities: [{ from: 0, capacity: tokens + 1 }] }) })
  untilWord(door)
  return door
}

/** How many ms until its next word to everyone. */
function untilWord(door: Door): number {
  for (let ms = 1; ms <= LIMITS.rowIdleMs; ms++) {
    const effects = door.after(1)
    door.sync()
    if (effects.some(effect => effect.kind === 'tell' && effect.to === EVERYONE)) return ms
  }
  return assert.fail('it is silent')
}

/** Right after it spoke. */
function afterWord(tokens: number, happens: (door: Door) => unknown): number {
  const door = opened(tokens)
  untilWord(door)
  happens(door)
  return untilWord(door)
}

test('where others may look for tokens they soon hear of people who came and went', () => {
  assert.equal(
    afterWord(LIMITS.amplePerGate, door => door.ask('p1')),
    LIMITS.rowEveryMs,
  )
})

test('where there are plenty for everybody they hear of people every half second', () => {
  assert.equal(
    afterWord(2 * LIMITS.amplePerGate, door => door.ask('p1')),
    LIMITS.rowAmpleMs,
  )
  const left = (door: Door) => [door.ask('p1'), door.leave('x1')]
  assert.equal(afterWord(2 * LIMITS.amplePerGate, left), LIMITS.rowAmpleMs)
})

test('of anything else they hear soon: tokens that came, and people whom nobody let in', () => {
  const intruded = (door: Door) => door.step({ kind: 'intruded', id: 'f1', count: 1, why: 'tailgate' })
  assert.equal(afterWord(2 * LIMITS.amplePerGate, intruded), LIMITS.rowEveryMs)
  const took = (door: Door) => {
    const before = door.balance
    door.anchor.setBudget(budget(2 * LIMITS.amplePerGate + 1), { version: 1, hash: 'policy 1' }, MORNING)
    door.anchor.send('east/1', 1, MORNING, 'grant')
    door.hearRow('anchor', door.anchor.row(MORNING + door.now))
    assert.equal(door.balance, before + 1)
  }
  assert.equal(afterWord(2 * LIMITS.amplePerGate, took), LIMITS.rowEveryMs)
})

test.run()
